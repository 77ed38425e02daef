// SPDX-License-Identifier: BSD-3-Clause
// gckn embed: one vector per graph, by a network from a file or one fitted here.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "block_work.h"
#include "commands.h"
#include "console.h"
#include "data.h"
#include "files.h"
#include "gckn/error.h"
#include "gckn/io.h"
#include "gckn/model_file.h"
#include "gckn/network.h"
#include "input_text.h"
#include "model_options.h"
#include "output.h"

namespace gckn::cli {

namespace {

using Json = nlohmann::ordered_json;

struct EmbedCommand {
  CommonOptions common;
  ModelOptions network;
  ReadingOptions reading;
  std::uint64_t max_paths = RunOptions{}.max_paths;
  std::string data;
  std::string out;
  std::string ids;
  std::string model;
  std::string save_network;
  bool nodes = false;
  bool float16 = false;
  BlockWorkOptions blocks;
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
  std::vector<FileArgument> read = files_read(options.reading.labels);
  read.insert(read.end(), {{"DATA", options.data}, {"--model", options.model}});
  for (const std::string& file : options.network.config_file) read.push_back({"--config", file});
  std::vector<FileArgument> written = files_written("--out", options.out);
  for (FileArgument& file : files_written("--ids", options.ids)) written.push_back(std::move(file));
  written.push_back({"--save-network", options.save_network});
  check_files(read, written);
  if (options.out.empty() && (options.nodes || !options.ids.empty())) {
    throw UsageError(fmt::format("{} goes with --out", options.nodes ? "--nodes" : "--ids"));
  }
  if (!options.ids.empty()) check_output_folder(options.ids);
  if (is_standard_output(options.out) && options.common.json) {
    throw UsageError("--out - and --json both want the standard output");
  }
  if (options.float16 && std::filesystem::path(options.out).extension() != ".npy") {
    throw UsageError("--float16 goes with --out FILE.npy");
  }
  check_block_work(options.blocks, options.data, options.out);
}

// What an embedding has come to.
struct Embedded {
  std::uint64_t graphs = 0;
  std::uint64_t rows = 0;
  double read_seconds = 0;
  double embed_seconds = 0;
  bool was_complete = false;  // by an earlier run, so that nothing was done
  bool went_on = false;       // after rows of an earlier run
};

// Vectors of graphs or of their nodes, with their names, to a file.
class VectorOutput {
 public:
  VectorOutput(const EmbedCommand& options, const Network& network, bool has_status)
      : network_(network),
        by_node_(options.nodes),
        has_status_(has_status),
        out_(options.out, shape(options.float16), options.ids,
             block_work(options.blocks, options.model, options.data, options.reading,
                        {{"command", "embed"}, {"nodes", options.nodes}, {"max_paths", options.max_paths}})) {}

  [[nodiscard]] ResumableOutput* files() { return out_.files(); }

  // Rows begin .. end - 1 of a block. One without a graph has not-a-numbers, or nothing if rows are of nodes.
  void append(const DataBlock& block, std::size_t begin, std::size_t end, const RunOptions& run) {
    std::vector<std::uint32_t> graphs;
    for (std::size_t i = begin; i < end; ++i) {
      if (block.is_graph(i)) graphs.push_back(block.graph_of_row[i]);
    }
    if (by_node_) return append_nodes(block, graphs, run);
    const std::size_t first = graphs.empty() ? 0 : graphs.front();
    append_vectors(block, begin, end, network_.embed(block.graphs, first, first + graphs.size(), run), run);
  }

  // The same, with the vectors of their graphs.
  void append_vectors(const DataBlock& block, std::size_t begin, std::size_t end, const Matrix& vectors,
                      const RunOptions& run) {
    RowOutput::Labels labels;
    labels.names.assign(block.names.begin() + static_cast<std::ptrdiff_t>(begin),
                        block.names.begin() + static_cast<std::ptrdiff_t>(end));
    if (has_status_) {
      labels.errors.assign(block.errors.begin() + static_cast<std::ptrdiff_t>(begin),
                           block.errors.begin() + static_cast<std::ptrdiff_t>(end));
    }
    if (vectors.rows() == end - begin) return put(vectors, labels, run);
    auto rows = Matrix::uninitialised(end - begin, vectors.cols());
    std::size_t next = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (block.is_graph(i)) {
        std::copy_n(vectors.row(next++), vectors.cols(), rows.row(i - begin));
      } else {
        std::fill_n(rows.row(i - begin), vectors.cols(), std::numeric_limits<float>::quiet_NaN());
      }
    }
    put(rows, labels, run);
  }

  // Returns the number of rows.
  std::uint64_t finish() {
    out_.finish();
    return rows_;
  }

