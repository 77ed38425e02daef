// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/vector_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "util/random.h"

namespace gckn {
namespace {

template <typename Real>
BasicMatrix<Real> random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Random random(seed);
  BasicMatrix<Real> matrix(rows, cols);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = static_cast<Real>(2 * random.uniform() - 1);
  return matrix;
}

template <typename Real>
std::vector<const Real*> row_pointers(const BasicMatrix<Real>& matrix) {
  std::vector<const Real*> rows;
  for (std::size_t i = 0; i < matrix.rows(); ++i) rows.push_back(matrix.row(i));
  return rows;
}

template <typename Real>
class VectorOps : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(VectorOps, Reals);

TYPED_TEST(VectorOps, ProductAgreesWithItsDefinition) {
  using Real = TypeParam;
  const double tolerance = 64 * static_cast<double>(std::numeric_limits<Real>::epsilon());
  for (const std::size_t m : {1U, 2U, 5U, 12U, 25U}) {
    for (const std::size_t depth : {0U, 1U, 7U, 40U}) {
      for (const std::size_t n : {1U, 15U, 16U, 32U, 33U, 70U}) {
        const auto a = random_matrix<Real>(m, depth, m + depth);
        const auto b = random_matrix<Real>(depth, n, n);
        const PackedMatrix<Real> packed(b.data(), depth, n, n);
        for (const bool accumulate : {false, true}) {
          auto c = random_matrix<Real>(m, n, 3);
          const auto before = c;
          multiply_rows(row_pointers(a).data(), m, packed, c.data(), n, accumulate);
          for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
              double expected = accumulate ? static_cast<double>(before(i, j)) : 0.0;
              for (std::size_t k = 0; k < depth; ++k) {
                expected += static_cast<double>(a(i, k)) * static_cast<double>(b(k, j));
              }
              ASSERT_NEAR(static_cast<double>(c(i, j)), expected, tolerance) << m << " " << depth << " " << n;
            }
          }
        }
      }
    }
  }
}

// Long sums are cut into slices, and many rows into groups, which must not show in the bits.
TYPED_TEST(VectorOps, LongProductsAreOneChain) {
  using Real = TypeParam;
  constexpr std::size_t kLong = 500;
  const auto a = random_matrix<Real>(130, kLong, 1);
  const auto b = random_matrix<Real>(kLong, 35, 2);
  const PackedMatrix<Real> packed(b.data(), kLong, 35, 35);
  BasicMatrix<Real> c(130, 35);
  multiply_rows(row_pointers(a).data(), 130, packed, c.data(), 35, false);
  for (std::size_t i = 0; i < 130; ++i) {
    for (std::size_t j = 0; j < 35; ++j) {
      Real expected = 0;
      for (std::size_t k = 0; k < kLong; ++k) expected = std::fma(a(i, k), b(k, j), expected);
      ASSERT_EQ(c(i, j), expected) << i << ' ' << j;
    }
  }
}

TEST(VectorOpsOfTwoTypes, FloatRowsTimesDoubles) {
  for (const std::size_t width : {0U, 1U, 16U, 37U}) {
    const auto rows = random_matrix<float>(8, width, 4);
    const auto x = random_matrix<double>(1, width, 5);
    std::vector<double> products(8);
    multiply_float_rows(row_pointers(rows).data(), 8, width, x.data(), products.data());
    for (std::size_t i = 0; i < 8; ++i) {
      double expected = 0;
      for (std::size_t k = 0; k < width; ++k) expected += static_cast<double>(rows(i, k)) * x(0, k);
      EXPECT_NEAR(products[i], expected, 1e-14);
      double alone = 0;
      const float* row = rows.row(i);
      multiply_float_rows(&row, 1, width, x.data(), &alone);
      EXPECT_EQ(alone, products[i]) << "equal rows, equal bits";
    }
  }
}

TYPED_TEST(VectorOps, RowsInSegmentsAreRowsInOnePiece) {
  using Real = TypeParam;
  const auto a = random_matrix<Real>(17, 12, 1);
  const auto b = random_matrix<Real>(12, 40, 2);
  const PackedMatrix<Real> packed(b.data(), 12, 40, 40);
  BasicMatrix<Real> whole(17, 40);
  BasicMatrix<Real> pieces(17, 40);
  multiply_rows(row_pointers(a).data(), 17, packed, whole.data(), 40, false);
  std::vector<const Real*> segments;
  for (std::size_t i = 0; i < 17; ++i) {
    for (std::size_t s = 0; s < 3; ++s) segments.push_back(a.row(i) + 4 * s);
  }
  multiply_rows(segments.data(), 17, packed, pieces.data(), 40, false, 3);
  EXPECT_TRUE(std::ranges::equal(whole.values(), pieces.values()));
}

// The promise that a BLAS does not give: bits do not depend on where a row or column stands.
TYPED_TEST(VectorOps, EqualRowsAndColumnsGiveEqualBits) {
  using Real = TypeParam;
  BasicMatrix<Real> a = random_matrix<Real>(200, 37, 1);
  for (std::size_t i = 1; i < a.rows(); ++i) std::copy_n(a.row(0), a.cols(), a.row(i));
  BasicMatrix<Real> b = random_matrix<Real>(37, 75, 2);
  for (std::size_t k = 0; k < b.rows(); ++k) std::fill_n(b.row(k), b.cols(), b(k, 0));
  BasicMatrix<Real> c(200, 75);
  multiply(a.data(), a.rows(), PackedMatrix<Real>(b.data(), 37, 75, 75), c.data());
  for (const Real value : c.values()) ASSERT_EQ(value, c(0, 0));
}

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
