// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/column_moments.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace gckn {
namespace {

__extension__ typedef __int128 WideInteger;

constexpr int kBits = 62;  // of a whole number that a value becomes: 2^65 of them fit a WideInteger

// 2^exponent, also where that is no double itself: in two factors, of which one after the other is.
class PowerOfTwo {
 public:
  explicit PowerOfTwo(int exponent)
      : first_(std::scalbn(1.0, exponent / 2)), second_(std::scalbn(1.0, exponent - exponent / 2)) {}

  [[nodiscard]] double times(double value) const { return value * first_ * second_; }

 private:
  double first_;
  double second_;
};

struct Column {
  double least = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
  int up = 0;  // the power of two that makes the largest magnitude one of kBits bits
  PowerOfTwo scale{0};
  double scaled_mean = 0;
  int distance_up = 0;  // likewise for distances from the mean, after `scale`: to magnitudes of at most 1
  PowerOfTwo distance_scale{0};
  WideInteger sum = 0;
};

double quotient(WideInteger sum, std::uint64_t count) {
  const WideInteger whole = sum / count;
  const WideInteger rest = sum % count;
  return static_cast<double>(whole) + static_cast<double>(rest) / static_cast<double>(count);
}

template <typename Body>
void for_values(std::span<const double> values, std::vector<Column>& columns, std::span<const RowRange> rows,
                const Body& body) {
  for (const RowRange& range : rows) {
    const double* value = values.data() + range.first * columns.size();
    for (std::size_t row = range.first; row < range.last; ++row) {
      for (Column& column : columns) body(column, *value++);
    }
  }
}

}  // namespace

std::vector<ColumnMoments> column_moments(std::span<const double> values, std::size_t columns,
                                          std::span<const RowRange> rows) {
  std::vector<ColumnMoments> moments(columns);
  std::uint64_t count = 0;
  for (const RowRange& range : rows) count += range.last - range.first;
  if (count == 0) return moments;

  std::vector<Column> work(columns);
  for_values(values, work, rows, [](Column& column, double value) {
    column.least = std::min(column.least, value);
    column.largest = std::max(column.largest, value);
  });
  for (Column& column : work) {
    const double magnitude = std::max(std::abs(column.least), std::abs(column.largest));
    if (magnitude > 0) column.up = kBits - 1 - std::ilogb(magnitude);
    column.scale = PowerOfTwo(column.up);
  }
  for_values(values, work, rows,
             [](Column& column, double value) { column.sum += static_cast<std::int64_t>(column.scale.times(value)); });
  for (std::size_t k = 0; k < columns; ++k) {
    Column& column = work[k];
    const double mean = std::scalbn(quotient(column.sum, count), -column.up);
    // Adding zero makes -0 and 0, of which either may come first, one.
    moments[k].mean = std::clamp(mean, column.least, column.largest) + 0.0;
    column.scaled_mean = column.scale.times(moments[k].mean);
    const double farthest = std::max(column.scale.times(column.largest) - column.scaled_mean,
                                     column.scaled_mean - column.scale.times(column.least));
    if (farthest > 0) column.distance_up = -1 - std::ilogb(farthest);
    column.distance_scale = PowerOfTwo(column.distance_up);
    column.sum = 0;
  }
  const PowerOfTwo to_integer(kBits);
  for_values(values, work, rows, [&](Column& column, double value) {
    const double distance = column.distance_scale.times(column.scale.times(value) - column.scaled_mean);
    column.sum += static_cast<std::int64_t>(to_integer.times(distance * distance));
  });
  for (std::size_t k = 0; k < columns; ++k) {
    const Column& column = work[k];
    if (column.least == column.largest) continue;
    const double square = std::scalbn(quotient(column.sum, count), -kBits);
    const double deviation = std::scalbn(std::sqrt(square), -column.distance_up - column.up);
    moments[k].deviation = std::max(deviation, std::numeric_limits<double>::denorm_min());
  }
  return moments;
}

}  // namespace gckn
