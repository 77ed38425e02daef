// SPDX-License-Identifier: BSD-3-Clause
#include "learn/squared_hinge.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "linalg/cholesky.h"
#include "linalg/moments.h"
#include "linalg/symmetric.h"
#include "linalg/vector_ops.h"

namespace gckn {
namespace {

constexpr int kMostHingeSteps = 100;
constexpr double kMargin = 1e-6;  // a point counts as switched only if its loss has a slope of this beyond the hinge
constexpr double kHingeDecrement = 1e-10;  // of the objective: a Newton step that promises less is not taken
constexpr double kPrimalShare = 0.9;       // primal if |A| is at least this share of D
constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
constexpr double kReuseShare = 0.15;  // a factor serves until this share of D points has changed sides

std::vector<double> difference(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

// Solves  M u + B x = r,  B' u - S x = q  with the factor M = U' U: V = U'^-1 B, y = U'^-1 r and
//   (V' V + S) x = V' y - q,  u = U^-1 (y - V x).
// b_and_r: B and, as its last column, r. S: m x m, upper triangle. q becomes x. Empty if that is singular.
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

class HingeSolver {
 public:
  explicit HingeSolver(const SquaredHingeProblem& problem)
      : rows_(*problem.rows),
        n_(rows_.rows()),
        dimension_(rows_.cols()),
        y_(problem.labels),
        v_(problem.weights.empty() ? std::vector<double>(n_, 1.0) : problem.weights),
        w_(dimension_, 0.0),
        f_(n_, 0.0),
        last_w_(w_),
        last_f_(f_),
        active_(n_, 1),
        in_moments_(n_, 0),
        in_right_side_(n_, 0),
        right_side_(dimension_, 0.0),
        products_(problem.products) {
    if (problem.moments != nullptr && problem.weights.empty()) {
      moments_ = *problem.moments;
      in_moments_.assign(n_, 1);
    }
  }

  SquaredHingeSolution solve(double c) {
    SquaredHingeSolution solution;
    follow_path(c);
    while (solution.steps < kMostHingeSteps) {
      const std::vector<double> point = newton_point(c);
      if (point.empty()) break;
      const std::vector<double> direction = difference(point, w_);
      ++solution.steps;
      const Move moved = move(c, direction, products(direction));
      const double enough = kHingeDecrement * value(c);
      if (!(moved.promised >= -enough)) {  // uphill: the system was too close to singular
        if (!forget_factors()) break;
        continue;
      }
      // What a step promises, not what it brings: one that a hinge cuts short brings little far from the solution.
      if (!moved.switched || moved.promised <= enough) {
        solution.converged = true;
        break;
      }
    }
    solution.w = w_;
    solution.objective = value(c);
    return solution;
  }

 private:
  // Before the first step for a new C: on in the direction from the solution before the last one to the last one, which
  // takes no product with the rows. Most points that are about to change sides do so here.
  void follow_path(double c) {
    const std::vector<double> direction = difference(w_, last_w_);
    const std::vector<double> df = difference(f_, last_f_);
    last_w_ = w_;
    last_f_ = f_;
    move(c, direction, df);
  }

  struct Move {
    bool switched;    // points changed sides
    double promised;  // the decrease of the objective if it were quadratic with its minimum at the full step
  };

  // To the lowest point in a direction, df = Z direction.
  Move move(double c, const std::vector<double>& direction, const std::vector<double>& df) {
    const auto [step, derivative] = line_search(c, direction, df);
    add_scaled(w_.data(), direction.data(), step, dimension_);
    add_scaled(f_.data(), df.data(), step, n_);
    return {update_active(c), -0.5 * derivative};
  }

  [[nodiscard]] std::vector<double> products(const std::vector<double>& w) const {
    std::vector<double> f(n_);
    for (std::size_t i = 0; i < n_; ++i) f[i] = dot(rows_.row(i), w.data(), dimension_);
    return f;
  }

  [[nodiscard]] double value(double c) const {
    double loss = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double slack = std::max(0.0, 1.0 - y_[i] * f_[i]);
      loss += v_[i] * slack * slack;
    }
    return 0.5 * dot(w_.data(), w_.data(), dimension_) + c * loss;
  }

  // Points whose side of the hinge changed by more than rounding; returns whether there are any.
  bool update_active(double c) {
    const double margin = kMargin / (1.0 + 2.0 * c);
    bool switched = false;
    for (std::size_t i = 0; i < n_; ++i) {
      const double slack = 1.0 - y_[i] * f_[i];
      if (active_[i] != 0 ? slack < -margin : slack > margin) {
        active_[i] = active_[i] != 0 ? 0 : 1;
        switched = true;
      }
    }
    return switched;
  }

  // The minimiser of the quadratic that the objective is on the active set; empty if rounding makes that singular.
  std::vector<double> newton_point(double c) {
    std::vector<std::uint32_t> members;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (active_[i] != 0) members.push_back(i);
    }
    return static_cast<double>(members.size()) >= kPrimalShare * static_cast<double>(dimension_) ? primal(c)
                                                                                                 : dual(c, members);
  }

