// SPDX-License-Identifier: BSD-3-Clause
// Machines on a kernel between graphs instead of vectors: squared-hinge support vector machines for classes, one class
// against the rest, and ridge regression for numbers. There is no logistic regression.
#pragma once

#include <cstdint>
#include <vector>

#include "gckn/matrix.h"
#include "gckn/run_options.h"
#include "learn/evaluate.h"

namespace gckn {

// Makes several choices of C that share most of their work. kernel: graphs x graphs, as solve_kernel_machines() wants
// it. Asks options.progress and reports as evaluate() does.
std::vector<Evaluation> evaluate_kernel(const DoubleMatrix& kernel, const Experiment& experiment,
                                        const std::vector<CChoice>& choices, const RunOptions& options);

// The machine of one target: score = sum over training graphs i of a_i (K(g, i) + 1 if that is in the kernel) + offset.
struct KernelModel {
  DoubleMatrix coefficients;  // outputs x training graphs
  double offset = 0;          // of numbers
  bool converged = true;
};
KernelModel train_on_kernel(const DoubleMatrix& kernel, const Experiment& experiment, const TargetColumn& target,
                            const std::vector<std::uint32_t>& train, double c, const RunOptions& options);

}  // namespace gckn
