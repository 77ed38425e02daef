// SPDX-License-Identifier: BSD-3-Clause
// Graph sets: from arrays and back, from files, parts of them, other targets.
#include "gckn/graph_set.h"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "arrays.h"
#include "bindings.h"
#include "gckn/datasets.h"
#include "gckn/equal_graphs.h"
#include "gckn/io.h"
#include "run.h"

namespace gckn::python {
namespace {

using Numbers = std::optional<Table<double>>;
using Labels = std::optional<Array<std::int64_t>>;
using MoleculeTuple = std::tuple<std::string, bool, bool>;

std::size_t columns(const Numbers& table) {
  return table ? table->shape(1) : 0;
}
std::vector<double> values(const Numbers& table) {
  return table ? std::vector<double>(table->data(), table->data() + table->size()) : std::vector<double>{};
}

Targets no_targets() {
  return {};
}

// By graph the number of its first node.
std::vector<std::uint64_t> first_nodes(const std::vector<std::uint32_t>& sizes) {
  std::vector<std::uint64_t> begins;
  std::uint64_t next = 0;
  for (const std::uint32_t size : sizes) begins.push_back(std::exchange(next, next + size));
  return begins;
}

GraphSet from_parts(std::string name, const Array<std::uint32_t>& sizes, const Array<std::uint32_t>& edge_from,
                    const Array<std::uint32_t>& edge_to, const Labels& node_labels, LabelNames node_label_names,
                    const Labels& edge_labels, LabelNames edge_label_names, const Numbers& node_attributes,
                    const Numbers& edge_attributes, const Numbers& graph_attributes, std::vector<std::string> ids,
                    std::vector<std::string> smiles, const nb::object& molecules, std::vector<NodeTruth> truth,
                    const std::vector<std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>>& folds) {
  GraphSetParts parts;
  parts.name = std::move(name);
  parts.graph_sizes = values_of(sizes);
  parts.edge_from = values_of(edge_from);
  parts.edge_to = values_of(edge_to);
  parts.node_labels = values_of(node_labels);
  parts.node_label_names = std::move(node_label_names);
  parts.edge_labels = values_of(edge_labels);
  parts.edge_label_names = std::move(edge_label_names);
  parts.node_attribute_columns = columns(node_attributes);
  parts.node_attributes = values(node_attributes);
  parts.edge_attribute_columns = columns(edge_attributes);
  parts.edge_attributes = values(edge_attributes);
  parts.graph_attribute_columns = columns(graph_attributes);
  parts.graph_attributes = values(graph_attributes);
  parts.ids = std::move(ids);
  parts.smiles = std::move(smiles);
  parts.targets = no_targets();
  parts.truth = std::move(truth);
  for (const auto& [train, test] : folds) parts.folds.push_back({train, test});
  parts.locate_edge = [begins = first_nodes(parts.graph_sizes), from = edge_from.data(),
                       to = edge_to.data()](std::size_t edge) {
    const auto graph = static_cast<std::size_t>(std::ranges::upper_bound(begins, from[edge]) - begins.begin()) - 1;
    return fmt::format("graph {}: edge {} - {}", graph, from[edge] - begins[graph], to[edge] - begins[graph]);
  };
  if (!molecules.is_none()) {
    const auto reading = nb::cast<nb::tuple>(molecules);
    parts.molecules = MoleculeReading{parse_atoms(nb::cast<std::string>(reading[0])), nb::cast<bool>(reading[1]),
                                      nb::cast<bool>(reading[2])};
  }
  const Unlocked here;
  return GraphSet(std::move(parts));
}

LabelNames names_of(std::span<const std::int64_t> labels, const std::vector<std::string>& names) {
  LabelNames result;
  for (std::size_t i = 0; i < names.size(); ++i) result[labels[i]] = names[i];
  return result;
}

nb::object label_array(std::span<const std::uint32_t> indices, std::span<const std::int64_t> of_index) {
  std::vector<std::int64_t> labels;
  labels.reserve(indices.size());
  for (const std::uint32_t i : indices) labels.push_back(of_index[i]);
  return to_array(std::move(labels));
}

nb::object table_or_none(std::span<const double> numbers, std::size_t cols) {
  if (cols == 0) return nb::none();
  return to_table(std::vector<double>(numbers.begin(), numbers.end()), numbers.size() / cols, cols);
}

nb::object molecules_tuple(const GraphSet& graphs) {
  if (!graphs.molecules()) return nb::none();
  const MoleculeReading& reading = *graphs.molecules();
  return nb::make_tuple(std::string(to_string(reading.atoms)), reading.hydrogens, reading.largest_fragment);
}

// Whether an arc from u has other attributes than the arc back.
bool differs_from_way_back(const GraphSet& graphs, std::uint32_t u, std::uint64_t arc) {
  const std::size_t columns = graphs.edge_attribute_columns();
  if (columns == 0) return false;
  const std::uint32_t v = graphs.arcs()[arc];
  const auto back = graphs.arcs().subspan(graphs.arc_begin(v), graphs.arc_begin(v + 1) - graphs.arc_begin(v));
  const auto found = static_cast<std::uint64_t>(std::ranges::lower_bound(back, u) - back.begin());
  return !std::ranges::equal(graphs.arc_attributes().subspan(arc * columns, columns),
                             graphs.arc_attributes().subspan((graphs.arc_begin(v) + found) * columns, columns));
}

// What from_parts takes. Every edge once, or in both directions where these have different attributes.
nb::dict to_parts(const GraphSet& graphs) {
  std::vector<std::uint32_t> sizes, from, to;
  std::vector<std::int64_t> edge_labels;
  std::vector<double> edge_attributes;
  const std::size_t edge_columns = graphs.edge_attribute_columns();
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    sizes.push_back(graphs.graph_begin(g + 1) - graphs.graph_begin(g));
  }
  for (std::uint32_t u = 0; u < graphs.num_nodes(); ++u) {
    for (std::uint64_t a = graphs.arc_begin(u); a < graphs.arc_begin(u + 1); ++a) {
      if (graphs.arcs()[a] < u && !differs_from_way_back(graphs, u, a)) continue;
      from.push_back(u);
      to.push_back(graphs.arcs()[a]);
      if (graphs.has_edge_labels()) edge_labels.push_back(graphs.edge_label_values()[graphs.arc_labels()[a]]);
      const auto row = graphs.arc_attributes().subspan(a * edge_columns, edge_columns);
      edge_attributes.insert(edge_attributes.end(), row.begin(), row.end());
    }
  }
  nb::dict parts;
  const std::size_t num_edges = from.size();
  parts["name"] = graphs.name();
  parts["sizes"] = to_array(std::move(sizes));
  parts["edge_from"] = to_array(std::move(from));
  parts["edge_to"] = to_array(std::move(to));
  parts["node_labels"] =
      graphs.has_node_labels() ? label_array(graphs.node_labels(), graphs.node_label_values()) : nb::object(nb::none());
  parts["node_label_names"] = names_of(graphs.node_label_values(), graphs.node_label_names());
  parts["edge_labels"] = graphs.has_edge_labels() ? to_array(std::move(edge_labels)) : nb::object(nb::none());
  parts["edge_label_names"] = names_of(graphs.edge_label_values(), graphs.edge_label_names());
  parts["node_attributes"] = table_or_none(graphs.node_attributes(), graphs.node_attribute_columns());
  parts["edge_attributes"] =
      edge_columns == 0 ? nb::object(nb::none()) : to_table(std::move(edge_attributes), num_edges, edge_columns);
  parts["graph_attributes"] = table_or_none(graphs.graph_attributes(), graphs.graph_attribute_columns());
  parts["ids"] = graphs.ids();
  parts["smiles"] = graphs.smiles();
  parts["molecules"] = molecules_tuple(graphs);
  parts["truth"] = graphs.truth();
  std::vector<std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>> folds;
  for (const Fold& fold : graphs.folds()) folds.emplace_back(fold.train, fold.test);
  parts["folds"] = folds;
  return parts;
}

nb::object targets_of(const GraphSet& graphs) {
  const Targets& targets = graphs.targets();
  nb::dict result;
  result["names"] = targets.column_names;
  switch (targets.kind) {
    case Targets::Kind::classes:
      result["class_names"] = targets.class_names;
      result["class_of_graph"] = copy_to_array(std::span<const std::int32_t>(targets.class_of_graph));
      return result;
    case Targets::Kind::numbers:
      result["numbers"] = table_or_none(targets.numbers, targets.columns);
      return result;
    default:
      return nb::none();
  }
}

}  // namespace

