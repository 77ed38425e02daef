// SPDX-License-Identifier: BSD-3-Clause
#include "network/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>

#include "gckn/error.h"
#include "linalg/column_moments.h"
#include "linalg/vector_ops.h"
#include "network/node_attributes.h"
#include "util/flat_map.h"
#include "util/parallel.h"

namespace gckn {
namespace {

bool uses_labels(Features features) {
  return features == Features::labels || features == Features::labels_and_attributes;
}
bool uses_attributes(Features features) {
  return features == Features::attributes || features == Features::labels_and_attributes;
}

// What is missing is called by the word that asks for it.
void require_attributes(const GraphSet& graphs, Features features, const AttributeSources& sources) {
  const auto require = [&](bool used, std::size_t columns, bool has_any, const char* what) {
    if (!used || columns > 0 || !has_any) return;
    throw InputError(fmt::format("{} has no {} attributes, which the features '{}' need", graphs.name(), what,
                                 features_word(features, sources)));
  };
  require(sources.nodes, graphs.node_attribute_columns(), graphs.num_nodes() > 0, "node");
  require(sources.edges, graphs.edge_attribute_columns(), graphs.num_arcs() > 0, "edge");
  require(sources.graphs, graphs.graph_attribute_columns(), graphs.num_graphs() > 0, "graph");
}

void require_features(const GraphSet& graphs, Features features, const AttributeSources& sources) {
  if (uses_labels(features) && !graphs.has_node_labels() && graphs.num_nodes() > 0) {
    throw InputError(
        fmt::format("{} has no node labels, which the features '{}' need", graphs.name(), to_string(features)));
  }
  if (uses_attributes(features)) require_attributes(graphs, features, sources);
}

// Labels as a set or an encoding lists them: ascending values, and their names or none.
struct LabelList {
  std::span<const std::int64_t> values;
  std::span<const std::string> names;
};

// Index of every label of `from` in `known`, or the number of known ones.
std::vector<std::uint32_t> translate(const LabelList& from, const LabelList& known) {
  const auto unknown = static_cast<std::uint32_t>(known.values.size());
  std::vector<std::uint32_t> to(from.values.size(), unknown);
  if (!from.names.empty() && !known.names.empty()) {
    std::map<std::string_view, std::uint32_t> index_of;
    for (std::uint32_t i = 0; i < unknown; ++i) index_of.emplace(known.names[i], i);
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (const auto found = index_of.find(from.names[i]); found != index_of.end()) to[i] = found->second;
    }
    return to;
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto it = std::ranges::lower_bound(known.values, from.values[i]);
    if (it != known.values.end() && *it == from.values[i]) {
      to[i] = static_cast<std::uint32_t>(it - known.values.begin());
    }
  }
  return to;
}

// Index among the known edge labels of every edge label of the set.
std::vector<std::uint32_t> translate_edge_labels(const GraphSet& graphs, const InputEncoding& encoding) {
  return translate({graphs.edge_label_values(), graphs.edge_label_names()},
                   {encoding.edge_labels, encoding.edge_label_names});
}

// The colour of every node of the range by label, or by degree.
std::vector<std::uint32_t> label_colours(const GraphSet& graphs, GraphRange range, const InputEncoding& encoding) {
  const std::size_t first = graphs.graph_begin(range.first);
  std::vector<std::uint32_t> colour(graphs.graph_begin(range.last) - first);
  if (encoding.features == Features::degree) {
    std::uint32_t most = 0;
    for (std::size_t u = 0; u < colour.size(); ++u) most = std::max(most, graphs.degree(first + u));
    std::vector<std::int64_t> degrees(std::size_t{most} + 1);
    std::iota(degrees.begin(), degrees.end(), 0);
    const std::vector<std::uint32_t> colour_of_degree = translate({degrees, {}}, {encoding.labels, {}});
    for (std::size_t u = 0; u < colour.size(); ++u) colour[u] = colour_of_degree[graphs.degree(first + u)];
    return colour;
  }
  const std::vector<std::uint32_t> colour_of_label =
      translate({graphs.node_label_values(), graphs.node_label_names()}, {encoding.labels, encoding.label_names});
  for (std::size_t u = 0; u < colour.size(); ++u) colour[u] = colour_of_label[graphs.node_labels()[first + u]];
  return colour;
}

// Gives equal rows (with equal labels) one colour. Contents decide, not hashes; numbers follow the hashes, so that they
// do not depend on the order of the graphs. label: by node of the range, or empty.
InputColours intern_rows(const GraphSet& graphs, GraphRange range, const AttributeSources& sources,
                         std::span<const std::uint32_t> label, std::vector<std::uint32_t>& colour_of_node) {
  const std::size_t first_node = graphs.graph_begin(range.first);
  const std::size_t n = graphs.graph_begin(range.last) - first_node;
  const NodeAttributes attributes(graphs, range, sources);
  const std::size_t columns = attributes.columns();
  const double* rows = attributes.rows().data();
  const auto same = [&](std::uint32_t u, std::uint32_t v) {
    return (label.empty() || label[u] == label[v]) &&
           std::equal(rows + u * columns, rows + (u + 1) * columns, rows + v * columns);
  };
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order(n);
  parallel_tiles(n, 8192, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) {
      std::uint64_t hash = label.empty() ? 0 : label[u];
      for (std::size_t k = 0; k < columns; ++k) {
        // Adding zero makes -0 and 0, which compare equal, hash alike.
        hash = mix_bits(hash * 0x9e3779b97f4a7c15ULL + std::bit_cast<std::uint64_t>(rows[u * columns + k] + 0.0));
      }
      order[u] = {hash, static_cast<std::uint32_t>(u)};
    }
  });
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> first(n);
  std::iota(first.begin(), first.end(), 0U);
  for (std::size_t i = 0; i < n;) {
    std::size_t j = i + 1;
    for (; j < n && order[j].first == order[i].first; ++j) {
      for (std::size_t a = i; a < j; ++a) {
        const std::uint32_t u = order[a].second;
        if (first[u] == u && same(u, order[j].second)) {
          first[order[j].second] = u;
          break;
        }
      }
    }
    i = j;
  }
  InputColours colours;
  colour_of_node.resize(n);
  for (const auto& [hash, u] : order) {
    if (first[u] != u) continue;
    colour_of_node[u] = colours.count++;
    colours.hash.push_back(hash);
    colours.node.push_back(u);
    if (!label.empty()) colours.label.push_back(label[u]);
  }
  for (std::uint32_t u = 0; u < n; ++u) colour_of_node[u] = colour_of_node[first[u]];
  colours.attributes = DoubleMatrix::uninitialised(colours.count, columns);
  for (std::size_t c = 0; c < colours.count; ++c) {
    const double* row = rows + colours.node[c] * columns;
    // Adding zero makes -0 and 0 one here, too: which of them a colour met first must not matter.
    for (std::size_t k = 0; k < columns; ++k) colours.attributes(c, k) = row[k] + 0.0;
    colours.node[c] += static_cast<std::uint32_t>(first_node);
  }
  colours.first_graph = range.first;
  colours.graph_begin = std::make_shared<const std::vector<std::uint32_t>>(
      graphs.graph_begins().begin() + static_cast<std::ptrdiff_t>(range.first),
      graphs.graph_begins().begin() + static_cast<std::ptrdiff_t>(range.last));
  return colours;
}

