// SPDX-License-Identifier: BSD-3-Clause
#include "learn/sparse_linear.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "learn/frequent_columns.h"
#include "learn/reduced_rows.h"
#include "learn/stiff_rows.h"
#include "linalg/vector_ops.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr int kMostSparseSteps = 100;
constexpr int kMostSparseProducts = 5000;    // for one C
constexpr double kSparseGradient = 1e-7;     // of the gradient at w = 0
constexpr double kSparsePrecision = 1e-8;    // of |(w, b)|: the error, in the norm of the preconditioned gradient
constexpr double kCoarsePrecision = 1e-3;    // the same, on the way to a C that is far from the last
constexpr double kLargestJump = 20.0;        // from one C to the next
constexpr double kSparseRounding = 1e-14;    // of the error at w = 0: what cannot be expected to vanish
constexpr double kSparseNothing = 1e-15;     // of the sum of all slopes at w = 0: a gradient that is rounding alone
constexpr double kFirstForcing = 0.1;        // residual of conjugate gradients, as a share of the gradient
constexpr double kInnerPrecision = 0.3;      // of the error that is aimed at: less is never asked of them
constexpr double kSparseFlat = 0.01;         // of the slope along a line: what the search leaves of it
constexpr double kLongestSparseStep = 4.0;   // Newton steps are about 1 long
constexpr std::size_t kMostWideRows = 8192;  // with more, the stiff ones that a preconditioner can have are too few
constexpr int kMostTrials = 40;              // of a line search

double square_sum(const std::vector<double>& x) {
  return dot(x.data(), x.data(), x.size());
}

// A point of the reduced problem, or a way from one to another.
struct SparsePoint {
  std::vector<double> z;
  double bias = 0;
  std::vector<double> f;  // outputs, with the bias
};

void move_along(SparsePoint& point, const SparsePoint& way, double length) {
  add_scaled(point.z.data(), way.z.data(), length, point.z.size());
  add_scaled(point.f.data(), way.f.data(), length, point.f.size());
  point.bias += length * way.bias;
}

// v loss and its derivatives by the output.
struct LossAt {
  double value;
  double slope;
  double curvature;
};

LossAt loss_at(SparseLoss loss, double y, double v, double f) {
  switch (loss) {
    case SparseLoss::squared_hinge: {
      const double slack = 1.0 - y * f;
      if (slack <= 0) return {0, 0, 0};
      return {v * slack * slack, -2 * v * y * slack, 2 * v};
    }
    case SparseLoss::logistic: {
      const double margin = y * f;
      const double e = std::exp(-std::abs(margin));
      const double wrong = (margin >= 0 ? e : 1.0) / (1.0 + e);  // the probability of the other class
      return {v * (std::max(0.0, -margin) + std::log1p(e)), -v * y * wrong, v * e / ((1.0 + e) * (1.0 + e))};
    }
    case SparseLoss::squared_error:
      break;
  }
  const double rest = f - y;
  return {v * rest * rest, 2 * v * rest, 2 * v};
}

class SparseSolver {
 public:
  SparseSolver(const SparseProblem& problem, const RunOptions& options)
      : options_(options),
        loss_(problem.loss),
        precision_(problem.rough ? kRoughPrecision : kSparsePrecision),
        penalty_(problem.loss == SparseLoss::squared_error ? 0.0 : 1.0),
        rows_(*problem.rows, problem.train),
        n_(rows_.rows()),
        y_(problem.targets),
        v_(problem.weights.empty() ? std::vector<double>(n_, 1.0) : problem.weights) {
    if (loss_ == SparseLoss::squared_error) {  // residuals then keep their digits, however far from 0 the targets are
      centre_ = dot(v_.data(), y_.data(), n_) / std::accumulate(v_.begin(), v_.end(), 0.0);
      for (double& y : y_) y -= centre_;
    }
    at_ = {std::vector<double>(rows_.shared() + n_, 0.0), 0.0, std::vector<double>(n_, 0.0)};
    before_ = at_;
    start_ = at_;
    solution_.w.assign(problem.rows->columns, 0.0);
    linearise(1.0);
    last_c_ = 1.0 / bias_curvature_;
    start_error_ = now_.error;
    for (std::size_t i = 0; i < n_; ++i) start_slopes_ += std::abs(loss_at(loss_, y_[i], v_[i], 0.0).slope);
  }

