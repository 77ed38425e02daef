// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/gradient_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "gckn/matrix.h"
#include "linalg/symmetric.h"
#include "support/random_matrix.h"
#include "support/relative_difference.h"
#include "util/random.h"

namespace gckn {
namespace {

using test::random_matrix;
using test::relative_difference;

template <typename Real>
class GradientOps : public testing::Test {
 protected:
  static constexpr double kTolerance = sizeof(Real) == sizeof(float) ? 1e-5 : 1e-13;
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(GradientOps, Reals);

TYPED_TEST(GradientOps, TransposedProductOfPartsOfMatrices) {
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t rows = random.below(40);
    const std::size_t m = 1 + random.below(40);
    const std::size_t n = 1 + random.below(70);
    const std::size_t wider = random.below(3);  // columns that are not part of it
    const auto a = random_matrix<TypeParam>(random, rows, m + wider);
    const auto b = random_matrix<TypeParam>(random, rows, n + wider);
    auto c = random_matrix<TypeParam>(random, m, n + wider);
    DoubleMatrix expected(m, n + wider);
    for (std::size_t k = 0; k < c.size(); ++k) expected.data()[k] = static_cast<double>(c.data()[k]);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j)
          expected(i, j) += static_cast<double>(a(r, i)) * static_cast<double>(b(r, j));
      }
    }
    add_transposed_product(a.data(), m + wider, rows, m, b.data(), n + wider, n, c.data(), n + wider);
    ASSERT_LT(relative_difference(c, expected), this->kTolerance) << rows << " " << m << " " << n;
  }
}

TYPED_TEST(GradientOps, Scatters) {
  Random random(2);
  for (int trial = 0; trial < 100; ++trial) {
    const std::size_t width = 1 + random.below(40);
    const std::size_t count = random.below(20);
    auto table = random_matrix<TypeParam>(random, 7, width);
    DoubleMatrix expected(7, width);
    for (std::size_t k = 0; k < table.size(); ++k) expected.data()[k] = static_cast<double>(table.data()[k]);
    const auto rows = random_matrix<TypeParam>(random, count + 1, width);
    std::vector<std::uint32_t> indices;
    std::vector<TypeParam> weights;
    for (std::size_t i = 0; i < count; ++i) {
      indices.push_back(static_cast<std::uint32_t>(random.below(7)));
      weights.push_back(static_cast<TypeParam>(random.uniform()));
      for (std::size_t k = 0; k < width; ++k) {
        expected(indices[i], k) +=
            static_cast<double>(weights[i]) * static_cast<double>(rows(count, k)) + static_cast<double>(rows(i, k));
      }
    }
    scatter_weighted_row(rows.row(count), width, indices.data(), weights.data(), count, table.data());
    scatter_rows(rows.data(), count, width, indices.data(), table.data());
    ASSERT_LT(relative_difference(table, expected), this->kTolerance);
  }
}

TYPED_TEST(GradientOps, ScaledProductInPlace) {
  std::vector<TypeParam> x;
  std::vector<TypeParam> y;
  for (int i = 0; i < 37; ++i) {
    x.push_back(static_cast<TypeParam>(i));
    y.push_back(static_cast<TypeParam>(2 - i));
  }
  scaled_product(x.data(), y.data(), TypeParam{3}, x.size(), y.data());
  for (int i = 0; i < 37; ++i) EXPECT_EQ(y[static_cast<std::size_t>(i)], static_cast<TypeParam>(3 * i * (2 - i)));
}

// d/dh <R, f(G + h D)> for symmetric directions D, against the backward pass.
TEST(InverseSquareRootBackward, IsExactForGram) {
  Random random(3);
  for (const std::size_t n : {1U, 2U, 5U, 16U}) {
    for (const bool equal_eigenvalues : {false, true}) {
      DoubleMatrix gram(n, n);
      if (equal_eigenvalues) {
        for (std::size_t i = 0; i < n; ++i) gram(i, i) = 1;
      } else {  // of rank one less than full
        const DoubleMatrix x = random_matrix<double>(random, n, n > 1 ? n - 1 : 1);
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t k = 0; k < x.cols(); ++k) gram(i, j) += x(i, k) * x(j, k);
          }
        }
      }
      const DoubleMatrix r = random_matrix<double>(random, n, n);
      DoubleMatrix direction(n, n);  // positive semi-definite, so that the matrix stays so
      const DoubleMatrix y = random_matrix<double>(random, n, 2);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) direction(i, j) = y(i, 0) * y(j, 0) + y(i, 1) * y(j, 1);
      }
      const auto value = [&](double h) {
        DoubleMatrix moved = gram;
        for (std::size_t k = 0; k < moved.size(); ++k) moved.data()[k] += h * direction.data()[k];
        const InverseSquareRoot root = inverse_square_root(moved, RootKind::gram, 0.05);
        double sum = 0;
        for (std::size_t k = 0; k < r.size(); ++k) sum += r.data()[k] * root.matrix.data()[k];
        return sum;
      };
      DoubleMatrix d_gram;
      DoubleMatrix scratch;
      inverse_square_root_backward(inverse_square_root(gram, RootKind::gram, 0.05), r, d_gram, scratch);
      double analytic = 0;
      for (std::size_t k = 0; k < r.size(); ++k) analytic += d_gram.data()[k] * direction.data()[k];
      // One-sided, of fourth order: on the other side of a singular matrix there are negative eigenvalues.
      constexpr double kStep = 1e-4;
      const double numeric =
          (-25 * value(0) + 48 * value(kStep) - 36 * value(2 * kStep) + 16 * value(3 * kStep) - 3 * value(4 * kStep)) /
          (12 * kStep);
      EXPECT_NEAR(analytic, numeric, 1e-6 * std::max(1.0, std::abs(numeric))) << n << " " << equal_eigenvalues;
    }
  }
}

// On diag(a, b) the factors can be read off: F_ij = 1 / ((e_i + e_j) e_i e_j) with e = sqrt(lambda) + eps.
TEST(InverseSquareRootBackward, HasTheAuthorsFactorForRoot) {
  constexpr double kEps = 0.01;
  DoubleMatrix gram(2, 2);
  gram(0, 0) = 0.25;
  gram(1, 1) = 4;
  DoubleMatrix d(2, 2);
  d(0, 0) = 3;
  d(0, 1) = d(1, 0) = 5;
  d(1, 1) = 7;
  DoubleMatrix d_gram;
  DoubleMatrix scratch;
  inverse_square_root_backward(inverse_square_root(gram, RootKind::root, kEps), d, d_gram, scratch);
  const double e0 = 0.5 + kEps;
  const double e1 = 2 + kEps;
  EXPECT_NEAR(d_gram(0, 0), -3 / (2 * e0 * e0 * e0), 1e-12);
  EXPECT_NEAR(d_gram(0, 1), -5 / ((e0 + e1) * e0 * e1), 1e-12);
  EXPECT_NEAR(d_gram(1, 1), -7 / (2 * e1 * e1 * e1), 1e-12);
}

}  // namespace
}  // namespace gckn
