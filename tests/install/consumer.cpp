// SPDX-License-Identifier: BSD-3-Clause
// Uses the installed library from reading a file to vectors, and checks the sizes.
#include <gckn/gckn.h>

#include <cstdio>
#include <fstream>

namespace {

// Every struct of options with one member given, as users write them: none may draw a warning (run.sh turns on those of
// -Wall and -Wextra, as errors).
bool options_are_made_without_warnings() {
  const gckn::LayerConfig layer{.path_length = 2};
  const gckn::NetworkConfig network{.layers = {layer}};
  const gckn::NetworkConfig shared{.edge_labels = gckn::EdgeLabels::used};
  const gckn::Architecture architecture{.sigma = 0.5};
  const gckn::FitOptions fit{.seed = 1};
  const gckn::RunOptions run{.threads = 1};
  const gckn::LearningOptions learning{.balanced = true};
  const gckn::CrossValidationOptions cv{.networks = {network}, .folds = 5};
  const gckn::TrainOptions train{.networks = {gckn::subtree({.path_length = 4})}, .folds = 3};
  const gckn::KernelOptions kernel{.normalised = true};
  const gckn::NearestOptions nearest{.k = 5};
  const gckn::MotifOptions motif{.graphs = 10};
  const gckn::Progress progress{.stage = "reading"};
  const gckn::Targets targets{.kind = gckn::Targets::Kind::numbers, .columns = 1, .numbers = {1.0}};
  const gckn::Fold fold{.train = {0}};
  const gckn::GraphSet graphs(
      gckn::GraphSetParts{.graph_sizes = {2}, .edge_from = {0}, .edge_to = {1}, .targets = targets});
  return shared.layers.empty() && architecture.sigma == 0.5 && fit.seed == 1 && run.threads == 1 && learning.balanced &&
         cv.folds == 5 && train.networks.size() == 1 && kernel.normalised && nearest.k == 5 && motif.graphs == 10 &&
         progress.done == 0 && fold.test.empty() && graphs.num_edges() == 1;
}

}  // namespace

int main() {
  if (!options_are_made_without_warnings()) return 1;
  std::ofstream("graphs.jsonl") << R"({"num_nodes": 3, "edges": [[0, 1], [1, 2]], "node_labels": [0, 1, 0]})"
                                   "\n"
                                << R"({"num_nodes": 2, "edges": [[0, 1]], "node_labels": [1, 1]})"
                                   "\n";
  const gckn::GraphSet graphs = gckn::read_graphs("graphs.jsonl");
  const gckn::Network network = gckn::fit_network(graphs, gckn::path({.path_length = 1, .filters = 8}));
  const gckn::Matrix vectors = network.embed(graphs);
  gckn::save_network(network, "network.gckn");
  const gckn::Matrix again = gckn::load_network("network.gckn").embed(graphs);
  const bool same = vectors.rows() == 2 && vectors.cols() == network.vector_size() && again.size() == vectors.size();
  std::printf("gckn %s: %zu graphs, vectors of length %zu\n", gckn::kVersion, vectors.rows(), vectors.cols());
  return same && vectors.cols() > 0 ? 0 : 1;
}
