// SPDX-License-Identifier: BSD-3-Clause
// How large batches can become, so that there is memory for all of them before the first one.
#pragma once

#include <cstddef>
#include <vector>

#include "network/batch.h"

namespace gckn {

// Bounds the batches of at most `most_graphs` of the graphs seen. Graphs share patterns and states, so a batch has no
// more of them than its graphs have one by one.
template <typename Real>
class LargestBatch {
 public:
  // most_graphs: at least 1.
  explicit LargestBatch(std::size_t most_graphs) : most_graphs_(most_graphs) {}

  // batch: of one graph.
  void see(const Batch<Real>& batch);
  // What another one has seen.
  void add(const LargestBatch& other);

  // A batch of that size, if any graph was seen. All its numbers are 0: a pass over it means nothing, but leaves memory
  // for any other.
  [[nodiscard]] Batch<Real> batch() const;

 private:
  void keep(std::size_t which, std::size_t size);

  std::size_t most_graphs_;
  // By size that a batch has: the largest ones, at most most_graphs_ of them, as a heap with the least in front.
  std::vector<std::vector<std::size_t>> largest_;
  Batch<Real> shape_;  // of some graph: how many layers, levels, outputs
};

}  // namespace gckn
