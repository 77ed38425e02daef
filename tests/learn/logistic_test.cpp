// SPDX-License-Identifier: BSD-3-Clause
// The solver against liblinear, scikit-learn and the conditions of optimality.
#include "learn/logistic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/liblinear.h"
#include "util/random.h"

namespace gckn {
namespace {

struct LogisticData {
  DoubleMatrix rows;
  LogisticProblem problem;
};

// Overlapping clouds, one per class; the last column is the constant 1.
LogisticData random_data(std::size_t n, std::size_t dimension, std::int32_t num_classes, bool weighted,
                         std::uint64_t seed) {
  Random random(seed);
  LogisticData data;
  data.rows = DoubleMatrix(n, dimension);
  data.problem.num_classes = num_classes;
  for (std::size_t i = 0; i < n; ++i) {
    const auto y = std::min(num_classes - 1, static_cast<std::int32_t>(random.uniform() * num_classes));
    data.problem.classes.push_back(y);
    if (weighted) data.problem.weights.push_back(0.5 + random.uniform());
    for (std::size_t k = 0; k < dimension; ++k) {
      const bool own = static_cast<std::int32_t>(k) % num_classes == y;
      data.rows(i, k) = k + 1 == dimension ? 1.0 : 2 * random.uniform() - 1 + (k < 6 && own ? 0.5 : 0.0);
    }
  }
  data.problem.rows = &data.rows;
  return data;
}

std::vector<double> logistic_grid() {
  std::vector<double> values;
  for (double c = 1e-4; c < 2e4; c *= 10) values.push_back(c);
  return values;
}

// The objective as the header defines it, by plain loops in extended precision.
long double objective(const LogisticProblem& problem, const DoubleMatrix& w, double c) {
  const DoubleMatrix& rows = *problem.rows;
  long double sum = 0;
  for (const double value : w.values()) sum += 0.5L * value * value;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    std::vector<long double> f(w.rows(), 0);
    for (std::size_t k = 0; k < w.rows(); ++k) {
      for (std::size_t j = 0; j < w.cols(); ++j) f[k] += static_cast<long double>(w(k, j)) * rows(i, j);
    }
    if (w.rows() == 1) f = {0, f[0]};
    const auto own = static_cast<std::size_t>(problem.classes[i]);
    const long double largest = *std::max_element(f.begin(), f.end());
    long double others = 0;
    for (std::size_t k = 0; k < f.size(); ++k) others += std::exp(f[k] - largest);
    sum += c * (problem.weights.empty() ? 1.0L : problem.weights[i]) * (largest + std::log(others) - f[own]);
  }
  return sum;
}

double liblinear_objective(const LogisticData& data, double c) {
  std::vector<double> labels;
  for (const std::int32_t own : data.problem.classes) labels.push_back(own == 1 ? 1.0 : -1.0);
  const std::vector<double> weights =
      test::liblinear_weights(test::LiblinearLoss::logistic, data.rows, std::move(labels), c);
  DoubleMatrix w(1, weights.size());
  std::copy(weights.begin(), weights.end(), w.data());
  return static_cast<double>(objective(data.problem, w, c));
}

TEST(Logistic, AgreesWithLiblinear) {
  for (const auto& [n, dimension] : {std::pair<std::size_t, std::size_t>{300, 12}, {40, 90}}) {
    const LogisticData data = random_data(n, dimension, 2, false, n);
    const std::vector<double> values{1e-4, 1e-2, 0.1, 1, 10, 100};
    const auto solutions = solve_logistic(data.problem, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_TRUE(solutions[i].converged);
      const double expected = liblinear_objective(data, values[i]);
      EXPECT_NEAR(solutions[i].objective / expected, 1.0, 1e-6) << "C = " << values[i];
      EXPECT_LE(solutions[i].objective, expected * (1 + 1e-9)) << "C = " << values[i];
    }
  }
}

TEST(Logistic, AgreesWithScikitLearn) {
  std::ifstream file(std::filesystem::path(GCKN_TEST_GOLDEN_DIR) / "logistic.json");
  for (const auto& golden : nlohmann::json::parse(file)) {
    LogisticProblem problem;
    DoubleMatrix rows(golden.at("rows").size(), golden.at("rows")[0].size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows.data()[i] = golden.at("rows")[i / rows.cols()][i % rows.cols()];
    }
    problem.rows = &rows;
    problem.classes = golden.at("classes").get<std::vector<std::int32_t>>();
    problem.num_classes = golden.at("num_classes");
    problem.weights = golden.at("sample_weights").get<std::vector<double>>();
    const std::vector<double> values{golden.at("C").get<double>()};
    const LogisticSolution solution = solve_logistic(problem, values)[0];
    EXPECT_TRUE(solution.converged);
    EXPECT_NEAR(solution.objective / golden.at("objective").get<double>(), 1.0, 1e-8);
    ASSERT_EQ(solution.weights.rows(), golden.at("weights").size());
    DoubleMatrix scores(golden.at("probabilities").size(), solution.weights.rows());
    for (std::size_t k = 0; k < solution.weights.rows(); ++k) {
      for (std::size_t j = 0; j < rows.cols(); ++j) {
        EXPECT_NEAR(solution.weights(k, j), golden.at("weights")[k][j].get<double>(), 1e-5);
        for (std::size_t i = 0; i < scores.rows(); ++i) scores(i, k) += solution.weights(k, j) * rows(i, j);
      }
    }
    const DoubleMatrix chances = probabilities(scores, problem.num_classes);
    for (std::size_t i = 0; i < chances.rows(); ++i) {
      for (std::size_t k = 0; k < chances.cols(); ++k) {
        EXPECT_NEAR(chances(i, k), golden.at("probabilities")[i][k].get<double>(), 1e-6);
      }
    }
  }
}

// The gradient W + C sum_i v_i (p_i - e_i) z_i', from `probabilities` and the solution's weights alone.
DoubleMatrix gradient(const LogisticProblem& problem, const DoubleMatrix& w, double c) {
  const DoubleMatrix& rows = *problem.rows;
  DoubleMatrix scores(rows.rows(), w.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t k = 0; k < w.rows(); ++k) {
      for (std::size_t j = 0; j < w.cols(); ++j) scores(i, k) += w(k, j) * rows(i, j);
    }
  }
  const DoubleMatrix p = probabilities(scores, problem.num_classes);
  DoubleMatrix result = w;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t k = 0; k < w.rows(); ++k) {
      const auto output_class = static_cast<std::int32_t>(w.rows() == 1 ? 1 : k);
      const double r = p(i, static_cast<std::size_t>(output_class)) - (problem.classes[i] == output_class ? 1.0 : 0.0);
      const double v = problem.weights.empty() ? 1.0 : problem.weights[i];
      for (std::size_t j = 0; j < w.cols(); ++j) result(k, j) += c * v * r * rows(i, j);
    }
  }
  return result;
}

