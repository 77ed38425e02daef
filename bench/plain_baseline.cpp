// SPDX-License-Identifier: BSD-3-Clause
#include "plain_baseline.h"

#include <fmt/format.h>

#include <numeric>

#include "network/kmeans.h"
#include "network/plain_evaluator.h"
#include "pattern/path_walker.h"
#include "util/parallel.h"

namespace gckn::bench {
namespace {

constexpr std::size_t kSampledPaths = 300'000;

// One class per node: no twins are merged.
ClassGraph node_graph(const GraphSet& graphs, const EncodedNodes& encoded) {
  ClassGraph graph;
  graph.graph_begin.assign(graphs.graph_begins().begin(), graphs.graph_begins().end());
  graph.class_of_node.resize(graphs.num_nodes());
  std::iota(graph.class_of_node.begin(), graph.class_of_node.end(), 0U);
  graph.size.assign(graphs.num_nodes(), 1);
  for (std::size_t u = 0; u < graphs.num_nodes(); ++u) graph.degree.push_back(graphs.degree(u));
  graph.colour = encoded.colour_of_node;
  graph.arc_begin.assign(graphs.arc_begins().begin(), graphs.arc_begins().end());
  graph.arc_to.assign(graphs.arcs().begin(), graphs.arcs().end());
  graph.arc_label = encoded.arc_label;
  return graph;
}

}  // namespace

Matrix plain_fit_and_embed(const GraphSet& graphs, const NetworkConfig& config,
                           const std::function<void(std::string_view)>& begin_stage) {
  const ThreadScope threads({});
  begin_stage("encoding");
  const InputEncoding encoding = fit_encoding(graphs, config);
  std::vector<PlainBlock<float>> blocks(1);
  const EncodedNodes encoded = encode_nodes(graphs, {0, graphs.num_graphs()}, encoding);
  blocks[0].features = input_features<float>(encoded.colours, encoding);
  blocks[0].row_of_node = encoded.colour_of_node;
  if (blocks[0].features.one_hot) {  // dense rows, as a product over all input dimensions needs them
    ColourFeatures<float>& features = blocks[0].features;
    features.unit = Matrix(encoded.colours.count, features.width);
    for (std::size_t c = 0; c < features.width; ++c) features.unit(c, c) = 1;
    features.one_hot = false;
  }
  const ClassGraph graph = node_graph(graphs, encoded);
  Matrix vectors;
  for (std::size_t j = 0; j < config.layers.size(); ++j) {
    begin_stage(fmt::format("layer {}: finding anchors", j + 1));
    const LayerConfig& layer_config = config.layers[j];
    const auto vertices = static_cast<std::size_t>(layer_config.path_length) + 1;
    PatternPoints<float> points;
    points.vertices = vertices;
    points.width = blocks[0].features.width;
    std::uint32_t first_row = 0;
    for (const PlainBlock<float>& block : blocks) {
      std::vector<char> eligible(graphs.num_nodes());
      for (std::size_t u = 0; u < eligible.size(); ++u) eligible[u] = block.features.norm_of(block.row_of_node[u]) > 0;
      for (std::size_t r = 0; r < block.features.unit.rows(); ++r) points.rows.push_back(block.features.unit.row(r));
      const std::size_t share = kSampledPaths / blocks.size();
      const PathSampler sampler(graph, layer_config.kind, static_cast<int>(vertices), eligible);
      for (const std::uint32_t u : sampler.sample(share, 1).classes) {
        points.colours.push_back(first_row + block.row_of_node[u]);
      }
      points.weights.resize(points.weights.size() + share, 1.0);
      first_row = static_cast<std::uint32_t>(points.rows.size());
    }
    FitOptions fit;
    fit.accelerate = false;
    BasicLayer<float> layer;
    layer.config = layer_config;
    layer.input_width = points.width;
    const auto q = static_cast<std::size_t>(layer_config.filters);
    const Matrix centroids = spherical_kmeans(points, q, fit, 0, {}).centroids;
    layer.anchors.resize(vertices * q * points.width);
    for (std::size_t t = 0; t < vertices; ++t) {
      for (std::size_t i = 0; i < q; ++i) {
        std::copy_n(centroids.row(i) + t * points.width, points.width,
                    layer.anchors.data() + (t * q + i) * points.width);
      }
    }
    begin_stage(fmt::format("layer {}: evaluating", j + 1));
    const LayerOperator<float> layer_operator(layer);
    std::vector<Matrix> outputs = evaluate_plain(layer_operator, graphs, encoded.arc_label, blocks, {});
    if (j + 1 == config.layers.size()) {
      begin_stage("pooling");
      vectors = Matrix(graphs.num_graphs(), outputs.size() * q);
      for (std::size_t b = 0; b < outputs.size(); ++b) {
        pool_plain(graphs, outputs[b], config.global_pooling, layer_config.gmp_lambda, vectors, b * q);
      }
      break;
    }
    blocks.clear();
    for (Matrix& output : outputs) {
      PlainBlock<float> block;
      block.features = split_norms(std::move(output));
      block.row_of_node.resize(graphs.num_nodes());
      std::iota(block.row_of_node.begin(), block.row_of_node.end(), 0U);
      blocks.push_back(std::move(block));
    }
  }
  return vectors;
}

}  // namespace gckn::bench
