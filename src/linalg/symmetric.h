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
enum class RootKind { root, gram };
DoubleMatrix inverse_square_root(const DoubleMatrix& gram, RootKind kind, double eps);

// Solves M x = rhs in place for a symmetric M (destroyed) that need not be positive definite. Only its upper triangle
// is read. Returns false if M is singular.
[[nodiscard]] bool solve_indefinite(DoubleMatrix& m, double* rhs);

}  // namespace gckn
