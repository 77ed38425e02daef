// SPDX-License-Identifier: BSD-3-Clause
#include "network/layer_plan.h"

namespace gckn {
namespace {

// So many patterns at the most are fewer than the states of any set worth the name.
constexpr double kFewPatterns = 1024;

bool is_linear(Pooling pooling) {
  return pooling == Pooling::sum || pooling == Pooling::mean;
}

// How long patterns of the input's labels can be without being more than kFewPatterns.
int length_of_few_patterns(const InputEncoding& encoding) {
  if (encoding.features != Features::labels && encoding.features != Features::degree) return 0;
  const double labels = static_cast<double>(encoding.labels.size()) + 1;
  const double steps = labels * (encoding.uses_edge_labels ? static_cast<double>(encoding.edge_labels.size()) + 1 : 1);
  int length = 0;
  for (double patterns = labels; patterns <= kFewPatterns && length <= kLongestPath; patterns *= steps) ++length;
  return length;
}

}  // namespace

LayerPlan plan_layer(const NetworkConfig& config, std::size_t j, const InputEncoding& encoding, Wanted wanted) {
  const LayerConfig& layer = config.layers[j];
  LayerPlan plan;
  const bool is_last = j + 1 == config.layers.size();
  plan.feeds_layer = wanted == Wanted::node_rows || !is_last;
  plan.pooled = wanted != Wanted::node_rows && (is_last || config.concat_layers);
  plan.is_gmp = layer.pooling == Pooling::gmp;
  const bool pools_last = !plan.feeds_layer && is_linear(config.global_pooling);
  plan.by_histogram = pools_last && is_linear(layer.pooling) && wanted != Wanted::masks;
  plan.transforms_graphs = pools_last && !plan.is_gmp;
  if (j == 0 && is_linear(layer.pooling)) plan.most_labels_length = length_of_few_patterns(encoding);
  return plan;
}

}  // namespace gckn
