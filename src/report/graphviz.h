// SPDX-License-Identifier: BSD-3-Clause
// Graphviz as a library that says where the nodes of a graph are drawn. It is loaded when it is first needed, as few
// commands draw graphs, and only its part for undirected graphs, which spares its configuration and its fonts.
// Graphviz keeps its state in variables that all threads share: a lock lets one thread at a time in.
#pragma once

#include <optional>
#include <vector>

#include "report/graph_layout.h"

namespace gckn {

// Whether it was built in, is on this machine, and can be loaded.
bool has_graphviz();

enum class GraphvizEngine {
  neato,  // distances in the picture follow those in the graph; time and memory grow with the square of the nodes
  sfdp    // forces, from coarse to fine; for large graphs
};

// Positions of the nodes of a connected graph, in units of its own. The same for the same input. `start`: by node, with
// edges about 1 long, where neato begins; or empty. Nothing if there is no Graphviz or it fails.
std::optional<std::vector<Position>> graphviz_positions(std::size_t nodes, const NodePairs& edges,
                                                        GraphvizEngine engine, const std::vector<Position>& start);

}  // namespace gckn
