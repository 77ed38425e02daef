// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/equal_graphs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_graphs.h"

namespace gckn {
namespace {

using Numbers = std::vector<std::uint32_t>;

// Paths a-b-c whose middle node has this label.
GraphSetParts paths_with_middles(const std::vector<std::int64_t>& middles) {
  GraphSetParts parts;
  for (std::uint32_t g = 0; g < middles.size(); ++g) {
    parts.graph_sizes.push_back(3);
    parts.node_labels.insert(parts.node_labels.end(), {1, middles[g], 2});
    parts.edge_from.insert(parts.edge_from.end(), {3 * g, 3 * g + 1});
    parts.edge_to.insert(parts.edge_to.end(), {3 * g + 1, 3 * g + 2});
  }
  return parts;
}

TEST(EqualGraphs, LabelsAttributesAndEdgesTellGraphsApart) {
  GraphSetParts parts = paths_with_middles({5, 6, 5, 5});
  EXPECT_EQ(find_equal_graphs(GraphSet(parts)).first, (Numbers{0, 1, 0, 0}));
  parts.edge_labels = {0, 1, 0, 1, 1, 0, 0, 1};
  EXPECT_EQ(find_equal_graphs(GraphSet(parts)).first, (Numbers{0, 1, 2, 0}));
  parts.node_attribute_columns = 1;
  parts.node_attributes = {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 4};
  EXPECT_EQ(find_equal_graphs(GraphSet(parts)).first, (Numbers{0, 1, 2, 3}));
}

TEST(EqualGraphs, TheNumberingOfNodesDoesNotMatter) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    GraphSetParts parts =
        random_parts({.graphs = 10, .most_nodes = 9, .density = 0.4, .labels = 2, .edge_labels = 2}, seed);
    const EqualGraphs before = find_equal_graphs(GraphSet(parts));
    EXPECT_EQ(before.first, find_equal_graphs(GraphSet(renumber_nodes(parts, seed))).first);
  }
}

TEST(EqualGraphs, CanonicalSmilesDecideWhereThereAreSome) {
  GraphSetParts parts = paths_with_middles({5, 5, 6});
  parts.smiles = {"A", "B", "A"};
  EXPECT_EQ(find_equal_graphs(GraphSet(parts)).first, (Numbers{0, 1, 0}));
}

TEST(EqualGraphs, ContradictionsAndWhatIsKept) {
  GraphSetParts parts = paths_with_middles({5, 6, 5, 7, 7, 6});
  parts.targets.kind = Targets::Kind::classes;
  parts.targets.class_names = {"no", "yes"};
  parts.targets.class_of_graph = {0, 1, 0, 0, 1, -1};
  const GraphSet graphs(parts);
  const EqualGraphs equal = find_equal_graphs(graphs);
  EXPECT_EQ(equal.repeated, 3U);
  EXPECT_EQ(equal.contradictory, 2U);
  EXPECT_EQ(without_duplicates(graphs, equal), (Numbers{0, 1}));
  EXPECT_EQ(count_seen_test_graphs(equal, {{{0, 1}, {2, 3}}, {{2, 3}, {0, 1}}, {{0, 3}, {1, 5}}}), 2U);
  parts.targets = {};
  parts.targets.kind = Targets::Kind::numbers;
  parts.targets.columns = 2;
  parts.targets.numbers = {1, NAN, 2, 2, NAN, 5, 3, 3, 3, 3, 2, 1};
  const EqualGraphs numbers = find_equal_graphs(GraphSet(parts));
  EXPECT_EQ(numbers.contradictory, 2U);
  EXPECT_EQ(without_duplicates(GraphSet(parts), numbers), (Numbers{0, 3}));
}

}  // namespace
}  // namespace gckn
