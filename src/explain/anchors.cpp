// SPDX-License-Identifier: BSD-3-Clause
// What the anchors of the first layer stand for.
//
// An input label is a unit vector, so the similarity of a path to an anchor is a sum of one number for each of its
// positions, z_{t,i}[label], and the path of known labels that is most similar to it has the largest at every one.
//
// With one layer that adds up paths the score is linear in them: a path p of full length adds <A w, kappa(p)> with w
// the weights of its block, and one that is equal to anchor i has kappa_j = exp(alpha (<z_i, z_j> - 1)).
#include <algorithm>

#include "explain/model_scores.h"
#include "gckn/error.h"
#include "gckn/explain.h"
#include "network/layer_operator.h"

namespace gckn {
namespace {

// The largest of `width` numbers, of equals the first.
std::uint32_t largest_of(const float* values, std::size_t width) {
  return static_cast<std::uint32_t>(std::max_element(values, values + width) - values);
}

bool adds_paths(const NetworkConfig& config) {
  const auto is_linear = [](Pooling pooling) { return pooling == Pooling::sum || pooling == Pooling::mean; };
  return config.head == Head::linear && config.layers.size() == 1 && config.layers[0].pooling == Pooling::sum &&
         is_linear(config.global_pooling);
}

// By anchor and output: what one path equal to the anchor adds to the score.
void set_weights(const Model& model, std::size_t target, std::vector<ExplainedAnchor>& anchors) {
  if (!adds_paths(model.network().config())) return;
  const BasicNetwork<double> network = in_double(model.network());
  const LayerOperator<double> layer(network.layers()[0], true);
  const ModelScores scores(model, target);
  const std::size_t q = layer.filters;
  const std::size_t last = layer.grams.size() - 1;  // the block of full length
  for (std::size_t o = 0; o < scores.weights.rows(); ++o) {
    DoubleMatrix mapped(1, q);
    multiply_rows(scores.weights.row(o) + last * q, 1, layer.transform(layer.vertices), mapped.data(), false);
    for (ExplainedAnchor& anchor : anchors) {
      double sum = 0;
      for (std::size_t i = 0; i < q; ++i) sum += layer.grams[last](anchor.anchor, i) * mapped(0, i);
      anchor.weights.push_back(sum);
    }
  }
}

}  // namespace

std::vector<ExplainedAnchor> explain_anchors(const Network& network) {
  const InputEncoding& input = network.input();
  if (input.features != Features::labels && input.features != Features::degree) {
    throw UsageError("anchors have names only where a network reads labels or degrees, and this one reads attributes");
  }
  const BasicLayer<float>& layer = network.layers()[0];
  const auto vertices = static_cast<std::size_t>(layer.config.path_length) + 1;
  const auto q = static_cast<std::size_t>(layer.config.filters);
  std::vector<ExplainedAnchor> anchors(q);
  for (std::size_t i = 0; i < q; ++i) {
    ExplainedAnchor& anchor = anchors[i];
    anchor.anchor = static_cast<std::uint32_t>(i);
    double sum = 0;
    for (std::size_t t = 0; t < vertices; ++t) {
      const float* position = &layer.anchors[(t * q + i) * layer.input_width];
      anchor.labels.push_back(largest_of(position, layer.input_width));
      sum += position[anchor.labels.back()];
    }
    for (std::size_t t = 0; layer.edge_width > 0 && t + 1 < vertices; ++t) {
      const float* position = &layer.edge_anchors[(t * q + i) * layer.edge_width];
      anchor.edge_labels.push_back(largest_of(position, layer.edge_width));
      sum += position[anchor.edge_labels.back()];
    }
    anchor.similarity = sum / static_cast<double>(anchor.labels.size() + anchor.edge_labels.size());
  }
  return anchors;
}

std::vector<ExplainedAnchor> explain_anchors(const Model& model, std::size_t target) {
  if (!compares_vectors(model.network().config()))
    throw UsageError("a model that compares states of nodes has no anchors");
  std::vector<ExplainedAnchor> anchors = explain_anchors(model.network());
  set_weights(model, target, anchors);
  return anchors;
}

}  // namespace gckn
