// SPDX-License-Identifier: BSD-3-Clause
// The house set: a task for graphs without labels that no count of nodes, edges or degrees solves.
//
// Every graph is a random recursive tree with five nodes and six edges hung onto it by one edge between two random
// nodes. Of all ways to join five nodes with six edges exactly two have the degrees 3 3 2 2 2: the house, a square with
// a triangle on it, in which the nodes of degree 3 are neighbours, and the complete bipartite graph K(2,3), in which
// they are not. Class "1" has the first and class "0" the second, so that all degrees have the same distribution in
// both. There are no labels, for they would say nothing: where a set has none, networks read degrees, and these have to
// be read along paths. A house has no bridge, and a tree nothing else, so that there is no house beside the planted
// one.
#include <array>
#include <cstdint>
#include <utility>

#include "gckn/datasets.h"
#include "graph/planted.h"

namespace gckn {

namespace {

using planted::below;
using planted::Graph;

constexpr std::uint32_t kNodes = 5;
using Wiring = std::array<std::pair<std::uint32_t, std::uint32_t>, 6>;
constexpr Wiring kHouse{{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}}};  // 4 is the roof
constexpr Wiring kDecoy{{{0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}}};

Graph make_graph(bool with_house, const HouseOptions& options, Random& random, const planted::Checkpoint& checkpoint) {
  Graph graph;
  const std::uint32_t nodes = planted::random_size(options.nodes, random);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    if (i % planted::kStep == 0) checkpoint();
    const std::uint32_t u = graph.add_node(0);
    if (u > 0) graph.add_edge(below(random, u), u);
  }
  for (std::uint32_t i = 0; i < kNodes; ++i) {
    const std::uint32_t u = graph.add_node(0);
    if (with_house) graph.planted.push_back(u);
  }
  for (const auto& [u, v] : with_house ? kHouse : kDecoy) graph.add_edge(nodes + u, nodes + v);
  // Nodes 0 and 1 have degree 3 in both.
  graph.add_edge(below(random, nodes), nodes + below(random, kNodes));
  return graph;
}

}  // namespace

GraphSet make_house_set(const HouseOptions& options, const RunOptions& run) {
  planted::check_size("house", options.graphs, options.nodes, kNodes);
  return planted::make_set("house", options.graphs, false, options.seed, run,
                           [&](bool with_house, Random& random, const planted::Checkpoint& checkpoint) {
                             return make_graph(with_house, options, random, checkpoint);
                           });
}

}  // namespace gckn
