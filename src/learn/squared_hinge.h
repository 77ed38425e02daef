// SPDX-License-Identifier: BSD-3-Clause
// Squared-hinge support vector machines along a whole grid of regularisation strengths.
//
//   minimise over w:  1/2 |w|^2 + C sum_i v_i max(0, 1 - y_i <w, z_i>)^2
//
// z_i is a row of n x D standardised features of which the last is the constant 1 (so the bias is penalised like any
// other weight, as liblinear does with bias = 1), y_i is -1 or 1, v_i a sample weight. The objective is piecewise
// quadratic: on the set A of points with y f < 1 it is a ridge regression, solved by
//   primal, D x D:    (Z_A' V_A Z_A + I / (2 C)) w = Z_A' V_A y_A
//   dual, |A| x |A|:  (Z_A Z_A' + V_A^-1 / (2 C)) a = y_A,  w = Z_A' a
// whichever is smaller. Newton steps with an exact line search change A until it repeats itself; the solution for one C
// is the start for the next, further along the curve of the last ones. A factor serves further steps while few points
// have changed sides: in the primal form also for larger C, by conjugate gradients in its coordinates, in the dual form
// for the same C, as a part of a larger system.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gckn/matrix.h"
#include "gckn/run_options.h"

namespace gckn {

struct SquaredHingeProblem {
  const DoubleMatrix* rows = nullptr;  // n x D
  std::vector<double> labels;          // -1 or 1, by row
  std::vector<double> weights;         // by row, positive; empty means 1
  // What several problems on the same rows share; computed where it is missing and needed.
  const DoubleMatrix* moments = nullptr;   // Z' Z, upper triangle; only without weights
  const DoubleMatrix* products = nullptr;  // Z Z', upper triangle
  // Z w of the given rows, where there is a faster way to it than by `rows`.
  std::function<std::vector<double>(std::span<const std::uint32_t> rows, const std::vector<double>& w)> outputs;
};

struct SquaredHingeSolution {
  std::vector<double> w;
  double objective = 0;
  int steps = 0;
  bool converged = false;
};

// Solutions for every value of C, which must be positive and ascending. Single-threaded: callers run folds side by
// side. Asks options.progress at every step.
std::vector<SquaredHingeSolution> solve_squared_hinge(const SquaredHingeProblem& problem, std::span<const double> grid,
                                                      const RunOptions& options = {});

}  // namespace gckn
