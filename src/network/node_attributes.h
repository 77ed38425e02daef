// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a node, from wherever a network takes them: its own attributes, the mean of those of its edges, those
// of its graph.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/network.h"
#include "graph/graph_range.h"

namespace gckn {

// How many numbers that are.
std::size_t attribute_columns(const GraphSet& graphs, const AttributeSources& sources);

// Rows of the nodes of some consecutive graphs, which must outlive this: nodes x attribute_columns. A node without
// edges has zeros for theirs.
class NodeAttributes {
 public:
  NodeAttributes(const GraphSet& graphs, GraphRange range, const AttributeSources& sources);
  [[nodiscard]] std::span<const double> rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }

 private:
  std::size_t columns_;
  std::vector<double> joined_;  // empty where a node's own attributes are all there is
  std::span<const double> rows_;
};

}  // namespace gckn
