// SPDX-License-Identifier: BSD-3-Clause
#include "network/largest_batch.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace gckn {
namespace {

// Calls body(size) for the sizes that all others follow from, always in the same order.
template <typename Real, typename Body>
void for_sizes(const Batch<Real>& batch, const Body& body) {
  body(batch.input_colours.size());
  for (const BatchLayer<Real>& layer : batch.layers) {
    for (const TrieLevel& level : layer.levels) {
      body(level.size());
      body(level.edge.size());
    }
    for (const BatchOutput<Real>& output : layer.outputs) {
      body(output.num_states);
      body(output.states.entries());
      body(output.graphs.entries());
    }
  }
}

// Rows of zeros: all entries in the first.
template <typename Real>
SparseRows<Real> zero_rows(std::size_t rows, std::size_t entries, std::size_t columns) {
  SparseRows<Real> zeros;
  zeros.columns = columns;
  zeros.begin.resize(rows + 1, entries);
  if (rows == 0) return zeros;
  zeros.index.resize(entries);
  zeros.weight.resize(entries);
  zeros.begin.front() = 0;
  return zeros;
}

}  // namespace

template <typename Real>
void LargestBatch<Real>::keep(std::size_t which, std::size_t size) {
  std::vector<std::size_t>& heap = largest_[which];
  if (heap.size() == most_graphs_) {
    if (size <= heap.front()) return;
    std::ranges::pop_heap(heap, std::greater<>());
    heap.pop_back();
  }
  heap.push_back(size);
  std::ranges::push_heap(heap, std::greater<>());
}

template <typename Real>
void LargestBatch<Real>::see(const Batch<Real>& batch) {
  if (largest_.empty()) {
    shape_ = batch;
    for_sizes(batch, [&](std::size_t) { largest_.emplace_back(); });
  }
  std::size_t which = 0;
  for_sizes(batch, [&](std::size_t size) { keep(which++, size); });
}

template <typename Real>
void LargestBatch<Real>::add(const LargestBatch& other) {
  if (other.largest_.empty()) return;
  if (largest_.empty()) {
    shape_ = other.shape_;
    largest_.resize(other.largest_.size());
  }
  for (std::size_t which = 0; which < largest_.size(); ++which) {
    for (const std::size_t size : other.largest_[which]) keep(which, size);
  }
}

template <typename Real>
Batch<Real> LargestBatch<Real>::batch() const {
  std::size_t which = 0;
  const auto next = [&] {
    const std::vector<std::size_t>& sizes = largest_[which++];
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  };
  Batch<Real> batch = shape_;
  batch.num_graphs = largest_.empty() ? 0 : largest_.front().size();
  if (batch.num_graphs == 0) return batch;
  std::size_t num_colours = next();
  batch.input_colours.assign(num_colours, 0);
  for (BatchLayer<Real>& layer : batch.layers) {
    layer.num_colours = num_colours;
    for (std::size_t t = 0; t < layer.levels.size(); ++t) {
      TrieLevel& level = layer.levels[t];
      const std::size_t patterns = next();
      level.parent.assign(patterns, 0);
      level.colour.assign(patterns, 0);
      layer.start[t].assign(patterns, 0);
      level.edge.assign(next(), 0);
    }
    num_colours = 0;
    for (BatchOutput<Real>& output : layer.outputs) {
      const std::size_t patterns =
          output.length == 1 ? layer.num_colours : layer.levels[static_cast<std::size_t>(output.length) - 2].size();
      const std::size_t states = next();
      output.num_states = output.identity ? layer.num_colours : states;
      const std::size_t entries = next();
      output.states = zero_rows<Real>(output.identity ? 0 : states, entries, patterns);
      const bool pooled = output.graphs.rows() > 0;
      output.graphs = zero_rows<Real>(pooled ? layer.block_of_slot.size() * batch.num_graphs : 0, next(), patterns);
      num_colours += output.num_states;
    }
  }
  return batch;
}

template class LargestBatch<float>;
template class LargestBatch<double>;

}  // namespace gckn
