// SPDX-License-Identifier: BSD-3-Clause
// Few candidates: choosing among many by few graphs costs more than the best of them brings.
#include "gckn/cross_validation.h"

namespace gckn {

std::vector<NetworkConfig> default_candidates(const GraphSet& graphs, const NetworkConfig& input) {
  constexpr int kStateLength = 3;
  std::vector<NetworkConfig> candidates;
  for (const int path_length : {2, 4}) {
    candidates.push_back(subtree({.path_length = path_length, .pooling = Pooling::mean}));
  }
  const bool has_states = features_for(graphs, input.features) != Features::attributes;
  NetworkConfig together = subtree(
      {.path_length = 2, .filters = 256, .sigma = 0.5, .pooling = Pooling::sum, .global_pooling = Pooling::mean});
  together.compare = has_states ? Compare::both : Compare::vectors;
  together.head = Head::gaussian;
  if (graphs.num_graphs() > kMostKernelGraphs) {
    if (has_states) {
      for (const int path_length : {2, kStateLength}) candidates.push_back(states(path_length));
    }
  } else {
    // Where a linear model is as good, it comes first: its explanations are exact. On larger sets it takes longest.
    constexpr std::size_t kMostForBoth = 1500;
    if (has_states && graphs.num_graphs() <= kMostForBoth) candidates.push_back(states(kStateLength));
    if (has_states) candidates.push_back(states(kStateLength, Head::gaussian));
    candidates.push_back(together);
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