// What a column is divided by. One that varies in the last digits only counts as constant: what varies is rounding,
// which must neither be blown up nor, where the numbers are large, drown the other columns.
double scale_of(const ColumnMoments& column) {
  constexpr double kRounding = 1e-12;
  if (column.deviation == 0) return 1.0;
  if (column.deviation <= kRounding * std::abs(column.mean)) return std::max(1.0, std::abs(column.mean));
  return column.deviation;
}

// (value - mean) / scale, also where the difference passes what a double can hold.
double standardised(double value, double mean, double scale) {
  const double difference = value - mean;
  return std::isfinite(difference) ? difference / scale : (0.5 * value - 0.5 * mean) / scale * 2.0;
}

// |x| of finite elements, also where a square passes what a double can hold.
double length_of(const double* x, std::size_t count) {
  double square = 0;
  for (std::size_t k = 0; k < count; ++k) square += x[k] * x[k];
  if (std::isfinite(square)) return std::sqrt(square);
  double largest = 0;
  for (std::size_t k = 0; k < count; ++k) largest = std::max(largest, std::abs(x[k]));
  square = 0;
  for (std::size_t k = 0; k < count; ++k) square += (x[k] / largest) * (x[k] / largest);
  return largest * std::sqrt(square);
}

// A colour's input vector [one-hot label, attributes] and the length it has, the part orthogonal to it included. Not
// finite if the attributes are beyond all bounds.
double fill_row(const InputColours& colours, std::size_t colour, const InputEncoding& encoding,
                std::vector<double>& row) {
  const std::size_t columns = encoding.mean.size();
  const bool has_labels = encoding.features == Features::labels_and_attributes;
  const std::size_t num_labels = has_labels ? encoding.labels.size() : 0;
  row.assign(num_labels + columns, 0.0);
  double* attributes = row.data() + num_labels;
  for (std::size_t k = 0; k < columns; ++k) {
    attributes[k] = standardised(colours.attributes(colour, k), encoding.mean[k], encoding.scale[k]);
    if (!std::isfinite(attributes[k])) return attributes[k];
  }
  double length = length_of(attributes, columns);
  if (encoding.unit_attributes) {
    const double norm = std::max(length, kTinyNorm);
    for (std::size_t k = 0; k < columns; ++k) attributes[k] /= norm;
    length /= norm;
  }
  if (!has_labels) return length;
  if (colours.label[colour] < num_labels) row[colours.label[colour]] = 1.0;
  for (double& value : row) value *= std::sqrt(0.5);
  return std::hypot(std::sqrt(0.5), std::sqrt(0.5) * length);  // an unknown label is a direction of its own
}

