// SPDX-License-Identifier: BSD-3-Clause
#include "network/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "gckn/error.h"
#include "linalg/vector_ops.h"
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

Features choose_features(const GraphSet& graphs, Features wanted) {
  if (wanted != Features::automatic) return wanted;
  if (graphs.has_node_labels()) return Features::labels;
  if (graphs.node_attribute_columns() > 0) return Features::attributes;
  return Features::degree;
}

void require_features(const GraphSet& graphs, Features features) {
  if (uses_labels(features) && !graphs.has_node_labels() && graphs.num_nodes() > 0) {
    throw InputError(
        fmt::format("{} has no node labels, which the features '{}' need", graphs.name(), to_string(features)));
  }
  if (uses_attributes(features) && graphs.node_attribute_columns() == 0 && graphs.num_nodes() > 0) {
    throw InputError(
        fmt::format("{} has no node attributes, which the features '{}' need", graphs.name(), to_string(features)));
  }
}

// Index of every value of `from` in the ascending list `known`, or known.size().
std::vector<std::uint32_t> translate(std::span<const std::int64_t> from, const std::vector<std::int64_t>& known) {
  std::vector<std::uint32_t> to;
  to.reserve(from.size());
  for (const std::int64_t value : from) {
    const auto it = std::lower_bound(known.begin(), known.end(), value);
    const bool found = it != known.end() && *it == value;
    to.push_back(static_cast<std::uint32_t>(found ? it - known.begin() : static_cast<std::ptrdiff_t>(known.size())));
  }
  return to;
}

std::vector<std::uint32_t> label_colours(const GraphSet& graphs, const InputEncoding& encoding) {
  std::vector<std::uint32_t> colour(graphs.num_nodes());
  if (encoding.features == Features::degree) {
    std::uint32_t most = 0;
    for (std::size_t u = 0; u < colour.size(); ++u) most = std::max(most, graphs.degree(u));
    std::vector<std::int64_t> degrees(std::size_t{most} + 1);
    std::iota(degrees.begin(), degrees.end(), 0);
    const std::vector<std::uint32_t> colour_of_degree = translate(degrees, encoding.labels);
    for (std::size_t u = 0; u < colour.size(); ++u) colour[u] = colour_of_degree[graphs.degree(u)];
    return colour;
  }
  const std::vector<std::uint32_t> colour_of_label = translate(graphs.node_label_values(), encoding.labels);
  for (std::size_t u = 0; u < colour.size(); ++u) colour[u] = colour_of_label[graphs.node_labels()[u]];
  return colour;
}

// Gives equal rows (with equal labels) one colour. Contents decide, not hashes; numbers follow the hashes, so that they
// do not depend on the order of the graphs.
// Returns the node that stands for each colour.
std::vector<std::uint32_t> intern_rows(const GraphSet& graphs, std::span<const std::uint32_t> label,
                                       std::vector<std::uint32_t>& colour_of_node) {
  const std::size_t n = graphs.num_nodes();
  const std::size_t columns = graphs.node_attribute_columns();
  const double* rows = graphs.node_attributes().data();
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
  std::vector<std::uint32_t> representative;
  colour_of_node.resize(n);
  for (const auto& [hash, u] : order) {
    if (first[u] == u) {
      colour_of_node[u] = static_cast<std::uint32_t>(representative.size());
      representative.push_back(u);
    }
  }
  for (std::uint32_t u = 0; u < n; ++u) colour_of_node[u] = colour_of_node[first[u]];
  return representative;
}

// One node's input vector [one-hot label, attributes] and the length it has, the part orthogonal to it included.
double fill_row(const GraphSet& graphs, const InputEncoding& encoding, std::span<const std::uint32_t> label,
                std::uint32_t node, std::vector<double>& row) {
  const std::size_t columns = encoding.mean.size();
  const std::size_t num_labels = label.empty() ? 0 : encoding.labels.size();
  row.assign(num_labels + columns, 0.0);
  double* attributes = row.data() + num_labels;
  double square = 0;
  for (std::size_t k = 0; k < columns; ++k) {
    attributes[k] = (graphs.node_attributes()[node * columns + k] - encoding.mean[k]) / encoding.scale[k];
    square += attributes[k] * attributes[k];
  }
  if (encoding.unit_attributes) {
    const double norm = std::max(std::sqrt(square), kTinyNorm);
    for (std::size_t k = 0; k < columns; ++k) attributes[k] /= norm;
    square /= norm * norm;
  }
  if (label.empty()) return std::sqrt(square);
  if (label[node] < num_labels) row[label[node]] = 1.0;
  for (double& value : row) value *= std::sqrt(0.5);
  return std::sqrt(0.5 * (1.0 + square));  // an unknown label is a direction of its own
}

}  // namespace

std::size_t InputEncoding::dimension() const {
  return (features == Features::attributes ? 0 : labels.size()) + mean.size();
}