double norm(const DoubleMatrix& m) {
  double sum = 0;
  for (const double value : m.values()) sum += value * value;
  return std::sqrt(sum);
}

TEST(Logistic, GradientVanishesAlongTheWholeGrid) {
  for (const std::int32_t num_classes : {2, 3, 5}) {
    for (const auto& [n, dimension] : {std::pair<std::size_t, std::size_t>{500, 30}, {60, 100}, {100, 100}}) {
      for (const bool weighted : {false, true}) {
        const LogisticData data = random_data(n, dimension, num_classes, weighted, n + dimension);
        const std::vector<double> values = logistic_grid();
        const auto solutions = solve_logistic(data.problem, values);
        for (std::size_t s = 0; s < values.size(); ++s) {
          const LogisticSolution& solution = solutions[s];
          EXPECT_TRUE(solution.converged) << n << " x " << dimension << ", C " << values[s];
          EXPECT_NEAR(solution.objective / static_cast<double>(objective(data.problem, solution.weights, values[s])),
                      1.0, 1e-11);
          const double size = norm(gradient(data.problem, solution.weights, values[s]));
          const DoubleMatrix zero(solution.weights.rows(), dimension);
          EXPECT_LT(size, 1.1e-6 * norm(gradient(data.problem, zero, values[s])));
          // The objective is 1-strongly convex, so it is at most |gradient|^2 / 2 above its minimum.
          if (values[s] <= 1) {
            EXPECT_LT(0.5 * size * size, 1e-8 * solution.objective);
          }
        }
      }
    }
  }
}

