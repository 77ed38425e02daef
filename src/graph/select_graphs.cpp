// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "gckn/error.h"
#include "gckn/graph_set.h"

namespace gckn {
namespace {

// Appends `columns` values of row `row`.
void append_row(std::span<const double> from, std::size_t row, std::size_t columns, std::vector<double>& to) {
  const auto part = from.subspan(row * columns, columns);
  to.insert(to.end(), part.begin(), part.end());
}

LabelNames names_by_value(std::span<const std::int64_t> values, const std::vector<std::string>& names) {
  LabelNames result;
  for (std::size_t i = 0; i < names.size(); ++i) result.emplace(values[i], names[i]);
  return result;
}

}  // namespace

GraphSet select_graphs(const GraphSet& graphs, std::span<const std::uint32_t> selected) {
  GraphSetParts parts;
  parts.name = graphs.name();
  parts.molecules = graphs.molecules();
  parts.node_attribute_columns = graphs.node_attribute_columns();
  parts.edge_attribute_columns = graphs.edge_attribute_columns();
  parts.graph_attribute_columns = graphs.graph_attribute_columns();
  const Targets& targets = graphs.targets();
  parts.targets.kind = targets.kind;
  parts.targets.class_names = targets.class_names;
  parts.targets.columns = targets.columns;
  parts.targets.column_names = targets.column_names;
  parts.node_label_names = names_by_value(graphs.node_label_values(), graphs.node_label_names());
  parts.edge_label_names = names_by_value(graphs.edge_label_values(), graphs.edge_label_names());
  std::uint32_t first = 0;  // node of the selection
  for (const std::uint32_t g : selected) {
    if (g >= graphs.num_graphs()) {
      throw InputError(fmt::format("{}: there is no graph {} among {}", graphs.name(), g, graphs.num_graphs()));
    }
    const std::uint32_t begin = graphs.graph_begin(g);
    const std::uint32_t end = graphs.graph_begin(g + 1);
    parts.graph_sizes.push_back(end - begin);
    if (!graphs.ids().empty()) parts.ids.push_back(graphs.ids()[g]);
    if (!graphs.smiles().empty()) parts.smiles.push_back(graphs.smiles()[g]);
    if (!graphs.truth().empty()) parts.truth.push_back(graphs.truth()[g]);
    for (std::uint32_t u = begin; u < end; ++u) {
      if (graphs.has_node_labels()) parts.node_labels.push_back(graphs.node_label_values()[graphs.node_labels()[u]]);
      append_row(graphs.node_attributes(), u, parts.node_attribute_columns, parts.node_attributes);
      for (std::uint64_t a = graphs.arc_begin(u); a < graphs.arc_begin(u + 1); ++a) {
        // Both directions, so that attributes of either survive.
        parts.edge_from.push_back(first + (u - begin));
        parts.edge_to.push_back(first + (graphs.arcs()[a] - begin));
        if (graphs.has_edge_labels()) parts.edge_labels.push_back(graphs.edge_label_values()[graphs.arc_labels()[a]]);
        append_row(graphs.arc_attributes(), a, parts.edge_attribute_columns, parts.edge_attributes);
      }
    }
    append_row(graphs.graph_attributes(), g, parts.graph_attribute_columns, parts.graph_attributes);
    if (targets.kind == Targets::Kind::classes) {
      parts.targets.class_of_graph.push_back(targets.class_of_graph[g]);
    } else if (targets.kind == Targets::Kind::numbers) {
      append_row(targets.numbers, g, targets.columns, parts.targets.numbers);
    }
    first += end - begin;
  }
  return GraphSet(std::move(parts));
}

}  // namespace gckn
