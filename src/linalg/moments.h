// SPDX-License-Identifier: BSD-3-Clause
// Products A' W B, second moments and inner products of the rows of matrices in double. What is symmetric takes half
// the work of a product.
//
// Single-threaded unless said otherwise. Sums run in the order of the rows (moments) or columns (inner products),
// whatever the processor.
#pragma once

#include <span>

#include "gckn/matrix.h"

namespace gckn {

// A depth x cols part of a row-major matrix.
struct RowBlock {
  const double* data;
  std::size_t stride;
  std::size_t cols;
};

enum class Triangle { both, upper };

// C += A' diag(weights) B, where A and B have `depth` rows; weights may be null, and then `factor` stands for each of
// them. Triangle::upper: C is square and only its upper triangle (j >= i) is wanted; some of the rest may be written.
void add_transposed_product(const RowBlock& a, const RowBlock& b, std::size_t depth, const double* weights,
                            double factor, double* c, std::size_t stride, Triangle triangle);

// Z' diag(v) Z, D x D, of n x D rows and n weights (none: 1 each). Only the upper triangle (j >= i) is meaningful.
DoubleMatrix weighted_moments(const DoubleMatrix& rows, std::span<const double> weights = {});

// Z Z', n x n, of n x D rows. Only the upper triangle (j >= i) is meaningful. In parallel.
DoubleMatrix inner_products(const DoubleMatrix& rows);

// Copies the upper triangle to the lower one. In parallel.
void mirror_upper_triangle(DoubleMatrix& m);

}  // namespace gckn
