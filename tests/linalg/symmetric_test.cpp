// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/symmetric.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

DoubleMatrix product(const DoubleMatrix& a, const DoubleMatrix& b) {
  DoubleMatrix result(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < a.cols(); ++k) {
      for (std::size_t j = 0; j < b.cols(); ++j) result(i, j) += a(i, k) * b(k, j);
    }
  }
  return result;
}

DoubleMatrix transposed(const DoubleMatrix& m) {
  DoubleMatrix result(m.cols(), m.rows());
  for (std::size_t i = 0; i < m.rows(); ++i) {
    for (std::size_t j = 0; j < m.cols(); ++j) result(j, i) = m(i, j);
  }
  return result;
}

DoubleMatrix diagonal(const std::vector<double>& values) {
  DoubleMatrix result(values.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result(i, i) = values[i];
  return result;
}

// X X^T of a random n x rank matrix.
DoubleMatrix random_gram(std::size_t n, std::size_t rank, std::uint64_t seed) {
  Random random(seed);
  DoubleMatrix x(n, rank);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = random.uniform() - 0.5;
  return product(x, transposed(x));
}

TEST(Symmetric, InverseSquareRoot) {
  // Both kinds tend to K^-1/2 for eps -> 0: R K R = I.
  DoubleMatrix gram = random_gram(20, 20, 5);
  for (std::size_t i = 0; i < 20; ++i) gram(i, i) += 0.5;
  for (const RootKind kind : {RootKind::root, RootKind::gram}) {
    const DoubleMatrix root = inverse_square_root(gram, kind, 1e-13).matrix;
    EXPECT_LT(test::relative_difference(product(product(root, gram), root), diagonal(std::vector<double>(20, 1))),
              1e-9);
  }
  // A diagonal matrix shows the formulas themselves.
  const DoubleMatrix four = diagonal({4, 0});
  EXPECT_NEAR(inverse_square_root(four, RootKind::root, 0.5).matrix(0, 0), 1 / 2.5, 1e-14);
  EXPECT_NEAR(inverse_square_root(four, RootKind::root, 0.5).matrix(1, 1), 2.0, 1e-14);
  EXPECT_NEAR(inverse_square_root(four, RootKind::gram, 0.5).matrix(0, 0), 1 / std::sqrt(4.5), 1e-14);
  EXPECT_NEAR(inverse_square_root(four, RootKind::gram, 0.5).matrix(1, 1), 1 / std::sqrt(0.5), 1e-14);
}

// Also where eigenvalues are zero, up to rounding of either sign.
TEST(Symmetric, InverseSquareRootComesWithItsEigenbasis) {
  for (const std::size_t n : {1U, 2U, 30U, 130U}) {
    for (const std::size_t rank : {n, (n + 1) / 2}) {
      const DoubleMatrix gram = random_gram(n, rank, n);
      for (const RootKind kind : {RootKind::root, RootKind::gram}) {
        const double eps = 0.01;
        const InverseSquareRoot root = inverse_square_root(gram, kind, eps);
        const DoubleMatrix v = transposed(root.vectors);
        ASSERT_EQ(root.values.size(), n);
        EXPECT_TRUE(std::ranges::is_sorted(root.values));
        EXPECT_LT(test::relative_difference(product(root.vectors, v), diagonal(std::vector<double>(n, 1))), 1e-12);
        EXPECT_LT(test::relative_difference(product(product(v, diagonal(root.values)), root.vectors), gram), 1e-12);
        std::vector<double> f;
        for (const double value : root.values) {
          const double lambda = std::max(value, 0.0);
          f.push_back(kind == RootKind::root ? 1 / (std::sqrt(lambda) + eps) : 1 / std::sqrt(lambda + eps));
        }
        EXPECT_EQ(root.inverse, f);
        EXPECT_LT(test::relative_difference(product(product(v, diagonal(f)), root.vectors), root.matrix), 1e-12);
        EXPECT_TRUE(std::ranges::equal(transposed(root.matrix).values(), root.matrix.values()));
      }
    }
  }
  EXPECT_TRUE(inverse_square_root({}, RootKind::root, 0.01).matrix.empty());
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
