// SPDX-License-Identifier: BSD-3-Clause
// Cholesky factors against their definition, at sizes around those where the recursion changes.
#include "linalg/cholesky.h"

#include <gtest/gtest.h>

#include <cmath>

#include "util/random.h"

namespace gckn {
namespace {

// X' X + I with random X of n + 3 rows.
DoubleMatrix random_positive_definite(std::size_t n, Random& random) {
  DoubleMatrix x(n + 3, n);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t j = 0; j < n; ++j) x(i, j) = random.uniform() - 0.5;
  }
  DoubleMatrix m(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = i == j ? 1.0 : 0.0;
      for (std::size_t k = 0; k < x.rows(); ++k) sum += x(k, i) * x(k, j);
      m(i, j) = sum;
    }
  }
  return m;
}

class CholeskyOfSize : public testing::TestWithParam<int> {};

TEST_P(CholeskyOfSize, FactorsAndSolves) {
  const auto n = static_cast<std::size_t>(GetParam());
  Random random(n);
  const DoubleMatrix m = random_positive_definite(n, random);
  DoubleMatrix factor = m;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) factor(i, j) = std::nan("");  // must not be read
  }
  ASSERT_TRUE(factor_positive_definite(factor));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k <= i; ++k) sum += factor(k, i) * factor(k, j);
      ASSERT_NEAR(sum, m(i, j), 1e-11 * static_cast<double>(n)) << i << ' ' << j;
    }
  }
  std::vector<double> expected(n);
  for (double& value : expected) value = random.uniform();
  std::vector<double> rhs(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) rhs[i] += m(i, j) * expected[j];
  }
  std::vector<double> x = rhs;
  solve_factored(factor, x.data());
  for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(x[i], expected[i], 1e-9) << i;
  std::vector<double> several = rhs;
  several.insert(several.end(), rhs.begin(), rhs.end());
  for (std::size_t i = 0; i < n; ++i) several[i] *= 2;
  solve_factored(factor, several.data(), 2);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(several[i], 2 * x[i]) << i;
    ASSERT_EQ(several[n + i], x[i]) << i;
  }

  // The half solve: |U'^-1 b|^2 = b' M^-1 b, here of two columns at once.
  DoubleMatrix b(n, 2);
  for (std::size_t i = 0; i < n; ++i) {
    b(i, 0) = rhs[i];
    b(i, 1) = expected[i];
  }
  solve_lower(factor, b);
  double product = 0;
  double cross = 0;
  for (std::size_t i = 0; i < n; ++i) {
    product += b(i, 0) * b(i, 0);
    cross += b(i, 0) * b(i, 1);
  }
  double product_expected = 0;
  double cross_expected = 0;
  for (std::size_t i = 0; i < n; ++i) {
    product_expected += rhs[i] * expected[i];
    cross_expected += expected[i] * expected[i];
  }
  EXPECT_NEAR(product, product_expected, 1e-9 * std::abs(product_expected));
  EXPECT_NEAR(cross, cross_expected, 1e-9 * std::abs(cross_expected));
}

INSTANTIATE_TEST_SUITE_P(Sizes, CholeskyOfSize, testing::Values(1, 2, 15, 16, 17, 31, 33, 64, 130, 147));

TEST(Cholesky, RefusesWhatIsNotPositiveDefinite) {
  Random random(5);
  for (const std::size_t n : {1U, 16U, 40U}) {
    DoubleMatrix m = random_positive_definite(n, random);
    m(n - 1, n - 1) = -1;
    EXPECT_FALSE(factor_positive_definite(m));
  }
  DoubleMatrix m = random_positive_definite(20, random);
  m(3, 3) = std::nan("");
  EXPECT_FALSE(factor_positive_definite(m));
  DoubleMatrix none;
  EXPECT_TRUE(factor_positive_definite(none));
}

// Large enough to be cut into strips for the threads, which must not show.
TEST(Cholesky, AllThreadsGiveTheSameBits) {
  constexpr std::size_t kSize = 1700;
  Random random(5);
  DoubleMatrix m(kSize, kSize);  // diagonally dominant
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = i; j < kSize; ++j) m(i, j) = m(j, i) = random.uniform() - 0.5;
    m(i, i) = 60;
  }
  DoubleMatrix one = m;
  DoubleMatrix all = m;
  ASSERT_TRUE(factor_positive_definite(one));
  ASSERT_TRUE(factor_positive_definite(all, {}, Workers::all));
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = i; j < kSize; ++j) ASSERT_EQ(one(i, j), all(i, j)) << i << ' ' << j;
  }
}

// Right sides that are few and many take different ways through the blocks on the diagonal.
TEST(Cholesky, SolvesWithTheFactorAgreeWithTheMatrix) {
  Random random(9);
  for (const std::size_t n : {1, 31, 33, 100, 257}) {
    const DoubleMatrix m = random_positive_definite(n, random);
    DoubleMatrix factor = m;
    ASSERT_TRUE(factor_positive_definite(factor));
    for (const std::size_t count : {1, 40}) {
      DoubleMatrix b(n, count);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < count; ++j) b(i, j) = random.uniform() - 0.5;
      }
      const DoubleMatrix right = b;
      solve_lower(factor, b);
      for (std::size_t j = 0; j < count; ++j) {
        std::vector<double> x(n);
        std::vector<double> y(n);
        for (std::size_t i = 0; i < n; ++i) {
          x[i] = b(i, j);
          y[i] = right(i, j);
        }
        solve_upper_transposed(factor, y.data());
        for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(x[i], y[i], 1e-11) << n << ' ' << i;
        solve_upper(factor, x.data());  // now M x is the right side
        const std::vector<double> product = multiply_factored(factor, x);
        for (std::size_t i = 0; i < n; ++i) {
          double expected = 0;
          for (std::size_t k = 0; k < n; ++k) expected += m(std::min(i, k), std::max(i, k)) * x[k];
          ASSERT_NEAR(product[i], expected, 1e-10) << n << ' ' << i;
          ASSERT_NEAR(product[i], right(i, j), 1e-10) << n << ' ' << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace gckn
