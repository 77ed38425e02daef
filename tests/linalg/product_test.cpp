// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/random_matrix.h"

namespace gckn {
namespace {

using test::random_matrix;
using test::row_pointers;

template <typename Real>
class Product : public testing::Test {};
using RealsOfProducts = testing::Types<float, double>;
TYPED_TEST_SUITE(Product, RealsOfProducts);

TYPED_TEST(Product, ProductAgreesWithItsDefinition) {
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
TYPED_TEST(Product, LongProductsAreOneChain) {
  using Real = TypeParam;
  constexpr std::size_t kLong = 2000;
  const auto a = random_matrix<Real>(130, kLong, 1);
  for (const std::size_t columns : {1U, 6U, 35U}) {
    const auto b = random_matrix<Real>(kLong, columns, 2);
    const PackedMatrix<Real> packed(b.data(), kLong, columns, columns);
    BasicMatrix<Real> c(130, columns);
    multiply_rows(row_pointers(a).data(), 130, packed, c.data(), columns, false);
    for (std::size_t i = 0; i < 130; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        Real expected = 0;
        for (std::size_t k = 0; k < kLong; ++k) expected = std::fma(a(i, k), b(k, j), expected);
        ASSERT_EQ(c(i, j), expected) << i << ' ' << j << " of " << columns;
      }
    }
  }
}

TEST(ProductOfTwoTypes, FloatRowsTimesDoubles) {
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

TYPED_TEST(Product, RowsInSegmentsAreRowsInOnePiece) {
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
TYPED_TEST(Product, EqualRowsAndColumnsGiveEqualBits) {
  using Real = TypeParam;
  BasicMatrix<Real> a = random_matrix<Real>(200, 37, 1);
  for (std::size_t i = 1; i < a.rows(); ++i) std::copy_n(a.row(0), a.cols(), a.row(i));
  BasicMatrix<Real> b = random_matrix<Real>(37, 75, 2);
  for (std::size_t k = 0; k < b.rows(); ++k) std::fill_n(b.row(k), b.cols(), b(k, 0));
  BasicMatrix<Real> c(200, 75);
  multiply(a.data(), a.rows(), PackedMatrix<Real>(b.data(), 37, 75, 75), c.data());
  for (const Real value : c.values()) ASSERT_EQ(value, c(0, 0));
}

}  // namespace
}  // namespace gckn
