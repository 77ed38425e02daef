// SPDX-License-Identifier: BSD-3-Clause
#include "learn/squared_hinge.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "learn/hinge_newton.h"
#include "linalg/cholesky.h"
#include "linalg/moments.h"
#include "linalg/product.h"
#include "linalg/vector_ops.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr double kPrimalShare = 0.9;   // primal if |A| is at least this share of D
constexpr double kNearC = 3.0;         // values of C within this factor of each other have solutions on nearly one line
constexpr double kSameRatio = 0.01;    // of C to the one before: if it changes by less, it is the same
constexpr double kMostReuseC = 8.0;    // a factor serves for values of C up to this many times its own
constexpr int kMostInnerSteps = 24;    // of conjugate gradients with an older factor
constexpr int kFewInnerSteps = 9;      // if they take more, the next C gets a factor of its own
constexpr double kInnerShare = 0.1;    // of the decrease that Newton steps stop at: where these stop
constexpr double kCoarseShare = 100;   // the same, to see which points change sides
constexpr std::size_t kNearShare = 8;  // one in so many points is looked at for what is about to change sides
constexpr int kMostForeseen = 4;       // times, before a step
constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

std::vector<double> difference(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

// From one solution to the next: of w, and of Z w.
struct PathStep {
  std::vector<double> dw;
  std::vector<double> df;
};

class HingeSolver {
 public:
  HingeSolver(const SquaredHingeProblem& problem, const RunOptions& options)
      : options_(options),
        rows_(*problem.rows),
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
        outputs_(problem.outputs),
        all_(n_),
        products_(problem.products) {
    std::iota(all_.begin(), all_.end(), std::uint32_t{0});
    if (problem.moments != nullptr && problem.weights.empty()) {
      moments_ = *problem.moments;
      in_moments_.assign(n_, 1);
    }
  }

  SquaredHingeSolution solve(double c) {
    SquaredHingeSolution solution;
    follow_path(c);
    bool foresees = true;
    while (solution.steps < kMostHingeSteps) {
      report_progress(options_, "linear models", 0, 0);
      foresaw_ = false;
      const std::vector<double> point = foresees ? foresee(c) : newton_point(c, w_, kInnerShare);
      if (point.empty()) break;
      const std::vector<double> direction = difference(point, w_);
      ++solution.steps;
      const Move moved = move(c, direction, products(all_, direction));
      const double enough = kHingeDecrement * value(c);
      if (!(moved.promised >= -enough)) {  // uphill: the system was too close to singular
        if (!forget_factors() && !foresees) break;
        foresees = false;
        continue;
      }
      // What a step promises, not what it brings: one that a hinge cuts short brings little far from the solution. The
      // way to where points were wrongly foreseen on the other side promises nothing.
      if (!moved.switched || (moved.promised <= enough && !foresaw_)) {
        solution.converged = true;
        break;
      }
      foresees = foresees && moved.promised > enough;
    }
    solution.w = w_;
    solution.objective = value(c);
    return solution;
  }

 private:
  // Moves points that the way to a Newton point takes across their hinge to the other side beforehand, and returns the
  // Newton point of the new set: outputs are computed of those points alone that are nearest to theirs. Near the
  // solution these are the ones that a step would find on the other side, after the outputs of all points; and where
  // they are not, the line search and the steps after it put them back.
  std::vector<double> foresee(double c) {
    std::vector<std::uint32_t> near = all_;
    const auto distance = [&](std::uint32_t i) { return std::abs(1.0 - y_[i] * f_[i]); };
    const auto end = near.begin() + static_cast<std::ptrdiff_t>(n_ / kNearShare);
    std::ranges::nth_element(near, end, {}, distance);
    near.erase(end, near.end());
    std::ranges::sort(near);
    std::vector<double> point = w_;
    for (int round = 0; round < kMostForeseen; ++round) {
      point = newton_point(c, point, kCoarseShare);
      if (point.empty()) return point;
      const std::vector<double> f = products(near, point);
      bool switched = false;
      for (std::size_t k = 0; k < near.size(); ++k) {
        const char is_active = y_[near[k]] * f[k] < 1.0 ? 1 : 0;
        if (active_[near[k]] == is_active) continue;
        active_[near[k]] = is_active;
        switched = foresaw_ = true;
      }
      if (!switched && !is_coarse_) return point;
      if (!switched) break;
    }
    return newton_point(c, point, kInnerShare);
  }

  // Before the first step for a new C that is near the last one: on along the curve through the last solutions, which
  // takes no product with the rows. Most points that are about to change sides do so here.
  void follow_path(double c) {
    const double ratio = c / std::exchange(last_c_, c);
    PathStep step{difference(w_, last_w_), difference(f_, last_f_)};
    last_w_ = w_;
    last_f_ = f_;
    if (ratio < kNearC) {
      PathStep bent;  // a parabola in log C: the step changes as it did
      if (std::abs(ratio / last_ratio_ - 1) < kSameRatio) {
        bent = step;
        for (std::size_t k = 0; k < dimension_; ++k) bent.dw[k] += step.dw[k] - last_step_.dw[k];
        for (std::size_t i = 0; i < n_; ++i) bent.df[i] += step.df[i] - last_step_.df[i];
      }
      const PathStep& better = !bent.dw.empty() && value_after(c, bent) < value_after(c, step) ? bent : step;
      move(c, better.dw, better.df);
    }
    last_ratio_ = ratio;
    last_step_ = std::move(step);
  }

  struct Move {
    bool switched;    // points changed sides
    double promised;  // the decrease of the objective if it were quadratic with its minimum at the full step
  };

  // To the lowest point in a direction, df = Z direction.
  Move move(double c, const std::vector<double>& direction, const std::vector<double>& df) {
    const double d_d = dot(direction.data(), direction.data(), dimension_);
    const double d_w = dot(direction.data(), w_.data(), dimension_);
    const auto [step, derivative] = line_search(c, points(), df, d_d, d_w);
    add_scaled(w_.data(), direction.data(), step, dimension_);
    add_scaled(f_.data(), df.data(), step, n_);
    return {update_active(c, points(), active_), -0.5 * derivative};
  }

  [[nodiscard]] HingePoints points() const { return {y_, v_, f_}; }

  [[nodiscard]] std::vector<double> products(std::span<const std::uint32_t> of_rows,
                                             const std::vector<double>& w) const {
    if (outputs_) return outputs_(of_rows, w);
    std::vector<double> f(of_rows.size());
    for (std::size_t k = 0; k < f.size(); ++k) f[k] = dot(rows_.row(of_rows[k]), w.data(), dimension_);
    return f;
  }

  [[nodiscard]] double value(double c) const {
    return 0.5 * dot(w_.data(), w_.data(), dimension_) + hinge_loss(c, points());
  }

  [[nodiscard]] double value_after(double c, const PathStep& step) const {
    std::vector<double> w = w_;
    std::vector<double> f = f_;
    add_scaled(w.data(), step.dw.data(), 1.0, dimension_);
    add_scaled(f.data(), step.df.data(), 1.0, n_);
    return 0.5 * dot(w.data(), w.data(), dimension_) + hinge_loss(c, {y_, v_, f});
  }

  // The minimiser of the quadratic that the objective is on the active set; empty if rounding makes that singular.
  // start, share: where conjugate gradients begin, and what of kHingeDecrement they leave undone, if it takes them.
  std::vector<double> newton_point(double c, const std::vector<double>& start, double share) {
    std::vector<std::uint32_t> members;
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (active_[i] != 0) members.push_back(i);
    }
    return static_cast<double>(members.size()) >= kPrimalShare * static_cast<double>(dimension_)
               ? primal(c, start, share)
               : dual(c, members);
  }

  // So that the next step makes its own; returns whether the last one had used an older one.
  bool forget_factors() {
    factored_for_ = 0;
    const bool dual_reused = dual_system_.forget();
    return std::exchange(reused_, false) || dual_reused;
  }

  std::vector<double> primal(double c, const std::vector<double>& start, double share) {
    update_right_side();
    reused_ = false;
    is_coarse_ = false;
    if (is_factor_near(c)) {
      const std::vector<std::uint32_t> changed = changed_since(in_factor_);
      if (static_cast<double>(changed.size()) <= kReuseShare * static_cast<double>(dimension_)) {
        std::vector<double> w = with_old_factor(c, changed, start, share);
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
    if (!factor_positive_definite(factor_, options_)) return {};
    factored_for_ = c;
    worn_at_ = 0;
    in_factor_ = active_;
    std::vector<double> w = right_side_;
    solve_factored(factor_, w.data());
    return w;
  }

  // Whether the factor may serve for this C.
  [[nodiscard]] bool is_factor_near(double c) const {
    return factored_for_ > 0 && (c == worn_at_ || (worn_at_ == 0 && c <= kMostReuseC * factored_for_));
  }

  // The Newton point by conjugate gradients from where we are, with an older factor M = U' U: the matrix is
  //   H = M + s I + X' T X,  s = 1/(2 C) - 1/(2 C then),  X the rows that changed sides, T = v if they entered, -v if
  // they left. In terms of U w it is near the identity, I + s U'^-1 U^-1 + .., so that a few steps of two triangular
  // solves each do, to what the Newton step has to promise. Empty if they do not.
  std::vector<double> with_old_factor(double c, const std::vector<std::uint32_t>& changed,
                                      const std::vector<double>& start, double share) {
    const double shift = 0.5 / c - 0.5 / factored_for_;
    // out += (s I + X' T X) x
    const auto add_change = [&](const std::vector<double>& x, std::vector<double>& out) {
      add_scaled(out.data(), x.data(), shift, dimension_);
      for (const std::uint32_t i : changed) {
        const double sign = active_[i] != 0 ? v_[i] : -v_[i];
        add_scaled(out.data(), rows_.row(i), sign * dot(rows_.row(i), x.data(), dimension_), dimension_);
      }
    };
    std::vector<double> w = start;
    std::vector<double> product = multiply_factored(factor_, w);
    add_change(w, product);
    std::vector<double> residual = difference(right_side_, product);
    solve_upper_transposed(factor_, residual.data());
    std::vector<double> direction = residual;
    double square = dot(residual.data(), residual.data(), dimension_);
    const double enough = share * kHingeDecrement * value(c);
    for (int step = 1; step <= kMostInnerSteps; ++step) {
      std::vector<double> move = direction;
      solve_upper(factor_, move.data());
      std::ranges::fill(product, 0.0);
      add_change(move, product);
      solve_upper_transposed(factor_, product.data());
      add_scaled(product.data(), direction.data(), 1.0, dimension_);
      const double curvature = dot(direction.data(), product.data(), dimension_);
      if (square == 0) return w;
      if (!(curvature > 0)) return {};
      const double length = square / curvature;
      add_scaled(w.data(), move.data(), length, dimension_);
      if (c * length * square <= enough) {  // the objective's decrease
        if (step > kFewInnerSteps) worn_at_ = c;
        is_coarse_ = share > kInnerShare;
        return w;
      }
      add_scaled(residual.data(), product.data(), -length, dimension_);
      const double before = std::exchange(square, dot(residual.data(), residual.data(), dimension_));
      scale(direction.data(), square / before, dimension_);
      add_scaled(direction.data(), residual.data(), 1.0, dimension_);
    }
    return {};
  }

  std::vector<double> dual(double c, const std::vector<std::uint32_t>& members) {
    know(members);
    reused_ = false;
    is_coarse_ = false;
    const PointProducts known =
        products_ != nullptr ? PointProducts{products_, {}} : PointProducts{&own_products_, place_};
    const std::vector<double> a = dual_system_.solve(c, known, points(), members, options_);
    if (a.empty()) return {};
    std::vector<double> w(dimension_, 0.0);
    for (std::size_t i = 0; i < members.size(); ++i) {
      add_scaled(w.data(), rows_.row(members[i]), a[i], dimension_);
    }
    return w;
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

  const RunOptions& options_;
  const DoubleMatrix& rows_;
  const std::size_t n_;
  const std::size_t dimension_;
  const std::vector<double> y_;
  const std::vector<double> v_;
  std::vector<double> w_;
  std::vector<double> f_;       // Z w
  std::vector<double> last_w_;  // the solution for the C before, and its Z w
  std::vector<double> last_f_;
  double last_c_ = 0;
  double last_ratio_ = 0;         // of the last C to the one before
  PathStep last_step_;            // between the solutions before them
  std::vector<char> active_;      // by row: slack positive
  std::vector<char> in_moments_;  // by row: counted in moments_
  std::vector<char> in_right_side_;
  DoubleMatrix moments_;            // Z_A' V_A Z_A of the rows in_moments_, upper triangle
  std::vector<double> right_side_;  // Z_A' V_A y_A of the rows in_right_side_
  DoubleMatrix factor_;             // of the primal matrix for C = factored_for_ and the rows in_factor_
  double factored_for_ = 0;
  std::vector<char> in_factor_;
  double worn_at_ = 0;      // C for which conjugate gradients took long with it: another one needs a new factor
  bool is_coarse_ = false;  // the last Newton point
  bool foresaw_ = false;    // points were moved to the other side before the present step
  bool reused_ = false;     // by the last primal step: the factor of an earlier one
  DualSystem dual_system_;
  const std::function<std::vector<double>(std::span<const std::uint32_t>, const std::vector<double>&)>& outputs_;
  std::vector<std::uint32_t> all_;    // 0 .. n - 1
  const DoubleMatrix* products_;      // Z Z' of all rows, if there is such
  DoubleMatrix own_products_;         // the same, or that of known_ (upper triangle, with room to grow)
  std::vector<std::uint32_t> known_;  // rows, in the order in which they were first in A
  std::vector<std::uint32_t> place_;  // by row: its place in known_
};

}  // namespace

std::vector<SquaredHingeSolution> solve_squared_hinge(const SquaredHingeProblem& problem, std::span<const double> grid,
                                                      const RunOptions& options) {
  HingeSolver solver(problem, options);
  std::vector<SquaredHingeSolution> solutions;
  for (const double c : grid) solutions.push_back(solver.solve(c));
  return solutions;
}

}  // namespace gckn
