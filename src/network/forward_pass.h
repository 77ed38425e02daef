// SPDX-License-Identifier: BSD-3-Clause
// A pass of a graph set through the layers of a network, one layer at a time: compile its patterns, (find or take its
// anchors,) evaluate it, pool its output over graphs. Fitting and embedding are both this pass.
#pragma once

#include <memory>
#include <vector>

#include "gckn/network.h"
#include "network/encoding.h"
#include "network/evaluators.h"
#include "network/layer_operator.h"
#include "network/pattern_store.h"

namespace gckn {

template <typename Real>
class ForwardPass {
 public:
  // compiled: the patterns of all layers that will be asked for, of the same graphs; otherwise each layer compiles its
  // own.
  ForwardPass(const GraphSet& graphs, const InputEncoding& encoding, const RunOptions& options,
              const CompiledLayers* compiled = nullptr);

  // One block of node features: what colour each class has and what vector each colour.
  struct Block {
    Colouring colours;
    ColourFeatures<Real> features;
  };
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  [[nodiscard]] const ClassGraph& class_graph() const { return *class_graph_; }

  // Patterns of the next layer, by input block.
  [[nodiscard]] std::shared_ptr<const std::vector<Patterns>> compile(const LayerConfig& layer);

  // Evaluates the next layer. If the output is pooled, writes graph vectors to columns column .. of `vectors` and
  // returns the column after the last one written. If the layer is not the last, its output becomes the blocks.
  struct Output {
    bool is_last = false;
    bool pooled = false;
    Pooling global_pooling = Pooling::sum;
  };
  std::size_t apply(const LayerOperator<Real>& layer, const std::vector<Patterns>& patterns, const Output& output,
                    BasicMatrix<Real>& vectors, std::size_t column);

  // The blocks' vectors for every node: nodes x (blocks * width). Only after a layer that was not the last.
  [[nodiscard]] BasicMatrix<Real> node_rows() const;

  // Options whose progress names the layer the pass is at.
  [[nodiscard]] const RunOptions& layer_options() const { return layer_options_; }

 private:
  void begin_layer();
  // Pools output block `block` of the patterns' layer over graphs.
  void pool(const LayerOperator<Real>& layer, const Patterns& patterns, std::size_t block,
            const BlockOutput<Real>& output, Pooling pooling, BasicMatrix<Real>& vectors, std::size_t column) const;

  const GraphSet& graphs_;
  const InputEncoding& encoding_;
  const RunOptions& options_;
  RunOptions layer_options_;
  const CompiledLayers* compiled_;
  std::size_t layer_number_ = 0;  // from 1
  std::shared_ptr<const ClassGraph> class_graph_;
  std::vector<Block> blocks_;
};

}  // namespace gckn
