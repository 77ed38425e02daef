// SPDX-License-Identifier: BSD-3-Clause
// The search against all similarities sorted, computed one by one in double.
#include "gckn/nearest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gckn/error.h"
#include "support/random_matrix.h"

namespace gckn {
namespace {

using Found = std::vector<std::vector<Neighbour>>;

double similarity(const float* x, const float* y, std::size_t size, Similarity kind) {
  double product = 0;
  double xx = 0;
  double yy = 0;
  for (std::size_t j = 0; j < size; ++j) {
    product += static_cast<double>(x[j]) * y[j];
    xx += static_cast<double>(x[j]) * x[j];
    yy += static_cast<double>(y[j]) * y[j];
  }
  if (kind == Similarity::inner_product) return product;
  return xx == 0 || yy == 0 ? 0 : product / std::sqrt(xx * yy);
}

// What was found is right if it has the similarities it claims, and nothing that was left out has a larger one. Random
// vectors have no ties.
void expect_right(const Found& found, const Matrix& vectors, const Matrix& queries, const NearestOptions& options) {
  ASSERT_EQ(found.size(), queries.rows());
  constexpr double kRounding = 1e-5;
  for (std::size_t q = 0; q < queries.rows(); ++q) {
    std::vector<double> all;
    for (std::size_t i = 0; i < vectors.rows(); ++i) {
      all.push_back(similarity(vectors.row(i), queries.row(q), vectors.cols(), options.similarity));
    }
    ASSERT_EQ(found[q].size(), std::min(options.k, vectors.rows()));
    std::vector<double> sorted = all;
    std::ranges::sort(sorted, std::greater<>());
    std::vector<bool> seen(vectors.rows());
    for (std::size_t rank = 0; rank < found[q].size(); ++rank) {
      const Neighbour& neighbour = found[q][rank];
      ASSERT_LT(neighbour.index, vectors.rows());
      EXPECT_FALSE(seen[neighbour.index]);
      seen[neighbour.index] = true;
      EXPECT_NEAR(neighbour.similarity, all[neighbour.index], kRounding);
      EXPECT_NEAR(neighbour.similarity, sorted[rank], kRounding);
      if (rank > 0) {
        EXPECT_LE(neighbour.similarity, found[q][rank - 1].similarity);
      }
    }
  }
}

TEST(Nearest, FindsWhatComparingOneByOneFinds) {
  // More than a tile of vectors and more than a group of queries; a vector size that fills no panel.
  const Matrix vectors = test::random_matrix<float>(3000, 19, 1);
  for (const Similarity kind : {Similarity::cosine, Similarity::inner_product}) {
    for (const std::size_t k : {std::size_t{1}, std::size_t{10}, std::size_t{5000}}) {
      const NearestOptions options{.k = k, .similarity = kind};
      const Matrix some = test::random_matrix<float>(k > 1000 ? 3 : 300, 19, 2);
      expect_right(nearest(vectors, some, options), vectors, some, options);
    }
  }
}

TEST(Nearest, HasTheSameBitsForAnyThreadsAndBlocks) {
  const Matrix vectors = test::random_matrix<float>(5000, 33, 3);
  const Matrix queries = test::random_matrix<float>(7, 33, 4);
  const Found expected = nearest(vectors, queries, {.k = 20}, {.threads = 1});
  EXPECT_EQ(nearest(vectors, queries, {.k = 20}, {.threads = 4}), expected);
  for (const std::size_t size : {1, 77, 1024, 4999}) {
    NearestSearch search(queries, {.k = 20});
    for (std::size_t first = 0; first < vectors.rows(); first += size) {
      Matrix block(std::min(size, vectors.rows() - first), vectors.cols());
      std::copy_n(vectors.row(first), block.size(), block.data());
      search.add(block, {.threads = 2});
      search.add(Matrix(0, 33));
    }
    EXPECT_EQ(search.found(), expected) << size;
  }
}

TEST(Nearest, TiesGoToTheFirst) {
  Matrix vectors(4000, 3);
  for (std::size_t i = 0; i < vectors.rows(); ++i) vectors(i, i % 3) = static_cast<float>(1 + i);
  Matrix query(1, 3);
  query(0, 1) = 2;
  const Found found = nearest(vectors, query, {.k = 4});
  EXPECT_EQ(found, (Found{{{1, 1}, {4, 1}, {7, 1}, {10, 1}}}));
  const Found products = nearest(vectors, query, {.k = 2, .similarity = Similarity::inner_product});
  EXPECT_EQ(products, (Found{{{3997, 2 * 3998}, {3994, 2 * 3995}}}));
}

TEST(Nearest, ZerosAreLikeNothingAndLengthsDoNotMatter) {
  Matrix vectors(4, 2);
  vectors(0, 0) = -1;
  vectors(2, 0) = 1e30F;  // whose square is beyond float
  vectors(3, 0) = 1e-30F;
  Matrix queries(2, 2);
  queries(0, 0) = 1e30F;
  const Found found = nearest(vectors, queries);
  EXPECT_EQ(found[0], (std::vector<Neighbour>{{2, 1}, {3, 1}, {1, 0}, {0, -1}}));
  EXPECT_EQ(found[1], (std::vector<Neighbour>{{0, 0}, {1, 0}, {2, 0}, {3, 0}}));
  EXPECT_THROW(nearest(vectors, queries, {.similarity = Similarity::inner_product}), InputError);
}

TEST(Nearest, RowsThatStandForNoGraphAreNeverFound) {
  const Matrix vectors = test::random_matrix<float>(2500, 4, 6);
  Matrix with_gaps = vectors;
  for (const std::size_t i : {0U, 1500U, 2499U}) {
    std::fill_n(with_gaps.row(i), 4, std::numeric_limits<float>::quiet_NaN());
  }
  const Matrix queries = test::random_matrix<float>(3, 4, 7);
  NearestSearch search(queries, {.k = 2500});
  search.add(with_gaps);
  EXPECT_EQ(search.passed_over(), 3U);
  Found expected = nearest(vectors, queries, {.k = 2500});
  for (std::vector<Neighbour>& of_query : expected) {
    std::erase_if(of_query, [](const Neighbour& n) { return n.index == 0 || n.index == 1500 || n.index == 2499; });
  }
  EXPECT_EQ(search.found(), expected);
}

TEST(Nearest, RefusesWhatMakesNoSense) {
  const Matrix vectors = test::random_matrix<float>(5, 4, 5);
  EXPECT_THROW(nearest(vectors, vectors, {.k = 0}), UsageError);
  EXPECT_THROW(nearest(vectors, Matrix(1, 3)), UsageError);
  Matrix bad = vectors;
  bad(3, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(nearest(bad, vectors), InputError);
  EXPECT_THROW(nearest(vectors, bad), InputError);
  EXPECT_TRUE(nearest(vectors, Matrix(0, 4)).empty());
  EXPECT_EQ(nearest(Matrix(0, 4), vectors), Found(5));
  EXPECT_THROW(nearest(vectors, vectors, {}, {.progress = [](const Progress&) { return false; }}), Cancelled);
}

}  // namespace
}  // namespace gckn
