// SPDX-License-Identifier: BSD-3-Clause
// gckn datasets make: graph sets made on the spot.
#include "gckn/datasets.h"
#include "gckn/error.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "commands.h"
#include "console.h"
#include "gckn/io.h"
#include "output.h"

namespace gckn::cli {

namespace {

// Options: those of a kind of set, with its graphs, nodes and seed.
template <typename Options>
struct Make {
  CommonOptions common;
  Options set;
  std::string out;
};

// name: the word behind "make"; about: what is in the classes.
template <typename Options>
void make_set(const Make<Options>& options, GraphSet (*make)(const Options&, const RunOptions&), const char* name,
              const char* about) {
  Console console(options.common);
  if (is_standard_output(options.out)) throw UsageError("--out -: graphs are written to a file, give its name");
  check_output_folder(options.out);
  Options set = options.set;
  set.seed = options.common.seed;
  const RunOptions run = console.run_options();
  const GraphSet graphs = make(set, run);
  write_graphs_jsonl(graphs, options.out, run);
  console.say("Wrote {} with {} and {} to {}.", counted(graphs.num_graphs(), "graph"),
              counted(graphs.num_nodes(), "node"), counted(graphs.num_edges(), "edge"), options.out);
  console.say("{}", about);
  console.result({{"command", fmt::format("datasets make {}", name)},
                  {"out", options.out},
                  {"graphs", graphs.num_graphs()},
                  {"nodes", graphs.num_nodes()},
                  {"edges", graphs.num_edges()},
                  {"seed", set.seed}});
}

template <typename Options>
void add_options(CLI::App& command, Make<Options>& options, const char* nodes) {
  command.add_option("--out", options.out, "File to write, as JSON lines: FILE.jsonl")->type_name("FILE")->required();
  command.add_option("--graphs", options.set.graphs, "Number of graphs, half of them in each class")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--nodes", options.set.nodes, nodes)->type_name("N")->capture_default_str();
}

void add_motif(CLI::App& make) {
  CLI::App* motif =
      make.add_subcommand("motif", "Make random graphs in two classes, of which one contains a planted motif.");
  auto options = std::make_shared<Make<MotifOptions>>();
  add_options(*motif, *options, "Nodes per graph around the motif, on average");
  motif->add_option("--labels", options->set.labels, "Different node labels, at least 3")
      ->type_name("N")
      ->capture_default_str();
  add_common_options(*motif, options->common);
  motif->footer(
      R"(Labels and degrees alone do not tell the classes apart: every graph has a ring of six nodes with the same
labels, and only their order around the ring differs. The nodes of the rings of class 1 are written as "truth", to judge
explanations by.

Example:
  gckn datasets make motif --graphs 1000 --seed 1 --out motif.jsonl)");
  motif->callback([options] {
    make_set(*options, make_motif_set, "motif",
             "Class 1 has a ring with the labels 0 1 0 1 0 2 in every graph; class 0 has them in another order.");
  });
}

void add_house(CLI::App& make) {
  CLI::App* house = make.add_subcommand("house", "Make random trees in two classes, of which one has a house hung on.");
  auto options = std::make_shared<Make<HouseOptions>>();
  add_options(*house, *options, "Nodes of the tree, on average");
  add_common_options(*house, options->common);
  house->footer(
      R"(The graphs have no labels, and as many nodes, edges and rings in both classes: where class 1 has a house (a square with
a roof) hung onto its tree, class 0 has five more nodes in the tree, and two more edges anywhere. The nodes of the houses
are written as "truth", to judge explanations by.

Example:
  gckn datasets make house --graphs 1000 --seed 1 --out house.jsonl)");
  house->callback([options] {
    make_set(*options, make_house_set, "house",
             "Class 1 has a house in every graph; class 0 has none, and as many nodes and edges.");
  });
}

}  // namespace

void add_datasets_command(CLI::App& program) {
  CLI::App* datasets = program.add_subcommand("datasets", "Make graph sets to try things on.");
  datasets->require_subcommand(1);
  CLI::App* make = datasets->add_subcommand("make", "Make a graph set.");
  make->require_subcommand(1);
  add_motif(*make);
  add_house(*make);
}

}  // namespace gckn::cli
