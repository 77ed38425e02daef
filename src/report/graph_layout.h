// SPDX-License-Identifier: BSD-3-Clause
// Where the nodes of a graph are drawn. Each connected part is laid out on its own, turned so that it is wider than
// high, and the parts are set in rows, the largest first.
//
//   a part of up to 200 nodes    Graphviz's neato: distances in the picture follow those in the graph. It begins where
//                                our own layout ends, as from a random beginning it often leaves a ring folded
//   up to 2,000                  Graphviz's sfdp; 2 seconds
//   more                         a circle: no such picture can be read
//
// Without Graphviz (report/graphviz.h) parts of up to 2,000 nodes are laid out by stochastic gradient descent on the
// stress, the sum over pairs of nodes of ((distance in the picture - distance in the graph) / distance in the graph)^2
// (Zheng, Pawar, Goodman 2018), which is what neato makes small in another way. The same graph has the same layout.
// Threads may make layouts side by side; within Graphviz they wait for each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gckn {

struct Position {
  double x = 0;
  double y = 0;
};

using NodePairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

enum class LayoutMaker { graphviz_if_there, own };

// By node, from (0, 0) on, in units of the usual distance of a node from the nearest other one. Loops are ignored.
std::vector<Position> graph_layout(std::size_t nodes, const NodePairs& edges,
                                   LayoutMaker maker = LayoutMaker::graphviz_if_there);

}  // namespace gckn
