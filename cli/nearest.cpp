// SPDX-License-Identifier: BSD-3-Clause
// gckn nearest: the graphs of a set that are most similar to some others.
#include "gckn/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "console.h"
#include "data.h"
#include "files.h"
#include "gckn/error.h"
#include "gckn/io.h"
#include "gckn/model_file.h"
#include "gckn/npy_reader.h"
#include "input_text.h"
#include "output.h"
#include "text_file.h"

namespace gckn::cli {

namespace {

using Json = nlohmann::ordered_json;

struct NearestCommand {
  CommonOptions common;
  ReadingOptions reading;
  NearestOptions nearest;
  bool inner_product = false;
  std::uint64_t max_paths = RunOptions{}.max_paths;
  std::string model;
  std::string data;
  std::string query;
  std::string ids;
  std::string out = "-";
};

// What graphs are called, as it stands in CSV: the ids of those that have one. By number, from 0, for the others.
class Names {
 public:
  // Line by line, as gckn embed --ids writes them. Throws InputError if there are not as many as vectors.
  void read(const std::string& path, std::size_t count) {
    for_each_line(read_text(path),
                  [&](std::size_t, std::string_view line) { fields_.push_back(csv_field(from_line(line))); });
    if (fields_.size() == count) return;
    throw InputError(
        fmt::format("{}: has {}, and DATA has {}", path, counted(fields_.size(), "line"), counted(count, "vector")));
  }
  void add(const std::vector<std::string>& ids, std::size_t first) {
    if (ids.empty()) return;
    fields_.resize(first);
    for (const std::string& id : ids) fields_.push_back(csv_field(id));
  }
  [[nodiscard]] std::string field(std::uint64_t graph) const {
    const bool named = graph < fields_.size() && !fields_[graph].empty();
    return named ? fields_[graph] : fmt::to_string(graph);
  }

 private:
  std::vector<std::string> fields_;
};

bool holds_vectors(const std::string& path) {
  return std::filesystem::path(path).extension() == ".npy";
}

// What makes vectors of graphs, and what it does not know of them.
struct Embedding {
  const Network& network;
  const ReadingOptions& reading;
  Console& console;
  const RunOptions& run;
  UnknownTally& unknown;
};

// The vectors of an argument, block by block: those of a .npy file as they are, those of graphs as the network makes
// them. Returns how many there are.
std::size_t for_each_block(const std::string& path, const Embedding& embedding, Names& names,
                           const std::function<void(const Matrix&)>& use) {
  const auto& [network, reading, console, run, unknown] = embedding;
  std::size_t count = 0;
  if (holds_vectors(path)) {
    NpyReader reader(path);
    if (reader.columns() != network.vector_size()) {
      throw InputError(
          fmt::format("{}: has vectors of length {}, and those of the model have {}: they are of another one", path,
                      reader.columns(), network.vector_size()));
    }
    while (const std::optional<Matrix> rows = reader.next()) {
      use(*rows);
      count += rows->rows();
    }
    return count;
  }
  DataReader reader(path, reading, {network.input().molecules}, console, run, OnError::fail);
  while (const std::optional<DataBlock> block = reader.next()) {
    const GraphSet& graphs = block->graphs;
    unknown.add(network, graphs);
    names.add(reader.has_status() ? block->names : graphs.ids(), count);
    // A set that comes whole has more vectors than need be kept.
    constexpr std::size_t kGraphs = 16'384;
    for (std::size_t first = 0; first < graphs.num_graphs(); first += kGraphs) {
      use(network.embed(graphs, first, std::min(first + kGraphs, graphs.num_graphs()), reader.run()));
    }
    count += graphs.num_graphs();
  }
  reader.say_errors();
  return count;
}

Matrix all_vectors(const std::string& path, const Embedding& embedding, Names& names) {
  std::vector<Matrix> blocks;
  const std::size_t rows =
      for_each_block(path, embedding, names, [&](const Matrix& block) { blocks.push_back(block); });
  auto all = Matrix::uninitialised(rows, embedding.network.vector_size());
  float* to = all.data();
  for (const Matrix& block : blocks) to = std::copy_n(block.data(), block.size(), to);
  return all;
}

std::string csv(const std::vector<std::vector<Neighbour>>& found, const Names& queries, const Names& graphs) {
  std::string text = "query,rank,graph,similarity\n";
  for (std::size_t q = 0; q < found.size(); ++q) {
    for (std::size_t rank = 0; rank < found[q].size(); ++rank) {
      fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", queries.field(q), rank + 1,
                     graphs.field(found[q][rank].index), found[q][rank].similarity);
    }
  }
  return text;
}

void run_nearest(NearestCommand& options) {
  Console console(options.common);
  const bool to_standard_output = is_standard_output(options.out);
  if (to_standard_output && options.common.json) {
    throw UsageError("--out - and --json both want the standard output: give --out FILE");
  }
  if (!options.ids.empty() && !holds_vectors(options.data)) {
    throw UsageError("--ids goes with vectors, DATA.npy: graphs have their own");
  }
  if (options.data == "-" && options.query == "-") throw UsageError("DATA and QUERY both want the standard input");
  if (to_standard_output) {
    console.keep_output_for_data();
  } else {
    check_output_folder(options.out);
    std::vector<FileArgument> read = files_read(options.reading.labels);
    read.insert(read.end(), {{"MODEL", options.model}, {"DATA", options.data}, {"QUERY", options.query}});
    read.push_back({"--ids", options.ids});
    check_files(read, {{"--out", options.out}});
  }
  options.nearest.similarity = options.inner_product ? Similarity::inner_product : Similarity::cosine;
  RunOptions run = console.run_options();
  run.max_paths = options.max_paths;

  Stopwatch watch;
  const Network network = load_first(options.model, load_network, "gckn nearest MODEL DATA QUERY");
  Names query_names;
  Names names;
  UnknownTally unknown;
  const Embedding embedding{network, options.reading, console, run, unknown};
  const Matrix queries = all_vectors(options.query, embedding, query_names);
  NearestSearch search(queries, options.nearest);
  const std::size_t graphs =
      for_each_block(options.data, embedding, names, [&](const Matrix& vectors) { search.add(vectors, run); });
  if (!options.ids.empty()) names.read(options.ids, graphs);
  if (search.passed_over() > 0) {
    console.warn("{} of {} passed over: rows that were no graphs when they were embedded",
                 grouped(search.passed_over()), counted(graphs, "vector"));
  }
  const std::string text = csv(search.found(), query_names, names);
  const double seconds = watch.lap();
  if (to_standard_output) {
    print_data(text);
  } else {
    write_text(text, options.out);
  }
  console.say("Compared {} with {} in {:.2f} s.",
              queries.rows() == 1 ? "1 query" : grouped(queries.rows()) + " queries", counted(graphs, "graph"),
              seconds);
  Json json{{"command", "nearest"},
            {"model", options.model},
            {"data", options.data},
            {"query", options.query},
            {"similarity", options.inner_product ? "inner product" : "cosine"},
            {"k", options.nearest.k},
            {"queries", queries.rows()},
            {"graphs", graphs},
            {"out", options.out},
            {"seconds", seconds}};
  unknown.say(console, network, json);
  console.result(json);
}

}  // namespace

