// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/vector_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/random_matrix.h"

namespace gckn {
namespace {

using test::random_matrix;

template <typename Real>
class VectorOps : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(VectorOps, Reals);

TYPED_TEST(VectorOps, ExponentialIsAccurateAndPlaceless) {
  using Real = TypeParam;
  std::vector<Real> x;
  for (int i = -400; i <= 40; ++i) x.push_back(static_cast<Real>(i) / 10);
  std::vector<Real> y(x.size());
  exponential(x.data(), y.data(), x.size(), Real{0.5}, Real{-1});
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double argument = 0.5 * static_cast<double>(x[i]) - 1;
    // Rounding the argument alone costs |argument| units in the last place.
    const double tolerance = (2 + std::abs(argument)) * static_cast<double>(std::numeric_limits<Real>::epsilon());
    EXPECT_NEAR(static_cast<double>(y[i]) / std::exp(argument), 1.0, tolerance);
    Real alone = x[i];
    exponential(&alone, 1, Real{0.5}, Real{-1});
    EXPECT_EQ(alone, y[i]);
  }
}

TYPED_TEST(VectorOps, RowSumsAndMaxima) {
  using Real = TypeParam;
  for (const std::size_t width : {1U, 16U, 128U, 150U}) {
    const auto table = random_matrix<Real>(9, width, width);
    const std::vector<std::uint32_t> indices{3, 3, 0, 8};
    const std::vector<Real> weights{1, 2, static_cast<Real>(0.5), -1};
    std::vector<Real> sum(width);
    std::vector<Real> most(width);
    weighted_row_sum(table.data(), width, indices.data(), weights.data(), indices.size(), sum.data());
    row_max(table.data(), width, indices.data(), indices.size(), most.data());
    for (std::size_t j = 0; j < width; ++j) {
      EXPECT_NEAR(static_cast<double>(sum[j]), static_cast<double>(3 * table(3, j) + table(0, j) / 2 - table(8, j)),
                  1e-5);
      EXPECT_EQ(most[j], std::max({table(3, j), table(0, j), table(8, j)}));
    }
  }
}

TYPED_TEST(VectorOps, BestTwoTakesTheLowestIndex) {
  using Real = TypeParam;
  for (const std::size_t count : {1U, 2U, 15U, 16U, 17U, 64U, 130U}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Random random(seed);
      std::vector<Real> values(count);
      for (Real& value : values) value = static_cast<Real>(random.below(5));  // many ties
      const BestTwo<Real> best = best_two(values.data(), count);
      const auto first = std::max_element(values.begin(), values.end());
      EXPECT_EQ(best.index, static_cast<std::uint32_t>(first - values.begin()));
      EXPECT_EQ(best.best, *first);
      *first = -std::numeric_limits<Real>::infinity();
      EXPECT_EQ(best.second, *std::max_element(values.begin(), values.end()));
    }
  }
}

TYPED_TEST(VectorOps, SumsAboveAndTheLargest) {
  using Real = TypeParam;
  for (const std::size_t count : {1U, 2U, 15U, 16U, 17U, 64U, 130U}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Random random(seed);
      std::vector<Real> x(count);
      std::vector<Real> y(count);
      for (Real& value : x) value = static_cast<Real>(random.below(5));
      for (Real& value : y) value = -static_cast<Real>(random.below(5));
      std::vector<std::uint32_t> expected;
      Real largest = -100;
      for (std::uint32_t i = 0; i < count; ++i) {
        if (x[i] + y[i] >= 1) expected.push_back(i);
        largest = std::max(largest, x[i] + y[i]);
      }
      std::vector<std::uint32_t> found(count);
      found.resize(sums_above(x.data(), y.data(), count, Real{1}, found.data()));
      EXPECT_EQ(found, expected);
      EXPECT_EQ(largest_sum(x.data(), y.data(), count), largest);
    }
  }
}

TYPED_TEST(VectorOps, DotScaleAndAdd) {
  using Real = TypeParam;
  for (const std::size_t n : {0U, 1U, 15U, 16U, 100U}) {
    const auto x = random_matrix<Real>(1, n, 1);
    auto y = random_matrix<Real>(1, n, 2);
    double expected = 0;
    for (std::size_t i = 0; i < n; ++i) expected += static_cast<double>(x.data()[i]) * static_cast<double>(y.data()[i]);
    EXPECT_NEAR(static_cast<double>(dot(x.data(), y.data(), n)), expected, 1e-5);
    const auto before = y;
    add_scaled(y.data(), x.data(), Real{2}, n);
    scale(y.data(), Real{3}, n);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(static_cast<double>(y.data()[i]), 3 * static_cast<double>(before.data()[i] + 2 * x.data()[i]), 1e-5);
    }
  }
}

}  // namespace
}  // namespace gckn
