// SPDX-License-Identifier: BSD-3-Clause
// The solver against liblinear and against the conditions of optimality.
#include "learn/squared_hinge.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/liblinear.h"
#include "util/random.h"

namespace gckn {
namespace {

struct HingeData {
  DoubleMatrix rows;
  SquaredHingeProblem problem;
};

// Two overlapping clouds; the last column is the constant 1.
HingeData random_data(std::size_t n, std::size_t dimension, bool weighted, std::uint64_t seed) {
  Random random(seed);
  HingeData data;
  data.rows = DoubleMatrix(n, dimension);
  for (std::size_t i = 0; i < n; ++i) {
    const double y = random.uniform() < 0.4 ? 1.0 : -1.0;
    data.problem.labels.push_back(y);
    if (weighted) data.problem.weights.push_back(0.5 + random.uniform());
    for (std::size_t k = 0; k < dimension; ++k) {
      data.rows(i, k) = k + 1 == dimension ? 1.0 : 2 * random.uniform() - 1 + (k < 3 ? 0.4 * y : 0.0);
    }
  }
  data.problem.rows = &data.rows;
  return data;
}

std::vector<double> hinge_grid() {
  std::vector<double> values;
  for (double c = 1e-4; c < 2e4; c *= 10) values.push_back(c);
  return values;
}

double liblinear_objective(const HingeData& data, double c) {
  const std::vector<double> w =
      test::liblinear_weights(test::LiblinearLoss::squared_hinge, data.rows, data.problem.labels, c);
  double objective = 0;
  for (const double value : w) objective += 0.5 * value * value;
  for (std::size_t i = 0; i < data.rows.rows(); ++i) {
    double f = 0;
    for (std::size_t k = 0; k < w.size(); ++k) f += w[k] * data.rows(i, k);
    const double slack = std::max(0.0, 1 - data.problem.labels[i] * f);
    objective += c * slack * slack;
  }
  return objective;
}

TEST(SquaredHinge, AgreesWithLiblinear) {
  for (const auto& [n, dimension] : {std::pair<std::size_t, std::size_t>{300, 12}, {40, 90}}) {
    const HingeData data = random_data(n, dimension, false, n);
    const std::vector<double> values{1e-4, 1e-2, 0.1, 1, 10};
    const auto solutions = solve_squared_hinge(data.problem, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_TRUE(solutions[i].converged);
      const double expected = liblinear_objective(data, values[i]);
      EXPECT_NEAR(solutions[i].objective / expected, 1.0, 1e-6) << "C = " << values[i];
    }
  }
}

// The objective is convex and smooth: its gradient w - 2 C sum_i v_i y_i slack_i z_i must vanish.
TEST(SquaredHinge, GradientVanishesAlongTheWholeGrid) {
  for (const bool weighted : {false, true}) {
    for (const auto& [n, dimension] : {std::pair<std::size_t, std::size_t>{500, 30}, {60, 100}, {100, 100}}) {
      const HingeData data = random_data(n, dimension, weighted, n + dimension);
      const std::vector<double> values = hinge_grid();
      const auto solutions = solve_squared_hinge(data.problem, values);
      for (std::size_t s = 0; s < values.size(); ++s) {
        std::vector<double> gradient = solutions[s].w;
        double scale = 1;
        for (std::size_t i = 0; i < n; ++i) {
          double f = 0;
          for (std::size_t k = 0; k < dimension; ++k) f += solutions[s].w[k] * data.rows(i, k);
          const double slack = std::max(0.0, 1 - data.problem.labels[i] * f);
          const double pull =
              2 * values[s] * (weighted ? data.problem.weights[i] : 1.0) * data.problem.labels[i] * slack;
          for (std::size_t k = 0; k < dimension; ++k) gradient[k] -= pull * data.rows(i, k);
          scale = std::max(scale, std::abs(pull));
        }
        for (const double g : gradient)
          EXPECT_LT(std::abs(g), 1e-4 * scale) << n << " x " << dimension << ", C " << values[s];
      }
    }
  }
}

TEST(SquaredHinge, WarmStartsChangeNothing) {
  const HingeData data = random_data(200, 20, false, 5);
  const std::vector<double> values = hinge_grid();
  const auto along = solve_squared_hinge(data.problem, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto alone = solve_squared_hinge(data.problem, {&values[i], 1});
    EXPECT_NEAR(alone[0].objective / along[i].objective, 1.0, 1e-8) << "C = " << values[i];
  }
}

// Equal columns and a C at which their matrix cannot be factored in double: that must not pass for a solution.
TEST(SquaredHinge, SaysWhereItCannotSolve) {
  HingeData data = random_data(300, 8, false, 3);
  for (std::size_t i = 0; i < 300; ++i) {
    for (std::size_t k = 4; k < 7; ++k) data.rows(i, k) = data.rows(i, k - 4);
  }
  const std::vector<double> values{1, 1e18};
  const auto solutions = solve_squared_hinge(data.problem, values);
  EXPECT_TRUE(solutions[0].converged);
  EXPECT_FALSE(solutions[1].converged);
  for (const double w : solutions[1].w) EXPECT_TRUE(std::isfinite(w));
}

TEST(SquaredHinge, RepeatedRowsAndOneSidedLabelsAreFine) {
  HingeData data;
  data.rows = DoubleMatrix(10, 3);
  for (std::size_t i = 0; i < 10; ++i) {
    data.rows(i, 0) = 2;
    data.rows(i, 2) = 1;
    data.problem.labels.push_back(1.0);
  }
  data.problem.rows = &data.rows;
  for (const auto& solution : solve_squared_hinge(data.problem, hinge_grid())) {
    for (const double w : solution.w) EXPECT_TRUE(std::isfinite(w));
  }
}

}  // namespace
}  // namespace gckn
