// SPDX-License-Identifier: BSD-3-Clause
#include "learn/frequent_columns.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "linalg/cholesky.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr double kFrequent = 4.0;            // the diagonal of columns that a block may pay for
constexpr std::ptrdiff_t kFewFrequent = 16;  // fewer are left to the diagonal
constexpr double kLargestSize = 4096;
// Nanoseconds, of which only the ratio matters.
constexpr double kBlockFactorCost = 0.06;  // cube of the size
constexpr double kBlockEntryCost = 2.5;    // of a row, and product
constexpr double kStaleCurvature = 0.4;    // of the sum of e: what may have moved since the block was made
constexpr std::uint32_t kNotFrequent = ~std::uint32_t{0};

// Columns that are not frequent yet are taken along, as they will be when C has grown.
std::vector<std::uint32_t> largest_diagonal(const std::vector<double>& diagonal, std::size_t size) {
  if (std::ranges::count_if(diagonal, [](double d) { return d > kFrequent; }) < kFewFrequent) return {};
  std::vector<std::uint32_t> columns(diagonal.size());
  std::iota(columns.begin(), columns.end(), 0U);
  if (columns.size() <= size) return columns;
  const auto end = columns.begin() + static_cast<std::ptrdiff_t>(size);
  std::ranges::nth_element(columns, end, [&](std::uint32_t a, std::uint32_t b) {
    return diagonal[a] > diagonal[b] || (diagonal[a] == diagonal[b] && a < b);
  });
  columns.erase(end, columns.end());
  std::ranges::sort(columns);
  return columns;
}

}  // namespace

void FrequentColumns::update(const ReducedRows& rows, const NewtonSystem& system, const RunOptions& options) {
  const double sum = std::accumulate(system.e.begin(), system.e.end(), 0.0);
  double factor = 1;
  bool stale = made_with_.empty();
  if (!stale) {
    factor = sum / std::accumulate(made_with_.begin(), made_with_.end(), 0.0);
    double moved = 0;
    for (std::size_t i = 0; i < made_with_.size(); ++i) moved += std::abs(system.e[i] - factor * made_with_[i]);
    stale = !(moved <= kStaleCurvature * sum);
  }
  if (stale) {
    members_ = largest_diagonal(system.diagonal, size_);
    if (members_.empty()) return;
    multiply(rows, system, options);
    factor = 1;
  }
  if (members_.empty()) return;
  factor_ = products_;
  const double b = system.penalty + factor * std::accumulate(made_with_.begin(), made_with_.end(), 0.0);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    for (std::size_t j = i; j < members_.size(); ++j) {
      factor_(i, j) = factor * (factor_(i, j) - factor / b * q_[i] * q_[j]);
    }
    factor_(i, i) += 1;
  }
  // Positive definite by construction; should rounding spoil that, the diagonal is left.
  if (!factor_positive_definite(factor_, options)) {
    members_.clear();
    made_with_.clear();
  }
}

void FrequentColumns::took(std::size_t products, std::size_t entries) {
  const double twice = 2.0 * static_cast<double>(size_);
  if (members_.empty() || members_.size() < size_ || twice > kLargestSize) return;
  const double cost = kBlockEntryCost * static_cast<double>(products) * static_cast<double>(entries);
  if (cost < 2 * kBlockFactorCost * twice * twice * twice) return;
  size_ *= 2;
  made_with_.clear();
}

void FrequentColumns::apply(const std::vector<double>& r, std::vector<double>& z) {
  if (members_.empty()) return;
  part_.resize(members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) part_[i] = r[members_[i]];
  solve_factored(factor_, part_.data());
  for (std::size_t i = 0; i < members_.size(); ++i) z[members_[i]] = part_[i];
}

void FrequentColumns::multiply(const ReducedRows& rows, const NewtonSystem& system, const RunOptions& options) {
  made_with_ = system.e;
  q_.clear();
  std::vector<std::uint32_t> place(rows.shared(), kNotFrequent);
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    place[members_[i]] = i;
    q_.push_back(system.q[members_[i]]);
  }
  products_ = DoubleMatrix(members_.size(), members_.size());
  std::vector<std::pair<std::uint32_t, double>> entries;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (i % 4096 == 0) report_progress(options, "linear models", 0, 0);
    const double e = system.e[i];
    if (!(e > 0)) continue;
    entries.clear();
    rows.for_row(i, [&](std::uint32_t k, double x) {
      if (place[k] != kNotFrequent) entries.emplace_back(place[k], x);
    });
    for (std::size_t a = 0; a < entries.size(); ++a) {
      double* to = products_.row(entries[a].first);
      const double factor = e * entries[a].second;
      for (std::size_t b = a; b < entries.size(); ++b) to[entries[b].first] += factor * entries[b].second;
    }
  }
}

}  // namespace gckn
