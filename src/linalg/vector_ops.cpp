// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/vector_ops.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <vector>

#include "linalg/instruction_set.h"
#include "util/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/vector_ops.cpp"
#include "linalg/highway_targets.h"
// Highway compiles the rest of this file once for every instruction set.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After highway.h: it needs its macros.
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace gckn::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <typename Real>
constexpr std::size_t kPanel = PackedMatrix<Real>::kPanel;

// Rows of A taken at once: as many accumulators as the register file holds beside a row of B.
template <typename Real>
constexpr std::size_t kRows = HWY_MAX_BYTES >= 64   ? 12
                              : HWY_MAX_BYTES >= 32 ? 3
                                                    : 1;

// C[0..m) (one panel wide) = or += A B: row i of A in pieces a_rows[i * segments] + offset, ..., b one panel (K x
// kPanel), of which the first kVectors vectors are used.
template <std::size_t m, std::size_t kVectors, typename Real>
void panel_product(const Real* const* a_rows, std::size_t segments, std::size_t offset, std::size_t piece,
                   const Real* HWY_RESTRICT b, Real* HWY_RESTRICT c, std::size_t stride, std::size_t cols,
                   bool accumulate) {
  const hn::ScalableTag<Real> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real>());
  using V = hn::Vec<decltype(tag)>;
  V sum[m][kVectors];
  HWY_ALIGN Real edge[kPanel<Real>];  // the last panel may be narrower than it is in memory
  const bool whole = cols == kPanel<Real>;
  for (std::size_t i = 0; i < m; ++i) {
    const Real* from = c + i * stride;
    if (accumulate && !whole) {
      std::copy_n(from, cols, edge);
      std::fill(edge + cols, edge + kPanel<Real>, Real{0});
      from = edge;
    }
    for (std::size_t j = 0; j < kVectors; ++j) {
      sum[i][j] = accumulate ? hn::LoadU(tag, from + j * kLanes) : hn::Zero(tag);
    }
  }
  for (std::size_t s = 0; s < segments; ++s) {
    const Real* row[m];
    for (std::size_t i = 0; i < m; ++i) row[i] = a_rows[i * segments + s] + offset;
    for (std::size_t k = 0; k < piece; ++k, b += kPanel<Real>) {
      V right[kVectors];
      for (std::size_t j = 0; j < kVectors; ++j) right[j] = hn::Load(tag, b + j * kLanes);
      for (std::size_t i = 0; i < m; ++i) {
        const V left = hn::Set(tag, row[i][k]);
        for (std::size_t j = 0; j < kVectors; ++j) sum[i][j] = hn::MulAdd(left, right[j], sum[i][j]);
      }
    }
  }
  for (std::size_t i = 0; i < m; ++i) {
    Real* to = whole ? c + i * stride : edge;
    for (std::size_t j = 0; j < kVectors; ++j) hn::StoreU(sum[i][j], tag, to + j * kLanes);
    if (!whole) std::copy_n(edge, cols, c + i * stride);
  }
}

// A slice of a panel of B, of this many rows, stays in the first-level cache while the rows of A go by, of which a
// group stays in the second one. The bits are those of one long sum.
constexpr std::size_t kSlice = 192;
constexpr std::size_t kRowGroup = 120;  // a multiple of all kRows

// Rows first .. last of C = or += A B, for one slice of the rows of B.
template <std::size_t size, std::size_t kVectors, typename Real>
std::size_t row_blocks(const Real* const* a_rows, std::size_t first, std::size_t last, std::size_t segments,
                       std::size_t offset, std::size_t piece, const Real* panel, Real* c, std::size_t stride,
                       std::size_t cols, bool accumulate) {
  for (; first + size <= last; first += size) {
    panel_product<size, kVectors>(a_rows + first * segments, segments, offset, piece, panel, c + first * stride, stride,
                                  cols, accumulate);
  }
  return first;
}

