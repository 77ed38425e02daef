// SPDX-License-Identifier: BSD-3-Clause
// gckn convert: the same graphs in another format.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "console.h"
#include "data.h"
#include "files.h"
#include "gckn/error.h"
#include "gckn/io.h"
#include "output.h"
#include "values.h"

namespace gckn::cli {

namespace {

struct ConvertCommand {
  CommonOptions common;
  ReadingOptions reading;
  std::string data;
  std::string out;
  std::string format = "auto";
};

// By the name of the output, where no format is asked for.
GraphFormat format_of(const ConvertCommand& options) {
  if (options.format != "auto") return parse_graph_format(options.format);
  const std::string suffix = std::filesystem::path(options.out).extension().string();
  if (suffix == ".jsonl" || suffix == ".ndjson") return GraphFormat::jsonl;
  if (suffix == ".json") return GraphFormat::node_link;
  if (suffix == ".txt") return GraphFormat::gin;
  if (suffix.empty()) return GraphFormat::tu;
  throw UsageError(fmt::format(
      "--out {}: the name does not say the format: end it in .jsonl, .json or .txt, or give --to", options.out));
}

void run_convert(const ConvertCommand& options) {
  Console console(options.common);
  const GraphFormat format = format_of(options);
  if (is_standard_output(options.out)) throw UsageError("--out -: graphs are written to a file, give its name");
  if (format != GraphFormat::tu) check_output_folder(options.out);
  std::vector<FileArgument> read = files_read(options.reading.labels);
  read.push_back({"DATA", options.data});
  check_files(read, {{"--out", options.out}});
  const RunOptions run = console.run_options();
  const GraphSet graphs = read_data(options.data, options.reading, console, run);
  write_graphs(graphs, options.out, format, run);
  const std::vector<std::string> lost = lost_in(graphs, format);
  console.say("Wrote {} with {} and {} to {} ({}).", counted(graphs.num_graphs(), "graph"),
              counted(graphs.num_nodes(), "node"), counted(graphs.num_edges(), "edge"), options.out, to_string(format));
  if (!lost.empty()) console.warn("{} cannot hold: {}", to_string(format), fmt::join(lost, ", "));
  console.result({{"command", "convert"},
                  {"data", options.data},
                  {"out", options.out},
                  {"format", to_string(format)},
                  {"graphs", graphs.num_graphs()},
                  {"nodes", graphs.num_nodes()},
                  {"edges", graphs.num_edges()},
                  {"lost", lost}});
}

}  // namespace

void add_convert_command(CLI::App& program) {
  auto options = std::make_shared<ConvertCommand>();
  CLI::App* command = program.add_subcommand("convert", "Write a graph set in another format.");
  add_data_argument(*command, options->data);
  command->add_option("--out", options->out, "File to write; for TU a new folder, called like the set")
      ->type_name("FILE")
      ->required();
  CLI::Option* format =
      command
          ->add_option("--to", options->format,
                       "jsonl, tu, gin or node-link (networkx); auto goes by the name:\n.jsonl, a folder, .txt, .json")
          ->type_name("WORD")
          ->capture_default_str();
  takes_words(format, {"auto", "jsonl", "tu", "gin", "node-link"});
  add_reading_options(*command, options->reading, OnError::fail);
  add_common_options(*command, options->common);
  command->footer(R"(JSON lines hold everything but folds. What another format cannot hold is said.

Examples:
  gckn convert MUTAG.zip --out mutag.jsonl
  gckn convert graphs.json --out graphs.jsonl          of a list of networkx graphs
  gckn convert graphs.jsonl --out MYSET                a TU set: MYSET/MYSET_A.txt, ...
  gckn convert NCI1.zip --out nci1.jsonl --label-names names.txt)");
  command->callback([options] { run_convert(*options); });
}

}  // namespace gckn::cli
