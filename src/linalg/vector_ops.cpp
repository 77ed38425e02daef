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

#define GCKN_INSTANTIATE(Real)                                                                                     \
  template void exponential(Real*, std::size_t, Real, Real);                                                       \
  template void exponential(const Real*, Real*, std::size_t, Real, Real);                                          \
  template void weighted_row_sum(const Real*, std::size_t, const std::uint32_t*, const Real*, std::size_t, Real*); \
  template void row_max(const Real*, std::size_t, const std::uint32_t*, std::size_t, Real*);                       \
  template void gather_add(const Real*, const std::uint32_t*, const Real*, const std::uint32_t*, std::size_t,      \
                           std::size_t, Real*);                                                                    \
  template void sum_rows(const Real* const*, std::size_t, std::size_t, Real*);                                     \
  template void add_scaled(Real*, const Real*, Real, std::size_t);                                                 \
  template void scale(Real*, Real, std::size_t);                                                                   \
  template Real dot(const Real*, const Real*, std::size_t);                                                        \
  template Real largest_sum(const Real*, const Real*, std::size_t);                                                \
  template std::size_t sums_above(const Real*, const Real*, std::size_t, Real, std::uint32_t*);                    \
  template BestTwo<Real> best_two(const Real*, std::size_t);
GCKN_INSTANTIATE(float)
GCKN_INSTANTIATE(double)
#undef GCKN_INSTANTIATE

}  // namespace gckn
#endif  // HWY_ONCE
