// SPDX-License-Identifier: BSD-3-Clause
#include "learn/ridge.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "linalg/moments.h"
#include "linalg/product.h"
#include "linalg/symmetric.h"
#include "linalg/transposed.h"
#include "linalg/vector_ops.h"

namespace gckn {
namespace {

// A B, of few rows in A.
DoubleMatrix product(const DoubleMatrix& a, const DoubleMatrix& b) {
  auto c = DoubleMatrix::uninitialised(a.rows(), b.cols());
  std::vector<const double*> rows(a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) rows[i] = a.row(i);
  multiply_rows(rows.data(), a.rows(), PackedMatrix<double>(b.data(), b.rows(), b.cols(), b.cols()), c.data(), c.cols(),
                false);
  return c;
}

// The first `cols` columns minus their weighted means, times the roots of the weights; the means go to `mean`.
DoubleMatrix centred(const DoubleMatrix& m, std::size_t cols, const std::vector<double>& v, std::vector<double>& mean) {
  mean.assign(cols, 0.0);
  double total = 0;
  for (std::size_t i = 0; i < m.rows(); ++i) {
    add_scaled(mean.data(), m.row(i), v[i], cols);
    total += v[i];
  }
  scale(mean.data(), 1.0 / total, cols);
  auto result = DoubleMatrix::uninitialised(m.rows(), cols);
  for (std::size_t i = 0; i < m.rows(); ++i) {
    const double root = std::sqrt(v[i]);
    for (std::size_t k = 0; k < cols; ++k) result(i, k) = root * (m(i, k) - mean[k]);
  }
  return result;
}

}  // namespace

std::vector<RidgeSolution> solve_ridge(const RidgeProblem& problem, std::span<const double> grid) {
  const DoubleMatrix& rows = *problem.rows;
  const DoubleMatrix& targets = *problem.targets;
  const std::size_t n = rows.rows();
  const std::size_t features = rows.cols() - 1;
  const std::size_t num_targets = targets.cols();
  assert(n > 0 && rows.cols() > 0 && targets.rows() == n);
  const std::vector<double> v = problem.weights.empty() ? std::vector<double>(n, 1.0) : problem.weights;

  std::vector<double> mean;
  std::vector<double> target_mean;
  const DoubleMatrix x = centred(rows, features, v, mean);  // V^1/2 X
  const DoubleMatrix y = transposed(centred(targets, num_targets, v, target_mean));

  const bool dual = n < features;
  DoubleMatrix vectors = dual ? inner_products(x) : weighted_moments(x, std::vector<double>(n, 1.0));
  mirror_upper_triangle(vectors);
  const std::vector<double> values = eigenvectors(vectors);                             // by rows: U'
  const DoubleMatrix rotated = product(dual ? y : product(y, x), transposed(vectors));  // targets x size

  // All values of C and all targets in one product with U', and in the dual form one with X.
  DoubleMatrix shrunk(grid.size() * num_targets, rotated.cols());
  for (std::size_t g = 0; g < grid.size(); ++g) {
    for (std::size_t t = 0; t < num_targets; ++t) {
      for (std::size_t j = 0; j < rotated.cols(); ++j) {
        shrunk(g * num_targets + t, j) = rotated(t, j) / (std::max(values[j], 0.0) + 0.5 / grid[g]);
      }
    }
  }
  DoubleMatrix w = product(shrunk, vectors);
  if (dual) w = product(w, x);

  std::vector<RidgeSolution> solutions(grid.size());
  for (std::size_t g = 0; g < grid.size(); ++g) {
    solutions[g].weights = DoubleMatrix(num_targets, features + 1);
    for (std::size_t t = 0; t < num_targets; ++t) {
      const double* from = w.row(g * num_targets + t);
      std::copy_n(from, features, solutions[g].weights.row(t));
      solutions[g].weights(t, features) = target_mean[t] - dot(from, mean.data(), features);
    }
  }
  return solutions;
}

}  // namespace gckn
