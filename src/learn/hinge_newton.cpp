// SPDX-License-Identifier: BSD-3-Clause
#include "learn/hinge_newton.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "linalg/cholesky.h"
#include "linalg/moments.h"
#include "linalg/symmetric.h"
#include "linalg/vector_ops.h"

namespace gckn {
namespace {

constexpr double kMargin = 1e-6;  // a point counts as switched only if its loss has a slope of this beyond the hinge

// Of Z Z' + V^-1 / (2 C).
double dual_entry(double c, const PointProducts& products, const HingePoints& points, std::uint32_t i,
                  std::uint32_t j) {
  const std::uint32_t a = products.place.empty() ? i : products.place[i];
  const std::uint32_t b = products.place.empty() ? j : products.place[j];
  const double product = (*products.matrix)(std::min(a, b), std::max(a, b));
  return i == j ? product + 0.5 / (c * points.v[i]) : product;
}

}  // namespace

double hinge_loss(double c, const HingePoints& points) {
  double loss = 0;
  for (std::size_t i = 0; i < points.y.size(); ++i) {
    const double slack = std::max(0.0, 1.0 - points.y[i] * points.f[i]);
    loss += points.v[i] * slack * slack;
  }
  return c * loss;
}

bool update_active(double c, const HingePoints& points, std::vector<char>& active) {
  const double margin = kMargin / (1.0 + 2.0 * c);
  bool switched = false;
  for (std::size_t i = 0; i < points.y.size(); ++i) {
    const double slack = 1.0 - points.y[i] * points.f[i];
    if (active[i] != 0 ? slack < -margin : slack > margin) {
      active[i] = active[i] != 0 ? 0 : 1;
      switched = true;
    }
  }
  return switched;
}

LowestPoint line_search(double c, const HingePoints& points, std::span<const double> df, double d_d, double d_w) {
  // The derivative is the sum of lines slope * t + offset: that of |w|^2 / 2, and one of each point where it is active,
  // which is up to or from the t at which it crosses its hinge.
  struct Line {
    double slope;
    double offset;
  };
  const std::size_t n = points.y.size();
  std::vector<Line> lines(n);
  std::vector<double> crossing(n, std::numeric_limits<double>::infinity());
  std::vector<char> active(n);  // at t = 0
  Line sum{d_d, d_w};
  for (std::size_t i = 0; i < n; ++i) {
    const double slack = 1.0 - points.y[i] * points.f[i];
    const double change = -points.y[i] * df[i];  // of the slack per unit of t
    lines[i] = {2 * c * points.v[i] * change * change, 2 * c * points.v[i] * change * slack};
    active[i] = slack > 0 ? 1 : 0;
    if ((slack > 0) == (change < 0) && change != 0) {
      const double t = -slack / change;
      if (t >= 0) crossing[i] = t;
    }
    if (slack > 0) sum = {sum.slope + lines[i].slope, sum.offset + lines[i].offset};
  }
  const double derivative = sum.offset;
  // Newton steps end near t = 1. Crossings are put in order only between two bounds with the lowest point between them.
  double low = -1.0;
  double high = std::numeric_limits<double>::infinity();
  const auto narrow = [&](double bound) {
    Line at{d_d, d_w};
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_in = (active[i] != 0) != (crossing[i] <= bound);
      at.slope += is_in ? lines[i].slope : 0.0;
      at.offset += is_in ? lines[i].offset : 0.0;
    }
    if (at.slope * bound + at.offset >= 0) {
      high = bound;
    } else {
      low = bound;
      sum = at;
    }
  };
  narrow(1.0);
  narrow(high == 1.0 ? 0.9 : 1.1);
  std::vector<std::pair<double, std::uint32_t>> between;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (crossing[i] > low && crossing[i] <= high && std::isfinite(crossing[i])) between.emplace_back(crossing[i], i);
  }
  std::ranges::sort(between);
  for (const auto& [t, i] : between) {
    if (sum.slope * t + sum.offset >= 0) break;
    const double sign = active[i] != 0 ? -1.0 : 1.0;  // leaves or enters the active set
    sum = {sum.slope + sign * lines[i].slope, sum.offset + sign * lines[i].offset};
  }
  return {sum.slope > 0 ? std::clamp(-sum.offset / sum.slope, 0.0, kLongestStep) : 0.0, derivative};
}

