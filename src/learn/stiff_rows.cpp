// SPDX-License-Identifier: BSD-3-Clause
#include "learn/stiff_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include "linalg/cholesky.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr double kStiff = 4.0;             // e of rows from which a preconditioner of their own may pay
constexpr double kStiffCost = 16.0;        // of preparing it, at most: in products
constexpr std::size_t kMostStiff = 2048;   // rows
constexpr std::size_t kStaleShare = 50;    // one in so many stiff rows may be missing from it
constexpr double kLeastCurvature = 1e-30;  // a row without curvature then leaves P alone

}  // namespace

void StiffRows::update(const ReducedRows& rows, const std::vector<double>& e, const RunOptions& options) {
  std::vector<std::uint32_t> stiff;
  std::size_t used = 0;
  for (std::uint32_t i = 0; i < e.size(); ++i) {
    used += e[i] > 0 ? 1 : 0;
    if (e[i] > kStiff) stiff.push_back(i);
  }
  // Products of T with T cost about |T|^2 / 2 rows, a product with S two passes over those that are used.
  const auto paid = static_cast<std::size_t>(std::sqrt(4 * kStiffCost * static_cast<double>(used)));
  const std::size_t most = std::min(kMostStiff, paid);
  if (stiff.size() > most) {
    const auto end = stiff.begin() + static_cast<std::ptrdiff_t>(most);
    std::ranges::nth_element(stiff, end,
                             [&](std::uint32_t a, std::uint32_t b) { return e[a] > e[b] || (e[a] == e[b] && a < b); });
    stiff.erase(end, stiff.end());
    std::ranges::sort(stiff);
  }
  std::vector<std::uint32_t> missing;
  std::ranges::set_difference(stiff, members_, std::back_inserter(missing));
  if (missing.size() * kStaleShare > stiff.size()) {
    members_ = std::move(stiff);
    multiply(rows, options);
  }
  if (members_.empty()) return;
  factor_ = products_;
  for (std::size_t a = 0; a < members_.size(); ++a) factor_(a, a) += 1.0 / std::max(e[members_[a]], kLeastCurvature);
  // Positive definite by construction; should rounding spoil that, conjugate gradients do without.
  if (!factor_positive_definite(factor_, options)) members_.clear();
}

void StiffRows::apply(const ReducedRows& rows, const std::vector<double>& r, std::vector<double>& z) {
  z = r;
  if (members_.empty()) return;
  outputs_.resize(members_.size());
  for (std::size_t a = 0; a < members_.size(); ++a) outputs_[a] = rows.product(members_[a], r.data());
  solve_factored(factor_, outputs_.data());
  for (std::size_t a = 0; a < members_.size(); ++a) rows.add(members_[a], -outputs_[a], z.data());
}

void StiffRows::multiply(const ReducedRows& rows, const RunOptions& options) {
  products_ = DoubleMatrix(members_.size(), members_.size());
  std::vector<double> row(rows.shared(), 0.0);
  for (std::size_t a = 0; a < members_.size(); ++a) {
    if (a % 64 == 0) report_progress(options, "linear models", 0, 0);
    rows.add(members_[a], 1.0, row.data());
    for (std::size_t b = a; b < members_.size(); ++b) products_(a, b) = rows.product(members_[b], row.data());
    rows.for_row(members_[a], [&](std::uint32_t k, double) { row[k] = 0; });
  }
}

}  // namespace gckn
