// SPDX-License-Identifier: BSD-3-Clause
// Ridge regression of one or several targets along a whole grid of regularisation strengths.
//
//   minimise over w, b:  1/2 |w|^2 + C sum_i v_i (y_i - <w, x_i> - b)^2
//
// (x_i, 1) is a row of n x D features of which the last is the constant 1; its weight b, the bias, is not penalised.
// v_i is a sample weight. With X and y centred by their weighted means, and V = diag(v),
//   primal, D x D:  X' V X = U L U',            w = U (L + 1 / (2 C))^-1 U' X' V y
//   dual, n x n:    V^1/2 X X' V^1/2 = U L U',  w = X' V^1/2 U (L + 1 / (2 C))^-1 U' V^1/2 y
// whichever is smaller, so all values of C and all targets share one eigendecomposition.
#pragma once

#include <span>
#include <vector>

#include "gckn/matrix.h"

namespace gckn {

struct RidgeProblem {
  const DoubleMatrix* rows = nullptr;     // n x D, n > 0
  const DoubleMatrix* targets = nullptr;  // n x targets, no NaN: callers choose the rows where a target is known
  std::vector<double> weights;            // by row, positive; empty means 1
};

struct RidgeSolution {
  DoubleMatrix weights;  // targets x D, the bias last
};

// Solutions for every value of C, which must be positive. Single-threaded: callers run folds side by side.
std::vector<RidgeSolution> solve_ridge(const RidgeProblem& problem, std::span<const double> grid);

}  // namespace gckn