 private:
  [[nodiscard]] RowOutput::Shape shape(bool float16) const {
    const std::size_t last = network_.layers().size() - 1;
    return {by_node_ ? network_.node_vector_size(last) : network_.vector_size(), by_node_, has_status_,
            float16 ? NumberType::float16 : NumberType::float32};
  }

  void append_nodes(const DataBlock& block, const std::vector<std::uint32_t>& graphs, const RunOptions& run) {
    std::vector<std::string> name_of_graph(block.graphs.num_graphs());
    for (std::size_t i = 0; i < block.num_rows(); ++i) {
      if (block.is_graph(i)) name_of_graph[block.graph_of_row[i]] = block.names[i];
    }
    RowOutput::Labels labels;
    for (const std::uint32_t g : graphs) {
      const std::uint32_t nodes = block.graphs.graph_begin(g + 1) - block.graphs.graph_begin(g);
      labels.names.insert(labels.names.end(), nodes, name_of_graph[g]);
      for (std::uint32_t u = 0; u < nodes; ++u) labels.nodes.push_back(u);
    }
    if (has_status_) labels.errors.resize(labels.names.size());
    const bool is_whole = graphs.size() == block.graphs.num_graphs();
    const std::size_t layer = network_.layers().size() - 1;
    put(is_whole ? network_.embed_nodes(block.graphs, layer, run)
                 : network_.embed_nodes(select_graphs(block.graphs, graphs), layer, run),
        labels, run);
  }

  void put(const Matrix& rows, const RowOutput::Labels& labels, const RunOptions& run) {
    out_.append(rows, labels, run);
    rows_ += rows.rows();
  }

  const Network& network_;
  const bool by_node_;
  const bool has_status_;
  RowOutput out_;
  std::uint64_t rows_ = 0;
};

// Embeds with a network that is there, block by block: graphs of any number take the memory of a block.
Embedded embed_as_read(const EmbedCommand& options, const Network& network, const RunOptions& run, Console& console,
                       UnknownTally& unknown) {
  Embedded result;
  Stopwatch watch;
  DataReader reader(options.data, options.reading, {network.input().molecules}, console, run, OnError::blank);
  VectorOutput out(options, network, reader.has_status());
  result.was_complete = out.files() != nullptr && out.files()->is_complete();
  if (result.was_complete) return result;
  result.went_on = out.files() != nullptr && out.files()->blocks_done() > 0;
  for_each_block_left(reader, out.files(), options.blocks, console, [&](const DataBlock& block) {
    result.read_seconds += watch.lap();
    unknown.add(network, block.graphs);
    out.append(block, 0, block.num_rows(), reader.run());
    result.graphs += block.graphs.num_graphs();
    result.embed_seconds += watch.lap();
  });
  result.rows = out.finish();
  reader.say_errors();
  return result;
}

// Embeds graphs that are there, part by part: their vectors are written as they come.
std::uint64_t embed_in_parts(const EmbedCommand& options, const DataBlock& block, const Network& network,
                             const RunOptions& run) {
  VectorOutput out(options, network, block.has_status());
  constexpr std::uint32_t kNodes = 400'000;
  std::size_t begin = 0;
  std::uint32_t nodes = 0;
  for (std::size_t end = 1; end <= block.num_rows(); ++end) {
    if (const std::uint32_t g = block.graph_of_row[end - 1]; block.is_graph(end - 1)) {
      nodes += block.graphs.graph_begin(g + 1) - block.graphs.graph_begin(g);
    }
    if (nodes < kNodes && end < block.num_rows()) continue;
    out.append(block, begin, end, run);
    begin = end;
    nodes = 0;
  }
  return out.finish();
}

// Fits a network and embeds with it.
Embedded embed_and_fit(const EmbedCommand& options, const DataBlock& block, const NetworkConfig& config,
                       const RunOptions& run, std::optional<Network>& network) {
  FitOptions fit;
  fit.seed = options.common.seed;
  Stopwatch watch;
  const GraphSet& graphs = block.graphs;
  Embedded result{graphs.num_graphs(), 0, 0, 0};
  if (options.out.empty()) {
    network = fit_network(graphs, config, fit, run);
  } else if (!options.nodes && graphs.num_nodes() <= fit.max_nodes) {
    auto [fitted, vectors] = fit_and_embed(graphs, config, fit, run);
    network = std::move(fitted);
    result.embed_seconds = watch.lap();
    VectorOutput out(options, *network, block.has_status());
    out.append_vectors(block, 0, block.num_rows(), vectors, run);
    result.rows = out.finish();
    return result;
  } else {
    network = fit_network(graphs, config, fit, run);
    result.rows = embed_in_parts(options, block, *network, run);
  }
  result.embed_seconds = watch.lap();
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
  UnknownTally unknown;
  Embedded embedded;
  if (fit_here) {
    Stopwatch watch;
    const DataBlock block = read_rows(options.data, options.reading, console, run, OnError::blank);
    const double read_seconds = watch.lap();
    embedded = embed_and_fit(options, block, config, run, network);
    embedded.read_seconds = read_seconds;
    say_input(console, block.graphs, config, json);
  } else {
    network = load_network(options.model);
    embedded = embed_as_read(options, *network, run, console, unknown);
  }
  if (embedded.was_complete) {
    console.say("{} is finished: an earlier run has done all of it.", options.out);
    return console.result(
        {{"command", "embed"}, {"data", options.data}, {"out", options.out}, {"rows", 0}, {"was_finished", true}});
  }
  console.say(
      "Read {} in {:.2f} s, {} in {:.2f} s.", counted(embedded.graphs, "graph"), embedded.read_seconds,
      fit_here ? (options.out.empty() ? "fitted a network" : "fitted a network and embedded them") : "embedded them",
      embedded.embed_seconds);
  say_layers(console, *network);
  json["graphs"] = embedded.graphs;
  if (!options.out.empty()) json["rows"] = embedded.rows;
  json["columns"] = options.nodes ? network->node_vector_size(network->layers().size() - 1) : network->vector_size();
  json["layers"] = layers_json(*network);
  if (network->learnt_from().is_sample()) {
    console.say("  anchors learnt from a sample of {} of {}", grouped(network->learnt_from().graphs),
                counted(network->learnt_from().of, "graph"));
    json["learnt_from"] = {{"graphs", network->learnt_from().graphs}, {"of", network->learnt_from().of}};
  }
  json["seconds"] = {{"read", embedded.read_seconds}, {"embed", embedded.embed_seconds}};

  if (!options.out.empty()) {
    console.say("Wrote {}{} of {} to {}.", embedded.went_on ? "the last " : "", counted(embedded.rows, "vector"),
                options.nodes ? "nodes" : "graphs", is_standard_output(options.out) ? "standard output" : options.out);
    json["out"] = options.out;
    json["vectors_of"] = options.nodes ? "nodes" : "graphs";
  }
  if (!options.ids.empty()) {
    console.say("Wrote what the rows are called to {}.", options.ids);
    json["ids"] = options.ids;
  }
  if (!options.save_network.empty()) {
    save_network(*network, options.save_network);
    console.say("Saved the network to {}.", options.save_network);
    json["save_network"] = options.save_network;
  }
  if (!fit_here) unknown.say(console, *network, json);
  console.result(json);
}

}  // namespace