[[noreturn]] void throw_too_large(const InputColours& colours, std::size_t colour) {
  const std::vector<std::uint32_t>& begin = *colours.graph_begin;
  const std::uint32_t node = colours.node[colour];
  const auto graph = std::ranges::upper_bound(begin, node) - begin.begin() - 1;
  throw AttributesTooLarge(colours.first_graph + static_cast<std::size_t>(graph),
                           fmt::format("the attributes of node {} are too large for the network's scale",
                                       node - begin[static_cast<std::size_t>(graph)]));
}

// |x|, also where the square of an element passes what Real can hold: sums over many paths grow large.
template <typename Real>
Real norm_of(const Real* x, std::size_t count) {
  const Real square = dot(x, x, count);
  if (std::isfinite(square)) return std::sqrt(square);
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += static_cast<double>(x[k]) * static_cast<double>(x[k]);
  return static_cast<Real>(std::sqrt(sum));
}

}  // namespace

std::size_t InputEncoding::dimension() const {
  return (features == Features::attributes ? 0 : labels.size()) + mean.size();
}

bool uses_edge_labels(const GraphSet& graphs, EdgeLabels edge_labels) {
  if (edge_labels != EdgeLabels::automatic) return edge_labels == EdgeLabels::used;
  return graphs.molecules().has_value() && graphs.has_edge_labels();
}

Features features_for(const GraphSet& graphs, Features features) {
  if (features != Features::automatic) return features;
  if (graphs.has_node_labels()) return Features::labels;
  if (graphs.node_attribute_columns() > 0) return Features::attributes;
  return Features::degree;
}

