// SPDX-License-Identifier: BSD-3-Clause
// The solver against liblinear, the dense solvers and the conditions of optimality.
#include "learn/sparse_linear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gckn/error.h"
#include "learn/ridge.h"
#include "support/liblinear.h"
#include "util/random.h"

namespace gckn {
namespace {

const std::vector<double> kSparseGrid{1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1e3, 1e4};
constexpr SparseLoss kSparseLosses[] = {SparseLoss::squared_hinge, SparseLoss::logistic, SparseLoss::squared_error};

struct Shape {
  std::size_t rows;
  std::size_t columns;
};
// More rows than columns, and the other way round.
constexpr Shape kShapes[] = {{300, 40}, {80, 300}, {400, 1500}};

enum class Values { equal, any };  // within a row

struct SparseData {
  SparseRows<double> rows;
  std::vector<std::uint32_t> train;
  SparseProblem problem;
};

// A few columns are in most rows, many in one or two, and every fifth is like the one before it. Row 5 is empty, and
// each has a stored zero. Every fourth row is not learnt from.
SparseData random_data(SparseLoss loss, Shape shape, Values values, bool weighted = false) {
  Random random(shape.rows + shape.columns);
  SparseData data;
  data.rows.columns = shape.columns;
  std::vector<std::pair<std::uint32_t, double>> entries;
  for (std::uint32_t i = 0; i < shape.rows; ++i) {
    std::vector<std::uint32_t> columns;
    for (int e = 0; e < 12 && i != 5; ++e) {
      const double place = std::pow(random.uniform(), 3.0) * static_cast<double>(shape.columns);
      const auto column = static_cast<std::uint32_t>(place);
      columns.push_back(column);
      if (column % 5 == 3) columns.push_back(column + 1);
      if (column % 5 == 4) columns.push_back(column - 1);
    }
    std::ranges::sort(columns);
    columns.erase(std::ranges::unique(columns).begin(), columns.end());
    double score = 2 * random.uniform() - 1.2;
    double last = 0;
    for (const std::uint32_t column : columns) {
      last = values == Values::equal ? 1.0 / std::sqrt(static_cast<double>(columns.size()))
             : column % 5 == 4       ? last
                                     : 2 * random.uniform() - 0.5;
      entries.emplace_back(column, last);
      score += (column % 3 == 0 ? 1.0 : -0.4) * last;
    }
    if (!columns.empty() && columns.back() + 1 < shape.columns) entries.emplace_back(columns.back() + 1, 0.0);
    data.rows.add_row(entries);
    if (i % 4 == 3) continue;
    data.train.push_back(i);
    data.problem.targets.push_back(loss == SparseLoss::squared_error ? 20 + score : score > 0 ? 1.0 : -1.0);
    if (weighted) data.problem.weights.push_back(0.5 + random.uniform());
  }
  data.problem.loss = loss;
  return data;
}

// `data` must outlive what is returned.
const SparseProblem& problem_of(SparseData& data) {
  data.problem.rows = &data.rows;
  data.problem.train = data.train;
  return data.problem;
}

std::vector<SparseSolution> solve(const SparseProblem& problem, std::span<const double> grid) {
  std::vector<SparseSolution> solutions;
  solve_sparse(problem, grid, {}, [&](std::size_t c, const SparseSolution& solution) {
    EXPECT_EQ(c, solutions.size());
    solutions.push_back(solution);
    return true;
  });
  EXPECT_EQ(solutions.size(), grid.size());
  return solutions;
}

// Of all rows.
std::vector<double> scores(const SparseRows<double>& rows, const std::vector<double>& w, double bias) {
  std::vector<double> f(rows.rows(), bias);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const auto row = rows.row(i);
    for (std::size_t e = 0; e < row.size(); ++e) f[i] += row.weight[e] * w[row.index[e]];
  }
  return f;
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  double scale = 1;
  for (const double value : expected) scale = std::max(scale, std::abs(value));
  for (std::size_t i = 0; i < actual.size(); ++i) ASSERT_NEAR(actual[i], expected[i], tolerance * scale) << i;
}

// The training rows with the column of ones as the last.
DoubleMatrix dense(const SparseProblem& problem) {
  DoubleMatrix m(problem.train.size(), problem.rows->columns + 1);
  for (std::size_t i = 0; i < m.rows(); ++i) {
    const auto row = problem.rows->row(problem.train[i]);
    for (std::size_t e = 0; e < row.size(); ++e) m(i, row.index[e]) = row.weight[e];
    m(i, m.cols() - 1) = 1;
  }
  return m;
}

struct Optimality {
  long double objective = 0;
  long double gradient = 0;  // its norm
};

// As the header defines it, by plain loops in extended precision.
Optimality optimality(const SparseProblem& problem, const std::vector<double>& w, double bias, double c) {
  const long double penalty = problem.loss == SparseLoss::squared_error ? 0 : 1;
  std::vector<long double> gradient(w.begin(), w.end());
  gradient.push_back(penalty * bias);
  Optimality result;
  for (const double value : w) result.objective += 0.5L * value * value;
  result.objective += 0.5L * penalty * bias * bias;
  for (std::size_t i = 0; i < problem.train.size(); ++i) {
    const auto row = problem.rows->row(problem.train[i]);
    long double f = bias;
    for (std::size_t e = 0; e < row.size(); ++e) f += static_cast<long double>(row.weight[e]) * w[row.index[e]];
    const long double y = problem.targets[i];
    const long double v = c * (problem.weights.empty() ? 1.0L : problem.weights[i]);
    long double slope = 0;
    if (problem.loss == SparseLoss::squared_error) {
      result.objective += v * (y - f) * (y - f);
      slope = 2 * v * (f - y);
    } else if (problem.loss == SparseLoss::squared_hinge) {
      const long double slack = std::max(0.0L, 1 - y * f);
      result.objective += v * slack * slack;
      slope = -2 * v * y * slack;
    } else {
      result.objective += v * std::log1p(std::exp(-y * f));
      slope = -v * y / (1 + std::exp(y * f));
    }
    for (std::size_t e = 0; e < row.size(); ++e) gradient[row.index[e]] += slope * row.weight[e];
    gradient.back() += slope;
  }
  for (const long double g : gradient) result.gradient += g * g;
  result.gradient = std::sqrt(result.gradient);
  return result;
}

double mean_target(const SparseProblem& problem) {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < problem.targets.size(); ++i) {
    const double v = problem.weights.empty() ? 1.0 : problem.weights[i];
    sum += v * problem.targets[i];
    total += v;
  }
  return sum / total;
}

