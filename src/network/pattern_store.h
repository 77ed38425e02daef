// SPDX-License-Identifier: BSD-3-Clause
// What networks on one graph set share: patterns depend on the kind and length of the layers, but not on sigma, the
// number of filters, anchors or pooling, and neither on which graphs are learnt from. A search compiles them once.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gckn/network.h"
#include "pattern/class_graph.h"
#include "pattern/patterns.h"

namespace gckn {

// The patterns of every layer of a network, by input block.
struct CompiledLayers {
  std::shared_ptr<const ClassGraph> graph;
  Colouring colours;  // of the input
  std::vector<std::shared_ptr<const std::vector<Patterns>>> layers;
};

// How a layer's patterns are read. uses_edge_labels: of the input encoding.
CompileRequest compile_request(const LayerConfig& layer, const InputEncoding& encoding);

// Keeps the patterns of networks that begin with the same layer, and forgets them when another comes: order a search so
// that equal first layers follow each other. Not for several threads at once.
class PatternStore {
 public:
  explicit PatternStore(const GraphSet& graphs) : graphs_(graphs) {}

  // encoding: of `graphs` whole (it must know every label).
  CompiledLayers compile(const NetworkConfig& config, const InputEncoding& encoding, const RunOptions& options);

 private:
  const GraphSet& graphs_;
  std::string input_key_;
  std::string first_layer_key_;
  std::shared_ptr<const ClassGraph> graph_;
  Colouring colours_;
  std::map<std::string, std::shared_ptr<const std::vector<Patterns>>> patterns_;  // by the layers up to this one
};

// What two networks must have in common to share the patterns of their first layer.
std::string first_layer_key(const NetworkConfig& config);

}  // namespace gckn
