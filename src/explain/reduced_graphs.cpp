// SPDX-License-Identifier: BSD-3-Clause
#include "explain/reduced_graphs.h"

#include <algorithm>

namespace gckn {
namespace {

void append_row(std::span<const double> from, std::size_t row, std::size_t columns, std::vector<double>& to) {
  const auto part = from.subspan(row * columns, columns);
  to.insert(to.end(), part.begin(), part.end());
}

}  // namespace

ReducedGraphs::ReducedGraphs(const GraphSet& graphs, bool with_edge_labels)
    : graphs_(graphs), with_edge_labels_(with_edge_labels && graphs.has_edge_labels()) {
  begin();
}

void ReducedGraphs::begin() {
  parts_ = {};
  num_nodes_ = 0;
  parts_.name = graphs_.name();
  parts_.molecules = graphs_.molecules();
  parts_.node_attribute_columns = graphs_.node_attribute_columns();
  parts_.edge_attribute_columns = graphs_.edge_attribute_columns();
  parts_.graph_attribute_columns = graphs_.graph_attribute_columns();
  for (std::size_t i = 0; i < graphs_.node_label_names().size(); ++i) {
    parts_.node_label_names.emplace(graphs_.node_label_values()[i], graphs_.node_label_names()[i]);
  }
  for (std::size_t i = 0; with_edge_labels_ && i < graphs_.edge_label_names().size(); ++i) {
    parts_.edge_label_names.emplace(graphs_.edge_label_values()[i], graphs_.edge_label_names()[i]);
  }
}

void ReducedGraphs::add(std::size_t g, std::span<const char> keeps, Edge left_out) {
  const std::uint32_t first = graphs_.graph_begin(g);
  number_.assign(keeps.size(), 0);
  std::uint32_t kept = 0;
  for (std::uint32_t u = 0; u < keeps.size(); ++u) {
    if (keeps[u] == 0) continue;
    number_[u] = num_nodes_ + kept++;
    if (graphs_.has_node_labels()) {
      parts_.node_labels.push_back(graphs_.node_label_values()[graphs_.node_labels()[first + u]]);
    }
    append_row(graphs_.node_attributes(), first + u, graphs_.node_attribute_columns(), parts_.node_attributes);
  }
  for (std::uint32_t u = 0; u < keeps.size(); ++u) {
    if (keeps[u] == 0) continue;
    for (std::uint64_t a = graphs_.arc_begin(first + u); a < graphs_.arc_begin(first + u + 1); ++a) {
      const std::uint32_t v = graphs_.arcs()[a] - first;
      if (keeps[v] == 0 || Edge(std::minmax(u, v)) == left_out) continue;
      parts_.edge_from.push_back(number_[u]);
      parts_.edge_to.push_back(number_[v]);
      if (with_edge_labels_) {
        parts_.edge_labels.push_back(graphs_.edge_label_values()[graphs_.arc_labels()[a]]);
      }
      append_row(graphs_.arc_attributes(), a, graphs_.edge_attribute_columns(), parts_.edge_attributes);
    }
  }
  append_row(graphs_.graph_attributes(), g, graphs_.graph_attribute_columns(), parts_.graph_attributes);
  parts_.graph_sizes.push_back(kept);
  num_nodes_ += kept;
}

GraphSet ReducedGraphs::take() {
  GraphSet result(std::move(parts_));
  begin();
  return result;
}

}  // namespace gckn
