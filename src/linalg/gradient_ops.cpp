// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/gradient_ops.h"

#include <algorithm>
#include <cmath>

#include "linalg/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/gradient_ops.cpp"
#include "linalg/highway_targets.h"
// Highway compiles the rest of this file once for every instruction set.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gckn::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors of B, and columns of A, taken at once: their products are the accumulators that the register file holds.
constexpr std::size_t kWide = 4;
constexpr std::size_t kTall = HWY_MAX_BYTES >= 64 ? 6 : HWY_MAX_BYTES >= 32 ? 3 : 1;

template <typename Real>
struct Strided {
  Real* data;
  std::size_t stride;

  [[nodiscard]] Strided from(std::size_t row, std::size_t column) const {
    return {data + row * stride + column, stride};
  }
};

// C[0 .. tall) (wide vectors each) += A' B for some columns of A and of B.
template <std::size_t tall, std::size_t wide, typename Real>
void add_block(Strided<const Real> a, std::size_t rows, Strided<const Real> b, Strided<Real> c) {
  const hn::ScalableTag<Real> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real>());
  using V = hn::Vec<decltype(tag)>;
  V sum[tall][wide];
  for (std::size_t i = 0; i < tall; ++i) {
    for (std::size_t j = 0; j < wide; ++j) sum[i][j] = hn::LoadU(tag, c.from(i, j * kLanes).data);
  }
  const Real* HWY_RESTRICT left_row = a.data;
  const Real* HWY_RESTRICT right_row = b.data;
  for (std::size_t r = 0; r < rows; ++r, left_row += a.stride, right_row += b.stride) {
    V right[wide];
    for (std::size_t j = 0; j < wide; ++j) right[j] = hn::LoadU(tag, right_row + j * kLanes);
    for (std::size_t i = 0; i < tall; ++i) {
      const V left = hn::Set(tag, left_row[i]);
      for (std::size_t j = 0; j < wide; ++j) sum[i][j] = hn::MulAdd(left, right[j], sum[i][j]);
    }
  }
  for (std::size_t i = 0; i < tall; ++i) {
    for (std::size_t j = 0; j < wide; ++j) hn::StoreU(sum[i][j], tag, c.from(i, j * kLanes).data);
  }
}

template <std::size_t wide, typename Real>
void add_columns(Strided<const Real> a, std::size_t rows, std::size_t m, Strided<const Real> b, Strided<Real> c) {
  std::size_t i = 0;
  for (; i + kTall <= m; i += kTall) add_block<kTall, wide>(a.from(0, i), rows, b, c.from(i, 0));
  for (; i < m; ++i) add_block<1, wide>(a.from(0, i), rows, b, c.from(i, 0));
}

template <typename Real>
void add_transposed_product_impl(Strided<const Real> a, std::size_t rows, std::size_t m, Strided<const Real> b,
                                 std::size_t n, Strided<Real> c) {
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real>());
  std::size_t j = 0;
  for (; j + kWide * kLanes <= n; j += kWide * kLanes) add_columns<kWide>(a, rows, m, b.from(0, j), c.from(0, j));
  for (; j + kLanes <= n; j += kLanes) add_columns<1>(a, rows, m, b.from(0, j), c.from(0, j));
  for (; j < n; ++j) {
    for (std::size_t i = 0; i < m; ++i) {
      Real& sum = *c.from(i, j).data;
      for (std::size_t r = 0; r < rows; ++r) sum = std::fma(*a.from(r, i).data, *b.from(r, j).data, sum);
    }
  }
}

template <typename Real>
void add_to(Real* HWY_RESTRICT acc, const Real* HWY_RESTRICT x, std::size_t count) {
  const hn::ScalableTag<Real> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real>());
  std::size_t j = 0;
  for (; j + kLanes <= count; j += kLanes) {
    hn::StoreU(hn::Add(hn::LoadU(tag, acc + j), hn::LoadU(tag, x + j)), tag, acc + j);
  }
  for (; j < count; ++j) acc[j] += x[j];
}

