// SPDX-License-Identifier: BSD-3-Clause
// A network whose anchors are being learnt: vectors of some graphs of a compiled set, and gradients of the anchors from
// gradients of the vectors.
//
// A batch is cut into parts by its size alone; parts run side by side, each with its own memory, and their gradients
// are added up in order. So results have the same bits for any number of threads. After reserve() a step allocates
// nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gckn/network.h"
#include "network/batch.h"
#include "network/batch_pass.h"
#include "network/layer_operator.h"
#include "util/function_ref.h"

namespace gckn {

template <typename Real>
class TrainableNetwork {
 public:
  // compiled: with Evaluator::shared, for this configuration. Throws UsageError for generalised max pooling.
  TrainableNetwork(const BasicNetwork<Real>& network, CompiledSet compiled);

  // Some graphs of a batch: which of them, what vectors they have, and (unless null) where the gradients of these go:
  // all rows of them must be filled.
  struct Part {
    std::size_t index;  // below kParts; no two parts of one index run at the same time
    std::size_t first;  // of the batch
    const BasicMatrix<Real>& vectors;
    BasicMatrix<Real>* d_vectors;
  };
  using PartFunction = FunctionRef<void(const Part&)>;

  // As many parts as a batch is cut into. More would share less of what graphs have in common.
  static constexpr std::size_t kParts = 4;

  // Memory for batches of up to batch_size of these graphs, with gradients.
  void reserve(std::span<const std::uint32_t> graphs, std::size_t batch_size);

  // graphs: distinct places in the compiled set.
  void forward(std::span<const std::uint32_t> graphs, PartFunction use);
  // `use` fills the gradients of the vectors; then anchor_gradients() are those of this batch.
  void forward_and_backward(std::span<const std::uint32_t> graphs, PartFunction use);

  [[nodiscard]] const std::vector<AnchorGradient<Real>>& anchor_gradients() const { return anchor_gradients_; }

  // To be changed between batches; then call anchors_changed().
  [[nodiscard]] std::vector<BasicLayer<Real>>& layers() { return layers_; }
  [[nodiscard]] const std::vector<BasicLayer<Real>>& layers() const { return layers_; }
  void anchors_changed();

  // With the anchors that it has now.
  [[nodiscard]] BasicNetwork<Real> network() const;
  [[nodiscard]] std::size_t vector_size() const { return network_.vector_size(); }

 private:
  struct Worker {
    Worker(const BatchSource& source, const ColourFeatures<Real>& input,
           const std::vector<LayerOperator<Real>>& layers);

    BatchMaker<Real> maker;
    BatchPass<Real> pass;
    std::vector<LayerGradient<Real>> gradients;
    BasicMatrix<Real> d_vectors;
  };

  static std::size_t part_size_of(std::size_t batch_size) { return (batch_size + kParts - 1) / kParts; }
  void run(std::span<const std::uint32_t> graphs, std::size_t part_size, PartFunction use, bool backward);

  BasicNetwork<Real> network_;  // as it was
  BatchSource source_;
  ColourFeatures<Real> input_;
  std::vector<BasicLayer<Real>> layers_;
  std::vector<LayerOperator<Real>> operators_;
  std::vector<AnchorGradient<Real>> anchor_gradients_;
  std::vector<std::unique_ptr<Worker>> workers_;  // by part
};

}  // namespace gckn