template <typename Real>
void multiply_rows_impl(const Real* const* a_rows, std::size_t m, const PackedMatrix<Real>& b, Real* c,
                        std::size_t stride, bool accumulate, std::size_t segments) {
  constexpr std::size_t kBlock = kRows<Real>;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real>());
  constexpr std::size_t kWhole = kPanel<Real> / kLanes;
  const std::size_t piece = b.rows() / segments;
  const std::size_t slice = segments == 1 ? kSlice : std::max<std::size_t>(piece, 1);  // short pieces are not cut
  std::size_t offset = 0;
  do {  // also if B has no rows: then C is zero
    const std::size_t depth = std::min(slice, piece - offset);
    for (std::size_t begin = 0; begin < m; begin += kRowGroup) {
      const std::size_t end = std::min(m, begin + kRowGroup);
      for (std::size_t p = 0; p < b.panels(); ++p) {
        const Real* panel = b.panel(p) + offset * kPanel<Real>;
        Real* to = c + p * kPanel<Real>;
        const std::size_t cols = std::min(kPanel<Real>, b.cols() - p * kPanel<Real>);
        std::size_t i = begin;
        const auto blocks_of = [&]<std::size_t size, std::size_t kVectors>() {
          i = row_blocks<size, kVectors>(a_rows, i, end, segments, offset, depth, panel, to, stride, cols,
                                         accumulate || offset > 0);
        };
        if (cols <= kLanes) {  // a few columns: more rows instead
          blocks_of.template operator()<kBlock * kWhole, 1>();
          blocks_of.template operator()<1, 1>();
          continue;
        }
        blocks_of.template operator()<kBlock, kWhole>();
        if constexpr (kBlock > 6) {
          blocks_of.template operator()<6, kWhole>();
          blocks_of.template operator()<3, kWhole>();
        }
        blocks_of.template operator()<1, kWhole>();
      }
    }
    offset += depth;
  } while (offset < piece);
}

template <typename Real>
void exponential_impl(const Real* in, Real* out, std::size_t count, Real slope, Real offset) {
  const hn::ScalableTag<Real> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real>());
  const auto vslope = hn::Set(tag, slope);
  const auto voffset = hn::Set(tag, offset);
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(hn::Exp(tag, hn::MulAdd(vslope, hn::LoadU(tag, in + i), voffset)), tag, out + i);
  }
  if (i < count) {
    // The tail goes through a whole vector too, so that a value's bits do not depend on its place.
    HWY_ALIGN Real tail[kLanes] = {};
    std::copy(in + i, in + count, tail);
    hn::Store(hn::Exp(tag, hn::MulAdd(vslope, hn::Load(tag, tail), voffset)), tag, tail);
    std::copy_n(tail, count - i, out + i);
  }
}

template <typename Real>
void weighted_row_sum_impl(const Real* table, std::size_t width, const std::uint32_t* indices, const Real* weights,
                           std::size_t count, Real* out) {
  const hn::ScalableTag<Real> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real>());
  constexpr std::size_t kVectors = 8;
  using V = hn::Vec<decltype(tag)>;
  std::size_t j = 0;
  for (; j + kVectors * kLanes <= width; j += kVectors * kLanes) {
    V sum[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) sum[v] = hn::Zero(tag);
    for (std::size_t i = 0; i < count; ++i) {
      const V weight = hn::Set(tag, weights[i]);
      const Real* row = table + indices[i] * width + j;
      for (std::size_t v = 0; v < kVectors; ++v) {
        sum[v] = hn::MulAdd(weight, hn::LoadU(tag, row + v * kLanes), sum[v]);
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sum[v], tag, out + j + v * kLanes);
  }
  for (; j + kLanes <= width; j += kLanes) {
    V sum = hn::Zero(tag);
    for (std::size_t i = 0; i < count; ++i) {
      sum = hn::MulAdd(hn::Set(tag, weights[i]), hn::LoadU(tag, table + indices[i] * width + j), sum);
    }
    hn::StoreU(sum, tag, out + j);
  }
  for (; j < width; ++j) {
    Real sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum = std::fma(weights[i], table[indices[i] * width + j], sum);
    out[j] = sum;
  }
}

