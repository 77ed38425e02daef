// SPDX-License-Identifier: BSD-3-Clause
#include "support/random_networks.h"

#include <array>

namespace gckn {

NetworkConfig random_config(Random& random, const RandomGraphs& shape) {
  NetworkConfig config;
  const auto pick = [&](int count) { return static_cast<int>(random.below(static_cast<std::uint64_t>(count))); };
  const int num_layers = 1 + pick(3);
  for (int j = 0; j < num_layers; ++j) {
    LayerConfig layer;
    layer.kind = pick(3) == 0 ? LayerKind::walk : LayerKind::path;
    layer.path_length = pick(j == 0 ? 5 : 3);
    layer.filters = 3 + pick(30);
    layer.sigma = 0.4 + random.uniform();
    layer.pooling = static_cast<Pooling>(pick(4));
    layer.all_lengths = pick(2) == 0;
    layer.path_scaling = static_cast<PathScaling>(pick(2));
    layer.regularisation = static_cast<Regularisation>(pick(2));
    layer.eps = 0.005 + 0.1 * random.uniform();
    config.layers.push_back(layer);
  }
  config.global_pooling = static_cast<Pooling>(pick(4));
  config.concat_layers = pick(3) == 0;
  config.edge_labels = shape.edge_labels > 0 ? EdgeLabels::used : EdgeLabels::unused;
  if (shape.attributes > 0) config.features = shape.labels > 0 ? Features::labels_and_attributes : Features::attributes;
  if (shape.attributes == 0 && pick(3) == 0) config.features = Features::degree;
  config.unit_attributes = pick(2) == 0;
  return config;
}

RandomGraphs random_shape(Random& random) {
  RandomGraphs shape;
  shape.graphs = 6;
  shape.most_nodes = 9;
  shape.density = std::array{0.15, 0.3, 0.6, 0.95}[random.below(4)];
  shape.edge_labels = random.below(3) == 0 ? 2 : 0;
  shape.attributes = random.below(3) == 0 ? 3 : 0;
  shape.labels = shape.attributes > 0 && random.below(2) == 0 ? 0 : 2;
  return shape;
}

}  // namespace gckn
