// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of backward passes, beside those of linalg/vector_ops.h and by the same rules: chosen at run time,
// every output element one chain of multiply-adds in the order of its inputs, no threads.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gckn {

// C (m x n) += A' B, with A (rows x m) and B (rows x n) row-major, `stride` elements from row to row: what the right
// factor of a product gets back.
template <typename Real>
void add_transposed_product(const Real* a, std::size_t a_stride, std::size_t rows, std::size_t m, const Real* b,
                            std::size_t b_stride, std::size_t n, Real* c, std::size_t c_stride);

// table[indices[i]] += weights[i] * row, rows of `width` elements: what the rows of a weighted sum get back.
template <typename Real>
void scatter_weighted_row(const Real* row, std::size_t width, const std::uint32_t* indices, const Real* weights,
                          std::size_t count, Real* table);

// table[indices[i]] += rows[i] for `count` rows of `width` elements, in order.
template <typename Real>
void scatter_rows(const Real* rows, std::size_t count, std::size_t width, const std::uint32_t* indices, Real* table);

// out[i] = factor * x[i] * y[i]; out may be x or y.
template <typename Real>
void scaled_product(const Real* x, const Real* y, Real factor, std::size_t count, Real* out);

}  // namespace gckn