template <typename Real>
void row_max_impl(const Real* table, std::size_t width, const std::uint32_t* indices, std::size_t count, Real* out) {
  const hn::ScalableTag<Real> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real>());
  std::size_t j = 0;
  for (; j + kLanes <= width; j += kLanes) {
    auto best = hn::LoadU(tag, table + indices[0] * width + j);
    for (std::size_t i = 1; i < count; ++i) best = hn::Max(best, hn::LoadU(tag, table + indices[i] * width + j));
    hn::StoreU(best, tag, out + j);
  }
  for (; j < width; ++j) {
    Real best = table[indices[0] * width + j];
    for (std::size_t i = 1; i < count; ++i) best = std::max(best, table[indices[i] * width + j]);
    out[j] = best;
  }
}

template <typename Real>
void gather_add_impl(const Real* a, const std::uint32_t* ia, const Real* b, const std::uint32_t* ib, std::size_t count,
                     std::size_t width, Real* out) {
  const hn::ScalableTag<Real> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real>());
  for (std::size_t i = 0; i < count; ++i) {
    const Real* HWY_RESTRICT x = a + ia[i] * width;
    const Real* HWY_RESTRICT y = b + ib[i] * width;
    Real* HWY_RESTRICT to = out + i * width;
    std::size_t j = 0;
    for (; j + kLanes <= width; j += kLanes) {
      hn::StoreU(hn::Add(hn::LoadU(tag, x + j), hn::LoadU(tag, y + j)), tag, to + j);
    }
    for (; j < width; ++j) to[j] = x[j] + y[j];
  }
}

template <typename Real>
void sum_rows_impl(const Real* const* rows, std::size_t count, std::size_t width, Real* out) {
  const hn::ScalableTag<Real> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real>());
  std::size_t j = 0;
  for (; j + kLanes <= width; j += kLanes) {
    auto sum = hn::Zero(tag);
    for (std::size_t i = 0; i < count; ++i) sum = hn::Add(sum, hn::LoadU(tag, rows[i] + j));
    hn::StoreU(sum, tag, out + j);
  }
  for (; j < width; ++j) {
    Real sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += rows[i][j];
    out[j] = sum;
  }
}

template <typename Real>
void add_scaled_impl(Real* acc, const Real* x, Real factor, std::size_t count) {
  const hn::ScalableTag<Real> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real>());
  const auto vfactor = hn::Set(tag, factor);
  std::size_t j = 0;
  for (; j + kLanes <= count; j += kLanes) {
    hn::StoreU(hn::MulAdd(vfactor, hn::LoadU(tag, x + j), hn::LoadU(tag, acc + j)), tag, acc + j);
  }
  for (; j < count; ++j) acc[j] = std::fma(factor, x[j], acc[j]);
}

template <typename Real>
void scale_impl(Real* x, Real factor, std::size_t count) {
  const hn::ScalableTag<Real> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real>());
  const auto vfactor = hn::Set(tag, factor);
  std::size_t j = 0;
  for (; j + kLanes <= count; j += kLanes) hn::StoreU(hn::Mul(vfactor, hn::LoadU(tag, x + j)), tag, x + j);
  for (; j < count; ++j) x[j] *= factor;
}

// Sixteen partial sums whatever the vector width, added in a fixed order.
template <typename Real>
Real dot_impl(const Real* x, const Real* y, std::size_t count) {
  constexpr std::size_t kSums = 16;
  const hn::ScalableTag<Real> tag;
  constexpr std::size_t kLanes = std::min(kSums, hn::MaxLanes(hn::ScalableTag<Real>()));
  constexpr std::size_t kVectors = kSums / kLanes;
  using V = hn::Vec<decltype(tag)>;
  V sum[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) sum[v] = hn::Zero(tag);
  std::size_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      sum[v] = hn::MulAdd(hn::LoadU(tag, x + i + v * kLanes), hn::LoadU(tag, y + i + v * kLanes), sum[v]);
    }
  }
  if (i < count) {
    HWY_ALIGN Real last_x[kSums] = {};
    HWY_ALIGN Real last_y[kSums] = {};
    std::copy(x + i, x + count, last_x);
    std::copy(y + i, y + count, last_y);
    for (std::size_t v = 0; v < kVectors; ++v) {
      sum[v] = hn::MulAdd(hn::Load(tag, last_x + v * kLanes), hn::Load(tag, last_y + v * kLanes), sum[v]);
    }
  }
  HWY_ALIGN Real parts[kSums];
  for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sum[v], tag, parts + v * kLanes);
  for (std::size_t half = kSums / 2; half > 0; half /= 2) {
    for (std::size_t k = 0; k < half; ++k) parts[k] += parts[k + half];
  }
  return parts[0];
}