  const SparseSolution& solve(double c) {
    solution_.steps = solution_.products = 0;
    // Far from the solution, Newton steps change which rows have a loss again and again; a small C has it near.
    while (loss_ == SparseLoss::squared_hinge && c > kLargestJump * last_c_) {
      approach(kLargestJump * last_c_, kCoarsePrecision);
      last_c_ *= kLargestJump;
    }
    solution_.converged = approach(c, precision_);
    last_c_ = c;
    rows_.spread(at_.z, solution_.w);
    solution_.bias = at_.bias + centre_;
    solution_.objective = 0.5 * (square_sum(at_.z) + penalty_ * at_.bias * at_.bias) + c * now_.loss;
    return solution_;
  }

 private:
  // Of a point, at some C.
  struct Measure {
    double gradient = 0;  // its norm
    double error = 0;     // about the distance from the minimum in the norm of the Hessian, which bounds |w - minimum|
    double loss = 0;      // without C
  };

  // Newton steps until the error is below this share of |(w, b)|; returns whether it is.
  bool approach(double c, double precision) {
    // Of w = 0, b = 0; where precision is no matter of digits, in proportion to C, which saves a pass over the rows.
    const Measure first = precision > kSparsePrecision ? Measure{0, c * start_error_, 0} : start_measure(c);
    follow_path(c);
    linearise(c);
    double forcing = loss_ == SparseLoss::squared_error ? 0.0 : kFirstForcing;
    for (int step = 0;; ++step) {
      const double size = std::sqrt(square_sum(at_.z) + at_.bias * at_.bias);
      const double enough = std::max(precision * size, kSparseRounding * first.error);
      const bool is_flat = now_.gradient <= kSparseGradient * first.gradient || precision > kSparsePrecision;
      if (is_flat && now_.error <= enough) return true;
      if (now_.error <= kSparseNothing * c * start_slopes_) return true;
      if (step == kMostSparseSteps || solution_.products >= kMostSparseProducts) return false;
      double residual = 0;
      const SparsePoint way = newton_step(std::max(forcing * now_.error, kInnerPrecision * enough), residual);
      const double length = line_search(c, way);
      if (length == 0) return false;  // nothing but rounding
      move_along(at_, way, length);
      ++solution_.steps;
      const double before = now_.error;
      linearise(c);
      // Where the quadratic model foretold the new gradient, its next solution is worth more work (Eisenstat, Walker).
      forcing = std::min(kFirstForcing, std::abs(now_.error - residual) / before);
    }
  }

  // By shared column: what one pass over the rows adds up.
  struct ColumnSums {
    double gradient = 0;
    double reduced = 0;  // the gradient of what is left when u is eliminated
    double mixed = 0;    // q
    double diagonal = 0;
  };

  // The measure of w = 0, b = 0.
  Measure start_measure(double c) {
    std::swap(at_, start_);
    linearise(c);
    std::swap(at_, start_);
    return now_;
  }

  // A first step for a new C without a product: on along the line through the last two solutions.
  void follow_path(double c) {
    SparsePoint way = at_;
    move_along(way, before_, -1.0);
    before_ = at_;
    move_along(at_, way, line_search(c, way));
    at_.f = rows_.outputs(at_.z);  // afresh, lest rounding errors of many steps add up
    for (double& f : at_.f) f += at_.bias;
  }

