// SPDX-License-Identifier: BSD-3-Clause
#include "learn/hinge_newton.h"

#include <algorithm>
#include <iterator>
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
  // Derivative slope * t + offset, on the piece that contains t; pieces end where a point crosses its hinge.
  double slope = d_d;
  double offset = d_w;
  std::vector<std::pair<double, std::uint32_t>> crossings;
  for (std::uint32_t i = 0; i < points.y.size(); ++i) {
    const double slack = 1.0 - points.y[i] * points.f[i];
    const double change = -points.y[i] * df[i];  // of the slack per unit of t
    if (slack > 0) {
      slope += 2 * c * points.v[i] * change * change;
      offset += 2 * c * points.v[i] * change * slack;
    }
    if ((slack > 0) == (change < 0) && change != 0) {
      const double t = -slack / change;
      if (t >= 0) crossings.emplace_back(t, i);
    }
  }
  const double derivative = offset;
  std::sort(crossings.begin(), crossings.end());
  for (const auto& [t, i] : crossings) {
    if (slope * t + offset >= 0) break;
    const double slack = 1.0 - points.y[i] * points.f[i];
    const double change = -points.y[i] * df[i];
    const double sign = slack > 0 ? -1.0 : 1.0;  // leaves or enters the active set
    slope += sign * 2 * c * points.v[i] * change * change;
    offset += sign * 2 * c * points.v[i] * change * slack;
  }
  return {slope > 0 ? std::max(0.0, -offset / slope) : 0.0, derivative};
}

std::vector<double> DualSystem::solve(double c, const PointProducts& products, const HingePoints& points,
                                      const std::vector<std::uint32_t>& members, const RunOptions& options) {
  std::vector<double> a = solve_with_old_factor(c, products, points, members);
  reused_ = !a.empty();
  if (reused_) return a;
  const std::size_t m = members.size();
  if (factor_.rows() != m) factor_ = DoubleMatrix::uninitialised(m, m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = i; j < m; ++j) factor_(i, j) = dual_entry(c, products, points, members[i], members[j]);
  }
  factored_for_ = 0;
  if (!factor_positive_definite(factor_, options)) return {};
  factored_for_ = c;
  in_factor_ = members;
  for (const std::uint32_t i : members) a.push_back(points.y[i]);
  solve_factored(factor_, a.data());
  return a;
}

bool DualSystem::forget() {
  factored_for_ = 0;
  return std::exchange(reused_, false);
}

// Points that entered are a border of the matrix, and those that left are held at zero by a multiplier each. Empty if
// there is no factor for a set that differs in few points.
std::vector<double> DualSystem::solve_with_old_factor(double c, const PointProducts& products,
                                                      const HingePoints& points,
                                                      const std::vector<std::uint32_t>& members) {
  if (factored_for_ != c) return {};
  const std::vector<std::uint32_t>& old = in_factor_;
  std::vector<std::uint32_t> entered;
  std::vector<std::uint32_t> left;
  std::ranges::set_difference(members, old, std::back_inserter(entered));
  std::ranges::set_difference(old, members, std::back_inserter(left));
  const std::size_t m = entered.size() + left.size();
  if (static_cast<double>(m) > kReuseShare * static_cast<double>(old.size())) return {};
  DoubleMatrix border(old.size(), m + 1);
  DoubleMatrix corner(m, m);
  std::vector<double> x(m, 0.0);
  for (std::size_t j = 0; j < entered.size(); ++j) {
    for (std::size_t i = 0; i < old.size(); ++i) border(i, j) = dual_entry(c, products, points, old[i], entered[j]);
    for (std::size_t i = 0; i <= j; ++i) corner(i, j) = -dual_entry(c, products, points, entered[i], entered[j]);
    x[j] = points.y[entered[j]];
  }
  for (std::size_t i = 0, j = 0; i < old.size(); ++i) {
    border(i, m) = points.y[old[i]];
    if (j < left.size() && old[i] == left[j]) border(i, entered.size() + j++) = 1.0;
  }
  const std::vector<double> of_old = solve_bordered(factor_, std::move(border), std::move(corner), x);
  if (of_old.empty()) return {};
  std::vector<double> a;
  for (std::size_t i = 0, o = 0, e = 0; i < members.size(); ++i) {
    if (e < entered.size() && entered[e] == members[i]) {
      a.push_back(x[e++]);
      continue;
    }
    while (old[o] != members[i]) ++o;
    a.push_back(of_old[o]);
  }
  return a;
}

std::vector<double> solve_bordered(const DoubleMatrix& factor, DoubleMatrix b_and_r, DoubleMatrix s,
                                   std::vector<double>& q) {
  const std::size_t m = q.size();
  solve_lower(factor, b_and_r);
  const DoubleMatrix inner = weighted_moments(b_and_r);  // [V y]' [V y]
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = i; j < m; ++j) s(i, j) += inner(i, j);
    q[i] = inner(i, m) - q[i];
  }
  if (!solve_indefinite(s, q.data())) return {};
  std::vector<double> u(factor.rows());
  for (std::size_t k = 0; k < u.size(); ++k) u[k] = b_and_r(k, m) - dot(b_and_r.row(k), q.data(), m);
  solve_upper(factor, u.data());
  return u;
}

}  // namespace gckn
