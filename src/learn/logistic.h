// SPDX-License-Identifier: BSD-3-Clause
// Logistic regression for two or more classes along a whole grid of regularisation strengths.
//
//   minimise over W:  1/2 |W|^2 + C sum_i v_i loss(W z_i, class of i)
//
// z_i is a row of n x D standardised features of which the last is the constant 1 (so the bias is penalised like any
// other weight, as liblinear does with bias = 1), v_i a sample weight. Two classes have one output f = <w, z>, whose
// sign is positive for class 1, and the loss log(1 + exp(-y f)); K > 2 classes have K outputs and the loss
// log sum_k exp(f_k) - f_class. W is outputs x D.
//
// Newton's method, the solution for one C being the start for the next. The steps come from conjugate gradients, whose
// products with the Hessian cost one pass over the rows, preconditioned by the factor of a Hessian that the outputs
// share and that may be from an earlier step:
//   primal, D x D:  P = I + C Z' S Z
//   dual, n x n:    P^-1 = I - C Z' S^1/2 (I + C S^1/2 Z Z' S^1/2)^-1 S^1/2 Z
// whichever is smaller, with s_i = v_i p (1 - p) for two classes, where P is the Hessian if it is up to date, and
// s_i = v_i (1 - |p|^2) / (K - 1) for more, the mean curvature of the loss over the directions that change it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gckn/matrix.h"
#include "gckn/run_options.h"

namespace gckn {

struct LogisticProblem {
  const DoubleMatrix* rows = nullptr;  // n x D
  std::vector<std::int32_t> classes;   // by row, 0 to num_classes - 1; some may have no row
  std::int32_t num_classes = 0;        // at least 2
  std::vector<double> weights;         // by row, positive; empty means 1
};

struct LogisticSolution {
  DoubleMatrix weights;  // outputs x D
  double objective = 0;
  int steps = 0;  // Newton steps from the solution before
  // Objective within about 1e-9 of the optimum, relatively, and gradient below 1e-6 of that at W = 0.
  bool converged = false;
};

// Solutions for every value of C, which must be positive and ascending. Single-threaded: callers run folds side by
// side. Asks options.progress at every step.
std::vector<LogisticSolution> solve_logistic(const LogisticProblem& problem, std::span<const double> grid,
                                             const RunOptions& options = {});

// Probabilities (rows x num_classes) of scores (rows x outputs): the sigmoid of the one score of two classes, in the
// order of the classes, or the softmax of several. Scores of any finite size are fine.
DoubleMatrix probabilities(const DoubleMatrix& scores, std::int32_t num_classes);

}  // namespace gckn
