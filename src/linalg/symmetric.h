// SPDX-License-Identifier: BSD-3-Clause
// Symmetric matrices in double: eigenvectors, inverse square roots and indefinite systems, by LAPACK on one thread.
#pragma once

#include <vector>

#include "gckn/matrix.h"

namespace gckn {

// Replaces a symmetric matrix by its eigenvectors, one per row, and returns the eigenvalues, ascending. Throws
// std::runtime_error if LAPACK does not converge, which for finite numbers does not happen.
std::vector<double> eigenvectors(DoubleMatrix& m);
// The same, with the eigenvalues in the memory of earlier ones.
void eigenvectors(DoubleMatrix& m, std::vector<double>& values);

// V diag(f(lambda)) V^T of a symmetric positive semi-definite matrix, where
//   root: f = 1 / (sqrt(max(lambda, 0)) + eps)      gram: f = 1 / sqrt(max(lambda, 0) + eps).
// With the eigenbasis that it was computed in, for its gradient is computed there, too.
enum class RootKind { root, gram };
struct InverseSquareRoot {
  DoubleMatrix matrix;          // symmetric to the last bit
  DoubleMatrix vectors;         // V^T: one eigenvector per row
  std::vector<double> values;   // lambda, ascending; below 0 by rounding at the most
  std::vector<double> inverse;  // f(lambda)
  DoubleMatrix scratch;
};
InverseSquareRoot inverse_square_root(const DoubleMatrix& gram, RootKind kind, double eps);
// The same in the memory of an earlier one.
void inverse_square_root(const DoubleMatrix& gram, RootKind kind, double eps, InverseSquareRoot& root);

// Its backward pass: what the Gram matrix gets back of d_matrix, which need not be symmetric,
//   d_gram = -V (F o (V^T d_matrix V)) V^T,  F_ij = f_i^2 f_j^2 / (f_i + f_j) = 1 / ((e_i + e_j) e_i e_j),  e = 1 / f.
// Exact for `gram`, where e = sqrt(lambda + eps). For `root`, e = sqrt(lambda) + eps, it is the approximation that the
// authors' code makes: in the true factor, 1 / ((sqrt(lambda_i) + sqrt(lambda_j)) e_i e_j), the sum goes to zero with
// the eigenvalues, so that it has no bound where anchors are alike; this one is at most 1 / (2 eps^3).
// scratch: for its memory. d_gram is overwritten.
void inverse_square_root_backward(const InverseSquareRoot& root, const DoubleMatrix& d_matrix, DoubleMatrix& d_gram,
                                  DoubleMatrix& scratch);

// Solves M x = rhs in place for a symmetric M (destroyed) that need not be positive definite. Only its upper triangle
// is read. Returns false if M is singular.
[[nodiscard]] bool solve_indefinite(DoubleMatrix& m, double* rhs);

}  // namespace gckn
