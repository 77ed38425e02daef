// SPDX-License-Identifier: BSD-3-Clause
// The house set: graphs without labels of which one class has something that the other has nothing like, so that what
// explains the class is known.
//
// A graph of class "1" is a random recursive tree with a house, a square with a triangle on it, hung onto it by one
// edge between two random nodes. One of class "0" is a random recursive tree of as many nodes with two more edges
// anywhere, so that it has as many edges, too, and as many independent rings, but of any length. There are no labels,
// for they would say nothing: where a set has none, networks read degrees, along paths. A house has no bridge, and a
// tree nothing else, so that there is no house beside the planted one; in class "0" edges that would make one are drawn
// again.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "gckn/datasets.h"
#include "graph/planted.h"

namespace gckn {

namespace {

using planted::below;
using planted::Graph;

constexpr std::uint32_t kNodes = 5;
constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 6> kHouse{
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}}};  // 4 is the roof

// Goes on with a random recursive tree until it has so many nodes.
void grow_tree(Graph& graph, std::uint32_t nodes, Random& random, const planted::Checkpoint& checkpoint) {
  while (graph.labels.size() < nodes) {
    if (graph.labels.size() % planted::kStep == 0) checkpoint();
    const std::uint32_t u = graph.add_node(0);
    if (u > 0) graph.add_edge(below(random, u), u);
  }
}

bool are_neighbours(const Graph& graph, std::uint32_t u, std::uint32_t v) {
  return std::ranges::find(graph.neighbours[u], v) != graph.neighbours[u].end();
}

// Whether a tree with two more edges has a house: what is left without its leaves, again and again, are then five nodes
// with six edges, of which the two of degree 3 are neighbours.
bool has_house(const Graph& graph) {
  std::vector<std::size_t> degree;
  for (const std::vector<std::uint32_t>& neighbours : graph.neighbours) degree.push_back(neighbours.size());
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t u = 0; u < degree.size(); ++u) {
    if (degree[u] == 1) leaves.push_back(u);
  }
  std::size_t left = degree.size();
  while (!leaves.empty()) {
    const std::uint32_t leaf = leaves.back();
    leaves.pop_back();
    degree[leaf] = 0;
    --left;
    for (const std::uint32_t v : graph.neighbours[leaf]) {
      if (degree[v] > 0 && --degree[v] == 1) leaves.push_back(v);
    }
  }
  std::vector<std::uint32_t> corners;
  for (std::uint32_t u = 0; u < degree.size(); ++u) {
    if (degree[u] == 3) corners.push_back(u);
  }
  return left == kNodes && corners.size() == 2 && are_neighbours(graph, corners[0], corners[1]);
}

// Two nodes that are not neighbours; there are some in a tree of more than three.
std::pair<std::uint32_t, std::uint32_t> strangers(const Graph& graph, Random& random) {
  while (true) {
    const std::uint32_t u = below(random, graph.labels.size());
    const std::uint32_t v = below(random, graph.labels.size());
    if (u != v && !are_neighbours(graph, u, v)) return {u, v};
  }
}

void add_edges_anywhere(Graph& graph, Random& random) {
  const std::vector<std::vector<std::uint32_t>> tree = graph.neighbours;
  do {
    graph.neighbours = tree;
    for (int edge = 0; edge < 2; ++edge) {
      const auto [u, v] = strangers(graph, random);
      graph.add_edge(u, v);
    }
  } while (has_house(graph));
}

Graph make_graph(bool with_house, const HouseOptions& options, Random& random, const planted::Checkpoint& checkpoint) {
  Graph graph;
  const std::uint32_t nodes = planted::random_size(options.nodes, random);
  if (!with_house) {
    grow_tree(graph, nodes + kNodes, random, checkpoint);
    add_edges_anywhere(graph, random);
    return graph;
  }
  grow_tree(graph, nodes, random, checkpoint);
  for (std::uint32_t i = 0; i < kNodes; ++i) graph.planted.push_back(graph.add_node(0));
  for (const auto& [u, v] : kHouse) graph.add_edge(nodes + u, nodes + v);
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
