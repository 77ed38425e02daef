// SPDX-License-Identifier: BSD-3-Clause
// Planted sets: one class has the ring or the house, the other never, and simple counts do not tell them apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gckn/datasets.h"
#include "gckn/error.h"
#include "graph/fingerprint.h"

namespace gckn {
namespace {

constexpr std::array<std::int64_t, 6> kRingFromItsTwo = {2, 0, 1, 0, 1, 0};

std::int64_t label(const GraphSet& graphs, std::uint32_t u) {
  return graphs.node_label_values()[graphs.node_labels()[u]];
}

bool ring_from(const GraphSet& graphs, std::vector<std::uint32_t>& path) {
  if (path.size() == kRingFromItsTwo.size()) {
    return std::ranges::find(graphs.neighbours(path.back()), path.front()) != graphs.neighbours(path.back()).end();
  }
  for (const std::uint32_t v : graphs.neighbours(path.back())) {
    if (label(graphs, v) != kRingFromItsTwo[path.size()] || std::ranges::find(path, v) != path.end()) continue;
    path.push_back(v);
    if (ring_from(graphs, path)) return true;
    path.pop_back();
  }
  return false;
}

bool has_motif(const GraphSet& graphs, std::size_t g) {
  for (std::uint32_t u = graphs.graph_begin(g); u < graphs.graph_begin(g + 1); ++u) {
    std::vector<std::uint32_t> path = {u};
    if (label(graphs, u) == kRingFromItsTwo[0] && ring_from(graphs, path)) return true;
  }
  return false;
}

TEST(MotifSet, ClassOneHasTheMotifAndClassZeroNever) {
  // Many background edges between few labels: rings come about by chance and must be kept out of class 0.
  for (const std::uint32_t nodes : {1U, 24U, 400U}) {
    const GraphSet graphs = make_motif_set({.graphs = 101, .nodes = nodes, .labels = 3, .seed = nodes});
    ASSERT_EQ(graphs.num_graphs(), 101U);
    for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
      EXPECT_EQ(has_motif(graphs, g), graphs.targets().class_of_graph[g] == 1) << "graph " << g;
    }
  }
}

TEST(MotifSet, TheRingIsTheKnownAnswer) {
  const GraphSet graphs = make_motif_set({.graphs = 50, .seed = 2});
  ASSERT_EQ(graphs.truth().size(), 50U);
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    if (graphs.targets().class_of_graph[g] == 0) {
      EXPECT_TRUE(graphs.truth()[g].empty());
      continue;
    }
    ASSERT_EQ(graphs.truth()[g].size(), 1U);
    const std::vector<std::uint32_t>& nodes = graphs.truth()[g].front();
    ASSERT_EQ(nodes.size(), 6U);
    // Alone, these nodes have the motif.
    GraphSetParts parts;
    parts.graph_sizes = {6};
    for (std::uint32_t i = 0; i < 6; ++i) {
      const std::uint32_t u = graphs.graph_begin(g) + nodes[i];
      parts.node_labels.push_back(label(graphs, u));
      for (std::uint32_t j = 0; j < 6; ++j) {
        if (!std::ranges::binary_search(graphs.neighbours(u), graphs.graph_begin(g) + nodes[j])) continue;
        parts.edge_from.push_back(i);
        parts.edge_to.push_back(j);
      }
    }
    EXPECT_TRUE(has_motif(GraphSet(std::move(parts)), 0)) << "graph " << g;
  }
}

// Figures that were published with a seed stay true.
TEST(MotifSet, IsWhatItWasInTheFirstVersion) {
  EXPECT_EQ(fingerprint(make_motif_set({.graphs = 20, .nodes = 16, .labels = 4, .seed = 9})), 14291578646181032683U);
}