  // The system of a Newton step from where we are.
  void linearise(double c) {
    const std::size_t shared = rows_.shared();
    now_ = {};
    curvature_.resize(n_);
    slope_of_own_.resize(n_);
    std::vector<ColumnSums> all_sums(shared);
    double bias_slope = penalty_ * at_.bias;  // with u eliminated, and without
    double full_bias_slope = bias_slope;
    bias_curvature_ = penalty_;
    double squares = 0;  // of the gradient
    double errors = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const LossAt loss = loss_at(loss_, y_[i], v_[i], at_.f[i]);
      now_.loss += loss.value;
      const double r = c * loss.slope;
      const double d = c * loss.curvature;
      const double s = rows_.own(i);
      const double e = d / (1.0 + d * s * s);
      const double of_own = at_.z[shared + i] + s * r;
      const double reduced = r - e * s * of_own;
      curvature_[i] = e;
      slope_of_own_[i] = of_own;
      squares += of_own * of_own;
      errors += of_own * of_own / (1.0 + d * s * s);
      full_bias_slope += r;
      bias_slope += reduced;
      bias_curvature_ += e;
      if (r == 0 && reduced == 0 && e == 0) continue;
      rows_.for_row(i, [&](std::uint32_t k, double x) {
        ColumnSums& sums = all_sums[k];
        sums.gradient += r * x;
        sums.reduced += reduced * x;
        sums.mixed += e * x;
        sums.diagonal += e * x * x;
      });
    }
    squares += full_bias_slope * full_bias_slope;
    const double share = 1.0 / bias_curvature_;
    errors += bias_slope * bias_slope * share;
    bias_slope_ = bias_slope;
    reduced_.resize(shared);
    mixed_.resize(shared);
    diagonal_.resize(shared);
    for (std::size_t k = 0; k < shared; ++k) {
      const ColumnSums& sums = all_sums[k];
      const double gradient = at_.z[k] + sums.gradient;
      reduced_[k] = at_.z[k] + sums.reduced - sums.mixed * bias_slope * share;
      mixed_[k] = sums.mixed;
      diagonal_[k] = std::max(1.0, 1.0 + sums.diagonal - sums.mixed * sums.mixed * share);
      squares += gradient * gradient;
      errors += reduced_[k] * reduced_[k] / diagonal_[k];
    }
    now_.gradient = std::sqrt(squares);
    now_.error = std::sqrt(errors);
  }

  // Conjugate gradients for the step, until their residual is below `enough` in the norm of the diagonal.
  //
  // The preconditioner is that of the stiff rows where there are more columns than rows in use. S is then 1 in all of
  // the many directions that the rows do not have, which conjugate gradients from within the rows' never meet; the
  // diagonal, though better in other ways, would mix them. Where columns are few, those that are frequent are.
  SparsePoint newton_step(double enough, double& residual_norm) {
    const std::size_t shared = rows_.shared();
    const double share = 1.0 / bias_curvature_;
    const auto used = static_cast<std::size_t>(std::ranges::count_if(curvature_, [](double e) { return e > 0; }));
    const bool is_wide = used <= std::min(shared, kMostWideRows);
    if (is_wide) {
      stiff_.update(rows_, curvature_, options_);
    } else {
      frequent_.update(rows_, {curvature_, mixed_, diagonal_, penalty_}, options_);
    }
    SparsePoint way{std::vector<double>(shared + n_, 0.0), 0.0, {}};
    std::vector<double> residual(shared);
    std::vector<double> next(shared);
    std::vector<double> h(shared);
    std::vector<ReducedRows::InAndOut> columns(shared);
    double left = 0;  // the square of the norm
    const auto precondition = [&] {
      left = 0;
      for (std::size_t k = 0; k < shared; ++k) {
        next[k] = residual[k] / diagonal_[k];
        left += residual[k] * next[k];
      }
      if (is_wide) {
        stiff_.apply(rows_, residual, next);
      } else {
        frequent_.apply(residual, next);
      }
      return dot(residual.data(), next.data(), shared);
    };
    for (std::size_t k = 0; k < shared; ++k) residual[k] = -reduced_[k];
    double size = precondition();
    std::vector<double> p = next;
    const int products_before = solution_.products;
    while (left > enough * enough && solution_.products < kMostSparseProducts) {
      report_progress(options_, "linear models", 0, 0);
      ++solution_.products;
      rows_.begin_product(p, columns);
      double along_mixed = 0;  // <q, p>
      for (std::size_t i = 0; i < n_; ++i) {
        if (curvature_[i] > 0) along_mixed += rows_.bend(i, curvature_[i], columns.data());
      }
      rows_.end_product(p, columns, h);
      add_scaled(h.data(), mixed_.data(), -along_mixed * share, shared);
      const double along = dot(p.data(), h.data(), shared);
      if (!(along > 0)) break;
      add_scaled(way.z.data(), p.data(), size / along, shared);
      add_scaled(residual.data(), h.data(), -size / along, shared);
      const double before = std::exchange(size, precondition());
      for (std::size_t k = 0; k < shared; ++k) p[k] = next[k] + size / before * p[k];
    }
    if (!is_wide) frequent_.took(static_cast<std::size_t>(solution_.products - products_before), rows_.entries());
    residual_norm = std::sqrt(left);
    way.f.resize(n_);
    double along_mixed = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      way.f[i] = rows_.product(i, way.z.data());
      along_mixed += curvature_[i] * way.f[i];
    }
    way.bias = -(bias_slope_ + along_mixed) * share;
    for (std::size_t i = 0; i < n_; ++i) {
      way.f[i] += way.bias;
      // du = -(slope + d s df) / (1 + d s^2), in terms of e.
      const double s = rows_.own(i);
      const double e = curvature_[i];
      way.z[shared + i] = -(slope_of_own_[i] * (1.0 - e * s * s) + e * s * way.f[i]);
      way.f[i] += s * way.z[shared + i];
    }
    return way;
  }

  // How far to go: to about the lowest point, where the derivative, which increases along the way, is next to 0. It is
  // found by Newton's method between bounds. 0 if the way leads upwards.
  [[nodiscard]] double line_search(double c, const SparsePoint& way) const {
    const double z_z = square_sum(way.z) + penalty_ * way.bias * way.bias;
    const double at_z = dot(at_.z.data(), way.z.data(), way.z.size()) + penalty_ * at_.bias * way.bias;
    const auto derivatives = [&](double t) {
      double slope = 0;
      double curvature = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        const LossAt loss = loss_at(loss_, y_[i], v_[i], at_.f[i] + t * way.f[i]);
        slope += loss.slope * way.f[i];
        curvature += loss.curvature * way.f[i] * way.f[i];
      }
      return std::pair{at_z + t * z_z + c * slope, z_z + c * curvature};
    };
    const double start = derivatives(0.0).first;
    if (!(start < 0)) return 0;
    double low = 0;
    double high = std::numeric_limits<double>::infinity();
    double t = 1;
    for (int trial = 0; trial < kMostTrials; ++trial) {
      const auto [slope, curvature] = derivatives(t);
      if (std::abs(slope) <= -kSparseFlat * start) return t;
      (slope < 0 ? low : high) = t;
      if (low >= kLongestSparseStep) return low;
      t -= slope / curvature;
      if (!(t > low && t < high)) t = std::isfinite(high) ? 0.5 * (low + high) : 2 * low;
      t = std::min(t, kLongestSparseStep);
    }
    return low;
  }

  const RunOptions& options_;
  const SparseLoss loss_;
  const double precision_;
  const double penalty_;  // of the bias
  const ReducedRows rows_;
  const std::size_t n_;
  std::vector<double> y_;  // minus centre_
  const std::vector<double> v_;
  double centre_ = 0;
  double last_c_ = 0;  // at first, one at which weights are still small
  SparsePoint at_;
  SparsePoint before_;      // the solution for the C before the last
  SparsePoint start_;       // w = 0, b = 0
  double start_error_ = 0;  // there, for C = 1
  double start_slopes_ = 0;
  // The system of a Newton step.
  Measure now_;
  std::vector<double> curvature_;     // e, by row
  std::vector<double> slope_of_own_;  // the gradient by u, by row
  std::vector<double> reduced_;       // the gradient with u and b eliminated, by shared column
  std::vector<double> mixed_;         // q
  std::vector<double> diagonal_;      // of S
  double bias_slope_ = 0;
  double bias_curvature_ = 0;  // p + the sum of e
  StiffRows stiff_;
  FrequentColumns frequent_;
  SparseSolution solution_;
};

}  // namespace

void solve_sparse(const SparseProblem& problem, std::span<const double> grid, const RunOptions& options,
                  FunctionRef<bool(std::size_t c, const SparseSolution& solution)> consume) {
  assert(!problem.train.empty() && problem.targets.size() == problem.train.size());
  SparseSolver solver(problem, options);
  for (std::size_t c = 0; c < grid.size(); ++c) {
    if (!consume(c, solver.solve(grid[c]))) return;
  }
}

}  // namespace gckn