  // So that the next step makes its own; returns whether the last one had used an older one.
  bool forget_factors() {
    factored_for_ = 0;
    dual_factored_for_ = 0;
    return std::exchange(reused_, false);
  }

  std::vector<double> primal(double c) {
    update_right_side();
    reused_ = false;
    if (factored_for_ == c) {
      const std::vector<std::uint32_t> changed = changed_since(in_factor_);
      if (static_cast<double>(changed.size()) <= kReuseShare * static_cast<double>(dimension_)) {
        std::vector<double> w = with_old_factor(changed);
        reused_ = !w.empty();
        if (reused_) return w;
      }
    }
    update_moments();
    if (factor_.empty()) factor_ = DoubleMatrix(dimension_, dimension_);
    for (std::size_t k = 0; k < dimension_; ++k) {
      std::copy_n(moments_.row(k) + k, dimension_ - k, factor_.row(k) + k);
      factor_(k, k) += 0.5 / c;
    }
    factored_for_ = 0;
    // Positive definite by construction; rounding can spoil that only where C is enormous.
    if (!factor_positive_definite(factor_)) return {};
    factored_for_ = c;
    in_factor_ = active_;
    std::vector<double> w = right_side_;
    solve_factored(factor_, w.data());
    return w;
  }

  // Solves with M + X' T X (M is factored; X are the rows that changed sides and T = v for those that entered, -v for
  // those that left), which is a bordered system with x = T X w. Empty if that is singular.
  std::vector<double> with_old_factor(const std::vector<std::uint32_t>& changed) {
    const std::size_t m = changed.size();
    DoubleMatrix border(dimension_, m + 1);
    DoubleMatrix corner(m, m);
    for (std::size_t j = 0; j < m; ++j) {
      const double* row = rows_.row(changed[j]);
      for (std::size_t k = 0; k < dimension_; ++k) border(k, j) = row[k];
      corner(j, j) = (active_[changed[j]] != 0 ? 1.0 : -1.0) / v_[changed[j]];
    }
    for (std::size_t k = 0; k < dimension_; ++k) border(k, m) = right_side_[k];
    std::vector<double> x(m, 0.0);
    return solve_bordered(factor_, std::move(border), std::move(corner), x);
  }