UnknownLabels unknown_labels(const InputEncoding& encoding, const GraphSet& graphs) {
  UnknownLabels unknown;
  const auto name_of = [](std::span<const std::int64_t> values, const std::vector<std::string>& names, std::size_t i) {
    return names.empty() ? fmt::to_string(values[i]) : names[i];
  };
  // Counts per label of the set; known: by label.
  const auto count = [&](std::span<const std::uint32_t> labels, const std::vector<std::uint32_t>& known,
                         std::size_t num_known, const auto& name, std::vector<std::string>& names) {
    std::vector<std::uint64_t> times(known.size());
    for (const std::uint32_t label : labels) ++times[label];
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (known[i] < num_known || times[i] == 0) continue;
      sum += times[i];
      names.push_back(name(i));
    }
    return sum;
  };
  if (uses_labels(encoding.features) && graphs.has_node_labels()) {
    unknown.nodes = count(
        graphs.node_labels(),
        translate({graphs.node_label_values(), graphs.node_label_names()}, {encoding.labels, encoding.label_names}),
        encoding.labels.size(),
        [&](std::size_t i) { return name_of(graphs.node_label_values(), graphs.node_label_names(), i); },
        unknown.node_labels);
  } else if (encoding.features == Features::degree) {
    std::vector<std::uint32_t> degrees(graphs.num_nodes());
    std::uint32_t most = 0;
    for (std::size_t u = 0; u < degrees.size(); ++u) most = std::max(most, degrees[u] = graphs.degree(u));
    std::vector<std::int64_t> values(std::size_t{most} + 1);
    std::iota(values.begin(), values.end(), 0);
    unknown.nodes = count(
        degrees, translate({values, {}}, {encoding.labels, {}}), encoding.labels.size(),
        [](std::size_t i) { return fmt::to_string(i); }, unknown.node_labels);
  }
  if (encoding.uses_edge_labels && graphs.has_edge_labels()) {
    unknown.edges =
        count(
            graphs.arc_labels(), translate_edge_labels(graphs, encoding), encoding.edge_labels.size(),
            [&](std::size_t i) { return name_of(graphs.edge_label_values(), graphs.edge_label_names(), i); },
            unknown.edge_labels) /
        2;  // an edge is two arcs
  }
  return unknown;
}

InputEncoding fit_encoding(const GraphSet& graphs, const NetworkConfig& config, std::span<const char> is_training) {
  InputEncoding encoding;
  encoding.features = features_for(graphs, config.features);
  encoding.unit_attributes = config.unit_attributes;
  encoding.attributes = config.attributes;
  require_features(graphs, encoding.features, encoding.attributes);
  if (uses_labels(encoding.features)) {
    encoding.labels.assign(graphs.node_label_values().begin(), graphs.node_label_values().end());
    encoding.label_names = graphs.node_label_names();
  } else if (encoding.features == Features::degree) {
    for (std::size_t u = 0; u < graphs.num_nodes(); ++u) {
      const std::uint32_t degree = graphs.degree(u);
      if (degree >= encoding.labels.size()) encoding.labels.resize(degree + std::size_t{1});
      encoding.labels[degree] = 1;
    }
    std::vector<std::int64_t> present;
    for (std::size_t d = 0; d < encoding.labels.size(); ++d) {
      if (encoding.labels[d] != 0) present.push_back(static_cast<std::int64_t>(d));
    }
    encoding.labels = std::move(present);
  }
  if (uses_attributes(encoding.features)) {
    const NodeAttributes attributes(graphs, {0, graphs.num_graphs()}, encoding.attributes);
    std::vector<RowRange> rows;
    for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
      if (is_training.empty() || is_training[g] != 0)
        rows.push_back({graphs.graph_begin(g), graphs.graph_begin(g + 1)});
    }
    for (const ColumnMoments& column : column_moments(attributes.rows(), attributes.columns(), rows)) {
      encoding.mean.push_back(column.mean);
      encoding.scale.push_back(scale_of(column));
    }
  }
  encoding.molecules = graphs.molecules();
  if (uses_edge_labels(graphs, config.edge_labels)) {
    if (!graphs.has_edge_labels() && graphs.num_arcs() > 0) {
      throw InputError(fmt::format("{} has no edge labels", graphs.name()));
    }
    encoding.uses_edge_labels = true;
    encoding.edge_labels.assign(graphs.edge_label_values().begin(), graphs.edge_label_values().end());
    encoding.edge_label_names = graphs.edge_label_names();
  }
  return encoding;
}

