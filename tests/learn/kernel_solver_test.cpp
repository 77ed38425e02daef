// SPDX-License-Identifier: BSD-3-Clause
// Machines on a kernel against machines on rows that have it as inner products.
#include "learn/kernel_solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "gckn/error.h"
#include "learn/squared_hinge.h"
#include "linalg/moments.h"
#include "linalg/vector_ops.h"
#include "util/parallel.h"
#include "util/random.h"

namespace gckn {
namespace {

constexpr std::size_t kGraphs = 160;
constexpr std::size_t kDimension = 400;  // more than graphs, as kernels have

// Two overlapping clouds; the last column is the constant 1.
DoubleMatrix cloud_rows(std::vector<double>& labels) {
  Random random(7);
  DoubleMatrix rows(kGraphs, kDimension);
  for (std::size_t i = 0; i < kGraphs; ++i) {
    labels.push_back(random.uniform() < 0.4 ? 1.0 : -1.0);
    for (std::size_t k = 0; k < kDimension; ++k) {
      const double scale = 1.0 / (1.0 + 0.3 * static_cast<double>(k));  // eigenvalues of many sizes
      rows(i, k) = scale * (2 * random.uniform() - 1 + (k < 3 ? 0.4 * labels[i] : 0.0));
    }
    rows(i, kDimension - 1) = 1.0;
  }
  return rows;
}

struct Solved {
  std::vector<std::vector<std::vector<double>>> f;  // by problem, C and row
  std::vector<std::vector<std::vector<double>>> a;  // by problem, C and training row
  std::size_t unconverged = 0;
};

Solved solve_all(const DoubleMatrix& kernel, const std::vector<KernelProblem>& problems,
                 const std::vector<double>& grid, int threads) {
  RunOptions options;
  options.threads = threads;
  const ThreadScope scope(options);
  Solved solved;
  solved.f.assign(problems.size(), std::vector<std::vector<double>>(grid.size()));
  solved.a = solved.f;
  std::vector<char> converged(problems.size() * grid.size(), 0);
  solve_kernel_machines(kernel, problems, grid, options,
                        [&](std::size_t p, std::size_t c, const KernelSolution& solution) {
                          solved.f[p][c].assign(solution.f.begin(), solution.f.end());
                          solved.a[p][c].assign(solution.a.begin(), solution.a.end());
                          converged[p * grid.size() + c] = solution.converged ? 1 : 0;
                        });
  for (const char good : converged) solved.unconverged += good != 0 ? 0 : 1;
  return solved;
}

// Many copies of two graphs, some of them with the other label. The solution has a_i = 2 C y_i max(0, 1 - y_i f_i).
TEST(KernelSolver, CopiesWithOtherLabels) {
  constexpr std::uint32_t n = 80;
  std::vector<double> labels(n);
  DoubleMatrix kernel(n, n);
  const auto is_first = [](std::uint32_t i) { return i < 45; };
  for (std::uint32_t i = 0; i < n; ++i) {
    labels[i] = i < 40 ? -1.0 : 1.0;
    for (std::uint32_t j = 0; j < n; ++j) kernel(i, j) = (is_first(i) == is_first(j) ? 2.0 : 1.3) + (i == j ? 1e-6 : 0);
  }
  std::vector<KernelProblem> problems(3);
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t f = 0; f < 3; ++f) {
      if (i % 3 == f) continue;
      problems[f].train.push_back(i);
      problems[f].labels.push_back(labels[i]);
    }
  }
  const std::vector<double> grid{1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100};
  const Solved solved = solve_all(kernel, problems, grid, 2);
  EXPECT_EQ(solved.unconverged, 0U);
  for (std::size_t p = 0; p < problems.size(); ++p) {
    for (std::size_t c = 0; c < grid.size(); ++c) {
      const std::vector<double>& f = solved.f[p][c];
      std::vector<double> expected(n, 0.0);
      for (const std::uint32_t i : problems[p].train) {
        const double a = 2 * grid[c] * labels[i] * std::max(0.0, 1 - labels[i] * f[i]);
        for (std::uint32_t j = 0; j < n; ++j) expected[j] += a * kernel(i, j);
      }
      // An error of f comes back multiplied by 2 C and the sum of a row.
      for (std::uint32_t j = 0; j < n; ++j) EXPECT_NEAR(f[j], expected[j], 1e-6 * (1 + 2 * grid[c] * 2 * n)) << grid[c];
    }
  }
}

