// SPDX-License-Identifier: BSD-3-Clause
#include "model_options.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "gckn/error.h"
#include "gckn/model_file.h"

namespace gckn::cli {

namespace {

CLI::Option* add_pooling_option(CLI::App& command, const char* name, Pooling& pooling, const char* what) {
  return command
      .add_option_function<std::string>(
          name, [&pooling](const std::string& word) { pooling = parse_pooling(word); }, what)
      ->type_name("WORD")
      ->default_str(std::string(to_string(pooling)));
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw InputError(fmt::format("{}: cannot be read", path));
  return text;
}

}  // namespace

CLI::Option* add_features_option(CLI::App& command, Features& features) {
  return command
      .add_option_function<std::string>(
          "--features", [&features](const std::string& word) { features = parse_features(word); },
          "What a node is at first: labels, degree, attributes\nor labels+attributes; otherwise what the set has")
      ->type_name("WORD")
      ->default_str(std::string(to_string(features)));
}

std::vector<CLI::Option*> add_model_options(CLI::App& command, ModelOptions& options) {
  Architecture& layers = options.layers;
  std::vector<CLI::Option*> added = {
      command.add_option("--arch", options.architecture, "Layers: walk, path, subtree or three-layer")
          ->type_name("WORD")
          ->capture_default_str(),
      command.add_option("--path-length", layers.path_length, "Edges of the paths (or walks) of the first layer")
          ->type_name("K")
          ->capture_default_str(),
      command.add_option("--filters", layers.filters, "Anchors of each layer: more are finer and slower")
          ->type_name("Q")
          ->capture_default_str(),
      command.add_option("--sigma", layers.sigma, "Width of the similarity of paths; try 0.3 to 1")
          ->type_name("S")
          ->capture_default_str(),
      add_pooling_option(command, "--pooling", layers.pooling, "Over the paths of a node: sum, mean, max or gmp"),
      add_pooling_option(command, "--global-pooling", layers.global_pooling,
                         "Over the nodes of a graph: sum, mean, max or gmp"),
      command.add_flag_callback(
          "--one-length", [&layers] { layers.all_lengths = false; },
          "Use paths of the full length only, not the shorter ones too"),
      add_features_option(command, options.features),
      command.add_flag("--edge-labels", options.edge_labels, "Read edge labels along the paths"),
      command.add_flag("--concat-layers", options.concat_layers, "Join the vectors of all layers"),
  };
  CLI::Option* config =
      command.add_option("--config", options.config_file, "Read the layers from this JSON file instead")
          ->type_name("FILE");
  for (CLI::Option* option : added) config->excludes(option);
  added.push_back(config);
  for (CLI::Option* option : added) option->group("Network to fit");
  return added;
}

NetworkConfig network_config(const ModelOptions& options) {
  if (!options.config_file.empty()) {
    try {
      return network_config_from_json(read_text(options.config_file));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}", options.config_file, error.what()));
    }
  }
  NetworkConfig config;
  if (options.architecture == "walk") {
    config = walk(options.layers);
  } else if (options.architecture == "path") {
    config = path(options.layers);
  } else if (options.architecture == "subtree") {
    config = subtree(options.layers);
  } else if (options.architecture == "three-layer") {
    config = three_layer(options.layers);
  } else {
    throw UsageError(fmt::format("--arch {}: it must be walk, path, subtree or three-layer", options.architecture));
  }
  config.features = options.features;
  config.edge_labels = options.edge_labels;
  config.concat_layers = options.concat_layers;
  validate(config);
  return config;
}

}  // namespace gckn::cli