template <typename Real>
Real largest_sum_impl(const Real* x, const Real* y, std::size_t count) {
  const hn::ScalableTag<Real> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real>());
  auto largest = hn::Set(tag, -std::numeric_limits<Real>::infinity());
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    largest = hn::Max(largest, hn::Add(hn::LoadU(tag, x + i), hn::LoadU(tag, y + i)));
  }
  Real best = hn::GetLane(hn::MaxOfLanes(tag, largest));
  for (; i < count; ++i) best = std::max(best, x[i] + y[i]);
  return best;
}

template <typename Real>
std::size_t sums_above_impl(const Real* x, const Real* y, std::size_t count, Real least, std::uint32_t* out) {
  const hn::ScalableTag<Real> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real>());
  const auto vleast = hn::Set(tag, least);
  std::size_t found = 0;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const auto above = hn::Ge(hn::Add(hn::LoadU(tag, x + i), hn::LoadU(tag, y + i)), vleast);
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(tag, above, bytes);
    for (auto bits = std::bit_cast<std::uint64_t>(bytes); bits != 0; bits &= bits - 1) {
      out[found++] = static_cast<std::uint32_t>(i + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }
  for (; i < count; ++i) {
    if (x[i] + y[i] >= least) out[found++] = static_cast<std::uint32_t>(i);
  }
  return found;
}

// As dot_impl, for m rows of floats at once.
template <std::size_t m>
void float_row_products(const float* const* rows, std::size_t width, const double* HWY_RESTRICT x, double* out) {
  constexpr std::size_t kSums = 16;
  const hn::CappedTag<double, kSums> tag;
  const hn::Rebind<float, decltype(tag)> half;
  constexpr std::size_t kLanes = hn::MaxLanes(decltype(tag)());
  constexpr std::size_t kVectors = kSums / kLanes;
  using V = hn::Vec<decltype(tag)>;
  V sum[m][kVectors];
  for (std::size_t r = 0; r < m; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(tag);
  }
  std::size_t i = 0;
  for (; i + kSums <= width; i += kSums) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const V right = hn::LoadU(tag, x + i + v * kLanes);
      for (std::size_t r = 0; r < m; ++r) {
        const V left = hn::PromoteTo(tag, hn::LoadU(half, rows[r] + i + v * kLanes));
        sum[r][v] = hn::MulAdd(left, right, sum[r][v]);
      }
    }
  }
  for (std::size_t r = 0; r < m; ++r) {
    HWY_ALIGN double parts[kSums];
    for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sum[r][v], tag, parts + v * kLanes);
    for (std::size_t j = i, k = 0; j < width; ++j, ++k) {
      parts[k] = std::fma(static_cast<double>(rows[r][j]), x[j], parts[k]);
    }
    double total = 0;
    for (const double part : parts) total += part;
    out[r] = total;
  }
}

void multiply_float_rows_impl(const float* const* rows, std::size_t count, std::size_t width, const double* x,
                              double* out) {
  constexpr std::size_t kAtOnce = HWY_MAX_BYTES >= 32 ? 3 : 1;
  std::size_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce) float_row_products<kAtOnce>(rows + i, width, x, out + i);
  for (; i < count; ++i) float_row_products<1>(rows + i, width, x, out + i);
}

