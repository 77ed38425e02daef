// SPDX-License-Identifier: BSD-3-Clause
// Symmetric matrices in double: inverse square roots and solves, by LAPACK on one thread.
#pragma once

#include <vector>

#include "gckn/matrix.h"

namespace gckn {

// V diag(f(lambda)) V^T of a symmetric positive semi-definite matrix, where
//   root: f = 1 / (sqrt(max(lambda, 0)) + eps)      gram: f = 1 / sqrt(max(lambda, 0) + eps).
enum class RootKind { root, gram };
DoubleMatrix inverse_square_root(const DoubleMatrix& gram, RootKind kind, double eps);

// Solves M x = rhs in place for a symmetric positive definite M (destroyed).
void solve_positive_definite(DoubleMatrix& m, std::vector<double>& rhs);

// Factors a symmetric positive definite matrix in place. Only its upper triangle (j >= i) is read; the factor is for
// solve_factored. Returns false if the matrix is not positive definite.
[[nodiscard]] bool factor_positive_definite(DoubleMatrix& m);

// Solves M x = rhs in place with the factor of M.
void solve_factored(const DoubleMatrix& factor, double* rhs);

}  // namespace gckn