TEST(SparseLinear, AgreesWithLiblinear) {
  const std::vector<double> values{1e-4, 1e-2, 0.1, 1, 10};  // liblinear stops early where C is larger
  for (const SparseLoss loss : {SparseLoss::squared_hinge, SparseLoss::logistic}) {
    for (const Shape shape : kShapes) {
      SparseData data = random_data(loss, shape, Values::any);
      const SparseProblem& problem = problem_of(data);
      const DoubleMatrix rows = dense(problem);
      const auto solutions = solve(problem, values);
      for (std::size_t c = 0; c < values.size(); ++c) {
        SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.columns << ", C " << values[c]);
        EXPECT_TRUE(solutions[c].converged);
        std::vector<double> w = test::liblinear_weights(
            loss == SparseLoss::logistic ? test::LiblinearLoss::logistic : test::LiblinearLoss::squared_hinge, rows,
            problem.targets, values[c]);
        const double bias = w.back();
        w.pop_back();
        const auto expected = static_cast<double>(optimality(problem, w, bias, values[c]).objective);
        EXPECT_NEAR(solutions[c].objective / expected, 1.0, 1e-8);
        EXPECT_LE(solutions[c].objective, expected * (1 + 1e-12));
        expect_near(scores(data.rows, solutions[c].w, solutions[c].bias), scores(data.rows, w, bias), 1e-6);
      }
    }
  }
}

TEST(SparseLinear, AgreesWithRidge) {
  for (const Shape shape : kShapes) {
    for (const Values values : {Values::equal, Values::any}) {
      for (const bool weighted : {false, true}) {
        SparseData data = random_data(SparseLoss::squared_error, shape, values, weighted);
        const SparseProblem& problem = problem_of(data);
        const DoubleMatrix rows = dense(problem);
        DoubleMatrix targets(rows.rows(), 1);
        std::ranges::copy(problem.targets, targets.data());
        const auto expected = solve_ridge({&rows, &targets, problem.weights}, kSparseGrid);
        const auto solutions = solve(problem, kSparseGrid);
        for (std::size_t c = 0; c < kSparseGrid.size(); ++c) {
          SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.columns << ", C " << kSparseGrid[c]);
          EXPECT_TRUE(solutions[c].converged);
          std::vector<double> w(expected[c].weights.row(0), expected[c].weights.row(0) + shape.columns);
          const double bias = expected[c].weights(0, shape.columns);
          expect_near(solutions[c].w, w, 1e-6);
          expect_near(scores(data.rows, solutions[c].w, solutions[c].bias), scores(data.rows, w, bias), 1e-7);
        }
      }
    }
  }
}

