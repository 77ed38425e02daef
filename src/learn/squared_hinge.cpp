// SPDX-License-Identifier: BSD-3-Clause
#include "learn/squared_hinge.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "linalg/cholesky.h"
#include "linalg/vector_ops.h"

namespace gckn {
namespace {

constexpr int kMostSteps = 100;
constexpr double kMargin = 1e-6;      // a point counts as switched only if it is this far beyond the hinge
constexpr double kDecrement = 1e-10;  // of the objective: a Newton step that promises less is not taken
constexpr double kPrimalShare = 0.9;  // primal if |A| is at least this share of D

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
        active_(n_, 1),
        in_moments_(n_, 0) {}

  SquaredHingeSolution solve(double c) {
    SquaredHingeSolution solution;
    double objective = value(c);
    while (solution.steps < kMostSteps) {
      std::vector<double> next = newton_point(c);
      ++solution.steps;
      for (std::size_t k = 0; k < dimension_; ++k) next[k] -= w_[k];  // the direction
      const std::vector<double> df = products(next);
      const double step = line_search(c, next, df);
      for (std::size_t k = 0; k < dimension_; ++k) w_[k] += step * next[k];
      for (std::size_t i = 0; i < n_; ++i) f_[i] += step * df[i];
      const bool switched = update_active();
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
    update_moments();
    DoubleMatrix hessian = moments_;
    for (std::size_t k = 0; k < dimension_; ++k) hessian(k, k) += 0.5 / c;
    std::vector<double> w = right_side_;
    // Positive definite by construction; rounding can spoil that only where C is enormous.
    if (!factor_positive_definite(hessian)) return w_;
    solve_factored(hessian, w.data());
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

  // Z_A Z_A'. With fewer rows than columns all inner products are computed once, and picked from then on.
  [[nodiscard]] DoubleMatrix gram_of(const std::vector<std::uint32_t>& members) {
    if (n_ > dimension_) return inner_products(members);
    if (all_products_.empty()) {
      std::vector<std::uint32_t> all(n_);
      std::iota(all.begin(), all.end(), 0U);
      all_products_ = inner_products(all);
    }
    const std::size_t m = members.size();
    auto gram = DoubleMatrix::uninitialised(m, m);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) gram(i, j) = all_products_(members[i], members[j]);
    }
    return gram;
  }

  [[nodiscard]] DoubleMatrix inner_products(const std::vector<std::uint32_t>& members) const {
    const std::size_t m = members.size();
    DoubleMatrix columns(dimension_, m);
    std::vector<const double*> rows(m);
    for (std::size_t i = 0; i < m; ++i) {
      rows[i] = rows_.row(members[i]);
      for (std::size_t k = 0; k < dimension_; ++k) columns(k, i) = rows[i][k];
    }
    DoubleMatrix gram(m, m);
    multiply_rows(rows.data(), m, PackedMatrix<double>(columns.data(), dimension_, m, m), gram.data(), m, false);
    return gram;
  }

  // Brings Z_A' V_A Z_A and Z_A' V_A y_A up to date with the rows that entered or left A.
  void update_moments() {
    if (moments_.empty()) {
      moments_ = DoubleMatrix(dimension_, dimension_);
      right_side_.assign(dimension_, 0.0);
    }
    std::vector<std::uint32_t> changed;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (active_[i] != in_moments_[i]) changed.push_back(i);
    }
    // moments += sum_i +-v_i z_i z_i': a product of D x m by m x D.
    constexpr std::size_t kMostRows = 512;  // at a time, to bound the memory
    for (std::size_t begin = 0; begin < changed.size(); begin += kMostRows) {
      const std::size_t m = std::min(kMostRows, changed.size() - begin);
      DoubleMatrix left(dimension_, m);
      DoubleMatrix right(m, dimension_);
      for (std::size_t i = 0; i < m; ++i) {
        const std::uint32_t row = changed[begin + i];
        const double sign = active_[row] != 0 ? v_[row] : -v_[row];
        in_moments_[row] = active_[row];
        std::copy_n(rows_.row(row), dimension_, right.row(i));
        for (std::size_t k = 0; k < dimension_; ++k) left(k, i) = sign * rows_(row, k);
        add_scaled(right_side_.data(), rows_.row(row), sign * y_[row], dimension_);
      }
      std::vector<const double*> left_rows(dimension_);
      for (std::size_t k = 0; k < dimension_; ++k) left_rows[k] = left.row(k);
      multiply_rows(left_rows.data(), dimension_, PackedMatrix<double>(right.data(), m, dimension_, dimension_),
                    moments_.data(), dimension_, true);
    }
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
  std::vector<double> f_;           // Z w
  std::vector<char> active_;        // by row: slack positive
  std::vector<char> in_moments_;    // by row: counted in moments_
  DoubleMatrix all_products_;       // Z Z', where n <= D
  DoubleMatrix moments_;            // Z_A' V_A Z_A
  std::vector<double> right_side_;  // Z_A' V_A y_A
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
