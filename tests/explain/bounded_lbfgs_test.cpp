// SPDX-License-Identifier: BSD-3-Clause
#include "explain/bounded_lbfgs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gckn/matrix.h"
#include "util/random.h"

namespace gckn {
namespace {

// 1/2 x'Hx - b'x with H = M M' + I.
struct Quadratic {
  explicit Quadratic(std::size_t n, std::uint64_t seed) : h(n, n), b(n) {
    Random random(seed);
    DoubleMatrix m(n, n);
    for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = random.uniform() - 0.5;
    for (std::size_t i = 0; i < n; ++i) {
      b[i] = 4 * (random.uniform() - 0.4);
      for (std::size_t j = 0; j < n; ++j) {
        h(i, j) = i == j ? 1 : 0;
        for (std::size_t k = 0; k < n; ++k) h(i, j) += m(i, k) * m(j, k);
      }
    }
  }

  double operator()(std::span<const double> x, std::span<double> gradient) const {
    double value = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      gradient[i] = -b[i];
      for (std::size_t j = 0; j < x.size(); ++j) gradient[i] += h(i, j) * x[j];
      value += 0.5 * x[i] * (gradient[i] - b[i]);
    }
    return value;
  }

  // One coordinate after the other, until nothing moves.
  [[nodiscard]] std::vector<double> minimum() const {
    std::vector<double> x(b.size(), 0.5);
    for (int round = 0; round < 10000; ++round) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        double rest = b[i];
        for (std::size_t j = 0; j < x.size(); ++j) rest -= j == i ? 0 : h(i, j) * x[j];
        x[i] = std::clamp(rest / h(i, i), 0.0, 1.0);
      }
    }
    return x;
  }

  DoubleMatrix h;
  std::vector<double> b;
};

TEST(BoundedLbfgs, FindsTheMinimumOfQuadraticsInTheBox) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Quadratic quadratic(1 + seed * 2, seed);
    std::vector<double> x(quadratic.b.size(), 1.0);
    const BoundedResult result = minimise_in_box(quadratic, x, {1e-9, 1000});
    EXPECT_TRUE(result.converged);
    const std::vector<double> expected = quadratic.minimum();
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i], 1e-6) << "seed " << seed;
    std::vector<double> unused(x.size());
    EXPECT_DOUBLE_EQ(result.value, quadratic(x, unused));
  }
}

TEST(BoundedLbfgs, ValleysThatAreNotConvex) {
  const auto rosenbrock = [](std::span<const double> x, std::span<double> gradient) {
    const double a = x[1] - x[0] * x[0];
    gradient[0] = -400 * x[0] * a - 2 * (1 - x[0]);
    gradient[1] = 200 * a;
    return 100 * a * a + (1 - x[0]) * (1 - x[0]);
  };
  std::vector<double> x{0.1, 0.9};
  const BoundedResult result = minimise_in_box(rosenbrock, x, {1e-8, 2000});
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(x[0], 1, 1e-5);
  EXPECT_NEAR(x[1], 1, 1e-5);
}

TEST(BoundedLbfgs, StaysInTheBoxAndSaysWhenItGaveUp) {
  const Quadratic quadratic(30, 7);
  double lowest = 1;
  double highest = 0;
  const auto watched = [&](std::span<const double> x, std::span<double> gradient) {
    lowest = std::min(lowest, std::ranges::min(x));
    highest = std::max(highest, std::ranges::max(x));
    return quadratic(x, gradient);
  };
  std::vector<double> x(30, 1.0);
  const BoundedResult result = minimise_in_box(watched, x, {1e-12, 2});
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.steps, 2);
  EXPECT_GE(lowest, 0);
  EXPECT_LE(highest, 1);
}

TEST(BoundedLbfgs, NothingToDo) {
  std::vector<double> none;
  EXPECT_TRUE(minimise_in_box([](auto, auto) { return 3.0; }, none).converged);
  std::vector<double> corner{0, 1};
  const auto linear = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = 1;
    gradient[1] = -1;
    return x[0] - x[1];
  };
  const BoundedResult result = minimise_in_box(linear, corner);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.steps, 0);
}

}  // namespace
}  // namespace gckn
