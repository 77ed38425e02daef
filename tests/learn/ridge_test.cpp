// SPDX-License-Identifier: BSD-3-Clause
// Ridge regression against the normal equations and scikit-learn.
#include "learn/ridge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "linalg/cholesky.h"
#include "util/random.h"

namespace gckn {
namespace {

const std::vector<double> kGrid{1e-4, 1e-2, 1, 100, 1e4};

struct RidgeData {
  DoubleMatrix rows;
  DoubleMatrix targets;
  RidgeProblem problem;
};

// Rows and targets far from centred; the last column is the constant 1.
RidgeData random_data(std::size_t n, std::size_t dimension, std::size_t num_targets, bool weighted) {
  Random random(n + dimension);
  RidgeData data;
  data.rows = DoubleMatrix(n, dimension);
  data.targets = DoubleMatrix(n, num_targets);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < dimension; ++k) data.rows(i, k) = k + 1 == dimension ? 1.0 : 3 * random.uniform();
    for (std::size_t t = 0; t < num_targets; ++t) {
      data.targets(i, t) = 5 + data.rows(i, t % dimension) + random.uniform();
    }
    if (weighted) data.problem.weights.push_back(0.5 + random.uniform());
  }
  data.problem.rows = &data.rows;
  data.problem.targets = &data.targets;
  return data;
}

// (Z' V Z + diag(1, ..., 1, 0) / (2 C)) w = Z' V y, solved as it stands.
std::vector<double> normal_equations(const RidgeData& data, std::size_t target, double c) {
  const std::size_t dimension = data.rows.cols();
  DoubleMatrix m(dimension, dimension);
  std::vector<double> w(dimension, 0.0);
  for (std::size_t i = 0; i < data.rows.rows(); ++i) {
    const double v = data.problem.weights.empty() ? 1.0 : data.problem.weights[i];
    for (std::size_t j = 0; j < dimension; ++j) {
      for (std::size_t k = 0; k < dimension; ++k) m(j, k) += v * data.rows(i, j) * data.rows(i, k);
      w[j] += v * data.rows(i, j) * data.targets(i, target);
    }
  }
  for (std::size_t k = 0; k + 1 < dimension; ++k) m(k, k) += 0.5 / c;
  solve_positive_definite(m, w);
  return w;
}

TEST(Ridge, SolvesTheNormalEquations) {
  for (const bool weighted : {false, true}) {
    for (const auto& [n, dimension] : {std::pair<std::size_t, std::size_t>{200, 12}, {30, 80}, {40, 41}, {40, 40}}) {
      const RidgeData data = random_data(n, dimension, 3, weighted);
      const auto solutions = solve_ridge(data.problem, kGrid);
      ASSERT_EQ(solutions.size(), kGrid.size());
      for (std::size_t g = 0; g < kGrid.size(); ++g) {
        ASSERT_EQ(solutions[g].weights.rows(), 3U);
        for (std::size_t t = 0; t < 3; ++t) {
          const std::vector<double> expected = normal_equations(data, t, kGrid[g]);
          for (std::size_t k = 0; k < dimension; ++k) {
            EXPECT_NEAR(solutions[g].weights(t, k), expected[k], 1e-6) << n << " x " << dimension << ", C " << kGrid[g];
          }
        }
      }
    }
  }
}

TEST(Ridge, AgreesWithScikitLearn) {
  std::ifstream file(std::filesystem::path(GCKN_TEST_GOLDEN_DIR) / "ridge.json");
  for (const auto& golden : nlohmann::json::parse(file)) {
    const auto matrix_of = [](const nlohmann::json& nested) {
      DoubleMatrix m(nested.size(), nested[0].size());
      for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = nested[i / m.cols()][i % m.cols()];
      return m;
    };
    const DoubleMatrix rows = matrix_of(golden.at("rows"));
    const DoubleMatrix targets = matrix_of(golden.at("targets"));
    const RidgeProblem problem{&rows, &targets, golden.at("sample_weights").get<std::vector<double>>()};
    const auto grid = golden.at("grid").get<std::vector<double>>();
    const auto solutions = solve_ridge(problem, grid);
    for (std::size_t g = 0; g < grid.size(); ++g) {
      const DoubleMatrix expected = matrix_of(golden.at("weights")[g]);
      ASSERT_EQ(solutions[g].weights.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(solutions[g].weights.data()[i], expected.data()[i], 1e-8) << "C = " << grid[g];
      }
    }
  }
}

TEST(Ridge, ConstantTargetsAndFeaturesGiveTheMean) {
  DoubleMatrix rows(6, 3);
  DoubleMatrix targets(6, 1);
  for (std::size_t i = 0; i < 6; ++i) {
    rows(i, 0) = 4;
    rows(i, 2) = 1;
    targets(i, 0) = i < 3 ? 1.0 : 2.0;
  }
  for (const auto& solution : solve_ridge({&rows, &targets, {}}, kGrid)) {
    EXPECT_EQ(solution.weights(0, 0), 0.0);
    EXPECT_EQ(solution.weights(0, 1), 0.0);
    EXPECT_NEAR(solution.weights(0, 2), 1.5, 1e-15);
  }
  DoubleMatrix ones(6, 1);
  for (std::size_t i = 0; i < 6; ++i) ones(i, 0) = 1;
  EXPECT_NEAR(solve_ridge({&ones, &targets, {}}, kGrid)[0].weights(0, 0), 1.5, 1e-15);
}

}  // namespace
}  // namespace gckn
