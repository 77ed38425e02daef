// SPDX-License-Identifier: BSD-3-Clause
// Second moments and inner products of the rows of a matrix in double: symmetric, so half the work of a product.
//
// Single-threaded. Sums run in the order of the rows (moments) or columns (inner products), whatever the processor.
#pragma once

#include <span>

#include "gckn/matrix.h"

namespace gckn {

// Z' diag(v) Z, D x D, of n x D rows and n weights. Only the upper triangle (j >= i) is meaningful.
DoubleMatrix weighted_moments(const DoubleMatrix& rows, std::span<const double> weights);

// Z Z', n x n, of n x D rows. Only the upper triangle (j >= i) is meaningful.
DoubleMatrix inner_products(const DoubleMatrix& rows);

// Copies the upper triangle to the lower one.
void mirror_upper_triangle(DoubleMatrix& m);

}  // namespace gckn