template <typename Real>
BestTwo<Real> best_two_impl(const Real* values, std::size_t count) {
  const hn::ScalableTag<Real> tag;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<Real>());
  const Real lowest = -std::numeric_limits<Real>::infinity();
  auto first = hn::Set(tag, lowest);
  auto second = first;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const auto v = hn::LoadU(tag, values + i);
    second = hn::Max(second, hn::Min(first, v));
    first = hn::Max(first, v);
  }
  // The best of all lanes; then the best of what is left when one lane gives up its best.
  Real best = hn::GetLane(hn::MaxOfLanes(tag, first));
  const auto holds_best = hn::Eq(first, hn::Set(tag, best));
  Real next = hn::CountTrue(tag, holds_best) > 1
                  ? best
                  : hn::GetLane(hn::MaxOfLanes(tag, hn::IfThenElse(holds_best, second, first)));
  for (; i < count; ++i) {
    next = std::max(next, std::min(best, values[i]));
    best = std::max(best, values[i]);
  }
  const auto vbest = hn::Set(tag, best);
  std::size_t index = 0;
  for (; index + kLanes <= count; index += kLanes) {
    const std::ptrdiff_t at = hn::FindFirstTrue(tag, hn::Eq(hn::LoadU(tag, values + index), vbest));
    if (at >= 0) return {static_cast<std::uint32_t>(index + static_cast<std::size_t>(at)), best, next};
  }
  while (index + 1 < count && values[index] != best) ++index;
  return {static_cast<std::uint32_t>(index), best, next};
}

}  // namespace

#define GCKN_DEFINE(Real, suffix)                                                                                \
  void multiply_rows_##suffix(const Real* const* a, std::size_t m, const PackedMatrix<Real>& b, Real* c,         \
                              std::size_t s, bool acc, std::size_t segments) {                                   \
    multiply_rows_impl(a, m, b, c, s, acc, segments);                                                            \
  }                                                                                                              \
  void exponential_##suffix(const Real* in, Real* out, std::size_t n, Real slope, Real offset) {                 \
    exponential_impl(in, out, n, slope, offset);                                                                 \
  }                                                                                                              \
  void weighted_row_sum_##suffix(const Real* t, std::size_t width, const std::uint32_t* i, const Real* w,        \
                                 std::size_t n, Real* out) {                                                     \
    weighted_row_sum_impl(t, width, i, w, n, out);                                                               \
  }                                                                                                              \
  void row_max_##suffix(const Real* t, std::size_t width, const std::uint32_t* i, std::size_t n, Real* out) {    \
    row_max_impl(t, width, i, n, out);                                                                           \
  }                                                                                                              \
  void gather_add_##suffix(const Real* a, const std::uint32_t* ia, const Real* b, const std::uint32_t* ib,       \
                           std::size_t n, std::size_t width, Real* out) {                                        \
    gather_add_impl(a, ia, b, ib, n, width, out);                                                                \
  }                                                                                                              \
  void sum_rows_##suffix(const Real* const* rows, std::size_t n, std::size_t width, Real* out) {                 \
    sum_rows_impl(rows, n, width, out);                                                                          \
  }                                                                                                              \
  void add_scaled_##suffix(Real* acc, const Real* x, Real factor, std::size_t n) {                               \
    add_scaled_impl(acc, x, factor, n);                                                                          \
  }                                                                                                              \
  void scale_##suffix(Real* x, Real factor, std::size_t n) {                                                     \
    scale_impl(x, factor, n);                                                                                    \
  }                                                                                                              \
  Real dot_##suffix(const Real* x, const Real* y, std::size_t n) {                                               \
    return dot_impl(x, y, n);                                                                                    \
  }                                                                                                              \
  Real largest_sum_##suffix(const Real* x, const Real* y, std::size_t n) {                                       \
    return largest_sum_impl(x, y, n);                                                                            \
  }                                                                                                              \
  std::size_t sums_above_##suffix(const Real* x, const Real* y, std::size_t n, Real least, std::uint32_t* out) { \
    return sums_above_impl(x, y, n, least, out);                                                                 \
  }                                                                                                              \
  BestTwo<Real> best_two_##suffix(const Real* values, std::size_t n) {                                           \
    return best_two_impl(values, n);                                                                             \
  }