void add_embed_command(CLI::App& program) {
  auto options = std::make_shared<EmbedCommand>();
  CLI::App* command = program.add_subcommand("embed", "Turn every graph of a set into a vector.");
  add_data_argument(*command, options->data);
  add_output_option(*command, options->out, "File for the vectors, one row per graph");
  command->add_option("--ids", options->ids, "File for what the rows are called, line by line (CSV has it in front)")
      ->type_name("FILE");
  command->add_flag("--nodes", options->nodes, "A vector for every node instead, as the last layer has it");
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
  command->add_flag("--float16", options->float16, "Half the size of FILE.npy: numbers of 16 bits, to about 3 digits");
  for (CLI::Option* option : add_block_work_options(*command, options->blocks)) option->needs(model);
  model->excludes(save_network, old_name);
  save_network->excludes(old_name);
  for (CLI::Option* option : add_model_options(*command, options->network, false)) model->excludes(option);
  add_reading_options(*command, options->reading, OnError::blank);
  add_common_options(*command, options->common);
  command->footer(
      R"(Without --model a network is fitted to DATA first; classes are not used for that. CSV has a header and begins every
row with the graph's id, or its number from 0; of nodes also with the node's number. With --model graphs of any number
take the memory of a block. Until all is done the rows are in FILE.part, and FILE.blocks says how far they go; a run
that was stopped goes on with --resume. Arrays can be mapped into memory: numpy.load("FILE.npy", mmap_mode="r").

Examples:
  gckn embed NCI1.zip --out vectors.npy
  gckn embed NCI1.zip --path-length 4 --filters 128 --sigma 0.6 --save-network nci1.gckn --out vectors.npy
  gckn embed new.jsonl --model nci1.gckn --out new.csv
  gckn embed zinc.smi.gz --model m.gckn --out zinc.npy --ids zinc.txt --float16 --resume)");
  command->callback([options] { run_embed(*options); });
}

}  // namespace gckn::cli
