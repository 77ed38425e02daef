// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/graph_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "support/files.h"

namespace gckn {
namespace {

using test::expect_input_error;

std::vector<std::uint32_t> neighbours(const GraphSet& graphs, std::size_t u) {
  const auto row = graphs.neighbours(u);
  return {row.begin(), row.end()};
}

using Row = std::vector<std::uint32_t>;

TEST(GraphSet, DefaultIsEmpty) {
  const GraphSet graphs;
  EXPECT_EQ(graphs.num_graphs(), 0u);
  EXPECT_EQ(graphs.num_nodes(), 0u);
  EXPECT_EQ(graphs.num_edges(), 0u);
}

// A public constructor: parts that do not fit together are refused, whatever their readers should have checked.
TEST(GraphSet, ChecksEveryPartWhoeverMadeIt) {
  const auto expect_refused = [](const std::function<void(GraphSetParts&)>& spoil, const std::string& message) {
    GraphSetParts parts;
    parts.graph_sizes = {2, 1};
    parts.edge_from = {0};
    parts.edge_to = {1};
    parts.targets.kind = Targets::Kind::classes;
    parts.targets.class_names = {"a", "b"};
    parts.targets.class_of_graph = {1, -1};
    parts.folds = {{.train = {0}, .test = {1}}};
    EXPECT_NO_THROW(GraphSet{parts});
    spoil(parts);
    expect_input_error([&] { GraphSet{std::move(parts)}; }, {message});
  };
  using Parts = GraphSetParts;
  expect_refused([](Parts& parts) { parts.targets.class_of_graph[0] = 2; }, "classes: 2 is out of range");
  expect_refused([](Parts& parts) { parts.targets.class_of_graph[1] = -2; }, "classes: -2 is out of range");
  expect_refused([](Parts& parts) { parts.targets.class_names.clear(); }, {"classes: 1 is out of range"});
  expect_refused([](Parts& parts) { parts.targets.class_of_graph.pop_back(); }, "classes: 1 value where 2 belong");
  expect_refused([](Parts& parts) { parts.targets = {.kind = Targets::Kind::numbers}; }, "no columns of numbers");
  expect_refused(
      [](Parts& parts) {
        parts.targets = {.kind = Targets::Kind::numbers, .columns = std::size_t{1} << 63, .numbers = {}};
      },
      "targets: 0 values where 2 rows");
  expect_refused([](Parts& parts) { parts.folds[0].train = {2}; }, "folds: 2 is out of range (there are 2 graphs)");
  expect_refused([](Parts& parts) { parts.folds[0].test = {7}; }, "folds: 7 is out of range");
  expect_refused([](Parts& parts) { parts.ids = {"one"}; }, "ids: 1 value where 2 belong");
  expect_refused([](Parts& parts) { parts.truth = {{}}; }, "truth: 1 value where 2 belong");
  expect_refused(
      [](Parts& parts) {
        parts.truth = {{{0}, {1}}, {{0, 1}}};
      },
      "truth: node 1 of graph 1 is out of range (it has 1 node)");
  expect_refused([](Parts& parts) { parts.truth = {{{0}, {}}, {}}; }, "truth: an alternative of graph 0 has no nodes");
  expect_refused([](Parts& parts) { parts.edge_to = {}; }, "ends of edges: 0 values where 1 belong");
  expect_refused([](Parts& parts) { parts.edge_to = {2}; }, "to node 2 of another graph");
  expect_refused([](Parts& parts) { parts.edge_to = {99}; }, "to node 99 of another graph");
  expect_refused([](Parts& parts) { parts.edge_from = {99}; }, "node 99 is out of range");
  expect_refused([](Parts& parts) { parts.edge_labels = {1, 2}; }, "edge labels: 2 values where 1 belong");
  expect_refused([](Parts& parts) { parts.node_labels = {1, 2}; }, "node labels: 2 values where 3 belong");
  expect_refused([](Parts& parts) { parts.node_attributes = {1}; }, "node attributes: 1 value where 3 rows");
  // Three rows of so many columns are, in 64 bits, one value.
  expect_refused(
      [](Parts& parts) {
        parts.node_attribute_columns = 0xAAAAAAAAAAAAAAABu;
        parts.node_attributes = {1};
      },
      "node attributes: 1 value where 3 rows");
  expect_refused([](Parts& parts) { parts.edge_attribute_columns = 2; }, "edge attributes: 0 values where 1 row");
  expect_refused([](Parts& parts) { parts.graph_attribute_columns = 2; }, "graph attributes: 0 values where 2 rows");
}

TEST(GraphSet, TargetsCanBeReplacedByOthersThatFit) {
  GraphSetParts parts;
  parts.graph_sizes = {1, 2};
  GraphSet graphs(std::move(parts));
  graphs.set_targets({.kind = Targets::Kind::classes, .class_names = {"a", "b"}, .class_of_graph = {1, -1}});
  EXPECT_EQ(graphs.targets().class_of_graph, (std::vector<std::int32_t>{1, -1}));
  expect_input_error(
      [&] {
        graphs.set_targets({.kind = Targets::Kind::classes, .class_names = {"a"}, .class_of_graph = {0, 1}});
      },
      {"classes: 1 is out of range"});
  expect_input_error([&] { graphs.set_targets({.kind = Targets::Kind::numbers, .columns = 1, .numbers = {1}}); },
                     {"targets"});
  EXPECT_EQ(graphs.targets().class_names.size(), 2u);  // as before
}

TEST(GraphSet, MergesDropsAndCloses) {
  GraphSetParts parts;
  parts.name = "odd";
  parts.graph_sizes = {3, 0, 2, 1};
  // 1-0 both ways and once more, a loop at 1, 2-0 one way; 4-3 one way; node 5 alone.
  parts.edge_from = {1, 0, 1, 2, 1, 4};
  parts.edge_to = {0, 1, 1, 0, 0, 3};
  const GraphSet graphs(std::move(parts));
  EXPECT_EQ(graphs.name(), "odd");
  EXPECT_EQ(graphs.num_graphs(), 4u);
  EXPECT_EQ(graphs.num_nodes(), 6u);
  EXPECT_EQ(graphs.graph_begin(1), 3u);
  EXPECT_EQ(graphs.graph_begin(2), 3u);
  EXPECT_EQ(graphs.num_edges(), 3u);
  EXPECT_EQ(neighbours(graphs, 0), (Row{1, 2}));
  EXPECT_EQ(neighbours(graphs, 1), (Row{0}));
  EXPECT_EQ(neighbours(graphs, 2), (Row{0}));
  EXPECT_EQ(neighbours(graphs, 3), (Row{4}));
  EXPECT_EQ(neighbours(graphs, 4), (Row{3}));
  EXPECT_TRUE(neighbours(graphs, 5).empty());
  EXPECT_EQ(graphs.merge_counts().duplicate_edges, 1u);
  EXPECT_EQ(graphs.merge_counts().self_loops, 1u);
  EXPECT_EQ(graphs.merge_counts().one_way_edges, 2u);
  EXPECT_FALSE(graphs.has_node_labels());
  EXPECT_FALSE(graphs.has_edge_labels());
}

TEST(GraphSet, InternsLabelsInSortedOrder) {
  GraphSetParts parts;
  parts.graph_sizes = {4};
  parts.node_labels = {7, -3, 7, 5};
  GraphSet graphs(parts);
  EXPECT_TRUE(std::ranges::equal(graphs.node_label_values(), std::vector<std::int64_t>{-3, 5, 7}));
  EXPECT_TRUE(std::ranges::equal(graphs.node_labels(), std::vector<std::uint32_t>{2, 0, 2, 1}));
  // Too far apart for a table.
  parts.node_labels = {INT64_MAX, INT64_MIN, 0, INT64_MAX};
  graphs = GraphSet(parts);
  EXPECT_TRUE(std::ranges::equal(graphs.node_label_values(), std::vector<std::int64_t>{INT64_MIN, 0, INT64_MAX}));
  EXPECT_TRUE(std::ranges::equal(graphs.node_labels(), std::vector<std::uint32_t>{2, 0, 1, 2}));
}

TEST(GraphSet, EdgeLabelsFollowTheirEdges) {
  GraphSetParts parts;
  parts.graph_sizes = {3};
  parts.edge_from = {2, 0, 1, 1};
  parts.edge_to = {1, 2, 0, 1};
  parts.edge_labels = {30, 10, 20, 99};  // 99 only on the loop
  const GraphSet graphs(std::move(parts));
  EXPECT_TRUE(std::ranges::equal(graphs.edge_label_values(), std::vector<std::int64_t>{10, 20, 30}));
  // Arcs 0-1, 0-2, 1-0, 1-2, 2-0, 2-1.
  EXPECT_TRUE(std::ranges::equal(graphs.arc_labels(), std::vector<std::uint32_t>{1, 0, 1, 2, 0, 2}));
}

TEST(GraphSet, EdgeAttributesOfBothDirections) {
  GraphSetParts parts;
  parts.graph_sizes = {3};
  parts.edge_from = {1, 0, 2};
  parts.edge_to = {0, 1, 1};
  parts.edge_attribute_columns = 2;
  parts.edge_attributes = {1, 2, 3, 4, 5, 6};
  const GraphSet graphs(parts);
  // Arcs 0-1, 1-0, 1-2, 2-1: each its own, the one-way edge the same both ways.
  EXPECT_TRUE(std::ranges::equal(graphs.arc_attributes(), std::vector<double>{3, 4, 1, 2, 5, 6, 5, 6}));

  parts.edge_from = {1, 0, 1};
  parts.edge_to = {0, 1, 0};
  expect_input_error([&] { GraphSet{parts}; }, {"edge 2 of the list", "edge 0 of the list", "attribute 5", "1"});
  parts.edge_attributes = {1, 2, 3, 4, 1, 2};
  EXPECT_EQ(GraphSet(parts).merge_counts().duplicate_edges, 1u);
}

TEST(GraphSet, ConflictingLabelsAreNamed) {
  GraphSetParts parts;
  parts.graph_sizes = {3};
  parts.locate_edge = [](std::size_t i) { return "X_A.txt:" + std::to_string(i + 1); };
  parts.edge_labels = {4, 5, 6};
  parts.edge_from = {0, 1, 0};
  parts.edge_to = {1, 2, 1};
  expect_input_error([&] { GraphSet{parts}; }, {"X_A.txt:3: edge label 6", "label 4", "X_A.txt:1"});
  parts.edge_from = {0, 1, 2};
  parts.edge_to = {1, 2, 1};
  expect_input_error([&] { GraphSet{parts}; }, {"X_A.txt:3: edge label 6", "label 5", "X_A.txt:2"});
}

TEST(GraphSet, KnownAnswersAreOrderedAndGoWithTheirGraphs) {
  GraphSetParts parts;
  parts.graph_sizes = {3, 2, 4};
  EXPECT_TRUE(GraphSet(parts).truth().empty());
  parts.truth = {{{2, 0, 2}, {1}}, {}, {{3}}};
  const GraphSet graphs(std::move(parts));
  EXPECT_EQ(graphs.truth(), (std::vector<NodeTruth>{{{0, 2}, {1}}, {}, {{3}}}));
  const Row selected{2, 0, 0, 1};
  EXPECT_EQ(select_graphs(graphs, selected).truth(), (std::vector<NodeTruth>{{{3}}, {{0, 2}, {1}}, {{0, 2}, {1}}, {}}));
}

TEST(GraphSet, RefusesPartsThatDoNotFit) {
  GraphSetParts good;
  good.graph_sizes = {2, 2};
  good.edge_from = {0};
  good.edge_to = {1};
  EXPECT_EQ(GraphSet(good).num_edges(), 1u);

  GraphSetParts parts = good;
  parts.edge_to = {2};
  expect_input_error([&] { GraphSet{parts}; }, {"node 0", "node 2", "another graph"});
  parts.edge_from = {9};
  expect_input_error([&] { GraphSet{parts}; }, {"node 9 is out of range", "4 nodes"});
  parts = good;
  parts.node_labels = {1, 2, 3};
  expect_input_error([&] { GraphSet{parts}; }, {"node labels", "3", "4"});
  parts = good;
  parts.graph_sizes = {0xFFFFFFFF};
  expect_input_error([&] { GraphSet{parts}; }, {"4294967294 nodes"});
  parts = good;
  parts.node_attribute_columns = 1;
  parts.node_attributes = {1, 2, NAN, 4};
  expect_input_error([&] { GraphSet{parts}; }, {"node attributes", "nan"});
}

// Random listings against a plain set of pairs, with more arcs than fit one task.
TEST(GraphSet, AgreesWithSetsOfPairs) {
  std::mt19937 generator(7);
  const auto random = [&](std::uint32_t below) { return static_cast<std::uint32_t>(generator() % below); };
  for (int round = 0; round < 20; ++round) {
    GraphSetParts parts;
    const bool labelled = round % 2 == 0;
    std::vector<std::uint32_t> begin{0};
    const int graph_count = round == 0 ? 300 : 8;
    std::set<std::pair<std::uint32_t, std::uint32_t>> listed;
    std::uint64_t loops = 0;
    std::uint64_t duplicates = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> label_of;
    for (int g = 0; g < graph_count; ++g) {
      const std::uint32_t size = random(40);
      parts.graph_sizes.push_back(size);
      begin.push_back(begin.back() + size);
      for (std::uint32_t i = 0; size > 0 && i < 12 * size; ++i) {
        const std::uint32_t u = begin[begin.size() - 2] + random(size);
        const std::uint32_t v = begin[begin.size() - 2] + random(size);
        parts.edge_from.push_back(u);
        parts.edge_to.push_back(v);
        const std::int64_t label = label_of.try_emplace(std::minmax(u, v), random(5)).first->second;
        if (labelled) parts.edge_labels.push_back(label);
        if (u == v) {
          ++loops;
        } else if (!listed.emplace(u, v).second) {
          ++duplicates;
        }
      }
    }
    std::uint64_t one_way = 0;
    std::set<std::pair<std::uint32_t, std::uint32_t>> arcs = listed;
    for (const auto& [u, v] : listed) {
      if (arcs.emplace(v, u).second) ++one_way;
    }
    const GraphSet graphs(std::move(parts));
    EXPECT_EQ(graphs.merge_counts().self_loops, loops);
    EXPECT_EQ(graphs.merge_counts().duplicate_edges, duplicates);
    EXPECT_EQ(graphs.merge_counts().one_way_edges, one_way);
    ASSERT_EQ(graphs.num_arcs(), arcs.size());
    auto expected = arcs.begin();
    for (std::uint32_t u = 0; u < graphs.num_nodes(); ++u) {
      for (std::uint64_t arc = graphs.arc_begin(u); arc < graphs.arc_begin(u + 1); ++arc, ++expected) {
        ASSERT_EQ(std::pair(u, graphs.arcs()[arc]), *expected);
        if (!labelled) continue;
        const auto end = std::minmax(u, graphs.arcs()[arc]);
        ASSERT_EQ(graphs.edge_label_values()[graphs.arc_labels()[arc]], label_of.at(end));
      }
    }
  }
}

}  // namespace
}  // namespace gckn
