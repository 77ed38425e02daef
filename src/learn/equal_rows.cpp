// SPDX-License-Identifier: BSD-3-Clause
#include "learn/equal_rows.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "util/parallel.h"

namespace gckn {
namespace {

std::uint64_t hash_of(const double* row, std::size_t columns) {
  std::uint64_t hash = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    // Adding 0 makes one zero of two.
    hash = (std::rotl(hash, 5) ^ std::bit_cast<std::uint64_t>(row[j] + 0.0)) * 0x9E3779B97F4A7C15U;
  }
  return hash;
}

}  // namespace

std::vector<std::uint32_t> first_equal_rows(const DoubleMatrix& matrix) {
  const std::size_t columns = matrix.cols();
  std::vector<std::uint64_t> hash(matrix.rows());
  parallel_for(matrix.rows(), [&](std::size_t i) { hash[i] = hash_of(matrix.row(i), columns); });
  std::vector<std::uint32_t> first(matrix.rows());
  std::unordered_multimap<std::uint64_t, std::uint32_t> found;
  for (std::uint32_t i = 0; i < first.size(); ++i) {
    const auto [begin, end] = found.equal_range(hash[i]);
    const auto equal = std::find_if(begin, end, [&](const auto& entry) {
      return std::equal(matrix.row(i), matrix.row(i) + columns, matrix.row(entry.second));
    });
    first[i] = equal == end ? i : equal->second;
    if (equal == end) found.emplace(hash[i], i);
  }
  return first;
}

}  // namespace gckn