std::vector<double> DualSystem::solve(double c, const PointProducts& products, const HingePoints& points,
                                      const std::vector<std::uint32_t>& members, const RunOptions& options) {
  std::vector<double> a = solve_with_old_factor(c, products, points, members);
  reused_ = !a.empty();
  if (reused_) return a;
  const std::size_t m = members.size();
  if (factor_.rows() != m) factor_ = DoubleMatrix::uninitialised(m, m);
  const auto place = [&](std::uint32_t i) { return products.place.empty() ? i : products.place[i]; };
  std::vector<std::uint32_t> columns(m);
  for (std::size_t i = 0; i < m; ++i) columns[i] = place(members[i]);
  const DoubleMatrix& all = *products.matrix;
  for (std::size_t i = 0; i < m; ++i) {
    const std::uint32_t own = columns[i];
    const double* row = all.row(own);
    double* to = factor_.row(i);
    for (std::size_t j = i; j < m; ++j) {
      const std::uint32_t b = columns[j];
      to[j] = own <= b ? row[b] : all(b, own);
    }
    to[i] = dual_entry(c, products, points, members[i], members[i]);
  }
  factored_for_ = 0;
  if (!factor_positive_definite(factor_, options)) return {};
  factored_for_ = c;
  in_factor_ = members;
  for (const std::uint32_t i : members) a.push_back(points.y[i]);
  solve_upper_transposed(factor_, a.data());
  divided_labels_ = a;
  divided_border_.clear();
  solve_upper(factor_, a.data());
  return a;
}

bool DualSystem::forget() {
  factored_for_ = 0;
  return std::exchange(reused_, false);
}

// Points that entered are a border of the matrix, and those that left are held at zero by a multiplier each:
//   M u + B x = y,  B' u - S x = q  with V = U'^-1 B, t = U'^-1 y:  (V' V + S) x = V' t - q,  u = U^-1 (t - V x).
// Empty if there is no factor for a set that differs in few points, or rounding makes that singular.
std::vector<double> DualSystem::solve_with_old_factor(double c, const PointProducts& products,
                                                      const HingePoints& points,
                                                      const std::vector<std::uint32_t>& members) {
  if (factored_for_ != c) return {};
  const std::vector<std::uint32_t>& old = in_factor_;
  std::vector<std::uint32_t> changed;  // those that entered, then those that left
  std::ranges::set_difference(members, old, std::back_inserter(changed));
  const std::size_t num_entered = changed.size();
  std::ranges::set_difference(old, members, std::back_inserter(changed));
  const std::size_t m = changed.size();
  if (static_cast<double>(m) > kReuseShare * static_cast<double>(old.size())) return {};
  divide_border(c, products, points, changed);
  auto border = DoubleMatrix::uninitialised(m, old.size());  // V'
  for (std::size_t j = 0; j < m; ++j) std::ranges::copy(divided_border_.at(changed[j]), border.row(j));
  DoubleMatrix system = inner_products(border);
  std::vector<double> x(m);
  for (std::size_t j = 0; j < m; ++j) {
    x[j] = dot(border.row(j), divided_labels_.data(), old.size());
    if (j >= num_entered) continue;
    x[j] -= points.y[changed[j]];
    for (std::size_t i = 0; i <= j; ++i) system(i, j) -= dual_entry(c, products, points, changed[i], changed[j]);
  }
  if (m > 0 && !solve_indefinite(system, x.data())) return {};
  std::vector<double> of_old = divided_labels_;
  for (std::size_t j = 0; j < m; ++j) add_scaled(of_old.data(), border.row(j), -x[j], old.size());
  solve_upper(factor_, of_old.data());
  std::vector<double> a;
  for (std::size_t i = 0, o = 0, e = 0; i < members.size(); ++i) {
    if (e < num_entered && changed[e] == members[i]) {
      a.push_back(x[e++]);
      continue;
    }
    while (old[o] != members[i]) ++o;
    a.push_back(of_old[o]);
  }
  return a;
}

// Makes sure that divided_border_ has these points.
void DualSystem::divide_border(double c, const PointProducts& products, const HingePoints& points,
                               const std::vector<std::uint32_t>& changed) {
  const std::vector<std::uint32_t>& old = in_factor_;
  std::vector<std::uint32_t> fresh;
  std::ranges::copy_if(changed, std::back_inserter(fresh),
                       [&](std::uint32_t i) { return !divided_border_.contains(i); });
  if (fresh.empty()) return;
  DoubleMatrix border(old.size(), fresh.size());
  for (std::size_t j = 0; j < fresh.size(); ++j) {
    const auto at = std::ranges::lower_bound(old, fresh[j]);
    if (at != old.end() && *at == fresh[j]) {
      border(static_cast<std::size_t>(at - old.begin()), j) = 1.0;
      continue;
    }
    for (std::size_t i = 0; i < old.size(); ++i) border(i, j) = dual_entry(c, products, points, old[i], fresh[j]);
  }
  solve_lower(factor_, border);
  for (std::size_t j = 0; j < fresh.size(); ++j) {
    std::vector<double>& column = divided_border_[fresh[j]];
    column.resize(old.size());
    for (std::size_t i = 0; i < old.size(); ++i) column[i] = border(i, j);
  }
}

}  // namespace gckn
