// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/graph_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gckn/error.h"
#include "graph/arc_builder.h"
#include "graph/label_names.h"
#include "graph/limits.h"
#include "util/counted.h"
#include "util/words.h"

namespace gckn {

namespace {

constexpr Words<MoleculeReading::Atoms, 2> kAtoms{
    {{MoleculeReading::Atoms::element, "element"}, {MoleculeReading::Atoms::rich, "rich"}}};

void require_size(std::string_view what, std::size_t size, std::size_t expected) {
  if (size != expected) throw InputError(fmt::format("{}: {} where {} belong", what, counted(size, "value"), expected));
}

// A table of `rows` rows; its size may be a product that does not fit.
void require_table(std::string_view what, std::size_t size, std::size_t rows, std::size_t columns) {
  const bool fits = columns == 0 ? size == 0 : size % columns == 0 && size / columns == rows;
  if (!fits) {
    throw InputError(fmt::format("{}: {} where {} of {} belong", what, counted(size, "value"), counted(rows, "row"),
                                 counted(columns, "column")));
  }
}

void require_finite(std::string_view what, const std::vector<double>& values) {
  for (const double value : values) {
    if (!std::isfinite(value)) throw InputError(fmt::format("{}: {} is not a finite number", what, value));
  }
}

void require_index(std::string_view what, std::int64_t index, std::size_t count, std::string_view noun) {
  if (index < 0 || static_cast<std::uint64_t>(index) >= count) {
    throw InputError(fmt::format("{}: {} is out of range (there are {})", what, index, counted(count, noun)));
  }
}

void check_targets(const Targets& targets, std::size_t graphs) {
  if (targets.kind == Targets::Kind::numbers) {
    if (targets.columns == 0) throw InputError("targets: there are no columns of numbers");
    require_table("targets", targets.numbers.size(), graphs, targets.columns);
    if (!targets.column_names.empty()) require_size("names of targets", targets.column_names.size(), targets.columns);
  }
  if (targets.kind != Targets::Kind::classes) return;
  require_size("classes", targets.class_of_graph.size(), graphs);
  constexpr std::int32_t kMissing = -1;
  for (const std::int32_t c : targets.class_of_graph) {
    if (c != kMissing) require_index("classes", c, targets.class_names.size(), "class name");
  }
}

void check_sizes(const GraphSetParts& parts, std::size_t nodes) {
  const std::size_t graphs = parts.graph_sizes.size();
  const std::size_t edges = parts.edge_from.size();
  require_size("ends of edges", parts.edge_to.size(), edges);
  if (!parts.edge_labels.empty()) require_size("edge labels", parts.edge_labels.size(), edges);
  require_table("edge attributes", parts.edge_attributes.size(), edges, parts.edge_attribute_columns);
  if (!parts.node_labels.empty()) require_size("node labels", parts.node_labels.size(), nodes);
  require_table("node attributes", parts.node_attributes.size(), nodes, parts.node_attribute_columns);
  require_table("graph attributes", parts.graph_attributes.size(), graphs, parts.graph_attribute_columns);
  if (!parts.ids.empty()) require_size("ids", parts.ids.size(), graphs);
  if (!parts.smiles.empty()) require_size("SMILES", parts.smiles.size(), graphs);
  if (!parts.truth.empty()) require_size("truth", parts.truth.size(), graphs);
  check_targets(parts.targets, graphs);
  for (const Fold& fold : parts.folds) {
    for (const std::vector<std::uint32_t>* side : {&fold.train, &fold.test}) {
      for (const std::uint32_t graph : *side) require_index("folds", graph, graphs, "graph");
    }
  }
  require_finite("edge attributes", parts.edge_attributes);
  require_finite("node attributes", parts.node_attributes);
  require_finite("graph attributes", parts.graph_attributes);
}

// Checks known answers and puts their nodes into order.
void tidy_truth(const std::vector<std::uint32_t>& graph_sizes, std::vector<NodeTruth>& truth) {
  for (std::size_t g = 0; g < truth.size(); ++g) {
    for (std::vector<std::uint32_t>& nodes : truth[g]) {
      if (nodes.empty()) throw InputError(fmt::format("truth: an alternative of graph {} has no nodes", g));
      std::ranges::sort(nodes);
      nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
      if (nodes.back() >= graph_sizes[g]) {
        throw InputError(fmt::format("truth: node {} of graph {} is out of range (it has {})", nodes.back(), g,
                                     counted(graph_sizes[g], "node")));
      }
    }
  }
}

// The sorted values of `labels`, and for each label its index among them.
struct Interned {
  std::vector<std::int64_t> values;
  std::vector<std::uint32_t> indices;
};

Interned intern(const std::vector<std::int64_t>& labels) {
  Interned result;
  if (labels.empty()) return result;
  result.indices.resize(labels.size());
  const auto [low, high] = std::minmax_element(labels.begin(), labels.end());
  const std::int64_t lowest = *low;
  const auto offset = [lowest](std::int64_t label) {
    return static_cast<std::uint64_t>(label) - static_cast<std::uint64_t>(lowest);
  };
  // Labels are small numbers as a rule: a table of the whole range, then. Where it would be larger than the labels
  // themselves, sort.
  if (offset(*high) <= labels.size() + 1024) {
    std::vector<std::uint32_t> index_of(offset(*high) + 1, 0);
    for (const std::int64_t label : labels) index_of[offset(label)] = 1;
    for (std::size_t i = 0; i < index_of.size(); ++i) {
      if (index_of[i] == 0) continue;
      index_of[i] = static_cast<std::uint32_t>(result.values.size());
      result.values.push_back(lowest + static_cast<std::int64_t>(i));
    }
    for (std::size_t i = 0; i < labels.size(); ++i) result.indices[i] = index_of[offset(labels[i])];
    return result;
  }
  result.values = labels;
  std::sort(result.values.begin(), result.values.end());
  result.values.erase(std::unique(result.values.begin(), result.values.end()), result.values.end());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto at = std::lower_bound(result.values.begin(), result.values.end(), labels[i]);
    result.indices[i] = static_cast<std::uint32_t>(at - result.values.begin());
  }
  return result;
}

}  // namespace

