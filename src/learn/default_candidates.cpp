// SPDX-License-Identifier: BSD-3-Clause
// Few candidates: choosing among many by few graphs costs more than the best of them brings.
#include "gckn/cross_validation.h"

namespace gckn {

namespace {

// Degrees say little along longer paths, of which such sets have very many.
std::vector<NetworkConfig> candidates_by_degree() {
  NetworkConfig gaussian = subtree(
      {.path_length = 1, .filters = 256, .sigma = 0.5, .pooling = Pooling::mean, .global_pooling = Pooling::mean});
  gaussian.head = Head::gaussian;
  return {three_layer({.path_length = 1, .pooling = Pooling::mean}), gaussian};
}

std::vector<NetworkConfig> candidates_by_features(const GraphSet& graphs, bool has_states) {
  constexpr int kStateLength = 3;
  std::vector<NetworkConfig> candidates;
  for (const int path_length : {2, 4}) {
    candidates.push_back(subtree({.path_length = path_length, .pooling = Pooling::mean}));
  }
  NetworkConfig together = subtree(
      {.path_length = 2, .filters = 256, .sigma = 0.5, .pooling = Pooling::sum, .global_pooling = Pooling::mean});
  together.compare = has_states ? Compare::both : Compare::vectors;
  together.head = Head::gaussian;
  if (has_states) {
    // Where a linear model is as good, it comes first: its explanations are exact. On larger sets it takes longest, but
    // on the largest there is nothing else.
    constexpr std::size_t kMostForBoth = 1500;
    if (graphs.num_graphs() > kMostKernelGraphs) candidates.push_back(states(kStateLength - 1));
    if (graphs.num_graphs() > kMostKernelGraphs || graphs.num_graphs() <= kMostForBoth) {
      candidates.push_back(states(kStateLength));
    }
    candidates.push_back(states(kStateLength, Head::gaussian));
  }
  candidates.push_back(together);
  return candidates;
}

}  // namespace

std::vector<NetworkConfig> default_candidates(const GraphSet& graphs, const NetworkConfig& input) {
  const Features features = features_for(graphs, input.features);
  std::vector<NetworkConfig> candidates = features == Features::degree
                                              ? candidates_by_degree()
                                              : candidates_by_features(graphs, features != Features::attributes);
  if (graphs.num_graphs() > kMostKernelGraphs) {
    std::erase_if(candidates, [](const NetworkConfig& candidate) { return candidate.head == Head::gaussian; });
  }
  for (NetworkConfig& candidate : candidates) {
    candidate.features = input.features;
    candidate.attributes = input.attributes;
    candidate.edge_labels = input.edge_labels;
    candidate.unit_attributes = input.unit_attributes;
  }
  return candidates;
}

}  // namespace gckn
