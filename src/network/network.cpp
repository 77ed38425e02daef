// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/network.h"

#include <fmt/format.h>

#include <algorithm>

#include "gckn/error.h"
#include "network/embed.h"
#include "network/forward_pass.h"
#include "network/plain_evaluator.h"
#include "util/parallel.h"

namespace gckn {
namespace {

std::size_t lengths_of(const LayerConfig& layer) {
  return layer.all_lengths ? static_cast<std::size_t>(layer.path_length) + 1 : 1;
}

// Embeds, or with `node_layer` below the number of layers gives that layer's node rows, by the plain evaluator.
template <typename Real>
BasicMatrix<Real> run_plain(const BasicNetwork<Real>& network, const GraphSet& graphs, std::size_t node_layer,
                            const RunOptions& options) {
  std::vector<PlainBlock<Real>> blocks(1);
  const EncodedNodes encoded = encode_nodes(graphs, {0, graphs.num_graphs()}, network.input());
  blocks[0].features = input_features<Real>(encoded.colours, network.input());
  blocks[0].row_of_node = encoded.colour_of_node;
  BasicMatrix<Real> vectors(graphs.num_graphs(), network.vector_size());
  std::size_t column = 0;
  for (std::size_t j = 0; j < network.layers().size(); ++j) {
    const LayerOperator<Real> layer(network.layers()[j]);
    std::vector<BasicMatrix<Real>> outputs = evaluate_plain(layer, graphs, encoded.arc_label, blocks, options);
    if (j == node_layer) {
      BasicMatrix<Real> rows(graphs.num_nodes(), outputs.size() * layer.filters);
      for (std::size_t u = 0; u < rows.rows(); ++u) {
        for (std::size_t b = 0; b < outputs.size(); ++b) {
          std::copy_n(outputs[b].row(u), layer.filters, rows.row(u) + b * layer.filters);
        }
      }
      return rows;
    }
    if (network.config().concat_layers || j + 1 == network.layers().size()) {
      for (const BasicMatrix<Real>& output : outputs) {
        pool_plain(graphs, output, network.config().global_pooling, layer.config.gmp_lambda, vectors, column);
        column += layer.filters;
      }
    }
    blocks.clear();
    for (BasicMatrix<Real>& output : outputs) {
      PlainBlock<Real> block;
      block.features = split_norms(std::move(output));
      for (std::uint32_t u = 0; u < graphs.num_nodes(); ++u) block.row_of_node.push_back(u);
      blocks.push_back(std::move(block));
    }
  }
  return vectors;
}

}  // namespace

template <typename Real>
BasicNetwork<Real>::BasicNetwork(NetworkConfig config, InputEncoding input, std::vector<BasicLayer<Real>> layers)
    : config_(std::move(config)), input_(std::move(input)), layers_(std::move(layers)) {
  validate(config_);
  if (layers_.size() != config_.layers.size()) {
    throw UsageError(
        fmt::format("{} layers with anchors for a configuration of {}", layers_.size(), config_.layers.size()));
  }
  if (input_.features == Features::automatic) throw UsageError("the input encoding does not say which features");
  if (input_.mean.size() != input_.scale.size()) {
    throw UsageError(fmt::format("{} attribute means but {} scales", input_.mean.size(), input_.scale.size()));
  }
  config_.edge_labels = input_.uses_edge_labels ? EdgeLabels::used : EdgeLabels::unused;
  if (config_.compare == Compare::states) return;
  std::size_t width = input_.dimension();
  for (std::size_t j = 0; j < layers_.size(); ++j) {
    const BasicLayer<Real>& layer = layers_[j];
    const auto vertices = static_cast<std::size_t>(layer.config.path_length) + 1;
    const auto filters = static_cast<std::size_t>(layer.config.filters);
    const bool edges = input_.uses_edge_labels && layer.config.path_length > 0;
    const std::size_t edge_width = edges ? input_.edge_labels.size() : 0;
    const auto reject = [&](std::string_view what, std::size_t has, std::size_t needs) {
      throw UsageError(fmt::format("layer {}: {} is {} where {} is needed", j + 1, what, has, needs));
    };
    if (layer.input_width != width) reject("the input width", layer.input_width, width);
    if (layer.edge_width != edge_width) reject("the edge width", layer.edge_width, edge_width);
    if (layer.anchors.size() != vertices * filters * width) {
      reject("the number of anchor values", layer.anchors.size(), vertices * filters * width);
    }
    if (layer.edge_anchors.size() != (vertices - 1) * filters * edge_width) {
      reject("the number of edge anchor values", layer.edge_anchors.size(), (vertices - 1) * filters * edge_width);
    }
    config_.layers[j] = layer.config;
    width = filters;
  }
}

template <typename Real>
std::size_t BasicNetwork<Real>::node_vector_size(std::size_t layer) const {
  std::size_t blocks = 1;
  for (std::size_t j = 0; j <= layer; ++j) blocks *= lengths_of(layers_[j].config);
  return blocks * static_cast<std::size_t>(layers_[layer].config.filters);
}

template <typename Real>
std::size_t BasicNetwork<Real>::vector_size() const {
  if (config_.compare == Compare::states) return 0;
  std::size_t size = 0;
  for (std::size_t j = 0; j < layers_.size(); ++j) {
    if (config_.concat_layers || j + 1 == layers_.size()) size += node_vector_size(j);
  }
  return size;
}

template <typename Real>
BasicMatrix<Real> BasicNetwork<Real>::embed(const GraphSet& graphs, const RunOptions& options) const {
  require_vectors(config_);
  const ThreadScope threads(options);
  if (options.evaluator == Evaluator::plain) return run_plain(*this, graphs, layers_.size(), options);
  return embed_in_blocks(*this, graphs, {0, graphs.num_graphs()}, options, nullptr);
}

template <typename Real>
BasicMatrix<Real> BasicNetwork<Real>::embed(const GraphSet& graphs, std::size_t first, std::size_t last,
                                            const RunOptions& options) const {
  require_vectors(config_);
  if (first > last || last > graphs.num_graphs()) {
    throw UsageError(fmt::format("graphs {} to {} of {}", first, last, graphs.num_graphs()));
  }
  const ThreadScope threads(options);
  return embed_in_blocks(*this, graphs, {first, last}, options, nullptr);
}

template <typename Real>
BasicMatrix<Real> BasicNetwork<Real>::embed_nodes(const GraphSet& graphs, std::size_t layer,
                                                  const RunOptions& options) const {
  require_vectors(config_);
  if (layer >= layers_.size()) {
    throw UsageError(fmt::format("layer {} of a network of {}", layer + 1, layers_.size()));
  }
  const ThreadScope threads(options);
  if (options.evaluator == Evaluator::plain) return run_plain(*this, graphs, layer, options);
  auto set = std::make_shared<const EncodedSet>(encode(graphs, {0, graphs.num_graphs()}, input_));
  const CompiledSet compiled = compile_up_to(std::move(set), config_, layer, input_, options);
  ForwardPass<Real> pass(compiled, input_, options);
  BasicMatrix<Real> unused;
  for (std::size_t j = 0; j <= layer; ++j) {
    pass.apply(LayerOperator<Real>(layers_[j]), plan_layer(config_, j, input_, Wanted::node_rows),
               config_.global_pooling, unused, 0, 0);
  }
  return pass.node_rows();
}

template class BasicNetwork<float>;
template class BasicNetwork<double>;

}  // namespace gckn
