// SPDX-License-Identifier: BSD-3-Clause
// Weighted spherical k-means on patterns. A point is P colours (and P - 1 edge labels); each position is a unit vector
// of its own, and so is each position of a centroid. The similarity of point and centroid is the sum over positions,
//   s(p, j) = sum_t <xhat_{p_t}, c_{t,j}>,  at most `positions`.
// Seeds by greedy k-means++ with D^2 = 2 (positions - s); Lloyd's iterations until the mean similarity changes by less
// than a relative tolerance. Distances that bounds rule out are not computed, which changes nothing but the time.
#pragma once

#include <cstdint>
#include <vector>

#include "gckn/network.h"
#include "gckn/run_options.h"

namespace gckn {

template <typename Real>
struct PatternPoints {
  std::size_t vertices = 1;            // P
  std::size_t width = 0;               // d
  std::size_t edge_width = 0;          // e; 0 without edge labels
  bool one_hot = false;                // colours are the unit vectors themselves
  std::vector<const Real*> rows;       // by colour: its unit vector, unless one_hot
  std::vector<std::uint32_t> colours;  // points x P
  std::vector<std::uint32_t> edges;    // points x (P - 1), where used
  std::vector<double> weights;         // by point, positive

  [[nodiscard]] std::size_t size() const { return weights.size(); }
  [[nodiscard]] std::size_t positions() const { return edge_width > 0 ? 2 * vertices - 1 : vertices; }
  // Elements of a point or centroid: P * d + (P - 1) * e, vertex positions first.
  [[nodiscard]] std::size_t dimension() const { return vertices * width + (vertices - 1) * edge_width; }
};

template <typename Real>
struct KMeansResult {
  BasicMatrix<Real> centroids;  // q x dimension
  int iterations = 0;
  bool converged = false;
  double similarity = 0;  // weighted mean of the best s / positions
};

// q <= points.size(). Begins with `start` (q x dimension) where it is not empty, with seeds otherwise. Throws Cancelled
// if progress says so.
template <typename Real>
KMeansResult<Real> spherical_kmeans(const PatternPoints<Real>& points, std::size_t q, const FitOptions& fit,
                                    std::uint64_t seed, const RunOptions& options, BasicMatrix<Real> start = {});

// Weighted mean over points of the best s / positions.
template <typename Real>
double mean_similarity(const PatternPoints<Real>& points, const BasicMatrix<Real>& centroids);

// A point's vectors one after the other.
template <typename Real>
void write_point(const PatternPoints<Real>& points, std::size_t point, Real* out);

}  // namespace gckn
