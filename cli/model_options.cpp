// SPDX-License-Identifier: BSD-3-Clause
#include "model_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tuple>

#include "gckn/error.h"
#include "gckn/model_file.h"
#include "text_file.h"
#include "values.h"

namespace gckn::cli {

namespace {

// An option whose values may be several, separated by commas.
template <typename Value>
CLI::Option* add_list_option(CLI::App& command, const char* name, std::vector<Value>& values, const char* what,
                             const char* type) {
  return command.add_option(name, values, what)
      ->delimiter(',')
      ->allow_extra_args(false)  // one argument; commas separate its values
      ->type_name(type)
      ->default_str(fmt::format("{}", fmt::join(values, ",")));
}

NetworkConfig make_architecture(const std::string& word, const Architecture& layers) {
  if (word == "walk") return walk(layers);
  if (word == "path") return path(layers);
  if (word == "subtree") return subtree(layers);
  if (word == "three-layer") return three_layer(layers);
  throw UsageError(fmt::format("--arch {}: it must be walk, path, subtree or three-layer", word));
}

// The product of the lists that describe networks. complete(config): what all candidates have.
template <typename Complete>
void add_networks(const ModelOptions& options, const Complete& complete, std::vector<NetworkConfig>& configs) {
  for (const std::string& architecture : options.architecture) {
    for (const int path_length : options.path_length) {
      for (const int filters : options.filters) {
        for (const double sigma : options.sigma) {
          for (const std::string& pooling : options.pooling) {
            for (const std::string& global_pooling : options.global_pooling) {
              NetworkConfig config =
                  make_architecture(architecture, {path_length, filters, sigma, parse_pooling(pooling),
                                                   parse_pooling(global_pooling), !options.one_length});
              complete(config);
              config.concat_layers = options.concat_layers;
              validate(config);
              configs.push_back(std::move(config));
            }
          }
        }
      }
    }
  }
}

}  // namespace

CLI::Option* add_features_option(CLI::App& command, Features& features) {
  CLI::Option* option = command.add_option_function<std::string>(
      "--features", [&features](const std::string& word) { features = parse_features(word); },
      "What a node is at first: labels, degree, attributes\nor labels+attributes; otherwise what the set has");
  option->type_name("WORD")->default_str(std::string(to_string(features)));
  return takes_words(option, {"labels", "degree", "attributes", "labels+attributes"});
}

std::vector<CLI::Option*> add_model_options(CLI::App& command, ModelOptions& options, bool several) {
  const std::vector<std::string> poolings = {"sum", "mean", "max", "gmp"};
  CLI::Option* edge_labels = command.add_flag_callback(
      "--edge-labels", [&options] { options.edge_labels = EdgeLabels::used; },
      "Read edge labels along the paths; the bonds of molecules are\nread without it");
  CLI::Option* no_edge_labels = command.add_flag_callback(
      "--no-edge-labels", [&options] { options.edge_labels = EdgeLabels::unused; }, "Do not read them");
  edge_labels->excludes(no_edge_labels);
  std::vector<CLI::Option*> added = {
      takes_words(add_list_option(command, "--arch", options.architecture, "Layers: walk, path, subtree or three-layer",
                                  "WORD"),
                  {"walk", "path", "subtree", "three-layer"}),
      add_list_option(command, "--path-length", options.path_length, "Edges of the paths (or walks) of the first layer",
                      "K"),
      add_list_option(command, "--filters", options.filters, "Anchors of each layer: more are finer and slower", "Q"),
      add_list_option(command, "--sigma", options.sigma, "Width of the similarity of paths; try 0.3 to 1", "S"),
      takes_words(add_list_option(command, "--pooling", options.pooling,
                                  "Over the paths of a node: sum, mean, max or gmp", "WORD"),
                  poolings),
      takes_words(add_list_option(command, "--global-pooling", options.global_pooling,
                                  "Over the nodes of a graph: sum, mean, max or gmp", "WORD"),
                  poolings),
      command.add_flag("--one-length", options.one_length,
                       "Use paths of the full length only, not the shorter ones too"),
      takes_words(
          command
              .add_option_function<std::string>(
                  "--features",
                  [&options](const std::string& word) {
                    std::tie(options.features, options.attributes) = parse_features_word(word);
                  },
                  "What a node is at first: degree, or any of labels, attributes,\nedge-attributes (their mean) and "
                  "graph-attributes, with + between\nthem; otherwise what the set has")
              ->type_name("WORD")
              ->default_str(features_word(options.features, options.attributes)),
          {"auto", "degree", "labels", "attributes", "labels+attributes", "edge-attributes", "graph-attributes"}),
      edge_labels,
      no_edge_labels,
      command.add_flag("--concat-layers", options.concat_layers, "Join the vectors of all layers"),
  };
  if (several) {
    added.push_back(takes_words(add_list_option(command, "--compare", options.compare,
                                                "What graphs are compared by: vectors of networks, states of\n"
                                                "nodes, which are the labelled paths that start there, or both",
                                                "WORD")
                                    ->default_str("the best"),
                                {"vectors", "states", "both"}));
    added.push_back(takes_words(add_list_option(command, "--head", options.head,
                                                "What is learnt on that: linear models, or gaussian: machines on\n"
                                                "a Gaussian kernel, for 5,000 graphs at most",
                                                "WORD")
                                    ->default_str("the best"),
                                {"linear", "gaussian"}));
  }
  CLI::Option* config =
      command.add_option("--config", options.config_file, "Read the layers from this JSON file instead")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->type_name("FILE");
  for (CLI::Option* option : added) config->excludes(option);
  added.push_back(config);
  for (CLI::Option* option : added) {
    option->group(several ? "Networks to try (lists, as in --sigma 0.4,0.6)" : "Network to fit");
  }
  return added;
}

std::vector<NetworkConfig> network_configs(const ModelOptions& options) {
  std::vector<NetworkConfig> configs;
  for (const std::string& file : options.config_file) {
    try {
      configs.push_back(network_config_from_json(read_text(file)));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}", file, error.what()));
    }
  }
  if (!configs.empty()) return configs;
  const auto complete = [&](NetworkConfig& config) {
    config.features = options.features;
    config.attributes = options.attributes;
    config.edge_labels = options.edge_labels;
  };
  for (const auto& [compare, head] : options.comparisons) {
    if (compare != Compare::states) {
      add_networks(
          options,
          [&, compare = compare, head = head](NetworkConfig& config) {
            complete(config);
            config.compare = compare;
            config.head = head;
          },
          configs);
      continue;
    }
    for (const int path_length : options.state_path_length) {
      NetworkConfig config = states(path_length, head);
      complete(config);
      validate(config);
      configs.push_back(std::move(config));
    }
  }
  return configs;
}

NetworkConfig network_config(const ModelOptions& options) {
  const std::vector<NetworkConfig> configs = network_configs(options);
  if (configs.size() != 1) {
    throw UsageError(
        fmt::format("one network is needed and the options describe {}: give one value of each", configs.size()));
  }
  return configs.front();
}

}  // namespace gckn::cli
