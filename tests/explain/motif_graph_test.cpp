// SPDX-License-Identifier: BSD-3-Clause
#include "explain/motif_graph.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gckn {
namespace {

using Nodes = std::vector<std::uint32_t>;
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Two graphs; the second is a square 0 1 2 3 with a tail 4 at 3, and labels of edges.
GraphSetParts square_with_tail() {
  GraphSetParts parts;
  parts.graph_sizes = {2, 5};
  parts.node_labels = {8, 8, 6, 6, 7, 6, 8};
  parts.edge_from = {0, 2, 3, 4, 5, 5};
  parts.edge_to = {1, 3, 4, 5, 2, 6};
  parts.edge_labels = {1, 1, 2, 1, 2, 3};
  return parts;
}

TEST(MotifGraph, IsCutOutInTheOrderOfItsNodes) {
  const GraphSet graphs(square_with_tail());
  const MotifGraph motif = cut_out(graphs, 1, Nodes{4, 3, 0, 1});
  EXPECT_EQ(motif.node_labels, (Nodes{2, 0, 0, 0}));
  EXPECT_EQ(motif.edges, (std::vector<MotifGraph::Edge>{{0, 1, 2}, {1, 2, 1}, {2, 3, 0}}));
  const MotifGraph some = cut_out(graphs, 1, Nodes{4, 3, 0, 1}, Pairs{{1, 0}, {3, 4}, {1, 2}, {0, 4}});
  EXPECT_EQ(some.edges, (std::vector<MotifGraph::Edge>{{0, 1, 2}, {2, 3, 0}}));
  EXPECT_TRUE(cut_out(graphs, 1, Nodes{0, 1}, Pairs{}).edges.empty());
  EXPECT_EQ(cut_out(graphs, 0, Nodes{}).num_nodes(), 0U);
}

TEST(MotifGraph, WithoutLabelsAllAreEqual) {
  GraphSetParts parts = square_with_tail();
  parts.node_labels.clear();
  parts.edge_labels.clear();
  const GraphSet graphs(std::move(parts));
  const MotifGraph motif = cut_out(graphs, 1, Nodes{0, 1, 2, 3});
  EXPECT_EQ(motif.node_labels, (Nodes{0, 0, 0, 0}));
  EXPECT_EQ(motif.edges, (std::vector<MotifGraph::Edge>{{0, 1, 0}, {0, 3, 0}, {1, 2, 0}, {2, 3, 0}}));
  EXPECT_EQ(motif_name(motif, graphs), "4 nodes, 1 ring");
  EXPECT_EQ(motif_name(cut_out(graphs, 1, Nodes{0}), graphs), "1 node");
}

TEST(MotifGraph, NamesSayWhatItConsistsOf) {
  const GraphSet numbers(square_with_tail());
  const Nodes all{0, 1, 2, 3, 4};
  EXPECT_EQ(motif_name(cut_out(numbers, 1, all), numbers), "3 of label 6, 1 of label 7, 1 of label 8, 1 ring");
  GraphSetParts parts = square_with_tail();
  parts.node_label_names = {{6, "N"}, {7, "Cl"}, {8, "C"}};
  const GraphSet words(GraphSetParts{parts});
  EXPECT_EQ(motif_name(cut_out(words, 1, all), words), "C1 Cl1 N3, 1 ring");
  EXPECT_EQ(motif_name(cut_out(words, 1, Nodes{0, 1, 3}), words), "N3");
  EXPECT_EQ(motif_name(cut_out(words, 1, Nodes{0, 2, 4}), words), "C1 Cl1 N1, in 3 pieces");
  EXPECT_EQ(motif_name({}, words), "nothing");
  parts.node_label_names[6] = "CH aromatic";
  const GraphSet rich(std::move(parts));
  EXPECT_EQ(motif_name(cut_out(rich, 1, all), rich), "1 C, 3 CH aromatic, 1 Cl, 1 ring");
}

}  // namespace
}  // namespace gckn