TEST(SparseLinear, GradientVanishesAlongTheWholeGrid) {
  for (const SparseLoss loss : kSparseLosses) {
    for (const Shape shape : kShapes) {
      for (const Values values : {Values::equal, Values::any}) {
        SparseData data = random_data(loss, shape, values, true);
        const SparseProblem& problem = problem_of(data);
        const auto solutions = solve(problem, kSparseGrid);
        const std::vector<double> zero(shape.columns, 0.0);
        const double start_bias = loss == SparseLoss::squared_error ? mean_target(problem) : 0.0;
        for (std::size_t c = 0; c < kSparseGrid.size(); ++c) {
          SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.columns << ", C " << kSparseGrid[c]);
          EXPECT_TRUE(solutions[c].converged);
          const Optimality at = optimality(problem, solutions[c].w, solutions[c].bias, kSparseGrid[c]);
          const Optimality start = optimality(problem, zero, start_bias, kSparseGrid[c]);
          EXPECT_LT(static_cast<double>(at.gradient), 1.01e-7 * static_cast<double>(start.gradient));
          EXPECT_NEAR(solutions[c].objective / static_cast<double>(at.objective), 1.0, 1e-11);
        }
      }
    }
  }
}

TEST(SparseLinear, WarmStartsChangeNothing) {
  for (const SparseLoss loss : kSparseLosses) {
    for (const Shape shape : kShapes) {
      SparseData data = random_data(loss, shape, Values::equal);
      const SparseProblem& problem = problem_of(data);
      const auto along = solve(problem, kSparseGrid);
      for (std::size_t c = 0; c < kSparseGrid.size(); ++c) {
        SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.columns << ", C " << kSparseGrid[c]);
        const SparseSolution alone = solve(problem, {&kSparseGrid[c], 1})[0];
        EXPECT_TRUE(alone.converged);
        EXPECT_NEAR(alone.objective / along[c].objective, 1.0, 1e-10);
        expect_near(scores(data.rows, along[c].w, along[c].bias), scores(data.rows, alone.w, alone.bias), 1e-6);
      }
    }
  }
}

TEST(SparseLinear, RoughSolutionsAreNearWithLessWork) {
  for (const SparseLoss loss : kSparseLosses) {
    for (const Shape shape : kShapes) {
      SparseData data = random_data(loss, shape, Values::equal, true);
      const auto exact = solve(problem_of(data), kSparseGrid);
      data.problem.rough = true;
      const auto rough = solve(problem_of(data), kSparseGrid);
      int of_exact = 0;
      int of_rough = 0;
      for (std::size_t c = 0; c < kSparseGrid.size(); ++c) {
        SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.columns << ", C " << kSparseGrid[c]);
        EXPECT_TRUE(rough[c].converged);
        EXPECT_GE(rough[c].objective, exact[c].objective * (1 - 1e-9));
        EXPECT_NEAR(rough[c].objective / exact[c].objective, 1.0, 1e-3);
        expect_near(scores(data.rows, rough[c].w, rough[c].bias), scores(data.rows, exact[c].w, exact[c].bias), 0.05);
        of_exact += exact[c].products;
        of_rough += rough[c].products;
      }
      EXPECT_LT(of_rough, of_exact);
    }
  }
}

// More rows than columns, and more of these than the block of the preconditioner has at first, in step with each other.
TEST(SparseLinear, ManyRowsOfFrequentColumnsTakeFewProducts) {
  for (const SparseLoss loss : kSparseLosses) {
    SparseData data = random_data(loss, {6000, 900}, Values::equal);
    const SparseProblem& problem = problem_of(data);
    const auto solutions = solve(problem, kSparseGrid);
    const std::vector<double> zero(900, 0.0);
    const double start_bias = loss == SparseLoss::squared_error ? mean_target(problem) : 0.0;
    for (std::size_t c = 0; c < kSparseGrid.size(); ++c) {
      SCOPED_TRACE(testing::Message() << "C " << kSparseGrid[c]);
      EXPECT_TRUE(solutions[c].converged);
      EXPECT_LT(solutions[c].products, 600);
      const Optimality at = optimality(problem, solutions[c].w, solutions[c].bias, kSparseGrid[c]);
      const Optimality start = optimality(problem, zero, start_bias, kSparseGrid[c]);
      EXPECT_LT(static_cast<double>(at.gradient), 1.01e-7 * static_cast<double>(start.gradient));
    }
  }
}

