// SPDX-License-Identifier: BSD-3-Clause
// Newton points of several machines on one kernel by conjugate gradients, side by side: a product with K for all of
// them is one matrix product.
//
// The system (K_AA + V_A^-1 / (2 C)) a = y_A of a machine is preconditioned by that of the kernel's sketch
// (kernel_sketch.h), with R its r columns V and s = tail + the mean of V^-1 / (2 C):
//   (R_A R_A' + s I)^-1 = (I - R_A (R_A' R_A + s I)^-1 R_A') / s.
// Products on the way are in single precision, at twice the speed; where they seem to have arrived the residual is
// computed in double, and the way goes on from there if it is too large.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gckn/matrix.h"
#include "gckn/run_options.h"
#include "learn/kernel_machine.h"
#include "learn/kernel_sketch.h"

namespace gckn {

// Of a system, relative to |y_A|: an error of f, too.
inline constexpr double kKernelResidual = 1e-7;

class SideBySide {
 public:
  // All arguments must outlive this.
  SideBySide(const DoubleMatrix& kernel, std::span<KernelMachine> machines, const RunOptions& options);

  // The Newton points of the given machines, each up to its accuracy. Whether all of them were reached, or look as if
  // they would be, with few enough products.
  bool solve(double c, const std::vector<std::size_t>& machines);

  // Of the last solve's j-th machine: its point by training row, and the outputs at all rows of the kernel.
  [[nodiscard]] std::vector<double> point(std::size_t j) const;
  [[nodiscard]] std::vector<double> outputs(std::size_t j) const;

 private:
  // The system of a machine's sketch.
  struct SmallSystem {
    std::vector<char> counted;  // by training row: in moments
    DoubleMatrix moments;       // R' R of those rows, upper triangle
    DoubleMatrix factor;
    double shift = 0;  // s
  };

  void prepare(double c, std::size_t machine);
  // In these and below, columns are of machines (those of solved_) and rows of the kernel.
  // Sets kx_ and the residual by x_; the squared lengths of the latter.
  std::vector<double> set_residual(const DoubleMatrix& ridge, DoubleMatrix& residual);
  [[nodiscard]] Matrix rounded_product(const DoubleMatrix& columns) const;
  [[nodiscard]] Matrix precondition(const DoubleMatrix& residual, const DoubleMatrix& ridge,
                                    const std::vector<std::size_t>& columns) const;

  const DoubleMatrix& kernel_;
  const std::span<KernelMachine> machines_;
  const RunOptions& options_;
  const Matrix rounded_kernel_;
  const KernelSketch sketch_;
  const Matrix rounded_rows_;         // of the sketch
  const Matrix rounded_transposed_;   // their transpose
  std::vector<SmallSystem> systems_;  // by machine
  std::vector<std::size_t> solved_;   // machines of the last solve
  DoubleMatrix x_;
  DoubleMatrix kx_;
};

}  // namespace gckn