std::string_view to_string(MoleculeReading::Atoms atoms) {
  return word_of(kAtoms, atoms);
}

MoleculeReading::Atoms parse_atoms(std::string_view word) {
  return value_of(kAtoms, "the label of atoms", word);
}

GraphSet::GraphSet(GraphSetParts parts) {
  std::uint64_t nodes = 0;
  graph_begin_.reserve(parts.graph_sizes.size() + 1);
  for (const std::uint32_t size : parts.graph_sizes) {
    nodes += size;
    if (nodes > kMaxNodes) {
      throw InputError(fmt::format("{}: more than {} nodes are not supported", parts.name, kMaxNodes));
    }
    graph_begin_.push_back(static_cast<std::uint32_t>(nodes));
  }
  check_sizes(parts, nodes);
  tidy_truth(parts.graph_sizes, parts.truth);

  ArcBuilder builder(parts, graph_begin_);
  builder.build();
  merge_counts_ = builder.merge_counts;
  arc_begin_ = std::move(builder.arc_begin);
  neighbours_ = std::move(builder.neighbours);
  Interned edge_labels = intern(builder.arc_labels);
  edge_label_values_ = std::move(edge_labels.values);
  arc_labels_ = std::move(edge_labels.indices);
  edge_attribute_columns_ = parts.edge_attribute_columns;
  arc_attributes_ = std::move(builder.arc_attributes);

  name_ = std::move(parts.name);
  Interned node_labels = intern(parts.node_labels);
  node_label_values_ = std::move(node_labels.values);
  node_labels_ = std::move(node_labels.indices);
  name_labels(parts.node_label_names, parts.edge_label_names);
  node_attribute_columns_ = parts.node_attribute_columns;
  node_attributes_ = std::move(parts.node_attributes);
  graph_attribute_columns_ = parts.graph_attribute_columns;
  graph_attributes_ = std::move(parts.graph_attributes);
  ids_ = std::move(parts.ids);
  molecules_ = parts.molecules;
  smiles_ = std::move(parts.smiles);
  targets_ = std::move(parts.targets);
  folds_ = std::move(parts.folds);
  truth_ = std::move(parts.truth);
}

void GraphSet::set_targets(Targets targets) {
  check_targets(targets, num_graphs());
  targets_ = std::move(targets);
}

void GraphSet::name_labels(const LabelNames& nodes, const LabelNames& edges) {
  std::vector<std::string> node_names = names_of_values(node_label_values_, nodes, "node labels");
  std::vector<std::string> edge_names = names_of_values(edge_label_values_, edges, "edge labels");
  if (!node_names.empty()) node_label_names_ = std::move(node_names);
  if (!edge_names.empty()) edge_label_names_ = std::move(edge_names);
}

}  // namespace gckn
