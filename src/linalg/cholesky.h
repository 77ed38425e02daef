// SPDX-License-Identifier: BSD-3-Clause
// Cholesky factors M = U' U of symmetric positive definite matrices in double, and triangular solves.
//
// Recursive halving turns nearly all of the work into matrix products of product.h, so the bits do not depend on
// the BLAS of a machine, nor on whether that BLAS knows the processor. Single-threaded unless said otherwise.
#pragma once

#include <cstddef>
#include <vector>

#include "gckn/matrix.h"
#include "gckn/run_options.h"

namespace gckn {

// Factors a symmetric positive definite matrix in place. Only its upper triangle (j >= i) is read; afterwards it holds
// U, and what is below it is undefined. Returns false if the matrix is not positive definite. Asks options.progress now
// and then. Workers::all: cuts large matrices into strips of columns for all threads; the bits are the same.
enum class Workers { one, all };
[[nodiscard]] bool factor_positive_definite(DoubleMatrix& m, const RunOptions& options = {},
                                            Workers workers = Workers::one);

// Solves M x = rhs in place with the factor U of M, for `count` right sides one after the other in memory.
void solve_factored(const DoubleMatrix& factor, double* rhs, std::size_t count = 1);

// B := U'^-1 B, in place; B has as many rows as U. With it, M^-1 = (U'^-1)' U'^-1.
void solve_lower(const DoubleMatrix& factor, DoubleMatrix& b);

// Solves U x = rhs, or U' x = rhs, in place.
void solve_upper(const DoubleMatrix& factor, double* rhs);
void solve_upper_transposed(const DoubleMatrix& factor, double* rhs);

// M x, from the factor of M.
std::vector<double> multiply_factored(const DoubleMatrix& factor, const std::vector<double>& x);

// Solves M x = rhs in place for a symmetric positive definite M (destroyed). Throws std::runtime_error if it is not.
void solve_positive_definite(DoubleMatrix& m, std::vector<double>& rhs);

}  // namespace gckn
