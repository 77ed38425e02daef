// SPDX-License-Identifier: BSD-3-Clause
#include "explain/gaussian_scores.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "linalg/vector_ops.h"

namespace gckn {
namespace {

// Gauss and Legendre's eight points: positive nodes on [-1, 1] and their weights.
constexpr std::array kNodes{0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
constexpr std::array kWeights{0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
constexpr std::size_t kFirstPanels = 2;
constexpr std::size_t kMostPanels = 256;
constexpr double kTolerance = 1e-9;

}  // namespace

StateAssignment::StateAssignment(const SupportGraphs& support, const StateCounts& counts)
    : states_(counts.name.size()), graphs_(support.size()) {
  const double norm = assignment_norm(counts, 0);
  for (std::uint32_t s = 0; s < states_; ++s) {
    support.parts().columns->for_columns(counts.name[s], counts.count[s], [&](std::uint32_t column, double) {
      for (const std::uint32_t graph : support.graphs_with(column)) {
        uses_.push_back({s, graph, 1 / (norm * support.norm(graph))});
      }
    });
  }
}

std::vector<double> StateAssignment::of(std::span<const double> present) const {
  std::vector<double> assignment(graphs_);
  for (const Use& use : uses_) assignment[use.graph] += use.value * present[use.state];
  return assignment;
}

std::vector<double> StateAssignment::backward(std::span<const double> d_assignment) const {
  std::vector<double> d_present(states_);
  for (const Use& use : uses_) d_present[use.state] += use.value * d_assignment[use.graph];
  return d_present;
}

GaussianScores::GaussianScores(const Model& model, std::size_t target)
    : support_(*model.support()), target_(model.targets()[target]) {}

// z: the standardised vectors.
DoubleMatrix GaussianScores::kernel_at(const Compared& graph, std::span<const double> t, DoubleMatrix& z) const {
  DoubleMatrix assignment(graph.assignment.empty() ? 0 : t.size(), graph.assignment.size());
  DoubleMatrix vectors(graph.vector.empty() ? 0 : t.size(), graph.vector.size());
  for (std::size_t q = 0; q < t.size(); ++q) {
    for (std::size_t i = 0; i < graph.assignment.size(); ++i) assignment(q, i) = t[q] * graph.assignment[i];
    for (std::size_t k = 0; k < graph.vector.size(); ++k) vectors(q, k) = t[q] * graph.vector[k];
  }
  z = support_.standardised(vectors);
  return support_.kernel(assignment, z);
}

std::vector<double> GaussianScores::of(const Compared& graph) const {
  DoubleMatrix z;
  const DoubleMatrix kernel = kernel_at(graph, std::array{1.0}, z);
  std::vector<double> scores = target_.bias;
  for (std::size_t o = 0; o < scores.size(); ++o)
    scores[o] += dot(target_.weights.row(o), kernel.data(), kernel.cols());
  return scores;
}

std::vector<double> GaussianScores::of_nothing() const {
  const SupportGraphs::Parts& parts = support_.parts();
  const std::vector<double> assignment(parts.columns ? support_.size() : 0);
  const std::vector<double> vector(parts.vectors.cols());
  return of({assignment, vector});
}

GaussianScores::Gradient GaussianScores::gradient_over(const Compared& graph, std::span<const double> d_scores,
                                                       const Points& points) const {
  DoubleMatrix z;
  const DoubleMatrix kernel = kernel_at(graph, points.t, z);
  std::vector<double> d_kernel(support_.size());  // a_i
  for (std::size_t o = 0; o < d_scores.size(); ++o) {
    for (std::size_t i = 0; i < d_kernel.size(); ++i) d_kernel[i] += d_scores[o] * target_.weights(o, i);
  }
  std::vector<double> of_graph(support_.size());  // sums of weight x a_i K_i over the points
  std::vector<double> of_point(points.t.size());  // and over the graphs
  for (std::size_t q = 0; q < points.t.size(); ++q) {
    for (std::size_t i = 0; i < of_graph.size(); ++i) {
      const double term = points.weight[q] * d_kernel[i] * kernel(q, i);
      of_graph[i] += term;
      of_point[q] += term;
    }
  }
  const GaussianScales& scales = support_.parts().scales;
  Gradient result;
  if (!graph.assignment.empty() && scales.states > 0) {
    result.assignment = of_graph;
    for (double& value : result.assignment) value *= -gaussian_slope(scales) / scales.states;
  }
  if (!graph.vector.empty() && scales.vectors > 0) {
    const SupportGraphs::Parts& parts = support_.parts();
    const double of_all = std::accumulate(of_graph.begin(), of_graph.end(), 0.0);
    result.vector.resize(graph.vector.size());
    for (std::size_t i = 0; i < of_graph.size(); ++i) {
      for (std::size_t k = 0; k < result.vector.size(); ++k) {
        result.vector[k] -= of_graph[i] * static_cast<double>(parts.vectors(i, k));
      }
    }
    for (std::size_t k = 0; k < result.vector.size(); ++k) {
      const double scale = parts.scale[k];
      if (!(scale > 0)) {
        result.vector[k] = 0;
        continue;
      }
      double differences = (result.vector[k] + of_all * parts.mean[k]) / scale;  // minus the sum of those of z_i
      for (std::size_t q = 0; q < of_point.size(); ++q) differences += of_point[q] * z(q, k);
      result.vector[k] = 2 * gaussian_slope(scales) / scales.vectors * differences / scale;
    }
  }
  result.assignment.resize(graph.assignment.size());
  result.vector.resize(graph.vector.size());
  return result;
}

GaussianScores::Gradient GaussianScores::gradient(const Compared& graph, std::span<const double> d_scores) const {
  return gradient_over(graph, d_scores, {{1.0}, {1.0}});
}

GaussianScores::Gradient GaussianScores::mean_gradient(const Compared& graph, std::span<const double> d_scores) const {
  DoubleMatrix z;
  const DoubleMatrix ends = kernel_at(graph, std::array{0.0, 1.0}, z);
  double change = 0;
  double terms = 0;
  for (std::size_t o = 0; o < d_scores.size(); ++o) {
    for (std::size_t i = 0; i < support_.size(); ++i) {
      const double term = d_scores[o] * target_.weights(o, i) * (ends(1, i) - ends(0, i));
      change += term;
      terms += std::abs(term);
    }
  }
  for (std::size_t panels = kFirstPanels;; panels *= 2) {
    Points points;
    const double half = 0.5 / static_cast<double>(panels);
    for (std::size_t panel = 0; panel < panels; ++panel) {
      const double middle = half * static_cast<double>(2 * panel + 1);
      for (std::size_t n = 0; n < kNodes.size(); ++n) {
        for (const double side : {-1.0, 1.0}) {
          points.t.push_back(middle + side * half * kNodes[n]);
          points.weight.push_back(half * kWeights[n]);
        }
      }
    }
    Gradient result = gradient_over(graph, d_scores, points);
    const double found = dot(result.assignment.data(), graph.assignment.data(), graph.assignment.size()) +
                         dot(result.vector.data(), graph.vector.data(), graph.vector.size());
    if (std::abs(found - change) <= kTolerance * terms || panels >= kMostPanels) return result;
  }
}

}  // namespace gckn
