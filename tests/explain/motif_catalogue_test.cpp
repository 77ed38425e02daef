// SPDX-License-Identifier: BSD-3-Clause
// Kinds of motifs and the graphs that contain them, against all mappings one by one and against what is known.
#include "explain/motif_catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "gckn/datasets.h"
#include "gckn/error.h"
#include "support/random_graphs.h"
#include "support/sanitizers.h"
#include "util/random.h"

namespace gckn {
namespace {

using Nodes = std::vector<std::uint32_t>;

MotifGraph motif_of(Nodes labels, std::vector<MotifGraph::Edge> edges) {
  for (MotifGraph::Edge& edge : edges) {
    if (edge.from > edge.to) std::swap(edge.from, edge.to);
  }
  std::ranges::sort(edges);
  return {std::move(labels), std::move(edges)};
}

MotifGraph ring(std::uint32_t nodes) {
  std::vector<MotifGraph::Edge> edges;
  for (std::uint32_t i = 0; i < nodes; ++i) edges.push_back({i, (i + 1) % nodes, 0});
  return motif_of(Nodes(nodes, 0), std::move(edges));
}

MotifGraph random_motif(std::uint32_t nodes, double density, std::uint32_t labels, std::uint32_t edge_labels,
                        Random& random) {
  MotifGraph motif;
  for (std::uint32_t u = 0; u < nodes; ++u) {
    motif.node_labels.push_back(static_cast<std::uint32_t>(random.below(labels)));
  }
  for (std::uint32_t u = 0; u < nodes; ++u) {
    for (std::uint32_t v = u + 1; v < nodes; ++v) {
      if (static_cast<double>(random.below(1000)) >= 1000 * density) continue;
      motif.edges.push_back({u, v, static_cast<std::uint32_t>(random.below(edge_labels))});
    }
  }
  return motif;
}

MotifGraph renumbered(const MotifGraph& motif, const Nodes& number) {
  Nodes labels(motif.num_nodes());
  for (std::size_t u = 0; u < labels.size(); ++u) labels[number[u]] = motif.node_labels[u];
  std::vector<MotifGraph::Edge> edges;
  for (const MotifGraph::Edge& edge : motif.edges) edges.push_back({number[edge.from], number[edge.to], edge.label});
  return motif_of(std::move(labels), std::move(edges));
}

MotifGraph shuffled(const MotifGraph& motif, std::uint64_t seed) {
  return renumbered(motif, shuffled_numbers(motif.num_nodes(), seed));
}

// By all permutations.
bool are_isomorphic(const MotifGraph& a, const MotifGraph& b) {
  if (a.num_nodes() != b.num_nodes() || a.edges.size() != b.edges.size()) return false;
  Nodes number(a.num_nodes());
  std::iota(number.begin(), number.end(), 0U);
  do {
    const MotifGraph turned = renumbered(a, number);
    if (turned.node_labels == b.node_labels && turned.edges == b.edges) return true;
  } while (std::ranges::next_permutation(number).found);
  return false;
}

// The motifs as the graphs of a set with all labels; `labels` nodes of a graph at its end see to these.
GraphSet set_of(const std::vector<MotifGraph>& motifs, std::uint32_t labels, std::uint32_t edge_labels) {
  GraphSetParts parts;
  std::uint32_t begin = 0;
  const auto add = [&](const MotifGraph& motif) {
    parts.graph_sizes.push_back(static_cast<std::uint32_t>(motif.num_nodes()));
    for (const std::uint32_t label : motif.node_labels) parts.node_labels.push_back(label);
    for (const MotifGraph::Edge& edge : motif.edges) {
      parts.edge_from.push_back(begin + edge.from);
      parts.edge_to.push_back(begin + edge.to);
      parts.edge_labels.push_back(edge.label);
    }
    begin += static_cast<std::uint32_t>(motif.num_nodes());
  };
  for (const MotifGraph& motif : motifs) add(motif);
  MotifGraph all;
  for (std::uint32_t i = 0; i < labels; ++i) all.node_labels.push_back(i);
  for (std::uint32_t i = 0; i < edge_labels; ++i) {
    const auto u = static_cast<std::uint32_t>(all.num_nodes());
    all.node_labels.insert(all.node_labels.end(), {0, 0});
    all.edges.push_back({u, u + 1, i});
  }
  add(all);
  return GraphSet(std::move(parts));
}

// By all ways to choose a node of the graph for each of the motif.
bool contains(const MotifGraph& graph, const MotifGraph& motif, Nodes& image) {
  if (image.size() == motif.num_nodes()) {
    return std::ranges::all_of(motif.edges, [&](const MotifGraph::Edge& edge) {
      const auto [from, to] = std::minmax(image[edge.from], image[edge.to]);
      return std::ranges::binary_search(graph.edges, MotifGraph::Edge{from, to, edge.label});
    });
  }
  for (std::uint32_t v = 0; v < graph.num_nodes(); ++v) {
    if (graph.node_labels[v] != motif.node_labels[image.size()] || std::ranges::find(image, v) != image.end()) continue;
    image.push_back(v);
    const bool found = contains(graph, motif, image);
    image.pop_back();
    if (found) return true;
  }
  return false;
}

TEST(MotifKinds, AgreeWithAllPermutations) {
  Random random(1);
  for (std::uint32_t round = 0; round < 40 / kSanitizerShare; ++round) {
    std::vector<MotifGraph> motifs;
    const std::uint32_t nodes = 1 + round % 7;
    const double density = 0.2 + 0.1 * (round % 5);  // the sparse ones are in pieces
    for (int i = 0; i < 12; ++i) {
      motifs.push_back(random_motif(nodes, density, 1 + round % 3 / 2, 1 + round % 2, random));
      if (i % 3 == 0) motifs.push_back(shuffled(motifs[random.below(motifs.size())], random.below(1000)));
    }
    const std::vector<std::uint32_t> kinds = group_isomorphic(motifs, {});
    std::uint32_t known = 0;
    for (std::size_t i = 0; i < motifs.size(); ++i) {
      EXPECT_LE(kinds[i], known);
      known = std::max(known, kinds[i] + 1);
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_EQ(kinds[i] == kinds[j], are_isomorphic(motifs[i], motifs[j]))
            << "round " << round << ": " << i << ", " << j;
      }
    }
  }
}

// Graphs of n nodes, up to isomorphism: 1, 2, 4, 11, 34, 156 (OEIS A000088).
TEST(MotifKinds, AllGraphsOfAFewNodes) {
  constexpr std::array<std::uint32_t, 7> kKinds{1, 1, 2, 4, 11, 34, 156};
  for (std::uint32_t nodes = 0; nodes < kKinds.size(); ++nodes) {
    std::vector<MotifGraph> motifs;
    for (std::uint32_t set = 0; set < 1U << (nodes * (nodes - 1) / 2); ++set) {
      MotifGraph& motif = motifs.emplace_back();
      motif.node_labels.assign(nodes, 0);
      std::uint32_t pair = 0;
      for (std::uint32_t u = 0; u < nodes; ++u) {
        for (std::uint32_t v = u + 1; v < nodes; ++v) {
          if ((set >> pair++ & 1) != 0) motif.edges.push_back({u, v, 0});
        }
      }
      if (nodes == 0) break;
    }
    const std::vector<std::uint32_t> kinds = group_isomorphic(motifs, {});
    EXPECT_EQ(std::ranges::max(kinds) + 1, kKinds[nodes]) << nodes;
  }
}

// Nodes joined where `joined` says so.
template <typename Joined>
MotifGraph regular(std::uint32_t nodes, const Joined& joined) {
  MotifGraph motif;
  motif.node_labels.assign(nodes, 0);
  for (std::uint32_t u = 0; u < nodes; ++u) {
    for (std::uint32_t v = u + 1; v < nodes; ++v) {
      if (joined(u, v)) motif.edges.push_back({u, v, 0});
    }
  }
  return motif;
}

MotifGraph complete(std::uint32_t nodes) {
  return regular(nodes, [](auto, auto) { return true; });
}

MotifGraph star(std::uint32_t leaves) {
  return regular(leaves + 1, [](std::uint32_t u, auto) { return u == 0; });
}

// A generalised Petersen graph: the dodecahedron is (10, 2), the Desargues graph (10, 3).
MotifGraph petersen(std::uint32_t n, std::uint32_t step) {
  std::vector<MotifGraph::Edge> edges;
  for (std::uint32_t i = 0; i < n; ++i) {
    edges.push_back({i, (i + 1) % n, 0});
    edges.push_back({i, n + i, 0});
    edges.push_back({n + i, n + (i + step) % n, 0});
  }
  return motif_of(Nodes(2 * std::size_t{n}, 0), std::move(edges));
}

// Cells of a table, joined if they share row, column or entry.
template <typename Table>
MotifGraph latin_square(std::uint32_t order, const Table& table) {
  return regular(order * order, [&](std::uint32_t a, std::uint32_t b) {
    return a / order == b / order || a % order == b % order ||
           table(a / order, a % order) == table(b / order, b % order);
  });
}

TEST(MotifKinds, SymmetricOnesAreTakenForWhatTheyAre) {
  const MotifGraph rook =
      regular(16, [](std::uint32_t a, std::uint32_t b) { return a / 4 == b / 4 || a % 4 == b % 4; });
  const MotifGraph shrikhande = regular(16, [](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t row = (b / 4 + 4 - a / 4) % 4;
    const std::uint32_t column = (b % 4 + 4 - a % 4) % 4;
    return (row == 0 && column % 2 == 1) || (column == 0 && row % 2 == 1) || (row == column && row % 2 == 1);
  });
  const std::vector<MotifGraph> different{ring(60),
                                          complete(40),
                                          star(59),
                                          petersen(10, 2),
                                          petersen(10, 3),
                                          petersen(30, 11),
                                          petersen(30, 7),
                                          rook,
                                          shrikhande,
                                          ring(6),
                                          regular(6, [](auto u, auto v) { return u / 3 == v / 3; }),  // two triangles
                                          regular(64, [](auto u, auto v) { return ((u ^ v) & ((u ^ v) - 1)) == 0; })};
  std::vector<MotifGraph> motifs;
  for (std::uint64_t copy = 0; copy < 5; ++copy) {
    for (const MotifGraph& motif : different) motifs.push_back(shuffled(motif, copy));
  }
  const std::vector<std::uint32_t> kinds = group_isomorphic(motifs, {});
  for (std::size_t i = 0; i < motifs.size(); ++i) EXPECT_EQ(kinds[i], i % different.size()) << i;
}

// Strongly regular graphs of 64 nodes that are alike from every node: the search may give up, but not join unequal
// ones.
TEST(MotifKinds, VeryRegularOnesEndSoonAndAreNeverJoinedWrongly) {
  const MotifGraph cyclic = latin_square(8, [](std::uint32_t i, std::uint32_t j) { return (i + j) % 8; });
  const MotifGraph elementary = latin_square(8, [](std::uint32_t i, std::uint32_t j) { return i ^ j; });
  std::vector<MotifGraph> motifs;
  for (std::uint64_t copy = 0; copy < 10; ++copy) {
    motifs.push_back(shuffled(cyclic, copy));
    motifs.push_back(shuffled(elementary, copy));
  }
  const std::vector<std::uint32_t> kinds = group_isomorphic(motifs, {});
  std::set<std::uint32_t> of_cyclic;
  std::set<std::uint32_t> of_elementary;
  for (std::size_t i = 0; i < kinds.size(); ++i) (i % 2 == 0 ? of_cyclic : of_elementary).insert(kinds[i]);
  for (const std::uint32_t kind : of_cyclic) EXPECT_FALSE(of_elementary.contains(kind));
}

TEST(MotifKinds, ThreadsChangeNothing) {
  Random random(3);
  std::vector<MotifGraph> motifs;
  for (int i = 0; i < 500; ++i) {
    motifs.push_back(random_motif(static_cast<std::uint32_t>(random.below(9)), 0.3, 2, 2, random));
  }
  RunOptions one;
  one.threads = 1;
  RunOptions three;
  three.threads = 3;
  EXPECT_EQ(group_isomorphic(motifs, one), group_isomorphic(motifs, three));
  const GraphSet graphs = set_of(motifs, 2, 2);
  EXPECT_EQ(graphs_that_contain(graphs, motifs[7], one).contains,
            graphs_that_contain(graphs, motifs[7], three).contains);
}

TEST(MotifContainment, AgreesWithAllMappings) {
  Random random(2);
  int found = 0;
  int all = 0;
  for (std::uint32_t round = 0; round < 30 / kSanitizerShare; ++round) {
    const std::uint32_t labels = 1 + round % 3;
    const std::uint32_t edge_labels = 1 + round % 2;
    std::vector<MotifGraph> graphs;
    for (int i = 0; i < 20; ++i) {
      graphs.push_back(random_motif(static_cast<std::uint32_t>(random.below(8)), 0.15 + 0.15 * (i % 5), labels,
                                    edge_labels, random));
    }
    const GraphSet set = set_of(graphs, labels, edge_labels);
    for (int i = 0; i < 20; ++i) {
      const auto nodes = static_cast<std::uint32_t>(random.below(7));
      const MotifGraph motif = random_motif(nodes, 0.1 + 0.15 * (i % 5), labels, edge_labels, random);
      const Containment result = graphs_that_contain(set, motif, {});
      ASSERT_EQ(result.contains.size(), set.num_graphs());
      EXPECT_EQ(result.unknown, 0U);
      for (std::size_t g = 0; g < graphs.size(); ++g) {
        Nodes image;
        const bool expected = contains(graphs[g], motif, image);
        EXPECT_EQ(result.contains[g] != 0, expected) << "round " << round << ", motif " << i << ", graph " << g;
        found += expected ? 1 : 0;
        ++all;
      }
    }
  }
  EXPECT_GT(found, all / 10);
  EXPECT_LT(found, all - all / 10);
}

TEST(MotifContainment, PlantedMotifsAreFoundWhereTheyWerePlanted) {
  for (const GraphSet& graphs : {make_house_set({.graphs = 200}), make_motif_set({.graphs = 200, .labels = 3})}) {
    std::size_t g = 0;
    while (graphs.truth()[g].empty()) ++g;
    const MotifGraph motif = cut_out(graphs, g, graphs.truth()[g].front());
    const Containment result = graphs_that_contain(graphs, motif, {});
    EXPECT_EQ(result.unknown, 0U);
    for (std::size_t i = 0; i < graphs.num_graphs(); ++i) {
      EXPECT_EQ(result.contains[i], graphs.targets().class_of_graph[i]) << graphs.name() << ' ' << i;
    }
  }
}

TEST(MotifContainment, LargeGraphsSymmetricMotifsAndNothing) {
  const MotifGraph bipartite = regular(59, [](auto u, auto v) { return u < 19 && v >= 19; });
  const GraphSet graphs = set_of({ring(200), star(100), complete(70), bipartite, {}}, 1, 1);
  const auto contains = [&](const MotifGraph& motif) {
    const Containment result = graphs_that_contain(graphs, motif, {});
    EXPECT_EQ(result.unknown, 0U);
    return std::vector<int>(result.contains.begin(), result.contains.begin() + 5);
  };
  EXPECT_EQ(contains({}), (std::vector<int>{1, 1, 1, 1, 1}));
  EXPECT_EQ(contains(motif_of({0}, {})), (std::vector<int>{1, 1, 1, 1, 0}));
  EXPECT_EQ(contains(ring(200)), (std::vector<int>{1, 0, 0, 0, 0}));
  EXPECT_EQ(contains(ring(3)), (std::vector<int>{0, 0, 1, 0, 0}));
  EXPECT_EQ(contains(star(60)), (std::vector<int>{0, 1, 1, 0, 0}));
  EXPECT_EQ(contains(star(40)), (std::vector<int>{0, 1, 1, 1, 0}));
  EXPECT_EQ(contains(complete(60)), (std::vector<int>{0, 0, 1, 0, 0}));
  EXPECT_EQ(contains(motif_of(Nodes(101, 0), {})), (std::vector<int>{1, 1, 0, 0, 0}));
}

// A ring through 20 nodes of either side, where one side has 19: nothing that is seen from a node tells that.
TEST(MotifContainment, ASearchThatGivesUpIsCounted) {
  const MotifGraph bipartite = regular(59, [](auto u, auto v) { return u < 19 && v >= 19; });
  const GraphSet graphs = set_of({bipartite, ring(40), ring(39)}, 1, 1);
  const Containment result = graphs_that_contain(graphs, ring(40), {});
  EXPECT_EQ(result.contains, (std::vector<char>{0, 1, 0, 0}));
  EXPECT_EQ(result.unknown, 1U);
}

TEST(MotifContainment, CanBeCancelled) {
  RunOptions run;
  run.progress = [](const Progress&) { return false; };
  EXPECT_THROW(graphs_that_contain(set_of({ring(5)}, 1, 1), ring(3), run), Cancelled);
  EXPECT_THROW(group_isomorphic({ring(5)}, run), Cancelled);
}

}  // namespace
}  // namespace gckn
