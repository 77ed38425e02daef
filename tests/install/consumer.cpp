// SPDX-License-Identifier: BSD-3-Clause
// Uses the installed library from reading a file to vectors, and checks the sizes.
#include <gckn/gckn.h>

#include <cstdio>
#include <fstream>

int main() {
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