EncodedNodes encode_nodes(const GraphSet& graphs, GraphRange range, const InputEncoding& encoding) {
  require_features(graphs, encoding.features, encoding.attributes);
  EncodedNodes encoded;
  if (uses_attributes(encoding.features)) {
    const std::size_t columns = attribute_columns(graphs, encoding.attributes);
    if (graphs.num_nodes() > 0 && columns != encoding.mean.size()) {
      throw InputError(fmt::format("{} has {} columns of {} where the network was fitted on {}", graphs.name(), columns,
                                   features_word(Features::attributes, encoding.attributes), encoding.mean.size()));
    }
    std::vector<std::uint32_t> label;
    if (encoding.features == Features::labels_and_attributes) label = label_colours(graphs, range, encoding);
    encoded.colours = intern_rows(graphs, range, encoding.attributes, label, encoded.colour_of_node);
  } else {
    encoded.colour_of_node = label_colours(graphs, range, encoding);
    encoded.colours.one_hot = true;
    encoded.colours.count = static_cast<std::uint32_t>(encoding.labels.size() + 1);  // one for all unknown ones
    for (std::uint64_t c = 0; c < encoded.colours.count; ++c) encoded.colours.hash.push_back(mix_bits(c + 1));
  }
  if (encoding.uses_edge_labels) {
    if (!graphs.has_edge_labels() && graphs.num_arcs() > 0) {
      throw InputError(fmt::format("{} has no edge labels, which the network was fitted with", graphs.name()));
    }
    const std::vector<std::uint32_t> known = translate_edge_labels(graphs, encoding);
    const std::uint64_t begin = graphs.arc_begin(graphs.graph_begin(range.first));
    const std::uint64_t end = graphs.arc_begin(graphs.graph_begin(range.last));
    encoded.arc_label.reserve(end - begin);
    if (begin < end) {
      for (const std::uint32_t label : graphs.arc_labels().subspan(begin, end - begin)) {
        encoded.arc_label.push_back(known[label]);
      }
    }
  }
  return encoded;
}

template <typename Real>
ColourFeatures<Real> input_features(const InputColours& colours, const InputEncoding& encoding) {
  ColourFeatures<Real> features;
  features.one_hot = colours.one_hot;
  features.width = encoding.dimension();
  if (colours.one_hot) return features;
  features.unit = BasicMatrix<Real>::uninitialised(colours.count, features.width);
  features.norm.resize(colours.count);
  parallel_tiles(colours.count, 4096, [&](std::size_t begin, std::size_t end) {
    std::vector<double> row;
    for (std::size_t c = begin; c < end; ++c) {
      const double norm = fill_row(colours, c, encoding, row);
      if (!(norm <= static_cast<double>(std::numeric_limits<Real>::max()))) throw_too_large(colours, c);
      features.norm[c] = static_cast<Real>(norm);
      for (std::size_t k = 0; k < row.size(); ++k) {
        features.unit(c, k) = static_cast<Real>(row[k] / std::max(norm, kTinyNorm));
      }
    }
  });
  return features;
}

template <typename Real>
ColourFeatures<Real> split_norms(BasicMatrix<Real> rows) {
  ColourFeatures<Real> features;
  features.width = rows.cols();
  features.norm.resize(rows.rows());
  parallel_tiles(rows.rows(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      features.norm[c] = norm_of(rows.row(c), rows.cols());
      scale(rows.row(c), Real{1} / std::max(features.norm[c], static_cast<Real>(kTinyNorm)), rows.cols());
    }
  });
  features.unit = std::move(rows);
  return features;
}

template ColourFeatures<float> input_features(const InputColours&, const InputEncoding&);
template ColourFeatures<double> input_features(const InputColours&, const InputEncoding&);
template ColourFeatures<float> split_norms(BasicMatrix<float>);
template ColourFeatures<double> split_norms(BasicMatrix<double>);

}  // namespace gckn
