// SPDX-License-Identifier: BSD-3-Clause
// Linear models of one output on sparse rows along a whole grid of regularisation strengths.
//
//   minimise over w, b:  1/2 |w|^2 + p/2 b^2 + C sum_i v_i loss(y_i, f_i),  f_i = <w, x_i> + b
//
//   squared_hinge  max(0, 1 - y f)^2       y is -1 or 1, p = 1: the objective of squared_hinge.h
//   logistic       log(1 + exp(-y f))      y is -1 or 1, p = 1: that of logistic.h for two classes
//   squared_error  (y - f)^2               y is any number, p = 0: that of ridge.h
//
// x_i is a row of graphs x columns, v_i a sample weight. Columns may be millions, of which the training rows use a part
// and many in the same way, so the rows are first made smaller without changing the problem (reduced_rows.h); all
// columns that row i has alone become one column, s_i, of which u_i is the weight.
//
// Newton's method, the solution for one C being the start for the next. With r_i and d_i the first two derivatives of
// C v_i loss by f_i, the step (dw, du, db) solves a system in which every u_i and b are eliminated:
//   e_i = d_i / (1 + d_i s_i^2)                        the curvature that u_i leaves to the other weights
//   S = I + X' E X - q q' / (p + sum_i e_i),  q = X' e
//   S dw = -(reduced gradient)
// by conjugate gradients. A product with S is one pass over the rows with e_i > 0. As e_i <= 1 / s_i^2, rows that have
// something of their own are no trouble however large C is; the stiffest of the others, some hundreds that have the
// largest e, are the preconditioner (stiff_rows.h). Where columns are fewer than rows, it is the block of S of some
// hundreds or thousands of the most frequent ones, and the diagonal of S for the others (frequent_columns.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gckn/run_options.h"
#include "linalg/sparse_rows.h"
#include "util/function_ref.h"

namespace gckn {

enum class SparseLoss { squared_hinge, logistic, squared_error };

struct SparseProblem {
  const SparseRows<double>* rows = nullptr;  // all graphs x columns
  std::span<const std::uint32_t> train;      // rows that are learnt from, at least one
  std::vector<double> targets;               // by training row: -1 or 1, or a number
  std::vector<double> weights;               // by training row, positive; empty means 1
  SparseLoss loss = SparseLoss::squared_hinge;
  bool rough = false;  // w and b within about kRoughPrecision are enough: to choose C
};

// Of rough solutions, relative to |(w, b)|, in the norm of the Hessian: scores of new rows differ by about as much.
inline constexpr double kRoughPrecision = 1e-2;

struct SparseSolution {
  std::vector<double> w;  // by column; 0 for those that no training row has
  double bias = 0;
  double objective = 0;
  int steps = 0;     // Newton steps from the solution before
  int products = 0;  // with S, in these steps
  // Gradient below 1e-7 of that at w = 0 and b = 0 (for the squared error: b = the mean of y), and w and b within about
  // 1e-7 of the optimum, relatively. Of a rough solution: within kRoughPrecision.
  bool converged = false;
};

// Calls consume(c, solution) for every value grid[c], which must be positive and ascending, until it returns false; the
// solution lives as long as the call, so that there is never more than one. Single-threaded: callers run folds and
// outputs side by side. Asks options.progress at every product.
void solve_sparse(const SparseProblem& problem, std::span<const double> grid, const RunOptions& options,
                  FunctionRef<bool(std::size_t c, const SparseSolution& solution)> consume);

}  // namespace gckn
