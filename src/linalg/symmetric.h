// SPDX-License-Identifier: BSD-3-Clause
// Symmetric matrices in double: eigenvectors, inverse square roots and indefinite systems, by LAPACK on one thread.
#pragma once

#include <vector>

#include "gckn/matrix.h"

namespace gckn {

// Replaces a symmetric matrix by its eigenvectors, one per row, and returns the eigenvalues, ascending. Throws
// std::runtime_error if LAPACK does not converge, which for finite numbers does not happen.
std::vector<double> eigenvectors(DoubleMatrix& m);

// V diag(f(lambda)) V^T of a symmetric positive semi-definite matrix, where
//   root: f = 1 / (sqrt(max(lambda, 0)) + eps)      gram: f = 1 / sqrt(max(lambda, 0) + eps).
// With the eigenbasis that it was computed in, for its gradient is computed there, too.
enum class RootKind { root, gram };
struct InverseSquareRoot {
  DoubleMatrix matrix;          // symmetric to the last bit
  DoubleMatrix vectors;         // V^T: one eigenvector per row
  std::vector<double> values;   // lambda, ascending; below 0 by rounding at the most
  std::vector<double> inverse;  // f(lambda)
};
InverseSquareRoot inverse_square_root(const DoubleMatrix& gram, RootKind kind, double eps);

// Solves M x = rhs in place for a symmetric M (destroyed) that need not be positive definite. Only its upper triangle
// is read. Returns false if M is singular.
[[nodiscard]] bool solve_indefinite(DoubleMatrix& m, double* rhs);

}  // namespace gckn