TEST(KernelSolver, AgreesWithMachinesOnRows) {
  std::vector<double> labels;
  const DoubleMatrix rows = cloud_rows(labels);
  DoubleMatrix kernel = inner_products(rows);
  mirror_upper_triangle(kernel);
  std::vector<KernelProblem> problems;
  for (std::uint32_t p = 0; p < 7; ++p) {  // leave another fifth out each, and weigh in some
    KernelProblem problem;
    for (std::uint32_t i = 0; i < kGraphs; ++i) {
      if ((i + p) % 5 == 0) continue;
      problem.train.push_back(i);
      problem.labels.push_back(labels[i]);
      if (p >= 5) problem.weights.push_back(i % 2 == 0 ? 0.5 : 2.0);
    }
    problems.push_back(std::move(problem));
  }
  const std::vector<double> grid{1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000, 10000};
  const Solved solved = solve_all(kernel, problems, grid, 2);
  EXPECT_EQ(solved.unconverged, 0U);
  for (std::size_t p = 0; p < problems.size(); ++p) {
    DoubleMatrix train(problems[p].train.size(), kDimension);
    for (std::size_t i = 0; i < train.rows(); ++i) {
      std::copy_n(rows.row(problems[p].train[i]), kDimension, train.row(i));
    }
    SquaredHingeProblem on_rows;
    on_rows.rows = &train;
    on_rows.labels = problems[p].labels;
    on_rows.weights = problems[p].weights;
    const std::vector<SquaredHingeSolution> expected = solve_squared_hinge(on_rows, grid);
    for (std::size_t c = 0; c < grid.size(); ++c) {
      for (std::size_t i = 0; i < kGraphs; ++i) {  // also those that were left out
        ASSERT_NEAR(solved.f[p][c][i], dot(rows.row(i), expected[c].w.data(), kDimension), 2e-5)
            << "problem " << p << ", C " << grid[c] << ", row " << i;
      }
    }
  }
  EXPECT_EQ(solve_all(kernel, problems, grid, 1).f, solved.f) << "the same bits for any number of threads";
}

// The optimum is where a_i = 2 C v_i (y_i - f_i), f = K a.
TEST(KernelSolver, SolvesRidgeRegression) {
  std::vector<double> labels;
  const DoubleMatrix rows = cloud_rows(labels);
  DoubleMatrix kernel = inner_products(rows);
  mirror_upper_triangle(kernel);
  std::vector<KernelProblem> problems;
  Random random(11);
  for (std::uint32_t p = 0; p < 4; ++p) {
    KernelProblem problem;
    problem.loss = KernelLoss::squared_error;
    for (std::uint32_t i = 0; i < kGraphs; ++i) {
      if ((i + p) % 4 == 0) continue;
      problem.train.push_back(i);
      problem.labels.push_back(3 * random.uniform() - 1.5);
      if (p == 3) problem.weights.push_back(0.5 + random.uniform());
    }
    problems.push_back(std::move(problem));
  }
  const std::vector<double> grid{1e-4, 1e-2, 1, 100, 10000};
  const Solved solved = solve_all(kernel, problems, grid, 2);
  EXPECT_EQ(solved.unconverged, 0U);
  for (std::size_t p = 0; p < problems.size(); ++p) {
    for (std::size_t c = 0; c < grid.size(); ++c) {
      const std::vector<double>& a = solved.a[p][c];
      for (std::size_t i = 0; i < a.size(); ++i) {
        const double v = problems[p].weights.empty() ? 1 : problems[p].weights[i];
        double f = 0;
        for (std::size_t j = 0; j < a.size(); ++j) f += kernel(problems[p].train[i], problems[p].train[j]) * a[j];
        EXPECT_NEAR(solved.f[p][c][problems[p].train[i]], f, 1e-8);
        EXPECT_NEAR(f + a[i] / (2 * grid[c] * v), problems[p].labels[i], 2e-6) << "problem " << p << ", C " << grid[c];
      }
    }
  }
  EXPECT_EQ(solve_all(kernel, problems, grid, 1).a, solved.a) << "the same bits for any number of threads";
}

TEST(KernelSolver, CanBeStopped) {
  std::vector<double> labels;
  const DoubleMatrix rows = cloud_rows(labels);
  DoubleMatrix kernel = inner_products(rows);
  mirror_upper_triangle(kernel);
  KernelProblem problem;
  for (std::uint32_t i = 0; i < kGraphs; ++i) problem.train.push_back(i);
  problem.labels = labels;
  for (const std::size_t allowed : {0, 3, 10}) {
    std::atomic<std::size_t> asked{0};
    RunOptions options;
    options.progress = [&](const Progress&) { return asked++ < allowed; };
    const std::vector<double> grid{1e-3, 1, 1000};
    EXPECT_THROW(
        solve_kernel_machines(kernel, {problem}, grid, options, [](std::size_t, std::size_t, const KernelSolution&) {}),
        Cancelled);
  }
}

}  // namespace
}  // namespace gckn
