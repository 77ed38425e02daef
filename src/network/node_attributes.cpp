// SPDX-License-Identifier: BSD-3-Clause
#include "network/node_attributes.h"

namespace gckn {

std::size_t attribute_columns(const GraphSet& graphs, const AttributeSources& sources) {
  return (sources.nodes ? graphs.node_attribute_columns() : 0) + (sources.edges ? graphs.edge_attribute_columns() : 0) +
         (sources.graphs ? graphs.graph_attribute_columns() : 0);
}

NodeAttributes::NodeAttributes(const GraphSet& graphs, GraphRange range, const AttributeSources& sources)
    : columns_(attribute_columns(graphs, sources)) {
  const std::size_t first = graphs.graph_begin(range.first);
  const std::size_t last = graphs.graph_begin(range.last);
  const std::size_t own = sources.nodes ? graphs.node_attribute_columns() : 0;
  if (columns_ == own) {
    rows_ = graphs.node_attributes().subspan(first * own, (last - first) * own);
    return;
  }
  const std::size_t of_edges = sources.edges ? graphs.edge_attribute_columns() : 0;
  const std::size_t of_graph = sources.graphs ? graphs.graph_attribute_columns() : 0;
  joined_.reserve((last - first) * columns_);
  for (std::size_t g = range.first; g < range.last; ++g) {
    for (std::size_t u = graphs.graph_begin(g); u < graphs.graph_begin(g + 1); ++u) {
      const auto append = [&](std::span<const double> from) {
        joined_.insert(joined_.end(), from.begin(), from.end());
      };
      append(graphs.node_attributes().subspan(u * own, own));
      for (std::size_t k = 0; k < of_edges; ++k) {
        double mean = 0;
        const double count = graphs.degree(u);
        for (std::uint64_t arc = graphs.arc_begin(u); arc < graphs.arc_begin(u + 1); ++arc) {
          mean += graphs.arc_attributes()[arc * of_edges + k] / count;
        }
        joined_.push_back(mean);
      }
      append(graphs.graph_attributes().subspan(g * of_graph, of_graph));
    }
  }
  rows_ = joined_;
}

}  // namespace gckn
