// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/product.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "linalg/instruction_set.h"
#include "util/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/product.cpp"
#include "linalg/highway_targets.h"
// Highway compiles the rest of this file once for every instruction set.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

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

// A slice of a panel of B, of this many rows, and a group of rows of A stay in the second-level cache. Slices are long,
// so that A is read in long pieces. The bits are those of one long sum.
constexpr std::size_t kSlice = 768;
constexpr std::size_t kRowGroup = 48;  // a multiple of all kRows

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
  // Where one vector of a panel is enough: as many sums, but no more rows than there are registers for pointers.
  constexpr std::size_t kNarrow = std::min<std::size_t>(12, kBlock * kWhole);
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
          blocks_of.template operator()<kNarrow, 1>();
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

// Sixteen partial sums for each of m rows whatever the vector width, added in a fixed order.
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

}  // namespace

void multiply_rows_float(const float* const* a, std::size_t m, const PackedMatrix<float>& b, float* c, std::size_t s,
                         bool acc, std::size_t segments) {
  multiply_rows_impl(a, m, b, c, s, acc, segments);
}
void multiply_rows_double(const double* const* a, std::size_t m, const PackedMatrix<double>& b, double* c,
                          std::size_t s, bool acc, std::size_t segments) {
  multiply_rows_impl(a, m, b, c, s, acc, segments);
}
void multiply_float_rows_by(const float* const* rows, std::size_t count, std::size_t width, const double* x,
                            double* out) {
  multiply_float_rows_impl(rows, count, width, x, out);
}

}  // namespace gckn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gckn {

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

void multiply_float_rows(const float* const* rows, std::size_t count, std::size_t width, const double* x, double* out) {
  GCKN_BEST_VERSION(multiply_float_rows_by)(rows, count, width, x, out);
}

#define GCKN_INSTANTIATE(Real)                                                                                      \
  template class PackedMatrix<Real>;                                                                                \
  template void multiply_rows(const Real* const*, std::size_t, const PackedMatrix<Real>&, Real*, std::size_t, bool, \
                              std::size_t);                                                                         \
  template void multiply_rows(const Real*, std::size_t, const PackedMatrix<Real>&, Real*, bool);                    \
  template void multiply(const Real*, std::size_t, const PackedMatrix<Real>&, Real*);
GCKN_INSTANTIATE(float)
GCKN_INSTANTIATE(double)
#undef GCKN_INSTANTIATE

}  // namespace gckn
#endif  // HWY_ONCE
