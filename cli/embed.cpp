// SPDX-License-Identifier: BSD-3-Clause
// gckn embed: one vector per graph, by a network from a file or one fitted here.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "console.h"
#include "data.h"
#include "files.h"
#include "gckn/error.h"
#include "gckn/io.h"
#include "gckn/model_file.h"
#include "gckn/network.h"
#include "model_options.h"
#include "output.h"

namespace gckn::cli {

namespace {

using Json = nlohmann::ordered_json;

struct EmbedCommand {
  CommonOptions common;
  ModelOptions network;
  LabelNameOptions labels;
  std::uint64_t max_paths = RunOptions{}.max_paths;
  std::string data;
  std::string out;
  std::string model;
  std::string save_network;
};

std::string anchors_text(const AnchorReport& report, int anchors) {
  const std::string patterns = counted(report.patterns, "pattern");
  const std::string seen =
      report.sampled ? fmt::format("a sample of {} of {}", grouped(report.points), patterns) : patterns;
  if (report.iterations == 0) {  // nothing had to be found: they are all there is
    const bool one_each = static_cast<std::uint64_t>(anchors) == report.points;
    return one_each ? fmt::format("all of {}", seen) : fmt::format("all different vectors of {}", seen);
  }
  std::string text = fmt::format("k-means on {}", seen);
  text += fmt::format(", {}", counted(static_cast<std::uint64_t>(report.iterations), "iteration"));
  return report.converged ? text : text + " (not converged)";
}

void say_layers(Console& console, const Network& network) {
  for (std::size_t j = 0; j < network.layers().size(); ++j) {
    const LayerConfig& layer = network.layers()[j].config;
    std::string text = fmt::format("  layer {}: {}, {}", j + 1, layer_text(layer),
                                   counted(static_cast<std::uint64_t>(layer.filters), "anchor"));
    // A network from a file has no story to tell.
    if (j < network.anchor_reports().size()) {
      text += fmt::format(": {}", anchors_text(network.anchor_reports()[j], layer.filters));
    }
    console.say("{}", text);
  }
}

Json layers_json(const Network& network) {
  Json json = Json::array();
  for (std::size_t j = 0; j < network.layers().size(); ++j) {
    const LayerConfig& layer = network.layers()[j].config;
    json.push_back({{"kind", to_string(layer.kind)}, {"path_length", layer.path_length}, {"filters", layer.filters}});
    if (j >= network.anchor_reports().size()) continue;
    const AnchorReport& report = network.anchor_reports()[j];
    Json& anchors = json.back()["anchors"];
    anchors = {{"patterns", report.patterns},    {"points", report.points},       {"exact", report.exact},
               {"sampled", report.sampled},      {"converged", report.converged}, {"iterations", report.iterations},
               {"similarity", report.similarity}};
    if (report.sampled) anchors["held_out_similarity"] = report.held_out_similarity;
  }
  return json;
}

void check(const EmbedCommand& options) {
  if (options.out.empty() && options.save_network.empty()) {
    throw UsageError("there is nothing to do with the vectors: give --out or --save-network");
  }
  if (!options.out.empty()) check_matrix_output(options.out);
  if (!options.save_network.empty()) check_output_folder(options.save_network);
  std::vector<FileArgument> read = files_read(options.labels);
  read.insert(read.end(), {{"DATA", options.data}, {"--model", options.model}});
  for (const std::string& file : options.network.config_file) read.push_back({"--config", file});
  check_files(read, {{"--out", options.out}, {"--save-network", options.save_network}});
  if (is_standard_output(options.out) && options.common.json) {
    throw UsageError("--out - and --json both want the standard output");
  }
}

// What an embedding has come to.
struct Embedded {
  std::uint64_t graphs = 0;
  double read_seconds = 0;
  double embed_seconds = 0;
};

// Embeds with a network that is there, block by block: graphs of any number take the memory of a block.
Embedded embed_as_read(const EmbedCommand& options, const Network& network, const RunOptions& run) {
  Embedded result;
  Stopwatch watch;
  const std::unique_ptr<GraphReader> reader = open_data(options.data, run);
  RowOutput out(options.out, network.vector_size());
  while (const std::optional<GraphSet> graphs = reader->next()) {
    result.read_seconds += watch.lap();
    const Matrix rows = network.embed(*graphs, run);
    result.embed_seconds += watch.lap();
    out.append(rows, run);
    result.graphs += rows.rows();
    watch.lap();
  }
  out.finish();
  return result;
}

// Fits a network and embeds with it.
Embedded embed_and_fit(const EmbedCommand& options, const NetworkConfig& config, const RunOptions& run,
                       std::optional<Network>& network) {
  FitOptions fit;
  fit.seed = options.common.seed;
  Stopwatch watch;
  const GraphSet graphs = read_data(options.data, options.labels, run);
  Embedded result{graphs.num_graphs(), watch.lap(), 0};
  if (options.out.empty()) {
    network = fit_network(graphs, config, fit, run);
    result.embed_seconds = watch.lap();
  } else if (graphs.num_nodes() <= fit.max_nodes) {
    auto [fitted, vectors] = fit_and_embed(graphs, config, fit, run);
    network = std::move(fitted);
    result.embed_seconds = watch.lap();
    write_matrix(vectors, options.out, run);
  } else {
    // Many graphs, of which a sample is learnt from: their vectors are written as they come.
    network = fit_network(graphs, config, fit, run);
    RowOutput out(options.out, network->vector_size());
    constexpr std::size_t kGraphs = 16'384;
    for (std::size_t first = 0; first < graphs.num_graphs(); first += kGraphs) {
      out.append(network->embed(graphs, first, std::min(first + kGraphs, graphs.num_graphs()), run), run);
    }
    result.embed_seconds = watch.lap();
    out.finish();
  }
  return result;
}

void run_embed(const EmbedCommand& options) {
  Console console(options.common);
  check(options);
  if (is_standard_output(options.out)) console.keep_output_for_data();
  const bool fit_here = options.model.empty();
  const NetworkConfig config = fit_here ? network_config(options.network) : NetworkConfig{};
  RunOptions run = console.run_options();
  run.max_paths = options.max_paths;

  Json json = {{"command", "embed"}, {"data", options.data}};
  std::optional<Network> network;
  if (!fit_here) network = load_network(options.model);
  const Embedded embedded =
      fit_here ? embed_and_fit(options, config, run, network) : embed_as_read(options, *network, run);
  console.say(
      "Read {} in {:.2f} s, {} in {:.2f} s.", counted(embedded.graphs, "graph"), embedded.read_seconds,
      fit_here ? (options.out.empty() ? "fitted a network" : "fitted a network and embedded them") : "embedded them",
      embedded.embed_seconds);
  say_layers(console, *network);
  json["graphs"] = embedded.graphs;
  json["rows"] = embedded.graphs;
  json["columns"] = network->vector_size();
  json["layers"] = layers_json(*network);
  if (network->learnt_from().is_sample()) {
    console.say("  anchors learnt from a sample of {} of {}", grouped(network->learnt_from().graphs),
                counted(network->learnt_from().of, "graph"));
    json["learnt_from"] = {{"graphs", network->learnt_from().graphs}, {"of", network->learnt_from().of}};
  }
  json["seconds"] = {{"read", embedded.read_seconds}, {"embed", embedded.embed_seconds}};

  if (!options.out.empty()) {
    console.say("Wrote {} of length {} to {}.", counted(embedded.graphs, "vector"), network->vector_size(),
                is_standard_output(options.out) ? "standard output" : options.out);
    json["out"] = options.out;
  }
  if (!options.save_network.empty()) {
    save_network(*network, options.save_network);
    console.say("Saved the network to {}.", options.save_network);
    json["save_network"] = options.save_network;
  }
  console.result(json);
}

}  // namespace

void add_embed_command(CLI::App& program) {
  auto options = std::make_shared<EmbedCommand>();
  CLI::App* command = program.add_subcommand("embed", "Turn every graph of a set into a vector.");
  add_data_argument(*command, options->data);
  add_output_option(*command, options->out, "File for the vectors, one row per graph");
  CLI::Option* model =
      command->add_option("--model", options->model, "Use the network in this file instead of fitting one")
          ->type_name("FILE");
  CLI::Option* save_network =
      command->add_option("--save-network", options->save_network, "Save the fitted network, for --model (FILE.gckn)")
          ->type_name("FILE");
  CLI::Option* old_name = command->add_option("--save-model", options->save_network)->type_name("FILE");
  command
      ->add_option("--max-paths", options->max_paths,
                   "Give up if a layer would visit more paths than this: of one graph,\nor of all that are learnt from")
      ->type_name("N")
      ->capture_default_str();
  model->excludes(save_network, old_name);
  save_network->excludes(old_name);
  for (CLI::Option* option : add_model_options(*command, options->network, false)) model->excludes(option);
  add_common_options(*command, options->common);
  command->footer(R"(Without --model a network is fitted to DATA first; classes are not used for that.

Examples:
  gckn embed NCI1.zip --out vectors.npy
  gckn embed NCI1.zip --path-length 4 --filters 128 --sigma 0.6 --save-network nci1.gckn --out vectors.npy
  gckn embed new.jsonl --model nci1.gckn --out new.csv)");
  command->callback([options] { run_embed(*options); });
}

}  // namespace gckn::cli
