// SPDX-License-Identifier: BSD-3-Clause
// Squared-hinge support vector machines of many folds on one kernel matrix, along a grid of regularisation strengths.
//
//   minimise over a:  1/2 a' K a + C sum_i v_i max(0, 1 - y_i f_i)^2,  f = K a,  a_i = 0 unless i is trained on
//
// As in squared_hinge.h, Newton's method on the set A of points with y f < 1 solves (K_AA + V_A^-1 / (2 C)) a = y_A.
// - While C is moderate, conjugate gradients with a preconditioner need a few dozen products with K, and products for
// all
//   problems at once are one matrix product: problems advance side by side (kernel_side_by_side.h).
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

struct KernelHingeProblem {
  std::vector<std::uint32_t> train;  // rows of the kernel, ascending
  std::vector<double> labels;        // -1 or 1, by training row
  std::vector<double> weights;       // by training row, positive; empty means 1
};

// Called once for each problem and value of C, at the same time from several threads: the outputs f of all rows of the
// kernel, and whether the solver converged.
using KernelHingeConsumer =
    std::function<void(std::size_t problem, std::size_t c, std::span<const double> f, bool converged)>;

// kernel: symmetric and positive semidefinite; with a constant added to all of its entries, the bias is penalised like
// any other weight. grid: positive and ascending. Works on all threads; asks options.progress, from any of them,
// several times a second.
void solve_kernel_hinge(const DoubleMatrix& kernel, const std::vector<KernelHingeProblem>& problems,
                        std::span<const double> grid, const RunOptions& options, const KernelHingeConsumer& consume);

}  // namespace gckn