GCKN_DEFINE(float, float)
GCKN_DEFINE(double, double)
#undef GCKN_DEFINE
void multiply_float_rows_by(const float* const* rows, std::size_t count, std::size_t width, const double* x,
                            double* out) {
  multiply_float_rows_impl(rows, count, width, x, out);
}

}  // namespace gckn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gckn {

#define GCKN_DISPATCH_BY_TYPE(name)                     \
  namespace {                                           \
  template <typename Real, typename... Args>            \
  auto name##_dispatch(Args... args) {                  \
    if constexpr (sizeof(Real) == sizeof(float))        \
      return GCKN_BEST_VERSION(name##_float)(args...);  \
    else                                                \
      return GCKN_BEST_VERSION(name##_double)(args...); \
  }                                                     \
  }
GCKN_DISPATCH_BY_TYPE(exponential)
GCKN_DISPATCH_BY_TYPE(weighted_row_sum)
GCKN_DISPATCH_BY_TYPE(row_max)
GCKN_DISPATCH_BY_TYPE(gather_add)
GCKN_DISPATCH_BY_TYPE(sum_rows)
GCKN_DISPATCH_BY_TYPE(add_scaled)
GCKN_DISPATCH_BY_TYPE(scale)
GCKN_DISPATCH_BY_TYPE(dot)
GCKN_DISPATCH_BY_TYPE(largest_sum)
GCKN_DISPATCH_BY_TYPE(sums_above)
GCKN_DISPATCH_BY_TYPE(best_two)
#undef GCKN_DISPATCH_BY_TYPE

template <typename Real>
void PackedMatrix<Real>::pack(const Real* b, std::size_t rows, std::size_t cols, std::size_t stride) {
  rows_ = rows;
  cols_ = cols;
  if (data_.size() < panels() * rows * kPanel) data_ = BasicMatrix<Real>::uninitialised(panels(), rows * kPanel);
  for (std::size_t p = 0; p < panels(); ++p) {
    const std::size_t begin = p * kPanel;
    const std::size_t count = std::min(kPanel, cols - begin);
    Real* to = data_.data() + p * rows * kPanel;
    for (std::size_t k = 0; k < rows; ++k, to += kPanel) {
      std::copy_n(b + k * stride + begin, count, to);
      std::fill(to + count, to + kPanel, Real{0});
    }
  }
}

template <typename Real>
void multiply_rows(const Real* const* a_rows, std::size_t m, const PackedMatrix<Real>& b, Real* c, std::size_t stride,
                   bool accumulate, std::size_t segments) {
  if constexpr (sizeof(Real) == sizeof(float)) {
    GCKN_BEST_VERSION(multiply_rows_float)(a_rows, m, b, c, stride, accumulate, segments);
  } else {
    GCKN_BEST_VERSION(multiply_rows_double)(a_rows, m, b, c, stride, accumulate, segments);
  }
}

// Rows of A that are multiplied at once.
constexpr std::size_t kTile = 192;

template <typename Real>
void multiply_rows(const Real* a, std::size_t m, const PackedMatrix<Real>& b, Real* c, bool accumulate) {
  std::array<const Real*, kTile> rows;
  for (std::size_t begin = 0; begin < m; begin += kTile) {
    const std::size_t end = std::min(m, begin + kTile);
    for (std::size_t i = begin; i < end; ++i) rows[i - begin] = a + i * b.rows();
    multiply_rows(rows.data(), end - begin, b, c + begin * b.cols(), b.cols(), accumulate);
  }
}

template <typename Real>
void multiply(const Real* a, std::size_t m, const PackedMatrix<Real>& b, Real* c) {
  parallel_tiles(m, kTile, [&](std::size_t begin, std::size_t end) {
    multiply_rows(a + begin * b.rows(), end - begin, b, c + begin * b.cols(), false);
  });
}

template <typename Real>
void exponential(Real* values, std::size_t count, Real slope, Real offset) {
  exponential_dispatch<Real>(static_cast<const Real*>(values), values, count, slope, offset);
}
template <typename Real>
void exponential(const Real* in, Real* out, std::size_t count, Real slope, Real offset) {
  exponential_dispatch<Real>(in, out, count, slope, offset);
}
template <typename Real>
void weighted_row_sum(const Real* table, std::size_t width, const std::uint32_t* indices, const Real* weights,
                      std::size_t count, Real* out) {
  weighted_row_sum_dispatch<Real>(table, width, indices, weights, count, out);
}
template <typename Real>
void row_max(const Real* table, std::size_t width, const std::uint32_t* indices, std::size_t count, Real* out) {
  row_max_dispatch<Real>(table, width, indices, count, out);
}
template <typename Real>
void gather_add(const Real* a, const std::uint32_t* ia, const Real* b, const std::uint32_t* ib, std::size_t count,
                std::size_t width, Real* out) {
  gather_add_dispatch<Real>(a, ia, b, ib, count, width, out);
}
template <typename Real>
void sum_rows(const Real* const* rows, std::size_t count, std::size_t width, Real* out) {
  sum_rows_dispatch<Real>(rows, count, width, out);
}
template <typename Real>
void add_scaled(Real* acc, const Real* x, Real factor, std::size_t count) {
  add_scaled_dispatch<Real>(acc, x, factor, count);
}
template <typename Real>
void scale(Real* x, Real factor, std::size_t count) {
  scale_dispatch<Real>(x, factor, count);
}
template <typename Real>
Real dot(const Real* x, const Real* y, std::size_t count) {
  return dot_dispatch<Real>(x, y, count);
}
void multiply_float_rows(const float* const* rows, std::size_t count, std::size_t width, const double* x, double* out) {
  GCKN_BEST_VERSION(multiply_float_rows_by)(rows, count, width, x, out);
}
template <typename Real>
Real largest_sum(const Real* x, const Real* y, std::size_t count) {
  return largest_sum_dispatch<Real>(x, y, count);
}

template <typename Real>
std::size_t sums_above(const Real* x, const Real* y, std::size_t count, Real least, std::uint32_t* out) {
  return sums_above_dispatch<Real>(x, y, count, least, out);
}

template <typename Real>
BestTwo<Real> best_two(const Real* values, std::size_t count) {
  return best_two_dispatch<Real>(values, count);
}

#define GCKN_INSTANTIATE(Real)                                                                                      \
  template class PackedMatrix<Real>;                                                                                \
  template void multiply_rows(const Real* const*, std::size_t, const PackedMatrix<Real>&, Real*, std::size_t, bool, \
                              std::size_t);                                                                         \
  template void multiply_rows(const Real*, std::size_t, const PackedMatrix<Real>&, Real*, bool);                    \
  template void multiply(const Real*, std::size_t, const PackedMatrix<Real>&, Real*);                               \
  template void exponential(Real*, std::size_t, Real, Real);                                                        \
  template void exponential(const Real*, Real*, std::size_t, Real, Real);                                           \
  template void weighted_row_sum(const Real*, std::size_t, const std::uint32_t*, const Real*, std::size_t, Real*);  \
  template void row_max(const Real*, std::size_t, const std::uint32_t*, std::size_t, Real*);                        \
  template void gather_add(const Real*, const std::uint32_t*, const Real*, const std::uint32_t*, std::size_t,       \
                           std::size_t, Real*);                                                                     \
  template void sum_rows(const Real* const*, std::size_t, std::size_t, Real*);                                      \
  template void add_scaled(Real*, const Real*, Real, std::size_t);                                                  \
  template void scale(Real*, Real, std::size_t);                                                                    \
  template Real dot(const Real*, const Real*, std::size_t);                                                         \
  template Real largest_sum(const Real*, const Real*, std::size_t);                                                 \
  template std::size_t sums_above(const Real*, const Real*, std::size_t, Real, std::uint32_t*);                     \
  template BestTwo<Real> best_two(const Real*, std::size_t);
GCKN_INSTANTIATE(float)
GCKN_INSTANTIATE(double)
#undef GCKN_INSTANTIATE

}  // namespace gckn
#endif  // HWY_ONCE
