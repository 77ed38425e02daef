// SPDX-License-Identifier: BSD-3-Clause
// Means and deviations of columns of numbers, for any finite numbers and in any order of the rows.
//
// Every column is scaled by a power of two so that its largest number has 62 bits, and added up as whole numbers: these
// sums are exact, so the order of the rows changes no bit, and neither squares of 1e300 overflow nor those of 1e-300
// vanish. What is cut off is below 2^-61 of the column's largest number (of the largest square, for deviations).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gckn {

// Rows first .. last of a table.
struct RowRange {
  std::size_t first = 0;
  std::size_t last = 0;  // one past
};

struct ColumnMoments {
  double mean = 0;       // the number itself where all are equal; 0 where there is none
  double deviation = 0;  // sqrt(mean of (x - mean)^2); positive unless all numbers are equal
};

// By column. values: rows x columns, finite.
std::vector<ColumnMoments> column_moments(std::span<const double> values, std::size_t columns,
                                          std::span<const RowRange> rows);

}  // namespace gckn
