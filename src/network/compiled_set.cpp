// SPDX-License-Identifier: BSD-3-Clause
#include "network/compiled_set.h"

#include <fmt/format.h>

#include "util/parallel.h"

namespace gckn {
namespace {

std::string layer_key(const LayerConfig& layer) {
  return fmt::format("{}:{}:{:03};", to_string(layer.kind), layer.all_lengths, layer.path_length);
}

CompiledSet compile(std::shared_ptr<const EncodedSet> set, const NetworkConfig& config, std::size_t num_layers,
                    bool nodes_wanted, const InputEncoding& encoding, const RunOptions& options, PatternStore* store) {
  CompiledSet compiled{std::move(set), {}};
  std::vector<Colouring> blocks{compiled.set->colours};
  std::string key;
  for (std::size_t j = 0; j < num_layers; ++j) {
    const LayerPlan plan = plan_layer(config, j, encoding, nodes_wanted && j + 1 == num_layers);
    const CompileRequest request = compile_request(config.layers[j], plan, encoding);
    const auto compile_blocks = [&] {
      const RunOptions layer_options = with_prefix(options, fmt::format("layer {}: ", j + 1));
      report_progress(layer_options, "reading patterns", 0, 1);
      auto fresh = std::make_shared<LayerPatterns>();
      for (const Colouring& block : blocks) {
        fresh->push_back(compile_patterns(compiled.graph(), block, request, layer_options));
      }
      return fresh;
    };
    if (store == nullptr) {
      compiled.layers.push_back(compile_blocks());
    } else {
      key += layer_key(config.layers[j]);
      compiled.layers.push_back(
          store->get(first_layer_key(config), key + (plan.by_histogram ? "graphs" : "states"), compile_blocks));
    }
    blocks.clear();
    for (const Patterns& block : *compiled.layers.back()) {
      blocks.insert(blocks.end(), block.colouring.begin(), block.colouring.end());
    }
  }
  return compiled;
}

}  // namespace

EncodedSet encode(const GraphSet& graphs, GraphRange range, const InputEncoding& encoding) {
  EncodedNodes nodes = encode_nodes(graphs, range, encoding);
  EncodedSet set;
  set.graph =
      std::make_shared<const ClassGraph>(make_class_graph(graphs, range, nodes.colour_of_node, nodes.arc_label));
  set.colours = {nodes.colours.count, std::make_shared<const std::vector<std::uint32_t>>(set.graph->colour),
                 std::make_shared<const std::vector<std::uint64_t>>(nodes.colours.hash), nodes.colours.one_hot};
  set.input = std::move(nodes.colours);
  return set;
}

CompileRequest compile_request(const LayerConfig& layer, const LayerPlan& plan, const InputEncoding& encoding) {
  CompileRequest request;
  request.kind = layer.kind;
  request.vertices = layer.path_length + 1;
  request.all_lengths = layer.all_lengths;
  request.edge_labels = encoding.uses_edge_labels && layer.path_length > 0;
  request.num_edge_labels = static_cast<std::uint32_t>(encoding.edge_labels.size() + 1);
  request.states = !plan.by_histogram;
  request.histograms = plan.by_histogram;
  return request;
}

CompiledSet compile_layers(std::shared_ptr<const EncodedSet> set, const NetworkConfig& config,
                           const InputEncoding& encoding, const RunOptions& options, PatternStore* store) {
  return compile(std::move(set), config, config.layers.size(), false, encoding, options, store);
}

CompiledSet compile_up_to(std::shared_ptr<const EncodedSet> set, const NetworkConfig& config, std::size_t last,
                          const InputEncoding& encoding, const RunOptions& options) {
  return compile(std::move(set), config, last + 1, true, encoding, options, nullptr);
}

std::string input_key(const NetworkConfig& config) {
  return fmt::format("{}:{}:{};", to_string(config.features), config.unit_attributes, config.edge_labels);
}

std::string first_layer_key(const NetworkConfig& config) {
  return input_key(config) + (config.layers.empty() ? "" : layer_key(config.layers.front()));
}

}  // namespace gckn
