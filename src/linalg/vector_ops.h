// SPDX-License-Identifier: BSD-3-Clause
// The few dense inner loops everything else is made of, compiled for several instruction sets and chosen at run time
// (Highway); matrix products are in product.h. Real is float or double.
//
// The bits of an output do not depend on its place, nor on the vector width. No function here starts threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gckn/matrix.h"

namespace gckn {

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
