// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/symmetric.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "support/relative_difference.h"
#include "util/random.h"

namespace gckn {
namespace {

DoubleMatrix random_symmetric(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  DoubleMatrix m(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) m(i, j) = m(j, i) = random.uniform() - 0.5;
  }
  return m;
}

TEST(Symmetric, EigenvectorsAreOrthonormalRowsThatRebuildTheMatrix) {
  for (const std::size_t n : {1U, 2U, 30U, 130U}) {
    const DoubleMatrix m = random_symmetric(n, n);
    DoubleMatrix vectors = m;
    const std::vector<double> values = eigenvectors(vectors);
    EXPECT_TRUE(std::ranges::is_sorted(values));
    DoubleMatrix rebuilt(n, n);
    DoubleMatrix products(n, n);
    DoubleMatrix identity(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      identity(i, i) = 1;
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < n; ++k) {
          rebuilt(i, j) += vectors(k, i) * values[k] * vectors(k, j);
          products(i, j) += vectors(i, k) * vectors(j, k);
        }
      }
    }
    EXPECT_LT(test::relative_difference(rebuilt, m), 1e-12) << n;
    EXPECT_LT(test::relative_difference(products, identity), 1e-12) << n;
  }
}

TEST(Symmetric, SolvesIndefiniteSystemsByTheirUpperTriangle) {
  for (const std::size_t n : {1U, 2U, 30U, 130U}) {
    DoubleMatrix m = random_symmetric(n, n + 1);
    DoubleMatrix expected(1, n);
    DoubleMatrix rhs(1, n);
    for (std::size_t i = 0; i < n; ++i) expected(0, i) = static_cast<double>(i) + 1;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) rhs(0, i) += m(i, j) * expected(0, j);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) m(i, j) = std::numeric_limits<double>::quiet_NaN();
    }
    EXPECT_TRUE(solve_indefinite(m, rhs.data()));
    EXPECT_LT(test::relative_difference(rhs, expected), 1e-9) << n;
  }
}

TEST(Symmetric, SaysWhatItCannotDo) {
  DoubleMatrix singular(2, 2);
  double rhs[2] = {1, 2};
  EXPECT_FALSE(solve_indefinite(singular, rhs));
  DoubleMatrix bad = random_symmetric(5, 1);
  bad(1, 3) = bad(3, 1) = std::numeric_limits<double>::quiet_NaN();
  DoubleMatrix same = bad;
  double five[5] = {};
  EXPECT_FALSE(solve_indefinite(same, five));
  EXPECT_THROW(eigenvectors(bad), std::runtime_error);
  DoubleMatrix good = random_symmetric(5, 1);
  five[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(solve_indefinite(good, five));
  DoubleMatrix nothing;
  EXPECT_TRUE(eigenvectors(nothing).empty());
  EXPECT_TRUE(solve_indefinite(nothing, five));
}

}  // namespace
}  // namespace gckn
