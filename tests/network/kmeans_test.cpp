// SPDX-License-Identifier: BSD-3-Clause
#include "network/kmeans.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "network/kmeans_seeding.h"
#include "support/sanitizers.h"
#include "util/random.h"

namespace gckn {
namespace {

// Points with storage for their rows.
struct Points {
  DoubleMatrix rows;
  PatternPoints<double> points;
};

Points random_points(std::size_t count, std::size_t vertices, std::size_t width, bool one_hot, bool edges,
                     std::uint64_t seed) {
  Random random(seed);
  Points result;
  PatternPoints<double>& points = result.points;
  points.vertices = vertices;
  points.width = width;
  points.one_hot = one_hot;
  points.edge_width = edges ? 3 : 0;
  const std::size_t num_colours = one_hot ? width : 40;
  if (!one_hot) {
    result.rows = DoubleMatrix(num_colours, width);
    for (std::size_t c = 0; c < num_colours; ++c) {
      double square = 0;
      for (std::size_t k = 0; k < width; ++k) {
        result.rows(c, k) = random.uniform() - 0.3;
        square += result.rows(c, k) * result.rows(c, k);
      }
      for (std::size_t k = 0; k < width; ++k) result.rows(c, k) /= std::sqrt(square);
      points.rows.push_back(result.rows.row(c));
    }
  }
  for (std::size_t p = 0; p < count; ++p) {
    for (std::size_t t = 0; t < vertices; ++t)
      points.colours.push_back(static_cast<std::uint32_t>(random.below(num_colours)));
    for (std::size_t t = 0; edges && t + 1 < vertices; ++t)
      points.edges.push_back(static_cast<std::uint32_t>(random.below(3)));
    points.weights.push_back(1.0 + static_cast<double>(random.below(20)));
  }
  return result;
}

// Lloyd's iterations as their definition says, from given centroids.
DoubleMatrix plain_lloyd(const PatternPoints<double>& points, DoubleMatrix centroids, int iterations) {
  const std::size_t dimension = points.dimension();
  const std::size_t q = centroids.rows();
  DoubleMatrix x(points.size(), dimension);
  for (std::size_t p = 0; p < points.size(); ++p) write_point(points, p, x.row(p));
  for (int iteration = 0; iteration < iterations; ++iteration) {
    DoubleMatrix sums(q, dimension);
    std::vector<double> weight(q);
    for (std::size_t p = 0; p < points.size(); ++p) {
      std::size_t best = 0;
      double best_similarity = -1e300;
      for (std::size_t j = 0; j < q; ++j) {
        const double s = std::inner_product(x.row(p), x.row(p) + dimension, centroids.row(j), 0.0);
        if (s > best_similarity + 1e-12) {
          best_similarity = s;
          best = j;
        }
      }
      weight[best] += points.weights[p];
      for (std::size_t k = 0; k < dimension; ++k) sums(best, k) += points.weights[p] * x(p, k);
    }
    for (std::size_t j = 0; j < q; ++j) {
      EXPECT_GT(weight[j], 0) << "this reference does not refill empty clusters";
      std::size_t begin = 0;
      for (std::size_t position = 0; position < points.positions(); ++position) {
        const std::size_t width = position < points.vertices ? points.width : points.edge_width;
        double square = 0;
        for (std::size_t k = begin; k < begin + width; ++k) square += sums(j, k) * sums(j, k);
        const double norm = std::sqrt(square);
        for (std::size_t k = begin; k < begin + width; ++k) {
          centroids(j, k) = norm < 1e-4 * weight[j] ? 0.0 : sums(j, k) / norm;
        }
        begin += width;
      }
    }
  }
  return centroids;
}

TEST(KMeans, AgreesWithItsDefinition) {
  for (const bool one_hot : {false, true}) {
    for (const bool edges : {false, true}) {
      const Points data = random_points(800, 3, 5, one_hot, edges, 1);
      FitOptions fit;
      fit.max_iterations = 6;
      fit.tolerance = 0;
      const DoubleMatrix start = seed_centroids(data.points, 10, fit.seeding_points, 7);
      const DoubleMatrix expected = plain_lloyd(data.points, start, 6);
      const auto result = spherical_kmeans(data.points, 10, fit, 7, {});
      ASSERT_EQ(result.iterations, 6);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(result.centroids.data()[i], expected.data()[i], 1e-9)
            << "one-hot " << one_hot << ", edges " << edges;
      }
    }
  }
}

TEST(KMeans, BoundsChangeNothing) {
  for (const bool one_hot : {false, true}) {
    for (const bool edges : {false, true}) {
      for (std::uint64_t seed = 0; seed < 3; seed += kSanitizerShare) {
        const Points data = random_points(2000 / kSanitizerShare, 2, 6, one_hot, edges, seed);
        FitOptions fit;
        const auto fast = spherical_kmeans(data.points, 70, fit, seed, {});
        fit.accelerate = false;
        const auto slow = spherical_kmeans(data.points, 70, fit, seed, {});
        EXPECT_EQ(fast.iterations, slow.iterations);
        EXPECT_NEAR(fast.similarity, slow.similarity, 1e-12);
        for (std::size_t i = 0; i < fast.centroids.size(); ++i) {
          ASSERT_NEAR(fast.centroids.data()[i], slow.centroids.data()[i], 1e-9);
        }
      }
    }
  }
}

TEST(KMeans, BoundsOfGroupsChangeNothing) {
  // So many points that centroids have to share bounds.
  const Points data = random_points(120'000, 2, 4, false, false, 5);
  FitOptions fit;
  fit.max_iterations = 10 / static_cast<int>(kSanitizerShare);
  fit.tolerance = 0;
  const auto fast = spherical_kmeans(data.points, 90, fit, 5, {});
  fit.accelerate = false;
  const auto slow = spherical_kmeans(data.points, 90, fit, 5, {});
  for (std::size_t i = 0; i < fast.centroids.size(); ++i) {
    ASSERT_NEAR(fast.centroids.data()[i], slow.centroids.data()[i], 1e-9);
  }
}

TEST(KMeans, FindsSeparatedClusters) {
  // Points near 5 axes of 8 dimensions: with 5 centroids every one is found and the similarity is near 1.
  Random random(3);
  DoubleMatrix rows(500, 8);
  PatternPoints<double> points;
  points.vertices = 1;
  points.width = 8;
  for (std::uint32_t p = 0; p < rows.rows(); ++p) {
    double square = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      rows(p, k) = 0.02 * random.uniform() + (k == p % 5 ? 1.0 : 0.0);
      square += rows(p, k) * rows(p, k);
    }
    for (std::size_t k = 0; k < 8; ++k) rows(p, k) /= std::sqrt(square);
    points.rows.push_back(rows.row(p));
    points.colours.push_back(p);
    points.weights.push_back(1.0);
  }
  const auto result = spherical_kmeans(points, 5, {}, 0, {});
  EXPECT_TRUE(result.converged);
  EXPECT_GT(result.similarity, 0.999);
  EXPECT_NEAR(mean_similarity(points, result.centroids), result.similarity, 1e-9);
}

TEST(KMeans, EmptyClustersTakeTheLeastSimilarPoint) {
  // Two equal start centroids: ties go to the first, so the second is empty and must take the far point.
  DoubleMatrix rows(4, 2);
  PatternPoints<double> points;
  points.vertices = 1;
  points.width = 2;
  const std::array<double, 4> angle{0.0, 0.01, 0.02, 1.0};
  for (std::uint32_t p = 0; p < 4; ++p) {
    rows(p, 0) = std::cos(angle[p]);
    rows(p, 1) = std::sin(angle[p]);
    points.rows.push_back(rows.row(p));
    points.colours.push_back(p);
    points.weights.push_back(1.0);
  }
  DoubleMatrix start(2, 2);
  start(0, 0) = start(1, 0) = 1;
  const auto result = spherical_kmeans(points, 2, {}, 0, {}, start);
  EXPECT_NEAR(result.centroids(1, 0), std::cos(1.0), 1e-12);
  EXPECT_NEAR(result.centroids(0, 0), std::cos(0.01), 1e-6);
}

TEST(KMeansSeeding, SeedsAreDistinctPoints) {
  const Points data = random_points(500, 2, 6, false, false, 2);
  const DoubleMatrix seeds = seed_centroids(data.points, 40, 4096, 1);
  std::vector<double> point(data.points.dimension());
  for (std::size_t j = 0; j < seeds.rows(); ++j) {
    bool is_point = false;
    for (std::size_t p = 0; p < data.points.size() && !is_point; ++p) {
      write_point(data.points, p, point.data());
      is_point = std::equal(point.begin(), point.end(), seeds.row(j));
    }
    EXPECT_TRUE(is_point) << j;
    for (std::size_t i = 0; i < j; ++i) {
      EXPECT_FALSE(std::equal(seeds.row(i), seeds.row(i) + seeds.cols(), seeds.row(j))) << i << " " << j;
    }
  }
}

TEST(KMeansSeeding, DrawsByWeight) {
  Points data = random_points(10, 1, 10, true, false, 2);
  for (std::uint32_t p = 0; p < 10; ++p) data.points.colours[p] = p;
  data.points.weights.assign(10, 1.0);
  data.points.weights[4] = 91.0;
  const PatternPoints<double> drawn = draw_points(data.points, 1000, 5);
  ASSERT_EQ(drawn.size(), 10U);
  EXPECT_NEAR(drawn.weights[4], 910, 2);
  EXPECT_NEAR(std::accumulate(drawn.weights.begin(), drawn.weights.end(), 0.0), 1000, 1e-9);
}

}  // namespace
}  // namespace gckn
