// SPDX-License-Identifier: BSD-3-Clause
#include "support/golden.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <vector>

namespace gckn::test {

using nlohmann::json;

namespace {

// 3-dimensional nested arrays, flattened; returns the sizes.
template <typename Real>
std::array<std::size_t, 3> flatten(const nlohmann::json& nested, std::vector<Real>& out) {
  for (const nlohmann::json& matrix : nested) {
    for (const nlohmann::json& row : matrix) {
      for (const double value : row) out.push_back(static_cast<Real>(value));
    }
  }
  const std::size_t rows = nested.empty() ? 0 : nested[0].size();
  return {nested.size(), rows, rows == 0 ? 0 : nested[0][0].size()};
}

}  // namespace

json load_golden(const std::string& name) {
  std::ifstream file(std::filesystem::path(GCKN_TEST_GOLDEN_DIR) / name);
  EXPECT_TRUE(file) << name;
  return json::parse(file);
}

GraphSet graphs_of(const nlohmann::json& golden) {
  GraphSetParts parts;
  parts.name = "golden";
  for (const nlohmann::json& graph : golden.at("graphs")) {
    const auto first = static_cast<std::uint32_t>(
        std::accumulate(parts.graph_sizes.begin(), parts.graph_sizes.end(), std::uint32_t{0}));
    const nlohmann::json& neighbours = graph.at("neighbors");
    parts.graph_sizes.push_back(static_cast<std::uint32_t>(neighbours.size()));
    for (std::uint32_t u = 0; u < neighbours.size(); ++u) {
      for (const std::uint32_t v : neighbours[u]) {
        if (v < u) continue;
        parts.edge_from.push_back(first + u);
        parts.edge_to.push_back(first + v);
        if (graph.contains("edge_labels")) {
          parts.edge_labels.push_back(graph["edge_labels"].at(std::to_string(u) + "," + std::to_string(v)));
        }
      }
      const nlohmann::json& x = graph.at("x")[u];
      parts.node_attribute_columns = x.size();
      for (const double value : x) parts.node_attributes.push_back(value);
      if (graph.contains("labels")) parts.node_labels.push_back(graph["labels"][u]);
    }
  }
  return GraphSet(std::move(parts));
}

template <typename Real>
BasicNetwork<Real> network_of(const nlohmann::json& golden, Input input) {
  NetworkConfig config;
  std::vector<BasicLayer<Real>> layers;
  InputEncoding encoding;
  for (const nlohmann::json& spec : golden.at("layers")) {
    BasicLayer<Real> layer;
    const auto [vertices, filters, width] = flatten(spec.at("anchors"), layer.anchors);
    layer.config.kind = parse_layer_kind(spec.value("kind", "path"));
    layer.config.path_length = static_cast<int>(vertices) - 1;
    layer.config.filters = static_cast<int>(filters);
    layer.config.sigma = spec.at("sigma");
    layer.config.pooling = parse_pooling(spec.at("pooling").get<std::string>());
    layer.config.all_lengths = spec.at("multi_length");
    layer.input_width = width;
    if (spec.contains("edge_anchors")) {
      layer.edge_width = flatten(spec["edge_anchors"], layer.edge_anchors)[2];
      encoding.uses_edge_labels = true;
      encoding.edge_labels.resize(layer.edge_width);
      std::iota(encoding.edge_labels.begin(), encoding.edge_labels.end(), 0);
    }
    config.layers.push_back(layer.config);
    layers.push_back(std::move(layer));
  }
  config.global_pooling = parse_pooling(golden.at("global_pooling").get<std::string>());
  const std::size_t width = layers[0].input_width;
  if (input == Input::labels) {
    encoding.features = Features::labels;
    encoding.labels.resize(width);
    std::iota(encoding.labels.begin(), encoding.labels.end(), 0);
  } else {
    encoding.features = Features::attributes;
    encoding.mean.assign(width, 0.0);
    encoding.scale.assign(width, 1.0);
    encoding.unit_attributes = false;
  }
  return BasicNetwork<Real>(config, encoding, std::move(layers));
}

template BasicNetwork<float> network_of(const json&, Input);
template BasicNetwork<double> network_of(const json&, Input);

DoubleMatrix matrix_of(const nlohmann::json& rows) {
  DoubleMatrix matrix(rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    EXPECT_EQ(rows[i].size(), matrix.cols()) << "row " << i;
    for (std::size_t j = 0; j < matrix.cols(); ++j) matrix(i, j) = rows[i].at(j).get<double>();
  }
  return matrix;
}

}  // namespace gckn::test