void add_nearest_command(CLI::App& program) {
  auto options = std::make_shared<NearestCommand>();
  CLI::App* command = program.add_subcommand("nearest", "Find the graphs that are most similar to others.");
  command->add_option("MODEL", options->model, "A network or model that gckn embed or train saved")->required();
  add_data_argument(*command, options->data);
  command
      ->add_option("QUERY", options->query, "Graphs to find the most similar ones of DATA for, in any of these formats")
      ->required();
  command->add_option("--k", options->nearest.k, "How many to find for each query")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--ids", options->ids,
                   "What the vectors of DATA.npy are called, line by line, from gckn embed --ids")
      ->type_name("FILE");
  command->add_flag("--inner-product", options->inner_product,
                    "Compare vectors as they are, not scaled to unit length");
  command->add_option("--out", options->out, "CSV file for what is found; - prints it")
      ->type_name("FILE")
      ->capture_default_str();
  command
      ->add_option("--max-paths", options->max_paths,
                   "Give up if a layer would visit more paths of one graph than this")
      ->type_name("N")
      ->capture_default_str();
  add_reading_options(*command, options->reading, OnError::fail);
  add_common_options(*command, options->common);
  command->footer(
      R"(DATA and QUERY may also be vectors, FILE.npy, that gckn embed has made with this model: a large set is then embedded
once. The columns are query, rank (from 1), graph and similarity; graphs are called by their id, or their number
from 0. The similarity is the cosine of the angle between two vectors, at most 1, and 0 for a graph without nodes; every graph of
DATA is compared, and of equally similar ones the first comes first.

Examples:
  gckn nearest nci1.gckn NCI1.zip query.jsonl --k 5
  gckn embed NCI1.zip --model nci1.gckn --out nci1.npy --ids nci1.txt
  gckn nearest nci1.gckn nci1.npy query.jsonl --ids nci1.txt --out found.csv)");
  command->callback([options] { run_nearest(*options); });
}

}  // namespace gckn::cli