TEST(SparseLinear, EndsWhenItIsTold) {
  SparseData data = random_data(SparseLoss::squared_hinge, kShapes[0], Values::equal);
  std::size_t calls = 0;
  solve_sparse(problem_of(data), kSparseGrid, {}, [&](std::size_t, const SparseSolution&) { return ++calls < 3; });
  EXPECT_EQ(calls, 3U);
}

// Repeating a row also takes away the columns that were its own.
TEST(SparseLinear, WeightsAreRepetitions) {
  for (const SparseLoss loss : kSparseLosses) {
    SparseData weighted = random_data(loss, kShapes[1], Values::any);
    SparseData repeated = weighted;
    repeated.train.clear();
    repeated.problem.targets.clear();
    for (std::size_t i = 0; i < weighted.train.size(); ++i) {
      const std::size_t times = 1 + i % 3;
      weighted.problem.weights.push_back(static_cast<double>(times));
      repeated.train.insert(repeated.train.end(), times, weighted.train[i]);
      repeated.problem.targets.insert(repeated.problem.targets.end(), times, weighted.problem.targets[i]);
    }
    const auto once = solve(problem_of(weighted), kSparseGrid);
    const auto often = solve(problem_of(repeated), kSparseGrid);
    for (std::size_t c = 0; c < kSparseGrid.size(); ++c) {
      SCOPED_TRACE(testing::Message() << "C " << kSparseGrid[c]);
      EXPECT_NEAR(once[c].objective / often[c].objective, 1.0, 1e-10);
      expect_near(often[c].w, once[c].w, 1e-6);
      EXPECT_NEAR(often[c].bias, once[c].bias, 1e-6 * (1 + std::abs(once[c].bias)));
    }
  }
}

TEST(SparseLinear, ColumnsOutsideTheTrainingRowsGetNothing) {
  for (const SparseLoss loss : kSparseLosses) {
    SparseData data = random_data(loss, kShapes[1], Values::equal);
    std::vector<char> used(data.rows.columns, 0);
    for (const std::uint32_t i : data.train) {
      const auto row = data.rows.row(i);
      for (std::size_t e = 0; e < row.size(); ++e) {
        if (row.weight[e] != 0) used[row.index[e]] = 1;
      }
    }
    ASSERT_TRUE(std::ranges::count(used, 0) > 0);
    for (const SparseSolution& solution : solve(problem_of(data), kSparseGrid)) {
      ASSERT_EQ(solution.w.size(), used.size());
      for (std::size_t k = 0; k < used.size(); ++k) {
        if (used[k] == 0) {
          EXPECT_EQ(solution.w[k], 0.0);
        }
      }
    }
  }
}

// Of one class, or of one value that has no short binary fraction.
TEST(SparseLinear, EqualTargetsAreFine) {
  for (const SparseLoss loss : kSparseLosses) {
    for (const Shape shape : kShapes) {
      for (const double target : {-1.0, loss == SparseLoss::squared_error ? 0.1 : 1.0}) {
        SparseData data = random_data(loss, shape, Values::equal);
        std::ranges::fill(data.problem.targets, target);
        for (const SparseSolution& solution : solve(problem_of(data), kSparseGrid)) {
          EXPECT_TRUE(solution.converged);
          for (const double w : solution.w) ASSERT_TRUE(std::isfinite(w));
          if (loss != SparseLoss::squared_error) {
            EXPECT_GT(solution.bias * target, 0.0);
            continue;
          }
          EXPECT_NEAR(solution.bias, target, 1e-15);
          for (const double w : solution.w) EXPECT_NEAR(w, 0.0, 1e-14);
        }
      }
    }
  }
}

