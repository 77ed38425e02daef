// SPDX-License-Identifier: BSD-3-Clause
// Few candidates: choosing among many by few graphs costs more than the best of them brings.
#include "gckn/cross_validation.h"

namespace gckn {

namespace {

constexpr int kStateLength = 3;

NetworkConfig linear_on_vectors(int path_length) {
  return subtree({.path_length = path_length, .pooling = Pooling::mean});
}

NetworkConfig gaussian_on(Compare compare) {
  NetworkConfig config = subtree(
      {.path_length = 2, .filters = 256, .sigma = 0.5, .pooling = Pooling::sum, .global_pooling = Pooling::mean});
  config.compare = compare;
  config.head = Head::gaussian;
  return config;
}

// Degrees say little along longer paths, of which such sets have very many.
std::vector<NetworkConfig> candidates_by_degree(bool has_kernels) {
  std::vector<NetworkConfig> candidates{three_layer({.path_length = 1, .pooling = Pooling::mean})};
  if (has_kernels) {
    candidates.push_back(subtree(
        {.path_length = 1, .filters = 256, .sigma = 0.5, .pooling = Pooling::mean, .global_pooling = Pooling::mean}));
    candidates.back().head = Head::gaussian;
  }
  return candidates;
}

std::vector<NetworkConfig> candidates_by_attributes(bool has_kernels) {
  std::vector<NetworkConfig> candidates{linear_on_vectors(2), linear_on_vectors(4)};
  if (has_kernels) candidates.push_back(gaussian_on(Compare::vectors));
  return candidates;
}

// Of labels. Linear models are behind the Gaussian heads on every set that was tried, and among more candidates a wrong
// one is chosen more often. Of linear ones the shorter states come first: as good, they are explained better.
std::vector<NetworkConfig> candidates_by_states(bool has_kernels) {
  if (has_kernels) return {states(kStateLength, Head::gaussian), gaussian_on(Compare::both)};
  return {states(kStateLength - 1), states(kStateLength), linear_on_vectors(4)};
}

}  // namespace

std::vector<NetworkConfig> default_candidates(const GraphSet& graphs, const NetworkConfig& input,
                                              LearningOptions& learning) {
  const bool has_kernels = graphs.num_graphs() <= kMostKernelGraphs && learning.learner != Learner::logistic;
  const Features features = features_for(graphs, input.features);
  std::vector<NetworkConfig> candidates = features == Features::degree       ? candidates_by_degree(has_kernels)
                                          : features == Features::attributes ? candidates_by_attributes(has_kernels)
                                                                             : candidates_by_states(has_kernels);
  for (NetworkConfig& candidate : candidates) {
    candidate.features = input.features;
    candidate.attributes = input.attributes;
    candidate.edge_labels = input.edge_labels;
    candidate.unit_attributes = input.unit_attributes;
  }
  if (learning.C == LearningOptions::default_c_grid()) learning.C = LearningOptions::short_c_grid();
  constexpr double kThousandth = 1e-3;
  learning.score_resolution = kThousandth;
  return candidates;
}

}  // namespace gckn
