// SPDX-License-Identifier: BSD-3-Clause
#include "network/assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "gckn/error.h"
#include "linalg/moments.h"
#include "linalg/sparse_gram.h"
#include "util/flat_map.h"
#include "util/parallel.h"

namespace gckn {

AssignmentColumns::AssignmentColumns(const StateCounts& counts) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> entries(counts.name.size());
  for (std::size_t e = 0; e < entries.size(); ++e) entries[e] = {counts.name[e], counts.count[e]};
  std::ranges::sort(entries);
  first_.push_back(0);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    // The last entry of a name has its largest count.
    if (e + 1 < entries.size() && entries[e + 1].first == entries[e].first) continue;
    names_.push_back(entries[e].first);
    first_.push_back(first_.back() + entries[e].second);
  }
}

AssignmentColumns::AssignmentColumns(std::vector<std::uint64_t> names,
                                     const std::vector<std::uint64_t>& columns_of_name)
    : names_(std::move(names)) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (columns_of_name.size() != names_.size()) throw UsageError("the states have other numbers of names and columns");
  if (std::ranges::adjacent_find(names_, std::greater_equal<>()) != names_.end()) {
    throw UsageError("the names of states are not in ascending order");
  }
  std::uint64_t size = 0;
  first_.push_back(0);
  for (const std::uint64_t columns : columns_of_name) {
    if (columns == 0 || columns > kMost - size) throw UsageError("a state has no column, or too many");
    size += columns;
    first_.push_back(static_cast<std::uint32_t>(size));
  }
}

AssignmentColumns AssignmentColumns::hashed(int bits) {
  if (bits < 1 || bits > 31) throw UsageError(fmt::format("states cannot be hashed to {} bits", bits));
  AssignmentColumns columns;
  columns.bits_ = bits;
  return columns;
}

// Names are hashes already, but the highest bits of s and t must not be those of s alone.
std::uint64_t AssignmentColumns::hash_of(std::uint64_t name, std::uint32_t t) {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;
  return mix_bits(name + (t + std::uint64_t{1}) * kStep);
}

std::size_t AssignmentColumns::find(std::uint64_t name) const {
  const auto found = std::ranges::lower_bound(names_, name);
  return found != names_.end() && *found == name ? static_cast<std::size_t>(found - names_.begin()) : names_.size();
}

SparseRows<double> AssignmentColumns::rows(const StateCounts& counts, bool normalised) const {
  if (is_hashed()) return hashed_rows(counts, normalised);
  SparseRows<double> rows;
  rows.columns = size();
  for (std::size_t g = 0; g < counts.num_graphs(); ++g) {
    auto name = names_.begin();  // both ascend
    for (std::uint64_t e = counts.begin[g]; e < counts.begin[g + 1]; ++e) {
      name = std::lower_bound(name, names_.end(), counts.name[e]);
      if (name == names_.end()) break;
      if (*name != counts.name[e]) continue;
      const auto s = static_cast<std::size_t>(name - names_.begin());
      const std::uint32_t end = std::min(first_[s + 1], first_[s] + counts.count[e]);
      for (std::uint32_t column = first_[s]; column < end; ++column) rows.index.push_back(column);
    }
    rows.begin.push_back(rows.index.size());
    rows.weight.resize(rows.index.size(), normalised ? 1 / assignment_norm(counts, g) : 1.0);
  }
  return rows;
}

SparseRows<double> AssignmentColumns::hashed_rows(const StateCounts& counts, bool normalised) const {
  SparseRows<double> rows;
  rows.columns = size();
  std::vector<std::pair<std::uint32_t, double>> entries;
  for (std::size_t g = 0; g < counts.num_graphs(); ++g) {
    const double one = normalised ? 1 / assignment_norm(counts, g) : 1.0;
    for (std::uint64_t e = counts.begin[g]; e < counts.begin[g + 1]; ++e) {
      for_columns(counts.name[e], counts.count[e],
                  [&](std::uint32_t column, double value) { entries.emplace_back(column, value * one); });
    }
    rows.add_row(entries);
  }
  return rows;
}

double assignment_norm(const StateCounts& counts, std::size_t graph) {
  const auto first = counts.count.begin() + static_cast<std::ptrdiff_t>(counts.begin[graph]);
  const auto last = counts.count.begin() + static_cast<std::ptrdiff_t>(counts.begin[graph + 1]);
  return std::sqrt(static_cast<double>(std::accumulate(first, last, std::uint64_t{0})));
}

void normalise_kernel(const std::vector<double>& of_row, const std::vector<double>& of_column,
                      const RunOptions& options, DoubleMatrix& k) {
  constexpr std::size_t kRows = 64;
  std::vector<double> root(of_column.size());
  std::ranges::transform(of_column, root.begin(), [](double size) { return std::sqrt(size); });
  parallel_tiles(k.rows(), kRows, options, "normalising", [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const double root_of_row = std::sqrt(of_row[i]);
      for (std::size_t j = 0; j < k.cols(); ++j) {
        // A product of two rounded roots would not give exactly 1 for equal graphs.
        const double scale = of_row[i] == of_column[j] ? of_row[i] : root_of_row * root[j];
        k(i, j) = scale > 0 ? std::min(k(i, j) / scale, 1.0) : 0.0;
      }
    }
  });
}

DoubleMatrix assignment_matrix(const SparseRows<double>& rows, const RunOptions& options) {
  SparseRows<double> ones = rows;
  std::ranges::fill(ones.weight, 1.0);
  DoubleMatrix k(rows.rows(), rows.rows());
  add_inner_products(ones, 1.0, options, k);
  mirror_upper_triangle(k);
  std::vector<double> size(rows.rows());
  std::vector<std::size_t> empty;
  for (std::size_t g = 0; g < size.size(); ++g) {
    size[g] = static_cast<double>(rows.row(g).size());
    if (size[g] == 0) empty.push_back(g);
  }
  normalise_kernel(size, size, options, k);
  for (const std::size_t g : empty) {
    for (const std::size_t h : empty) k(g, h) = 1;
  }
  return k;
}

}  // namespace gckn
