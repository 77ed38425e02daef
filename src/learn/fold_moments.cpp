// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fold_moments.h"

#include <algorithm>
#include <utility>

#include "linalg/moments.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::size_t kPanel = 256;       // columns of the moments that a thread computes at a time
constexpr double kMostAmplified = 100.0;  // a: rounding of the sums over all rows counts a^2 times in a fold

Standardiser keeping_all_columns(const Matrix& vectors, std::span<const std::uint32_t> rows) {
  Standardiser standardiser(vectors, rows);
  std::ranges::replace(standardiser.scale, 0.0, 1.0);
  return standardiser;
}

// The rows of `all` that are not in `some`; nothing if some are not in `all`.
std::optional<std::vector<std::uint32_t>> without(const std::vector<std::uint32_t>& all,
                                                  std::span<const std::uint32_t> some) {
  if (some.size() > all.size()) return std::nullopt;
  std::vector<char> in_some(all.empty() ? 0 : *std::ranges::max_element(all) + std::size_t{1}, 0);
  for (const std::uint32_t row : some) {
    if (row >= in_some.size()) return std::nullopt;
    in_some[row] = 1;
  }
  std::vector<std::uint32_t> rest;
  std::ranges::copy_if(all, std::back_inserter(rest), [&](std::uint32_t row) { return in_some[row] == 0; });
  if (rest.size() + some.size() != all.size()) return std::nullopt;
  return rest;
}

}  // namespace

FoldMoments::FoldMoments(const Matrix& vectors, std::vector<std::uint32_t> rows)
    : vectors_(vectors), rows_(std::move(rows)), all_(keeping_all_columns(vectors, rows_)) {
  const DoubleMatrix z = all_.apply(vectors_, rows_);
  const std::size_t d = z.cols();
  moments_ = DoubleMatrix(d, d);
  parallel_for((d + kPanel - 1) / kPanel, [&](std::size_t panel) {
    const std::size_t begin = panel * kPanel;
    const std::size_t end = std::min(d, begin + kPanel);
    add_transposed_product({z.data(), d, end}, {z.data() + begin, d, end - begin}, z.rows(), nullptr, 1.0,
                           moments_.data() + begin, d, Triangle::both);
  });
}

std::optional<DoubleMatrix> FoldMoments::of(std::span<const std::uint32_t> rows,
                                            const Standardiser& standardiser) const {
  const std::optional<std::vector<std::uint32_t>> left_out = without(rows_, rows);
  if (!left_out || left_out->size() >= rows.size()) return std::nullopt;
  struct Column {
    std::size_t in_all;
    double a;
    double b;
  };
  std::vector<Column> kept;
  for (std::size_t k = 0; k < all_.scale.size(); ++k) {
    const double scale = standardiser.scale[k];
    if (scale == 0) continue;
    kept.push_back({k, all_.scale[k] / scale, (all_.mean[k] - standardiser.mean[k]) / scale});
    if (kept.back().a > kMostAmplified) return std::nullopt;
  }
  const std::size_t one = all_.scale.size();  // the column of ones
  kept.push_back({one, 1.0, 0.0});

  DoubleMatrix sums = moments_;
  const DoubleMatrix z = all_.apply(vectors_, *left_out);
  const RowBlock block{z.data(), z.cols(), z.cols()};
  add_transposed_product(block, block, z.rows(), nullptr, -1.0, sums.data(), sums.cols(), Triangle::upper);
  auto result = DoubleMatrix::uninitialised(kept.size(), kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Column& row = kept[i];
    const double* of_row = sums.row(row.in_all);
    for (std::size_t j = i; j < kept.size(); ++j) {
      const Column& column = kept[j];
      result(i, j) = row.a * column.a * of_row[column.in_all] + row.a * column.b * of_row[one] +
                     row.b * column.a * sums(column.in_all, one) + row.b * column.b * sums(one, one);
    }
  }
  return result;
}

}  // namespace gckn
