// SPDX-License-Identifier: BSD-3-Clause
// A pass of compiled graphs through the layers of a network, one layer at a time: (find or take its anchors,) evaluate
// it, pool its output over graphs. Fitting and embedding are both this pass.
#pragma once

#include <vector>

#include "gckn/network.h"
#include "network/compiled_set.h"
#include "network/encoding.h"
#include "network/evaluators.h"
#include "network/layer_operator.h"
#include "network/layer_plan.h"

namespace gckn {

template <typename Real>
class ForwardPass {
 public:
  // Keeps a reference to the compiled set and the options.
  ForwardPass(const CompiledSet& compiled, const InputEncoding& encoding, const RunOptions& options);

  // One block of node features: what colour each class has and what vector each colour.
  struct Block {
    Colouring colours;
    ColourFeatures<Real> features;
  };
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  [[nodiscard]] const ClassGraph& class_graph() const { return compiled_.graph(); }

  // The next layer, from 0.
  [[nodiscard]] std::size_t layer() const { return layer_; }
  // Patterns of the next layer, by input block.
  [[nodiscard]] const LayerPatterns& patterns() const { return *compiled_.layers[layer_]; }

  // Evaluates the next layer. Where the plan says that its output is pooled, writes graph vectors to columns column ..
  // of `vectors` from row first_row on, and returns the column after the last one written. Where it feeds a layer, the
  // output becomes the blocks.
  std::size_t apply(const LayerOperator<Real>& layer, const LayerPlan& plan, Pooling global_pooling,
                    BasicMatrix<Real>& vectors, std::size_t first_row, std::size_t column);

  // The blocks' vectors for every node: nodes x (blocks * width). Only after a layer that feeds another.
  [[nodiscard]] BasicMatrix<Real> node_rows() const;

  // Options whose progress names the layer the pass is at.
  [[nodiscard]] const RunOptions& layer_options() const { return layer_options_; }

 private:
  void begin_layer();

  const CompiledSet& compiled_;
  const RunOptions& options_;
  RunOptions layer_options_;
  std::size_t layer_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace gckn