  std::vector<double> dual(double c, const std::vector<std::uint32_t>& members) {
    know(members);
    std::vector<double> a = dual_with_old_factor(c, members);
    reused_ = !a.empty();
    if (!reused_) {
      const std::size_t m = members.size();
      dual_factor_ = DoubleMatrix::uninitialised(m, m);
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = i; j < m; ++j) dual_factor_(i, j) = dual_entry(c, members[i], members[j]);
      }
      dual_factored_for_ = 0;
      if (!factor_positive_definite(dual_factor_)) return {};
      dual_factored_for_ = c;
      in_dual_factor_ = members;
      for (const std::uint32_t i : members) a.push_back(y_[i]);
      solve_factored(dual_factor_, a.data());
    }
    std::vector<double> w(dimension_, 0.0);
    for (std::size_t i = 0; i < members.size(); ++i) {
      add_scaled(w.data(), rows_.row(members[i]), a[i], dimension_);
    }
    return w;
  }

  // The coefficients of the members by a factor for a set that differs in few points: those that entered are a border
  // of the matrix, and those that left are held at zero by a multiplier each. Empty if there is no such factor.
  std::vector<double> dual_with_old_factor(double c, const std::vector<std::uint32_t>& members) {
    if (dual_factored_for_ != c) return {};
    const std::vector<std::uint32_t>& old = in_dual_factor_;
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
      for (std::size_t i = 0; i < old.size(); ++i) border(i, j) = dual_entry(c, old[i], entered[j]);
      for (std::size_t i = 0; i <= j; ++i) corner(i, j) = -dual_entry(c, entered[i], entered[j]);
      x[j] = y_[entered[j]];
    }
    for (std::size_t i = 0, j = 0; i < old.size(); ++i) {
      border(i, m) = y_[old[i]];
      if (j < left.size() && old[i] == left[j]) border(i, entered.size() + j++) = 1.0;
    }
    const std::vector<double> of_old = solve_bordered(dual_factor_, std::move(border), std::move(corner), x);
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

  // Of Z Z' + V^-1 / (2 C), for known rows.
  [[nodiscard]] double dual_entry(double c, std::uint32_t i, std::uint32_t j) const {
    const bool all = products_ != nullptr;
    const std::uint32_t a = all ? i : place_[i];
    const std::uint32_t b = all ? j : place_[j];
    const double product = (all ? *products_ : own_products_)(std::min(a, b), std::max(a, b));
    return i == j ? product + 0.5 / (c * v_[i]) : product;
  }

  // Makes sure that there are the inner products of these rows: of all rows if they are fewer than columns, and
  // otherwise of those that have been in A since the dual form was first used.
  void know(const std::vector<std::uint32_t>& members) {
    if (products_ == nullptr && n_ <= dimension_) {
      own_products_ = inner_products(rows_);
      products_ = &own_products_;
    }
    if (products_ != nullptr) return;
    if (place_.empty()) place_.assign(n_, kUnknown);
    const std::size_t before = known_.size();
    for (const std::uint32_t i : members) {
      if (place_[i] != kUnknown) continue;
      place_[i] = static_cast<std::uint32_t>(known_.size());
      known_.push_back(i);
    }
    if (known_.size() == before) return;
    if (known_.size() > own_products_.rows()) {
      const std::size_t room = std::max(known_.size(), own_products_.rows() * 3 / 2);
      DoubleMatrix larger(room, room);
      for (std::size_t i = 0; i < before; ++i) std::copy_n(own_products_.row(i), before, larger.row(i));
      own_products_ = std::move(larger);
    }
    // Columns before .. of the upper triangle: products of all known rows with the new ones.
    const std::size_t fresh = known_.size() - before;
    DoubleMatrix columns(dimension_, fresh);
    std::vector<const double*> rows;
    for (const std::uint32_t i : known_) rows.push_back(rows_.row(i));
    for (std::size_t j = 0; j < fresh; ++j) {
      for (std::size_t k = 0; k < dimension_; ++k) columns(k, j) = rows[before + j][k];
    }
    multiply_rows(rows.data(), rows.size(), PackedMatrix<double>(columns.data(), dimension_, fresh, fresh),
                  own_products_.data() + before, own_products_.cols(), false);
  }

  [[nodiscard]] std::vector<std::uint32_t> changed_since(const std::vector<char>& then) const {
    std::vector<std::uint32_t> changed;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (active_[i] != then[i]) changed.push_back(i);
    }
    return changed;
  }

  // Brings Z_A' V_A y_A up to date with the rows that entered or left A.
  void update_right_side() {
    for (const std::uint32_t i : changed_since(in_right_side_)) {
      const double sign = active_[i] != 0 ? v_[i] : -v_[i];
      add_scaled(right_side_.data(), rows_.row(i), sign * y_[i], dimension_);
    }
    in_right_side_ = active_;
  }

  // The same for Z_A' V_A Z_A.
  void update_moments() {
    if (moments_.empty()) moments_ = DoubleMatrix(dimension_, dimension_);
    const std::vector<std::uint32_t> changed = changed_since(in_moments_);
    if (changed.empty()) return;
    auto rows = DoubleMatrix::uninitialised(changed.size(), dimension_);
    std::vector<double> sign(changed.size());
    for (std::size_t i = 0; i < changed.size(); ++i) {
      std::copy_n(rows_.row(changed[i]), dimension_, rows.row(i));
      sign[i] = active_[changed[i]] != 0 ? v_[changed[i]] : -v_[changed[i]];
    }
    const RowBlock block{rows.data(), dimension_, dimension_};
    add_transposed_product(block, block, changed.size(), sign.data(), 1.0, moments_.data(), dimension_,
                           Triangle::upper);
    in_moments_ = active_;
  }

  struct LowestPoint {
    double step;
    double derivative;  // of the objective at t = 0
  };

  // The exact minimiser over t >= 0 of the objective at w + t d: its derivative is piecewise linear and increasing.
  [[nodiscard]] LowestPoint line_search(double c, const std::vector<double>& d, const std::vector<double>& df) const {
    // Derivative slope * t + offset, on the piece that contains t; pieces end where a point crosses its hinge.
    double slope = dot(d.data(), d.data(), dimension_);
    double offset = dot(d.data(), w_.data(), dimension_);
    std::vector<std::pair<double, std::uint32_t>> crossings;
    for (std::uint32_t i = 0; i < n_; ++i) {
      const double slack = 1.0 - y_[i] * f_[i];
      const double change = -y_[i] * df[i];  // of the slack per unit of t
      if (slack > 0) {
        slope += 2 * c * v_[i] * change * change;
        offset += 2 * c * v_[i] * change * slack;
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
      const double slack = 1.0 - y_[i] * f_[i];
      const double change = -y_[i] * df[i];
      const double sign = slack > 0 ? -1.0 : 1.0;  // leaves or enters the active set
      slope += sign * 2 * c * v_[i] * change * change;
      offset += sign * 2 * c * v_[i] * change * slack;
    }
    return {slope > 0 ? std::max(0.0, -offset / slope) : 0.0, derivative};
  }

  const DoubleMatrix& rows_;
  const std::size_t n_;
  const std::size_t dimension_;
  const std::vector<double> y_;
  const std::vector<double> v_;
  std::vector<double> w_;
  std::vector<double> f_;       // Z w
  std::vector<double> last_w_;  // the solution for the C before, and its Z w
  std::vector<double> last_f_;
  std::vector<char> active_;      // by row: slack positive
  std::vector<char> in_moments_;  // by row: counted in moments_
  std::vector<char> in_right_side_;
  DoubleMatrix moments_;            // Z_A' V_A Z_A of the rows in_moments_, upper triangle
  std::vector<double> right_side_;  // Z_A' V_A y_A of the rows in_right_side_
  DoubleMatrix factor_;             // of the primal matrix for C = factored_for_ and the rows in_factor_
  double factored_for_ = 0;
  std::vector<char> in_factor_;
  DoubleMatrix dual_factor_;  // the same of the dual matrix
  double dual_factored_for_ = 0;
  std::vector<std::uint32_t> in_dual_factor_;  // rows, ascending
  bool reused_ = false;                        // by the last step: a factor of an earlier one
  const DoubleMatrix* products_;               // Z Z' of all rows, if there is such
  DoubleMatrix own_products_;                  // the same, or that of known_ (upper triangle, with room to grow)
  std::vector<std::uint32_t> known_;           // rows, in the order in which they were first in A
  std::vector<std::uint32_t> place_;           // by row: its place in known_
};

}  // namespace

std::vector<SquaredHingeSolution> solve_squared_hinge(const SquaredHingeProblem& problem,
                                                      std::span<const double> grid) {
  HingeSolver solver(problem);
  std::vector<SquaredHingeSolution> solutions;
  for (const double c : grid) solutions.push_back(solver.solve(c));
  return solutions;
}

}  // namespace gckn
