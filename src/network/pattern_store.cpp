// SPDX-License-Identifier: BSD-3-Clause
#include "network/pattern_store.h"

#include <fmt/format.h>

#include "network/encoding.h"
#include "util/parallel.h"

namespace gckn {
namespace {

std::string layer_key(const LayerConfig& layer) {
  return fmt::format("{}:{}:{:03};", to_string(layer.kind), layer.all_lengths, layer.path_length);
}

std::string input_key(const NetworkConfig& config) {
  return fmt::format("{}:{}:{};", to_string(config.features), config.unit_attributes, config.edge_labels);
}

}  // namespace

std::string first_layer_key(const NetworkConfig& config) {
  return input_key(config) + (config.layers.empty() ? "" : layer_key(config.layers.front()));
}

CompileRequest compile_request(const LayerConfig& layer, const InputEncoding& encoding) {
  CompileRequest request;
  request.kind = layer.kind;
  request.vertices = layer.path_length + 1;
  request.all_lengths = layer.all_lengths;
  request.edge_labels = encoding.uses_edge_labels && layer.path_length > 0;
  request.num_edge_labels = static_cast<std::uint32_t>(encoding.edge_labels.size() + 1);
  return request;
}

CompiledLayers PatternStore::compile(const NetworkConfig& config, const InputEncoding& encoding,
                                     const RunOptions& options) {
  if (first_layer_key_ != first_layer_key(config)) {
    first_layer_key_ = first_layer_key(config);
    patterns_.clear();
  }
  if (input_key_ != input_key(config) || !graph_) {
    input_key_ = input_key(config);
    ColourFeatures<float> features;
    const EncodedGraphs encoded = encode(graphs_, encoding, features);
    graph_ = std::make_shared<const ClassGraph>(make_class_graph(graphs_, encoded.colour_of_node, encoded.arc_label));
    colours_ = {encoded.num_colours, std::make_shared<const std::vector<std::uint32_t>>(graph_->colour)};
  }
  CompiledLayers compiled{graph_, colours_, {}};
  std::vector<Colouring> blocks{colours_};
  std::string key;
  for (const LayerConfig& layer : config.layers) {
    key += layer_key(layer);
    std::shared_ptr<const std::vector<Patterns>>& stored = patterns_[key];
    if (!stored) {
      report_progress(options, "reading patterns", 0, 1);
      auto fresh = std::make_shared<std::vector<Patterns>>();
      const CompileRequest request = compile_request(layer, encoding);
      for (const Colouring& block : blocks) fresh->push_back(compile_patterns(*graph_, block, request, options));
      stored = std::move(fresh);
    }
    compiled.layers.push_back(stored);
    blocks.clear();
    for (const Patterns& block : *stored) blocks.insert(blocks.end(), block.colouring.begin(), block.colouring.end());
  }
  return compiled;
}

}  // namespace gckn