// Within one huge graph as between many: both would otherwise run for minutes.
TEST(MotifSet, CanBeCancelled) {
  for (const MotifOptions& huge : {MotifOptions{.graphs = 10'000'000}, MotifOptions{.graphs = 1, .nodes = 1U << 31}}) {
    int calls = 0;
    RunOptions run;
    run.progress = [&](const Progress& progress) {
      EXPECT_LE(progress.done, progress.total);
      return ++calls < 8;
    };
    EXPECT_THROW((void)make_motif_set(huge, run), Cancelled);
    EXPECT_EQ(calls, 8);
  }
}

TEST(MotifSet, SameSeedSameSet) {
  const GraphSet a = make_motif_set({.graphs = 10, .seed = 5});
  const GraphSet b = make_motif_set({.graphs = 10, .seed = 5});
  const GraphSet c = make_motif_set({.graphs = 10, .seed = 6});
  EXPECT_TRUE(std::ranges::equal(a.arcs(), b.arcs()));
  EXPECT_TRUE(std::ranges::equal(a.node_labels(), b.node_labels()));
  EXPECT_EQ(a.targets().class_of_graph, b.targets().class_of_graph);
  EXPECT_FALSE(std::ranges::equal(a.node_labels(), c.node_labels()));
}

TEST(MotifSet, ClassesAreBalancedAndShuffled) {
  const GraphSet graphs = make_motif_set({.graphs = 400});
  const auto& classes = graphs.targets().class_of_graph;
  EXPECT_EQ(std::ranges::count(classes, 1), 200);
  EXPECT_GT(std::ranges::count(classes.begin(), classes.begin() + 200, 1), 70);
  EXPECT_LT(std::ranges::count(classes.begin(), classes.begin() + 200, 1), 130);
  EXPECT_EQ(graphs.merge_counts().duplicate_edges, 0U);
  EXPECT_EQ(graphs.merge_counts().self_loops, 0U);
}

// Mean over the graphs of each class, and whether the two differ by less than five standard errors.
template <typename Count>
void expect_same_in_both_classes(const GraphSet& graphs, const char* what, const Count& count) {
  std::array<double, 2> n = {}, sum = {}, square_sum = {};
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    const auto c = static_cast<std::size_t>(graphs.targets().class_of_graph[g]);
    const auto value = static_cast<double>(count(g));
    n[c] += 1;
    sum[c] += value;
    square_sum[c] += value * value;
  }
  double variance_of_difference = 0;
  for (const std::size_t c : {0, 1})
    variance_of_difference += (square_sum[c] / n[c] - std::pow(sum[c] / n[c], 2)) / n[c];
  EXPECT_LE(std::abs(sum[0] / n[0] - sum[1] / n[1]), 5 * std::sqrt(variance_of_difference) + 1e-12) << what;
}

TEST(MotifSet, CountsOfLabelsAndDegreesAreTheSameInBothClasses) {
  const GraphSet graphs = make_motif_set({.graphs = 4000, .seed = 3});
  const auto count_nodes = [&](std::size_t g, const auto& predicate) {
    std::size_t count = 0;
    for (std::uint32_t u = graphs.graph_begin(g); u < graphs.graph_begin(g + 1); ++u) count += predicate(u) ? 1 : 0;
    return count;
  };
  expect_same_in_both_classes(graphs, "nodes",
                              [&](std::size_t g) { return count_nodes(g, [](auto) { return true; }); });
  for (std::int64_t value = 0; value < 4; ++value) {
    expect_same_in_both_classes(graphs, "label", [&](std::size_t g) {
      return count_nodes(g, [&](std::uint32_t u) { return label(graphs, u) == value; });
    });
    for (std::uint32_t degree = 1; degree < 5; ++degree) {
      expect_same_in_both_classes(graphs, "label and degree", [&](std::size_t g) {
        return count_nodes(g, [&](std::uint32_t u) { return label(graphs, u) == value && graphs.degree(u) == degree; });
      });
    }
  }
}

