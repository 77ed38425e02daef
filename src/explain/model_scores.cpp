// SPDX-License-Identifier: BSD-3-Clause
#include "explain/model_scores.h"

#include <algorithm>

#include "learn/linear_model.h"
#include "linalg/vector_ops.h"
#include "model/support_graphs.h"

namespace gckn {

ModelScores::ModelScores(const Model& model, std::size_t target)
    : num_classes(model.targets()[target].class_names.size()),
      weights(model.targets()[target].weights),
      bias(model.targets()[target].bias) {
  if (model.columns() != nullptr) return;  // rows of states are used as they are
  if (const SupportGraphs* support = model.support()) {
    const DoubleMatrix kernel = support->kernel_of_empty_graph();
    bias = of({kernel.data(), kernel.size()});
    return;
  }
  for (std::size_t o = 0; o < weights.rows(); ++o) {
    for (std::size_t k = 0; k < weights.cols(); ++k) {
      weights(o, k) /= model.scale()[k];
      bias[o] -= weights(o, k) * model.mean()[k];
    }
  }
}

std::vector<double> ModelScores::of(std::span<const double> vector) const {
  std::vector<double> scores = bias;
  for (std::size_t o = 0; o < scores.size(); ++o) scores[o] += dot(weights.row(o), vector.data(), vector.size());
  return scores;
}

std::int32_t ModelScores::predicted(std::span<const double> scores) const {
  if (num_classes == 0) return -1;
  DoubleMatrix row(1, scores.size());
  std::ranges::copy(scores, row.data());
  return classes_of_scores(row).front();
}

std::size_t ModelScores::output_of(std::int32_t of_class) const {
  return num_classes > 2 ? static_cast<std::size_t>(of_class) : 0;
}

double ModelScores::explained(std::span<const double> scores, std::int32_t of_class) const {
  return sign_of(of_class) * scores[output_of(of_class)];
}

std::vector<double> ModelScores::d_explained(std::int32_t of_class) const {
  std::vector<double> d_scores(bias.size());
  d_scores[output_of(of_class)] = sign_of(of_class);
  return d_scores;
}

std::vector<double> ModelScores::gradient(std::span<const double> d_scores) const {
  std::vector<double> d_vector(weights.cols());
  for (std::size_t o = 0; o < d_scores.size(); ++o) {
    for (std::size_t k = 0; k < d_vector.size(); ++k) d_vector[k] += d_scores[o] * weights(o, k);
  }
  return d_vector;
}

BasicNetwork<double> in_double(const Network& network) {
  std::vector<BasicLayer<double>> layers;
  for (const BasicLayer<float>& layer : network.layers()) {
    layers.push_back({layer.config,
                      layer.input_width,
                      layer.edge_width,
                      {layer.anchors.begin(), layer.anchors.end()},
                      {layer.edge_anchors.begin(), layer.edge_anchors.end()}});
  }
  return {network.config(), network.input(), std::move(layers)};
}

}  // namespace gckn
