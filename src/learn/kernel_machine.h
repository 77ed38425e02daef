// SPDX-License-Identifier: BSD-3-Clause
// One machine on a kernel on its way along a grid of C (kernel_solver.h).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "learn/hinge_newton.h"
#include "learn/kernel_solver.h"

namespace gckn {

// Vectors are by training row unless they say otherwise.
struct KernelMachine {
  const KernelProblem* problem;
  std::vector<double> v;
  std::vector<char> active;
  std::vector<double> a;
  std::vector<double> f;      // at the training rows
  std::vector<double> all_f;  // by row of the kernel
  double accuracy = 0;        // of conjugate gradients, for the next Newton step (kernel_side_by_side.h)
  bool converged = false;     // for the present C

  KernelMachine(const KernelProblem& of, std::size_t rows);

  [[nodiscard]] HingePoints points() const { return {problem->labels, v, f}; }
  [[nodiscard]] std::size_t num_active() const;

  enum class Outcome { further, converged, uphill };
  struct Move {
    Outcome outcome;
    double step;           // 1: the whole way
    std::size_t switched;  // points that changed sides
  };

  // To the lowest point between a and a Newton point, given with its outputs at all rows; for the squared error it is
  // that point.
  Move move_to(double c, std::span<const double> point, std::span<const double> outputs);
};

}  // namespace gckn