// The gradient the other tests rely on is that of the objective, and small differences see none at the solution.
TEST(Logistic, GradientIsThatOfTheObjective) {
  for (const std::int32_t num_classes : {2, 4}) {
    const LogisticData data = random_data(50, 8, num_classes, true, 3);
    const std::vector<double> values{2.0};
    const DoubleMatrix solution = solve_logistic(data.problem, values)[0].weights;
    for (const double factor : {0.5, 1.0}) {
      DoubleMatrix w = solution;
      for (std::size_t i = 0; i < w.size(); ++i) w.data()[i] *= factor;
      const DoubleMatrix expected = gradient(data.problem, w, 2.0);
      for (std::size_t i = 0; i < w.size(); ++i) {
        const double h = 1e-5;
        const double centre = w.data()[i];
        w.data()[i] = centre + h;
        const long double above = objective(data.problem, w, 2.0);
        w.data()[i] = centre - h;
        const long double below = objective(data.problem, w, 2.0);
        w.data()[i] = centre;
        const auto difference = static_cast<double>((above - below) / (2 * h));
        EXPECT_NEAR(difference, expected.data()[i], 1e-7);
        if (factor == 1.0) {
          EXPECT_NEAR(difference, 0.0, 1e-3);
        }
      }
    }
  }
}

TEST(Logistic, WarmStartsChangeNothing) {
  for (const std::int32_t num_classes : {2, 3}) {
    for (const std::size_t dimension : {20U, 250U}) {
      const LogisticData data = random_data(200, dimension, num_classes, false, 5);
      const std::vector<double> values = logistic_grid();
      const auto along = solve_logistic(data.problem, values);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto alone = solve_logistic(data.problem, {&values[i], 1});
        EXPECT_TRUE(alone[0].converged);
        EXPECT_NEAR(alone[0].objective / along[i].objective, 1.0, 1e-8) << "C = " << values[i];
      }
    }
  }
}

TEST(Logistic, RepeatedRowsAndAbsentClassesAreFine) {
  for (const std::int32_t num_classes : {2, 3}) {
    LogisticData data;
    data.rows = DoubleMatrix(10, 3);
    for (std::size_t i = 0; i < 10; ++i) {
      data.rows(i, 0) = 2;
      data.rows(i, 2) = 1;
      data.problem.classes.push_back(1);
    }
    data.problem.rows = &data.rows;
    data.problem.num_classes = num_classes;
    for (const auto& solution : solve_logistic(data.problem, logistic_grid())) {
      EXPECT_TRUE(solution.converged);
      for (const double w : solution.weights.values()) EXPECT_TRUE(std::isfinite(w));
    }
  }
}

TEST(Logistic, ProbabilitiesAreStable) {
  DoubleMatrix one(3, 1);
  one(0, 0) = 1e4;
  one(1, 0) = -1e4;
  const DoubleMatrix two_classes = probabilities(one, 2);
  EXPECT_EQ(two_classes(0, 1), 1.0);
  EXPECT_EQ(two_classes(0, 0), 0.0);
  EXPECT_EQ(two_classes(1, 0), 1.0);
  EXPECT_EQ(two_classes(2, 0), 0.5);
  DoubleMatrix several(2, 3);
  several(0, 0) = 1e300;
  several(0, 1) = -1e300;
  several(1, 0) = several(1, 1) = several(1, 2) = -1e4;
  const DoubleMatrix three_classes = probabilities(several, 3);
  EXPECT_EQ(three_classes(0, 0), 1.0);
  EXPECT_EQ(three_classes(0, 2), 0.0);
  EXPECT_NEAR(three_classes(1, 1), 1.0 / 3, 1e-15);
}

}  // namespace
}  // namespace gckn