template <typename Real>
void scatter_weighted_row_impl(const Real* HWY_RESTRICT row, std::size_t width, const std::uint32_t* indices,
                               const Real* weights, std::size_t count, Real* HWY_RESTRICT table) {
  const hn::ScalableTag<Real> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real>());
  for (std::size_t i = 0; i < count; ++i) {
    Real* to = table + indices[i] * width;
    const auto weight = hn::Set(tag, weights[i]);
    std::size_t j = 0;
    for (; j + kLanes <= width; j += kLanes) {
      hn::StoreU(hn::MulAdd(weight, hn::LoadU(tag, row + j), hn::LoadU(tag, to + j)), tag, to + j);
    }
    for (; j < width; ++j) to[j] = std::fma(weights[i], row[j], to[j]);
  }
}

template <typename Real>
void scatter_rows_impl(const Real* rows, std::size_t count, std::size_t width, const std::uint32_t* indices,
                       Real* table) {
  for (std::size_t i = 0; i < count; ++i) add_to(table + indices[i] * width, rows + i * width, width);
}

template <typename Real>
void scaled_product_impl(const Real* x, const Real* y, Real factor, std::size_t count, Real* out) {
  const hn::ScalableTag<Real> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real>());
  const auto vfactor = hn::Set(tag, factor);
  std::size_t j = 0;
  for (; j + kLanes <= count; j += kLanes) {
    hn::StoreU(hn::Mul(vfactor, hn::Mul(hn::LoadU(tag, x + j), hn::LoadU(tag, y + j))), tag, out + j);
  }
  for (; j < count; ++j) out[j] = factor * (x[j] * y[j]);
}

}  // namespace

// Versions by type, since dispatch goes by name.
#define GCKN_DEFINE(Real, suffix)                                                                                  \
  void add_transposed_product_##suffix(const Real* a, std::size_t a_stride, std::size_t rows, std::size_t m,       \
                                       const Real* b, std::size_t b_stride, std::size_t n, Real* c,                \
                                       std::size_t c_stride) {                                                     \
    add_transposed_product_impl<Real>({a, a_stride}, rows, m, {b, b_stride}, n, {c, c_stride});                    \
  }                                                                                                                \
  void scatter_weighted_row_##suffix(const Real* row, std::size_t width, const std::uint32_t* indices,             \
                                     const Real* weights, std::size_t count, Real* table) {                        \
    scatter_weighted_row_impl(row, width, indices, weights, count, table);                                         \
  }                                                                                                                \
  void scatter_rows_##suffix(const Real* rows, std::size_t count, std::size_t width, const std::uint32_t* indices, \
                             Real* table) {                                                                        \
    scatter_rows_impl(rows, count, width, indices, table);                                                         \
  }                                                                                                                \
  void scaled_product_##suffix(const Real* x, const Real* y, Real factor, std::size_t count, Real* out) {          \
    scaled_product_impl(x, y, factor, count, out);                                                                 \
  }
GCKN_DEFINE(float, float)
GCKN_DEFINE(double, double)
#undef GCKN_DEFINE

}  // namespace gckn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gckn {

#define GCKN_DISPATCH(Real, suffix)                                                                                \
  template <>                                                                                                      \
  void add_transposed_product(const Real* a, std::size_t a_stride, std::size_t rows, std::size_t m, const Real* b, \
                              std::size_t b_stride, std::size_t n, Real* c, std::size_t c_stride) {                \
    GCKN_BEST_VERSION(add_transposed_product_##suffix)(a, a_stride, rows, m, b, b_stride, n, c, c_stride);         \
  }                                                                                                                \
  template <>                                                                                                      \
  void scatter_weighted_row(const Real* row, std::size_t width, const std::uint32_t* indices, const Real* weights, \
                            std::size_t count, Real* table) {                                                      \
    GCKN_BEST_VERSION(scatter_weighted_row_##suffix)(row, width, indices, weights, count, table);                  \
  }                                                                                                                \
  template <>                                                                                                      \
  void scatter_rows(const Real* rows, std::size_t count, std::size_t width, const std::uint32_t* indices,          \
                    Real* table) {                                                                                 \
    GCKN_BEST_VERSION(scatter_rows_##suffix)(rows, count, width, indices, table);                                  \
  }                                                                                                                \
  template <>                                                                                                      \
  void scaled_product(const Real* x, const Real* y, Real factor, std::size_t count, Real* out) {                   \
    GCKN_BEST_VERSION(scaled_product_##suffix)(x, y, factor, count, out);                                          \
  }
GCKN_DISPATCH(float, float)
GCKN_DISPATCH(double, double)
#undef GCKN_DISPATCH

}  // namespace gckn
#endif  // HWY_ONCE