InputEncoding fit_encoding(const GraphSet& graphs, const NetworkConfig& config, std::span<const char> is_training) {
  InputEncoding encoding;
  encoding.features = choose_features(graphs, config.features);
  encoding.unit_attributes = config.unit_attributes;
  require_features(graphs, encoding.features);
  if (uses_labels(encoding.features)) {
    encoding.labels.assign(graphs.node_label_values().begin(), graphs.node_label_values().end());
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
    const std::size_t columns = graphs.node_attribute_columns();
    encoding.mean.assign(columns, 0.0);
    encoding.scale.assign(columns, 0.0);
    const auto for_training_rows = [&](const auto& body) {
      double n = 0;
      for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
        if (!is_training.empty() && is_training[g] == 0) continue;
        n += graphs.graph_begin(g + 1) - graphs.graph_begin(g);
        for (std::size_t u = graphs.graph_begin(g); u < graphs.graph_begin(g + 1); ++u) {
          body(graphs.node_attributes().data() + u * columns);
        }
      }
      return n;
    };
    const double n = for_training_rows([&](const double* row) {
      for (std::size_t k = 0; k < columns; ++k) encoding.mean[k] += row[k];
    });
    for (double& mean : encoding.mean) mean /= std::max(n, 1.0);
    for_training_rows([&](const double* row) {
      for (std::size_t k = 0; k < columns; ++k) {
        encoding.scale[k] += (row[k] - encoding.mean[k]) * (row[k] - encoding.mean[k]);
      }
    });
    for (std::size_t k = 0; k < columns; ++k) {
      const double deviation = std::sqrt(encoding.scale[k] / std::max(n, 1.0));
      // A constant column leaves rounding noise of its mean's size.
      encoding.scale[k] = deviation > 1e-12 * std::abs(encoding.mean[k]) ? deviation : 1.0;
    }
  }
  if (config.edge_labels) {
    if (!graphs.has_edge_labels() && graphs.num_arcs() > 0) {
      throw InputError(fmt::format("{} has no edge labels", graphs.name()));
    }
    encoding.uses_edge_labels = true;
    encoding.edge_labels.assign(graphs.edge_label_values().begin(), graphs.edge_label_values().end());
  }
  return encoding;
}

template <typename Real>
EncodedGraphs encode(const GraphSet& graphs, const InputEncoding& encoding, ColourFeatures<Real>& features) {
  require_features(graphs, encoding.features);
  EncodedGraphs encoded;
  if (uses_attributes(encoding.features)) {
    if (graphs.num_nodes() > 0 && graphs.node_attribute_columns() != encoding.mean.size()) {
      throw InputError(fmt::format("{} has {} node attribute columns where the network was fitted on {}", graphs.name(),
                                   graphs.node_attribute_columns(), encoding.mean.size()));
    }
    std::vector<std::uint32_t> label;
    if (encoding.features == Features::labels_and_attributes) label = label_colours(graphs, encoding);
    const std::vector<std::uint32_t> representative = intern_rows(graphs, label, encoded.colour_of_node);
    encoded.num_colours = static_cast<std::uint32_t>(representative.size());
    features.one_hot = false;
    features.width = encoding.dimension();
    features.unit = BasicMatrix<Real>(representative.size(), features.width);
    features.norm.resize(representative.size());
    parallel_tiles(representative.size(), 4096, [&](std::size_t begin, std::size_t end) {
      std::vector<double> row;
      for (std::size_t c = begin; c < end; ++c) {
        const double norm = fill_row(graphs, encoding, label, representative[c], row);
        if (!std::isfinite(norm)) {
          throw InputError(fmt::format("{}: the attributes of node {} are too large for the network's scale",
                                       graphs.name(), representative[c]));
        }
        features.norm[c] = static_cast<Real>(norm);
        for (std::size_t k = 0; k < row.size(); ++k) {
          features.unit(c, k) = static_cast<Real>(row[k] / std::max(norm, kTinyNorm));
        }
      }
    });
  } else {
    encoded.colour_of_node = label_colours(graphs, encoding);
    encoded.num_colours = static_cast<std::uint32_t>(encoding.labels.size() + 1);  // one for all unknown ones
    features.one_hot = true;
    features.width = encoding.labels.size();
  }
  if (encoding.uses_edge_labels) {
    if (!graphs.has_edge_labels() && graphs.num_arcs() > 0) {
      throw InputError(fmt::format("{} has no edge labels, which the network was fitted with", graphs.name()));
    }
    const std::vector<std::uint32_t> known = translate(graphs.edge_label_values(), encoding.edge_labels);
    encoded.arc_label.reserve(graphs.num_arcs());
    for (const std::uint32_t label : graphs.arc_labels()) encoded.arc_label.push_back(known[label]);
  }
  return encoded;
}

template <typename Real>
ColourFeatures<Real> split_norms(BasicMatrix<Real> rows) {
  ColourFeatures<Real> features;
  features.width = rows.cols();
  features.norm.resize(rows.rows());
  parallel_tiles(rows.rows(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      const Real norm = std::sqrt(dot(rows.row(c), rows.row(c), rows.cols()));
      features.norm[c] = norm;
      scale(rows.row(c), Real{1} / std::max(norm, static_cast<Real>(kTinyNorm)), rows.cols());
    }
  });
  features.unit = std::move(rows);
  return features;
}

template EncodedGraphs encode(const GraphSet&, const InputEncoding&, ColourFeatures<float>&);
template EncodedGraphs encode(const GraphSet&, const InputEncoding&, ColourFeatures<double>&);
template ColourFeatures<float> split_norms(BasicMatrix<float>);
template ColourFeatures<double> split_norms(BasicMatrix<double>);

}  // namespace gckn