void bind_graph_set(nb::module_& module) {
  nb::class_<GraphSet>(module, "GraphSet")
      .def("__len__", &GraphSet::num_graphs)
      .def_prop_ro("name", &GraphSet::name)
      .def_prop_ro("num_nodes", &GraphSet::num_nodes)
      .def_prop_ro("num_edges", &GraphSet::num_edges)
      .def_prop_ro("has_node_labels", &GraphSet::has_node_labels)
      .def_prop_ro("has_edge_labels", &GraphSet::has_edge_labels)
      .def_prop_ro("num_node_labels", [](const GraphSet& graphs) { return graphs.node_label_values().size(); })
      .def_prop_ro("node_attribute_columns", &GraphSet::node_attribute_columns)
      .def_prop_ro(
          "node_label_names",
          [](const GraphSet& graphs) { return names_of(graphs.node_label_values(), graphs.node_label_names()); })
      .def_prop_ro(
          "edge_label_names",
          [](const GraphSet& graphs) { return names_of(graphs.edge_label_values(), graphs.edge_label_names()); })
      .def_prop_ro("ids", &GraphSet::ids)
      .def_prop_ro("smiles", &GraphSet::smiles)
      .def_prop_ro("molecules", &molecules_tuple)
      .def_prop_ro("targets", &targets_of)
      .def("to_parts", &to_parts)
      .def("select",
           [](const GraphSet& graphs, const Array<std::uint32_t>& selected) {
             const std::vector<std::uint32_t> numbers = values_of(selected);
             const Unlocked here;
             return select_graphs(graphs, numbers);
           })
      .def("with_classes",
           [](const GraphSet& graphs, std::vector<std::string> classes, const Array<std::int32_t>& of_graph,
              std::vector<std::string> names) {
             GraphSet copy = graphs;
             copy.set_targets({.kind = Targets::Kind::classes,
                               .class_names = std::move(classes),
                               .class_of_graph = values_of(of_graph),
                               .column_names = std::move(names)});
             return copy;
           })
      .def("with_numbers",
           [](const GraphSet& graphs, const Table<double>& numbers, std::vector<std::string> names) {
             GraphSet copy = graphs;
             copy.set_targets({.kind = Targets::Kind::numbers,
                               .columns = numbers.shape(1),
                               .numbers = {numbers.data(), numbers.data() + numbers.size()},
                               .column_names = std::move(names)});
             return copy;
           })
      .def("equal_graphs", [](const GraphSet& graphs, const nb::tuple& run) {
        return to_array(
            run_unlocked(run, [&](const RunOptions& options) { return find_equal_graphs(graphs, options).first; }));
      });
  module.def("graph_set", &from_parts, nb::kw_only(), nb::arg("name"), nb::arg("sizes"), nb::arg("edge_from"),
             nb::arg("edge_to"), nb::arg("node_labels").none(), nb::arg("node_label_names"),
             nb::arg("edge_labels").none(), nb::arg("edge_label_names"), nb::arg("node_attributes").none(),
             nb::arg("edge_attributes").none(), nb::arg("graph_attributes").none(), nb::arg("ids"), nb::arg("smiles"),
             nb::arg("molecules").none(), nb::arg("truth"), nb::arg("folds"));
  module.def("label_of_word", [](const std::string& word) { return label_of_word(word); });
  module.def("read_graphs", [](const std::filesystem::path& path, const nb::tuple& run) {
    return run_unlocked(run, [&](const RunOptions& options) { return read_graphs(path, options); });
  });
  module.def("write_graphs", [](const GraphSet& graphs, const std::filesystem::path& path, const std::string& format,
                                const nb::tuple& run) {
    return run_unlocked(run, [&](const RunOptions& options) {
      write_graphs(graphs, path, parse_graph_format(format), options);
      return true;
    });
  });
  module.def(
      "make_motif_set",
      [](std::uint32_t graphs, std::uint32_t nodes, std::uint32_t labels, std::uint64_t seed, const nb::tuple& run) {
        return run_unlocked(run, [&](const RunOptions& options) {
          return make_motif_set({.graphs = graphs, .nodes = nodes, .labels = labels, .seed = seed}, options);
        });
      },
      nb::arg("graphs"), nb::arg("nodes"), nb::arg("labels"), nb::arg("seed"), nb::arg("run"));
  module.def(
      "make_house_set",
      [](std::uint32_t graphs, std::uint32_t nodes, std::uint64_t seed, const nb::tuple& run) {
        return run_unlocked(run, [&](const RunOptions& options) {
          return make_house_set({.graphs = graphs, .nodes = nodes, .seed = seed}, options);
        });
      },
      nb::arg("graphs"), nb::arg("nodes"), nb::arg("seed"), nb::arg("run"));
}

}  // namespace gckn::python
