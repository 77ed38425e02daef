// SPDX-License-Identifier: BSD-3-Clause
// Symmetric matrices in double: inverse square roots, by LAPACK on one thread.
#pragma once

#include "gckn/matrix.h"

namespace gckn {

// V diag(f(lambda)) V^T of a symmetric positive semi-definite matrix, where
//   root: f = 1 / (sqrt(max(lambda, 0)) + eps)      gram: f = 1 / sqrt(max(lambda, 0) + eps).
enum class RootKind { root, gram };
DoubleMatrix inverse_square_root(const DoubleMatrix& gram, RootKind kind, double eps);

}  // namespace gckn
