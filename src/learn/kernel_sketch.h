// SPDX-License-Identifier: BSD-3-Clause
// A kernel matrix as a matrix of low rank and what is left over: K is about V V' + tail I, n x r times r x n.
//
// V spans nearly what the r largest eigenvalues belong to. It comes from Nystroem's approximation
//   V V' = (K Q) (Q' K Q)^-1 (K Q)'
// with Q an orthonormal basis of the same approximation by every (n / r)-th row of K. Systems of K restricted to any
// rows and columns are well conditioned once this is inverted, which takes a system of size r.
#pragma once

#include "gckn/matrix.h"
#include "gckn/run_options.h"

namespace gckn {

struct KernelSketch {
  DoubleMatrix rows;  // V; empty if rounding makes the kernel singular
  double tail = 0;    // the mean of what the diagonal of V V' leaves of that of K

  // kernel: symmetric and positive semidefinite, whole. Works on all threads.
  KernelSketch(const DoubleMatrix& kernel, const RunOptions& options);

  [[nodiscard]] std::size_t rank() const { return rows.cols(); }
};

}  // namespace gckn