// All squares with a roof, as ascending lists of their nodes within the graph.
std::vector<std::vector<std::uint32_t>> houses(const GraphSet& graphs, std::size_t g) {
  std::vector<std::vector<std::uint32_t>> found;
  const auto joined = [&](std::uint32_t u, std::uint32_t v) {
    return std::ranges::binary_search(graphs.neighbours(u), v);
  };
  const std::uint32_t begin = graphs.graph_begin(g);
  for (std::uint32_t roof = begin; roof < graphs.graph_begin(g + 1); ++roof) {
    for (const std::uint32_t a : graphs.neighbours(roof)) {
      for (const std::uint32_t b : graphs.neighbours(roof)) {
        if (!joined(a, b)) continue;
        for (const std::uint32_t d : graphs.neighbours(a)) {
          for (const std::uint32_t c : graphs.neighbours(b)) {
            if (c == d || c == roof || d == roof || c == a || d == b || !joined(c, d)) continue;
            std::vector<std::uint32_t> nodes{roof - begin, a - begin, b - begin, c - begin, d - begin};
            std::ranges::sort(nodes);
            found.push_back(nodes);
          }
        }
      }
    }
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

TEST(HouseSet, ClassOneHasAHouseWhichIsTheKnownAnswerAndClassZeroHasNone) {
  for (const std::uint32_t nodes : {1U, 24U, 400U}) {
    const GraphSet graphs = make_house_set({.graphs = 101, .nodes = nodes, .seed = nodes});
    ASSERT_EQ(graphs.num_graphs(), 101U);
    EXPECT_FALSE(graphs.has_node_labels());
    for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
      EXPECT_EQ(houses(graphs, g).size(), graphs.targets().class_of_graph[g] == 1 ? 1U : 0U) << "graph " << g;
      EXPECT_EQ(houses(graphs, g), graphs.truth()[g]) << "graph " << g;
    }
  }
}

TEST(HouseSet, CountsOfNodesAndEdgesAreTheSameInBothClasses) {
  const GraphSet graphs = make_house_set({.graphs = 4000, .seed = 3});
  EXPECT_EQ(std::ranges::count(graphs.targets().class_of_graph, 1), 2000);
  expect_same_in_both_classes(graphs, "nodes",
                              [&](std::size_t g) { return graphs.graph_begin(g + 1) - graphs.graph_begin(g); });
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    const std::uint64_t arcs = graphs.arc_begin(graphs.graph_begin(g + 1)) - graphs.arc_begin(graphs.graph_begin(g));
    EXPECT_EQ(arcs / 2, graphs.graph_begin(g + 1) - graphs.graph_begin(g) + 1) << "graph " << g;  // two rings
  }
}

TEST(HouseSet, SameSeedSameSet) {
  const GraphSet a = make_house_set({.graphs = 10, .seed = 5});
  const GraphSet b = make_house_set({.graphs = 10, .seed = 5});
  EXPECT_TRUE(std::ranges::equal(a.arcs(), b.arcs()));
  EXPECT_EQ(a.truth(), b.truth());
  EXPECT_FALSE(std::ranges::equal(a.arcs(), make_house_set({.graphs = 10, .seed = 6}).arcs()));
}

TEST(HouseSet, CanBeCancelledAndRefusesWhatMakesNoSense) {
  RunOptions run;
  int calls = 0;
  run.progress = [&](const Progress&) { return ++calls < 8; };
  EXPECT_THROW((void)make_house_set({.graphs = 1, .nodes = 1U << 31}, run), Cancelled);
  EXPECT_EQ(calls, 8);
  EXPECT_THROW(make_house_set({.graphs = 0}), UsageError);
  EXPECT_THROW(make_house_set({.nodes = 0}), UsageError);
  EXPECT_THROW(make_house_set({.graphs = 4'000'000'000U, .nodes = 4'000'000'000U}), UsageError);
}

TEST(MotifSet, RefusesWhatMakesNoSense) {
  EXPECT_THROW(make_motif_set({.graphs = 0}), UsageError);
  EXPECT_THROW(make_motif_set({.nodes = 0}), UsageError);
  EXPECT_THROW(make_motif_set({.labels = 2}), UsageError);
  EXPECT_THROW(make_motif_set({.graphs = 4'000'000'000U, .nodes = 4'000'000'000U}), UsageError);
}

}  // namespace
}  // namespace gckn
