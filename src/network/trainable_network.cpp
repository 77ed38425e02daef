// SPDX-License-Identifier: BSD-3-Clause
#include "network/trainable_network.h"

#include <algorithm>

#include "network/largest_batch.h"
#include "util/parallel.h"

namespace gckn {

template <typename Real>
TrainableNetwork<Real>::Worker::Worker(const BatchSource& source, const ColourFeatures<Real>& input,
                                       const std::vector<LayerOperator<Real>>& layers)
    : maker(source), pass(source, input) {
  for (const LayerOperator<Real>& layer : layers) gradients.emplace_back(layer);
}

template <typename Real>
TrainableNetwork<Real>::TrainableNetwork(const BasicNetwork<Real>& network, CompiledSet compiled)
    : network_(network),
      source_(std::move(compiled), network.config(), network.input()),
      input_(input_features<Real>(source_.compiled().set->input, network.input())),
      layers_(network.layers()) {
  for (const BasicLayer<Real>& layer : layers_) {
    operators_.emplace_back(layer, true);
    anchor_gradients_.emplace_back(operators_.back());
  }
  for (std::size_t k = 0; k < kParts; ++k) workers_.push_back(std::make_unique<Worker>(source_, input_, operators_));
}

template <typename Real>
void TrainableNetwork<Real>::anchors_changed() {
  parallel_for(layers_.size(), [&](std::size_t j) { operators_[j].update(layers_[j]); });
}

template <typename Real>
BasicNetwork<Real> TrainableNetwork<Real>::network() const {
  BasicNetwork<Real> network(network_.config(), network_.input(), layers_);
  network.set_anchor_reports(network_.anchor_reports());
  network.set_learnt_from(network_.learnt_from());
  return network;
}

template <typename Real>
void TrainableNetwork<Real>::reserve(std::span<const std::uint32_t> graphs, std::size_t batch_size) {
  std::vector<LargestBatch<Real>> seen(kParts, LargestBatch<Real>(part_size_of(std::min(batch_size, graphs.size()))));
  parallel_for(kParts, [&](std::size_t k) {
    for (std::size_t i = k; i < graphs.size(); i += kParts) seen[k].see(workers_[k]->maker.make(graphs.subspan(i, 1)));
  });
  for (std::size_t k = 1; k < kParts; ++k) seen[0].add(seen[k]);
  const Batch<Real> largest = seen[0].batch();
  if (largest.num_graphs == 0) return;
  parallel_for(kParts, [&](std::size_t k) {
    Worker& worker = *workers_[k];
    worker.maker.reserve(largest);
    const BasicMatrix<Real>& vectors = worker.pass.forward(largest, operators_);
    worker.d_vectors = vectors;
    worker.pass.backward(largest, operators_, worker.d_vectors, worker.gradients);
  });
}

template <typename Real>
void TrainableNetwork<Real>::forward(std::span<const std::uint32_t> graphs, PartFunction use) {
  constexpr std::size_t kMostGraphs = 32;  // of a part: what bounds the memory
  for (std::size_t first = 0; first < graphs.size(); first += kParts * kMostGraphs) {
    const std::size_t count = std::min(kParts * kMostGraphs, graphs.size() - first);
    run(
        graphs.subspan(first, count), kMostGraphs,
        [&](const Part& part) {
          use({part.index, first + part.first, part.vectors, nullptr});
        },
        false);
  }
}

template <typename Real>
void TrainableNetwork<Real>::forward_and_backward(std::span<const std::uint32_t> graphs, PartFunction use) {
  const std::size_t part_size = part_size_of(graphs.size());
  run(graphs, part_size, use, true);
  const std::size_t parts = part_size == 0 ? 0 : (graphs.size() + part_size - 1) / part_size;
  std::vector<LayerGradient<Real>>& sum = workers_[0]->gradients;
  if (parts == 0) {
    for (LayerGradient<Real>& gradient : sum) gradient.clear();
  }
  parallel_for(layers_.size(), [&](std::size_t j) {
    for (std::size_t k = 1; k < parts; ++k) sum[j].add(workers_[k]->gradients[j]);
    anchor_gradients_[j].backward(operators_[j], sum[j]);
  });
}

// At most kParts parts.
template <typename Real>
void TrainableNetwork<Real>::run(std::span<const std::uint32_t> graphs, std::size_t part_size, PartFunction use,
                                 bool backward) {
  if (graphs.empty()) return;
  parallel_for((graphs.size() + part_size - 1) / part_size, [&](std::size_t k) {
    Worker& worker = *workers_[k];
    const std::size_t first = k * part_size;
    const Batch<Real>& batch = worker.maker.make(graphs.subspan(first, std::min(part_size, graphs.size() - first)));
    const BasicMatrix<Real>& vectors = worker.pass.forward(batch, operators_);
    if (!backward) return use({k, first, vectors, nullptr});
    worker.d_vectors.reshape(vectors.rows(), vectors.cols());
    use({k, first, vectors, &worker.d_vectors});
    for (LayerGradient<Real>& gradient : worker.gradients) gradient.clear();
    worker.pass.backward(batch, operators_, worker.d_vectors, worker.gradients);
  });
}

template class TrainableNetwork<float>;
template class TrainableNetwork<double>;

}  // namespace gckn
