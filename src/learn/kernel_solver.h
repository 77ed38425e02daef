// SPDX-License-Identifier: BSD-3-Clause
// Squared-hinge support vector machines and ridge regressions of many folds on one kernel matrix, along a grid of
// regularisation strengths.
//
//   minimise over a:  1/2 a' K a + C sum_i v_i loss(y_i, f_i),  f = K a,  a_i = 0 unless i is trained on
//
//   squared_hinge  max(0, 1 - y f)^2     y is -1 or 1
//   squared_error  (y - f)^2             y is a number, of deviation about 1: what is accurate is measured by that
//
// As in squared_hinge.h, Newton's method on the set A of points with y f < 1 solves (K_AA + V_A^-1 / (2 C)) a = y_A.
// For the squared error A has all points, and one step is all.
// - While C is moderate, conjugate gradients with a preconditioner need a few dozen products with K, and products for
//   all problems at once are one matrix product: problems advance side by side (kernel_side_by_side.h).
// - From the first C on for which they need more, every problem goes on alone with Cholesky factors of the system.
// Scores of all points, also of those that are not trained on, come with f.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gckn/matrix.h"
#include "gckn/run_options.h"

namespace gckn {

enum class KernelLoss { squared_hinge, squared_error };

struct KernelProblem {
  std::vector<std::uint32_t> train;  // rows of the kernel, ascending
  std::vector<double> labels;        // y, by training row
  std::vector<double> weights;       // by training row, positive; empty means 1
  KernelLoss loss = KernelLoss::squared_hinge;
};

struct KernelSolution {
  std::span<const double> f;  // by row of the kernel
  std::span<const double> a;  // by training row
  bool converged;
};

// Called once for each problem and value of C, at the same time from several threads.
using KernelConsumer = std::function<void(std::size_t problem, std::size_t c, const KernelSolution& solution)>;

// kernel: symmetric and positive semidefinite; with a constant added to all of its entries, the bias is penalised like
// any other weight. grid: positive and ascending. Works on all threads; asks options.progress, from any of them,
// several times a second.
void solve_kernel_machines(const DoubleMatrix& kernel, const std::vector<KernelProblem>& problems,
                           std::span<const double> grid, const RunOptions& options, const KernelConsumer& consume);

}  // namespace gckn
