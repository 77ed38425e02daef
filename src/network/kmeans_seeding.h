// SPDX-License-Identifier: BSD-3-Clause
// Greedy k-means++ for spherical k-means on patterns: every new centroid is the best of 2 + floor(ln q) points drawn
// with probability proportional to weight * D^2, D^2 = 2 (positions - s) to the nearest centroid so far. Runs on a
// sample of the points drawn by weight where there are more than `sample_size`.
#pragma once

#include "network/kmeans.h"

namespace gckn {

// q x dimension. Reports progress and may be cancelled between two of them.
template <typename Real>
BasicMatrix<Real> seed_centroids(const PatternPoints<Real>& points, std::size_t q, std::size_t sample_size,
                                 std::uint64_t seed, const RunOptions& options = {});

// `count` points drawn by weight, one from each of `count` strata of equal weight; repeated ones are merged, with the
// number of times they were drawn as weight.
template <typename Real>
PatternPoints<Real> draw_points(const PatternPoints<Real>& points, std::size_t count, std::uint64_t seed);

}  // namespace gckn
