// SPDX-License-Identifier: BSD-3-Clause
// Graphs of a set with some nodes or an edge taken out.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gckn/graph_set.h"

namespace gckn {

class ReducedGraphs {
 public:
  // The set must outlive this. with_edge_labels: those that there are.
  explicit ReducedGraphs(const GraphSet& graphs, bool with_edge_labels = true);

  using Edge = std::pair<std::uint32_t, std::uint32_t>;
  static constexpr Edge kNoEdge{~std::uint32_t{0}, ~std::uint32_t{0}};

  // Appends graph g with the nodes that are kept (by node of the graph) and the edges between them, but for one.
  void add(std::size_t g, std::span<const char> keeps, Edge left_out = kNoEdge);

  [[nodiscard]] std::size_t size() const { return parts_.graph_sizes.size(); }

  // Those that were added, with labels, names and attributes as they were, without targets; none are left then.
  GraphSet take();

 private:
  void begin();

  const GraphSet& graphs_;
  const bool with_edge_labels_;
  GraphSetParts parts_;
  std::vector<std::uint32_t> number_;  // of the nodes that are kept
  std::uint32_t num_nodes_ = 0;
};

}  // namespace gckn
