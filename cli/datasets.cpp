// SPDX-License-Identifier: BSD-3-Clause
// gckn datasets make motif: graph sets made on the spot.
#include "gckn/datasets.h"
#include "gckn/error.h"

#include <memory>
#include <string>

#include "commands.h"
#include "console.h"
#include "gckn/io.h"
#include "output.h"

namespace gckn::cli {

namespace {

struct MakeMotif {
  CommonOptions common;
  MotifOptions motif;
  std::string out;
};

void make_motif(const MakeMotif& options) {
  Console console(options.common);
  if (is_standard_output(options.out)) throw UsageError("--out -: graphs are written to a file, give its name");
  check_output_folder(options.out);
  MotifOptions motif = options.motif;
  motif.seed = options.common.seed;
  const RunOptions run = console.run_options();
  const GraphSet graphs = make_motif_set(motif, run);
  write_graphs_jsonl(graphs, options.out, run);
  console.say("Wrote {} with {} and {} to {}.", counted(graphs.num_graphs(), "graph"),
              counted(graphs.num_nodes(), "node"), counted(graphs.num_edges(), "edge"), options.out);
  console.say("Class 1 has a ring with the labels 0 1 0 1 0 2 in every graph; class 0 has them in another order.");
  console.result({{"command", "datasets make motif"},
                  {"out", options.out},
                  {"graphs", graphs.num_graphs()},
                  {"nodes", graphs.num_nodes()},
                  {"edges", graphs.num_edges()},
                  {"seed", motif.seed}});
}

}  // namespace

void add_datasets_command(CLI::App& program) {
  CLI::App* datasets = program.add_subcommand("datasets", "Make graph sets to try things on.");
  datasets->require_subcommand(1);
  CLI::App* make = datasets->add_subcommand("make", "Make a graph set.");
  make->require_subcommand(1);
  CLI::App* motif =
      make->add_subcommand("motif", "Make random graphs in two classes, of which one contains a planted motif.");

  auto options = std::make_shared<MakeMotif>();
  motif->add_option("--out", options->out, "File to write, as JSON lines: FILE.jsonl")->type_name("FILE")->required();
  motif->add_option("--graphs", options->motif.graphs, "Number of graphs, half of them in each class")
      ->type_name("N")
      ->capture_default_str();
  motif->add_option("--nodes", options->motif.nodes, "Nodes per graph around the motif, on average")
      ->type_name("N")
      ->capture_default_str();
  motif->add_option("--labels", options->motif.labels, "Different node labels, at least 3")
      ->type_name("N")
      ->capture_default_str();
  add_common_options(*motif, options->common);
  motif->footer(
      R"(Labels and degrees alone do not tell the classes apart: every graph has a ring of six nodes with the same
labels, and only their order around the ring differs.

Example:
  gckn datasets make motif --graphs 1000 --seed 1 --out motif.jsonl)");
  motif->callback([options] { make_motif(*options); });
}

}  // namespace gckn::cli
