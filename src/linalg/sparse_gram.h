// SPDX-License-Identifier: BSD-3-Clause
// Gram matrices of weighted sparse rows, which compare every graph with every other.
//
// The work is by columns: what a column adds to K is the outer product of its entries, so columns of one or two rows,
// as most are, cost next to nothing. Every element of K is summed in ascending order of columns, whatever the order of
// rows; where all weights are whole numbers and sums stay below 2^53 it is exact in any order.
#pragma once

#include "gckn/matrix.h"
#include "gckn/run_options.h"
#include "linalg/sparse_rows.h"

namespace gckn {

// K += factor * S S', rows x rows. Only the upper triangle (j >= i) is written. In parallel; reports progress.
void add_inner_products(const SparseRows<double>& rows, double factor, const RunOptions& options, DoubleMatrix& k);

// K += S T', rows of S x rows of T, which have the same columns. In parallel; reports progress.
void add_inner_products(const SparseRows<double>& s, const SparseRows<double>& t, const RunOptions& options,
                        DoubleMatrix& k);

}  // namespace gckn
