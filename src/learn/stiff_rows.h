// SPDX-License-Identifier: BSD-3-Clause
// A preconditioner for the system of a Newton step on sparse rows, S = I + X' E X (sparse_linear.h).
//
// P = I + X_T' E_T X_T of the stiffest rows T, those of the largest e. Where T has all rows that are stiff, what is
// left of S has no large e, and conjugate gradients take about as many products for any C; where there are more than T
// can have, products still grow with C, but less. By n_T x n_T matrices,
//   P^-1 = I - X_T' (X_T X_T' + E_T^-1)^-1 X_T.
// Of one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "gckn/matrix.h"
#include "gckn/run_options.h"
#include "learn/reduced_rows.h"

namespace gckn {

class StiffRows {
 public:
  // Fits P to the curvature e of all rows. The products X_T X_T' are made anew only if T has changed by more than a
  // little; rows that are not stiff any longer stay.
  void update(const ReducedRows& rows, const std::vector<double>& e, const RunOptions& options);

  // z = P^-1 r.
  void apply(const ReducedRows& rows, const std::vector<double>& r, std::vector<double>& z);

 private:
  void multiply(const ReducedRows& rows, const RunOptions& options);

  std::vector<std::uint32_t> members_;  // T, ascending
  DoubleMatrix products_;               // X_T X_T', upper triangle
  DoubleMatrix factor_;
  std::vector<double> outputs_;
};

}  // namespace gckn
