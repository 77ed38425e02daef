// SPDX-License-Identifier: BSD-3-Clause
// The few dense inner loops everything else is made of, compiled for several instruction sets and chosen at run time
// (Highway). Real is float or double.
//
// Every output element is one chain of fused multiply-adds in the order of its inputs, whatever its place in a
// matrix and whatever the vector width. So equal rows give equal bits wherever they stand, which a BLAS with
// edge kernels of its own does not promise. No function here starts threads unless it says so.
#pragma once

#include <cstddef>
#include <cstdint>

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

// values[i] = exp(slope * values[i] + offset).
template <typename Real>
void exponential(Real* values, std::size_t count, Real slope, Real offset);

// out[i] = exp(slope * in[i] + offset).
template <typename Real>
void exponential(const Real* in, Real* out, std::size_t count, Real slope, Real offset);

// out = sum_i weights[i] * table[indices[i]], rows of `width` elements.
template <typename Real>
void weighted_row_sum(const Real* table, std::size_t width, const std::uint32_t* indices, const Real* weights,
                      std::size_t count, Real* out);

// out = elementwise max_i table[indices[i]]; count > 0.
template <typename Real>
void row_max(const Real* table, std::size_t width, const std::uint32_t* indices, std::size_t count, Real* out);

// out[i] = a[ia[i]] + b[ib[i]] for `count` rows of `width` elements.
template <typename Real>
void gather_add(const Real* a, const std::uint32_t* ia, const Real* b, const std::uint32_t* ib, std::size_t count,
                std::size_t width, Real* out);

// out = sum_i rows[i], rows of `width` elements; zeros if there are none.
template <typename Real>
void sum_rows(const Real* const* rows, std::size_t count, std::size_t width, Real* out);

// acc += factor * x.
template <typename Real>
void add_scaled(Real* acc, const Real* x, Real factor, std::size_t count);

// x *= factor.
template <typename Real>
void scale(Real* x, Real factor, std::size_t count);

template <typename Real>
Real dot(const Real* x, const Real* y, std::size_t count);

// The largest x[i] + y[i]; count > 0.
template <typename Real>
Real largest_sum(const Real* x, const Real* y, std::size_t count);

// The i with x[i] + y[i] >= least, ascending, to `out` (room for `count`). Returns how many there are.
template <typename Real>
std::size_t sums_above(const Real* x, const Real* y, std::size_t count, Real least, std::uint32_t* out);

// out[i] = <rows[i], x>, rows of `width` floats, in double.
void multiply_float_rows(const float* const* rows, std::size_t count, std::size_t width, const double* x, double* out);

// The largest value with its lowest index, and the largest of the others (-infinity if count is 1).
template <typename Real>
struct BestTwo {
  std::uint32_t index;
  Real best;
  Real second;
};
template <typename Real>
BestTwo<Real> best_two(const Real* values, std::size_t count);

}  // namespace gckn
