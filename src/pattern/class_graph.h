// SPDX-License-Identifier: BSD-3-Clause
// A graph set with twins merged: the graph that all patterns are read from.
//
// Two nodes of equal colour whose open neighbourhoods (or closed ones) are equal, with equal edge labels to every
// third node, can be exchanged without changing the graph. They form a class. A class stands for `size` nodes; it has
// an arc to another class if its nodes are adjacent to that class's nodes, and an arc to itself if they are adjacent to
// each other. Sequences of classes, weighted by the number of ways to choose distinct nodes, are exactly the
// sequences of nodes:
//   a path that has used j nodes of class c can go on to size(c) - j of them;
//   a walk at a node of class b can go on to size(c) nodes of another class c and to size(b) - 1 of its own.
// Merging pays in dense graphs and around hubs only; others keep one class per node. Equal graphs get equal classes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "gckn/graph_set.h"
#include "graph/graph_range.h"

namespace gckn {

struct ClassGraph {
  std::vector<std::uint32_t> graph_begin;    // classes of graph g: graph_begin[g] .. graph_begin[g + 1]
  std::vector<std::uint32_t> class_of_node;  // by node
  std::vector<std::uint32_t> size;           // nodes in the class
  std::vector<std::uint32_t> degree;         // neighbours of each of its nodes
  std::vector<std::uint32_t> colour;         // of its nodes
  std::vector<std::uint64_t> arc_begin;      // arcs of class c: arc_begin[c] .. arc_begin[c + 1]
  std::vector<std::uint32_t> arc_to;         // ascending
  std::vector<std::uint32_t> arc_label;      // edge label, or empty where edge labels are not used

  [[nodiscard]] std::size_t num_classes() const { return size.size(); }
  [[nodiscard]] std::size_t num_graphs() const { return graph_begin.size() - 1; }

  // The arc from class c to class `to`, or arc_begin[c + 1] if there is none.
  [[nodiscard]] std::uint64_t find_arc(std::uint32_t c, std::uint32_t to) const {
    const auto begin = arc_to.begin() + static_cast<std::ptrdiff_t>(arc_begin[c]);
    const auto end = arc_to.begin() + static_cast<std::ptrdiff_t>(arc_begin[c + 1]);
    const auto it = std::lower_bound(begin, end, to);
    return it != end && *it == to ? static_cast<std::uint64_t>(it - arc_to.begin()) : arc_begin[c + 1];
  }

  // Contiguous runs of graphs of roughly equal work, cut by the graphs alone: the unit of parallel work.
  // Returns ends first .. last of the runs, beginning with 0.
  [[nodiscard]] std::vector<std::uint32_t> chunks() const;
};

// Of some consecutive graphs; nodes, classes and graphs are counted from the first of them. colour_of_node: one per
// node. arc_label: one per arc, or empty.
ClassGraph make_class_graph(const GraphSet& graphs, GraphRange range, std::span<const std::uint32_t> colour_of_node,
                            std::span<const std::uint32_t> arc_label);

// The graphs with these numbers, which are distinct, in this order. Colours are as they were.
ClassGraph select_graphs(const ClassGraph& whole, std::span<const std::uint32_t> selected);

}  // namespace gckn
