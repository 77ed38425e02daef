// SPDX-License-Identifier: BSD-3-Clause
// Dense matrix products, compiled for several instruction sets and chosen at run time (Highway). Real is float or
// double.
//
// Every output element is one chain of fused multiply-adds in the order of its inputs, whatever its place in a
// matrix and whatever the vector width. So equal rows give equal bits wherever they stand, which a BLAS with
// edge kernels of its own does not promise. No function here starts threads unless it says so.
#pragma once

#include <cstddef>

#include "gckn/matrix.h"

namespace gckn {

// A K x N matrix in panels of kPanel columns, zero-padded, the right operand of products.
template <typename Real>
class PackedMatrix {
 public:
  static constexpr std::size_t kPanel = 128 / sizeof(Real);

  PackedMatrix() = default;
  // Packs a row-major K x N matrix with `stride` elements from row to row.
  PackedMatrix(const Real* b, std::size_t rows, std::size_t cols, std::size_t stride) { pack(b, rows, cols, stride); }
  void pack(const Real* b, std::size_t rows, std::size_t cols, std::size_t stride);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t cols() const { return cols_; }
  [[nodiscard]] std::size_t panels() const { return (cols_ + kPanel - 1) / kPanel; }
  [[nodiscard]] const Real* panel(std::size_t p) const { return data_.data() + p * rows_ * kPanel; }

 private:
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  BasicMatrix<Real> data_;
};

// C (m x N, `stride` elements from row to row) = A B, or += A B. Row i of A is made of `segments` pieces of K /
// segments elements each, a_rows[i * segments], ..., one after the other.
template <typename Real>
void multiply_rows(const Real* const* a_rows, std::size_t m, const PackedMatrix<Real>& b, Real* c, std::size_t stride,
                   bool accumulate, std::size_t segments = 1);

// C = A B, or += A B, with A (m x K) and C (m x N) row-major and dense.
template <typename Real>
void multiply_rows(const Real* a, std::size_t m, const PackedMatrix<Real>& b, Real* c, bool accumulate);

// C = A B, in parallel over tiles of rows. A is m x K, row-major and dense.
template <typename Real>
void multiply(const Real* a, std::size_t m, const PackedMatrix<Real>& b, Real* c);

// out[i] = <rows[i], x>, rows of `width` floats, in double.
void multiply_float_rows(const float* const* rows, std::size_t count, std::size_t width, const double* x, double* out);

}  // namespace gckn