// Then nothing can be learnt of numbers but their mean, and all that is left of the gradient is rounding.
TEST(SparseLinear, EqualRowsHaveTheMean) {
  SparseRows<double> rows;
  rows.columns = 7;
  std::vector<std::uint32_t> train;
  std::vector<double> targets;
  double sum = 0;
  for (std::uint32_t i = 0; i < 37; ++i) {
    std::vector<std::pair<std::uint32_t, double>> row;
    for (std::uint32_t k = 0; k < rows.columns; ++k) row.emplace_back(k, 1 / std::sqrt(7.0));
    rows.add_row(row);
    train.push_back(i);
    targets.push_back(std::sin(3.7 * i));
    sum += targets.back();
  }
  for (const SparseSolution& solution : solve({&rows, train, targets, {}, SparseLoss::squared_error}, kSparseGrid)) {
    EXPECT_TRUE(solution.converged);
    EXPECT_NEAR(solution.bias, sum / 37, 1e-13);
    for (const double w : solution.w) EXPECT_NEAR(w, 0.0, 1e-12);
  }
}

TEST(SparseLinear, RowsWithoutColumnsHaveTheBias) {
  SparseRows<double> rows;
  rows.columns = 3;
  std::vector<std::pair<std::uint32_t, double>> none;
  for (int i = 0; i < 4; ++i) rows.add_row(none);
  const std::vector<std::uint32_t> train{0, 1, 3};
  for (const SparseLoss loss : kSparseLosses) {
    const auto solutions = solve({&rows, train, {1, 1, -1}, {}, loss}, kSparseGrid);
    for (std::size_t c = 0; c < kSparseGrid.size(); ++c) {
      EXPECT_TRUE(solutions[c].converged);
      EXPECT_EQ(solutions[c].w, std::vector<double>(3, 0.0));
      if (loss == SparseLoss::squared_error) {
        EXPECT_NEAR(solutions[c].bias, 1.0 / 3, 1e-15);
      }
      if (loss == SparseLoss::squared_hinge) {  // b + 2 C (3 b - 1) = 0
        EXPECT_NEAR(solutions[c].bias, 2 * kSparseGrid[c] / (1 + 6 * kSparseGrid[c]), 1e-8 * solutions[c].bias);
      }
    }
  }
}

TEST(SparseLinear, SameBitsEveryTime) {
  for (const SparseLoss loss : kSparseLosses) {
    SparseData data = random_data(loss, kShapes[2], Values::any);
    const auto first = solve(problem_of(data), kSparseGrid);
    const auto second = solve(problem_of(data), kSparseGrid);
    for (std::size_t c = 0; c < kSparseGrid.size(); ++c) {
      EXPECT_EQ(first[c].w, second[c].w);
      EXPECT_EQ(first[c].bias, second[c].bias);
      EXPECT_EQ(first[c].objective, second[c].objective);
    }
  }
}

// Where there are as many columns as it takes, a C without bound fits every target.
TEST(SparseLinear, AnyCEnds) {
  const std::vector<double> values{1, 1e6, 1e12, 1e18};
  for (const SparseLoss loss : kSparseLosses) {
    for (const Shape shape : kShapes) {
      SparseData data = random_data(loss, shape, Values::any);
      const SparseProblem& problem = problem_of(data);
      const auto solutions = solve(problem, values);
      EXPECT_TRUE(solutions[0].converged);
      EXPECT_TRUE(solutions[1].converged);
      for (const SparseSolution& solution : solutions) {
        for (const double w : solution.w) ASSERT_TRUE(std::isfinite(w));
      }
      if (shape.columns != 1500) continue;
      const std::vector<double> f = scores(data.rows, solutions[1].w, solutions[1].bias);
      for (std::size_t i = 0; i < data.train.size(); ++i) {
        const double y = problem.targets[i];
        if (loss == SparseLoss::squared_error) {
          EXPECT_NEAR(f[data.train[i]], y, 1e-3);
        } else {
          EXPECT_GT(f[data.train[i]] * y, 0.99);
        }
      }
    }
  }
}

TEST(SparseLinear, CanBeCancelled) {
  SparseData data = random_data(SparseLoss::logistic, kShapes[2], Values::equal);
  RunOptions options;
  int asked = 0;
  options.progress = [&](const Progress&) { return ++asked < 5; };
  EXPECT_THROW(
      solve_sparse(problem_of(data), kSparseGrid, options, [](std::size_t, const SparseSolution&) { return true; }),
      Cancelled);
  EXPECT_EQ(asked, 5);
}

}  // namespace
}  // namespace gckn
