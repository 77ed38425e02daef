// SPDX-License-Identifier: BSD-3-Clause
#include "learn/squared_hinge.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "linalg/cholesky.h"
#include "linalg/moments.h"
#include "linalg/symmetric.h"
#include "linalg/vector_ops.h"

namespace gckn {
namespace {

constexpr int kMostSteps = 100;
constexpr double kMargin = 1e-6;      // a point counts as switched only if it is this far beyond the hinge
constexpr double kDecrement = 1e-10;  // of the objective: a Newton step that promises less is not taken
constexpr double kPrimalShare = 0.9;  // primal if |A| is at least this share of D
constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
constexpr double kReuseShare = 0.15;  // a factor serves until this share of D points has changed sides

std::vector<double> difference(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

class Solver {
 public:
  explicit Solver(const SquaredHingeProblem& problem)
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
    double objective = value(c);
    while (solution.steps < kMostSteps) {
      const std::vector<double> direction = difference(newton_point(c), w_);
      ++solution.steps;
      const bool switched = move(c, direction, products(direction));
      const double before = objective;
      objective = value(c);
      if (!switched || before - objective <= kDecrement * std::abs(objective)) {
        solution.converged = true;
        break;
      }
    }
    solution.w = w_;
    solution.objective = objective;
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

  // To the lowest point in a direction, df = Z direction. Returns whether points changed sides.
  bool move(double c, const std::vector<double>& direction, const std::vector<double>& df) {
    const double step = line_search(c, direction, df);
    add_scaled(w_.data(), direction.data(), step, dimension_);
    add_scaled(f_.data(), df.data(), step, n_);
    return update_active();
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
  bool update_active() {
    bool switched = false;
    for (std::size_t i = 0; i < n_; ++i) {
      const double slack = 1.0 - y_[i] * f_[i];
      if (active_[i] != 0 ? slack < -kMargin : slack > kMargin) {
        active_[i] = active_[i] != 0 ? 0 : 1;
        switched = true;
      }
    }
    return switched;
  }

  // The minimiser of the quadratic that the objective is on the active set.
  std::vector<double> newton_point(double c) {
    std::vector<std::uint32_t> members;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (active_[i] != 0) members.push_back(i);
    }
    return static_cast<double>(members.size()) >= kPrimalShare * static_cast<double>(dimension_) ? primal(c)
                                                                                                 : dual(c, members);
  }

  std::vector<double> primal(double c) {
    update_right_side();
    if (factored_for_ == c) {
      const std::vector<std::uint32_t> changed = changed_since(in_factor_);
      if (static_cast<double>(changed.size()) <= kReuseShare * static_cast<double>(dimension_)) {
        std::vector<double> w = with_old_factor(changed);
        if (!w.empty()) return w;
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
    if (!factor_positive_definite(factor_)) return w_;
    factored_for_ = c;
    in_factor_ = active_;
    std::vector<double> w = right_side_;
    solve_factored(factor_, w.data());
    return w;
  }

  // Solves with M + X' S X, where M = U' U is factored, X are the rows that changed sides and S = v for those that
  // entered, -v for those that left. With V = U'^-1 X' and y = U'^-1 r:
  //   w = U^-1 (y - V (S^-1 + V' V)^-1 V' y).
  // Empty if that is singular.
  std::vector<double> with_old_factor(const std::vector<std::uint32_t>& changed) {
    const std::size_t m = changed.size();
    DoubleMatrix half(dimension_, m + 1);  // V and y
    for (std::size_t j = 0; j < m; ++j) {
      const double* row = rows_.row(changed[j]);
      for (std::size_t k = 0; k < dimension_; ++k) half(k, j) = row[k];
    }
    for (std::size_t k = 0; k < dimension_; ++k) half(k, m) = right_side_[k];
    solve_lower(factor_, half);
    const DoubleMatrix inner = weighted_moments(half);  // [V y]' [V y]
    DoubleMatrix capacitance(m, m);
    std::vector<double> x(m);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = i; j < m; ++j) capacitance(i, j) = inner(i, j);
      capacitance(i, i) += (active_[changed[i]] != 0 ? 1.0 : -1.0) / v_[changed[i]];
      x[i] = inner(i, m);
    }
    if (!solve_indefinite(capacitance, x.data())) return {};
    std::vector<double> w(dimension_);
    for (std::size_t k = 0; k < dimension_; ++k) w[k] = half(k, m) - dot(half.row(k), x.data(), m);
    solve_upper(factor_, w.data());
    return w;
  }

  std::vector<double> dual(double c, const std::vector<std::uint32_t>& members) {
    const std::size_t m = members.size();
    DoubleMatrix gram = gram_of(members);
    std::vector<double> a(m);
    for (std::size_t i = 0; i < m; ++i) {
      gram(i, i) += 0.5 / (c * v_[members[i]]);
      a[i] = y_[members[i]];
    }
    std::vector<double> w(dimension_, 0.0);
    if (!factor_positive_definite(gram)) return w_;
    solve_factored(gram, a.data());
    for (std::size_t i = 0; i < m; ++i) add_scaled(w.data(), rows_.row(members[i]), a[i], dimension_);
    return w;
  }

  // The upper triangle of Z_A Z_A', picked from inner products that are computed once: those of all rows if they are
  // fewer than columns, and otherwise of the rows that have been in A since the dual form was first used.
  [[nodiscard]] DoubleMatrix gram_of(const std::vector<std::uint32_t>& members) {
    if (products_ == nullptr && n_ <= dimension_) {
      own_products_ = inner_products(rows_);
      products_ = &own_products_;
    }
    const std::size_t m = members.size();
    auto gram = DoubleMatrix::uninitialised(m, m);
    if (products_ != nullptr) {
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = i; j < m; ++j) gram(i, j) = (*products_)(members[i], members[j]);
      }
      return gram;
    }
    know(members);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = i; j < m; ++j) {
        const std::uint32_t a = place_[members[i]];
        const std::uint32_t b = place_[members[j]];
        gram(i, j) = own_products_(std::min(a, b), std::max(a, b));
      }
    }
    return gram;
  }

  // Makes sure that own_products_ has the inner products of these rows.
  void know(const std::vector<std::uint32_t>& members) {
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

  // The exact minimiser over t >= 0 of the objective at w + t d: its derivative is piecewise linear and increasing.
  [[nodiscard]] double line_search(double c, const std::vector<double>& d, const std::vector<double>& df) const {
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
    std::sort(crossings.begin(), crossings.end());
    for (const auto& [t, i] : crossings) {
      if (slope * t + offset >= 0) break;
      const double slack = 1.0 - y_[i] * f_[i];
      const double change = -y_[i] * df[i];
      const double sign = slack > 0 ? -1.0 : 1.0;  // leaves or enters the active set
      slope += sign * 2 * c * v_[i] * change * change;
      offset += sign * 2 * c * v_[i] * change * slack;
    }
    return slope > 0 ? std::max(0.0, -offset / slope) : 0.0;
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
  const DoubleMatrix* products_;      // Z Z' of all rows, if there is such
  DoubleMatrix own_products_;         // the same, or that of known_ (upper triangle, with room to grow)
  std::vector<std::uint32_t> known_;  // rows, in the order in which they were first in A
  std::vector<std::uint32_t> place_;  // by row: its place in known_
};

}  // namespace

std::vector<SquaredHingeSolution> solve_squared_hinge(const SquaredHingeProblem& problem,
                                                      std::span<const double> grid) {
  Solver solver(problem);
  std::vector<SquaredHingeSolution> solutions;
  for (const double c : grid) solutions.push_back(solver.solve(c));
  return solutions;
}

}  // namespace gckn
