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

std::vector<NetworkConfig> by_states(bool has_kernels) {
  if (has_kernels) return {states(kStateLength, Head::gaussian)};
  // As good, shorter states are explained better.
  return {states(kStateLength - 1), states(kStateLength)};
}

// As molecules are, and trees; not the neighbourhoods of social networks.
bool is_sparse(const GraphSet& graphs) {
  constexpr double kMostNeighbours = 4;  // of a node, on average
  return static_cast<double>(graphs.num_arcs()) <= kMostNeighbours * static_cast<double>(graphs.num_nodes());
}

// In dense graphs degrees say little along longer paths, of which there are very many.
std::vector<NetworkConfig> candidates_by_degree(bool is_sparse, bool has_kernels) {
  std::vector<NetworkConfig> candidates;
  if (is_sparse) candidates = by_states(has_kernels);
  candidates.push_back(three_layer({.path_length = 1, .pooling = Pooling::mean}));
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

// Linear models are behind Gaussian heads on nearly every set that was tried; they are ahead where a rule makes the
// classes.
std::vector<NetworkConfig> candidates_by_labels(bool has_kernels) {
  std::vector<NetworkConfig> candidates = by_states(has_kernels);
  candidates.push_back(has_kernels ? gaussian_on(Compare::both) : linear_on_vectors(4));
  if (has_kernels) candidates.push_back(states(kStateLength));
  return candidates;
}

}  // namespace

std::vector<NetworkConfig> default_candidates(const GraphSet& graphs, const NetworkConfig& input,
                                              LearningOptions& learning) {
  const bool has_kernels = graphs.num_graphs() <= kMostKernelGraphs && learning.learner != Learner::logistic;
  const Features features = features_for(graphs, input.features);
  std::vector<NetworkConfig> candidates = features == Features::degree
                                              ? candidates_by_degree(is_sparse(graphs), has_kernels)
                                          : features == Features::attributes ? candidates_by_attributes(has_kernels)
                                                                             : candidates_by_labels(has_kernels);
  for (NetworkConfig& candidate : candidates) {
    candidate.features = input.features;
    candidate.attributes = input.attributes;
    candidate.edge_labels = input.edge_labels;
    candidate.unit_attributes = input.unit_attributes;
  }
  if (learning.C == LearningOptions::default_c_grid()) learning.C = LearningOptions::short_c_grid();
  constexpr double kThousandth = 1e-3;
  learning.score_resolution = kThousandth;
  if (features != Features::degree && features != Features::attributes) learning.linear_lead = 1;
  return candidates;
}

}  // namespace gckn
