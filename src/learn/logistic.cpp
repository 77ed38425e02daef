// SPDX-License-Identifier: BSD-3-Clause
#include "learn/logistic.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "linalg/cholesky.h"
#include "linalg/moments.h"
#include "linalg/product.h"
#include "linalg/vector_ops.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr int kMostLogisticSteps = 100;
constexpr int kMostProducts = 1000;           // with the Hessian, in one step
constexpr double kLogisticDecrement = 1e-8;   // of the objective: the step that promises no more is the last
constexpr double kGradient = 1e-6;            // of the gradient at W = 0
constexpr double kResidual = 0.1;             // of conjugate gradients, in the norm of P^-1
constexpr double kLogisticSufficient = 1e-4;  // share of the promised decrease that a step must achieve
constexpr double kLogisticShortest = 1e-9;    // step of the line search
constexpr double kProductSpeed = 10.0;  // of matrix products and factors, in passes over memory of as many operations

double inner(const DoubleMatrix& a, const DoubleMatrix& b) {
  return dot(a.data(), b.data(), a.size());
}

void add(DoubleMatrix& a, const DoubleMatrix& b, double factor) {
  add_scaled(a.data(), b.data(), factor, a.size());
}

// 1 / (1 + exp(-f)), without cancellation at either end.
double sigmoid(double f) {
  const double e = std::exp(-std::abs(f));
  return (f >= 0 ? 1.0 : e) / (1.0 + e);
}

// The features Z, n x D, which are read in blocks of rows that stay in the cache for all that is done with them.
class BlockedFeatures {
 public:
  explicit BlockedFeatures(const DoubleMatrix& rows)
      : rows_(rows), block_(std::max<std::size_t>(24, kBlockBytes / sizeof(double) / rows.cols())), indices_(block_) {
    std::iota(indices_.begin(), indices_.end(), 0U);
  }

  [[nodiscard]] const DoubleMatrix& rows() const { return rows_; }
  [[nodiscard]] std::size_t count() const { return rows_.rows(); }
  [[nodiscard]] std::size_t dimension() const { return rows_.cols(); }

  // Z W', n x outputs.
  [[nodiscard]] DoubleMatrix scores(const DoubleMatrix& w) const {
    auto f = DoubleMatrix::uninitialised(count(), w.rows());
    score_block(w, packed(w), 0, count(), f);
    return f;
  }

  // R' Z, outputs x D, of R n x outputs.
  [[nodiscard]] DoubleMatrix sums(const DoubleMatrix& r) const {
    DoubleMatrix sums(r.cols(), dimension());
    for (std::size_t begin = 0; begin < count(); begin += block_) {
      add_block(r.row(begin), begin, std::min(block_, count() - begin), sums);
    }
    return sums;
  }

  // f = Z W', and R' Z where bend(i, row) turns row i of f into that of R.
  template <typename Bend>
  [[nodiscard]] DoubleMatrix bent_sums(const DoubleMatrix& w, DoubleMatrix& f, const Bend& bend) const {
    DoubleMatrix sums(w.rows(), dimension());
    DoubleMatrix bent(block_, w.rows());
    const PackedMatrix<double> columns = packed(w);
    for (std::size_t begin = 0; begin < count(); begin += block_) {
      const std::size_t size = std::min(block_, count() - begin);
      score_block(w, columns, begin, size, f);
      std::copy_n(f.row(begin), size * w.rows(), bent.data());
      for (std::size_t i = 0; i < size; ++i) bend(begin + i, bent.row(i));
      add_block(bent.data(), begin, size, sums);
    }
    return sums;
  }

 private:
  static constexpr std::size_t kBlockBytes = 768 * 1024;

  // W', D x outputs; nothing for one output, of which a packed matrix would be mostly padding.
  [[nodiscard]] static PackedMatrix<double> packed(const DoubleMatrix& w) {
    if (w.rows() == 1) return {};
    auto columns = DoubleMatrix::uninitialised(w.cols(), w.rows());
    for (std::size_t k = 0; k < w.rows(); ++k) {
      for (std::size_t j = 0; j < w.cols(); ++j) columns(j, k) = w(k, j);
    }
    return {columns.data(), columns.rows(), columns.cols(), columns.cols()};
  }

  void score_block(const DoubleMatrix& w, const PackedMatrix<double>& columns, std::size_t begin, std::size_t size,
                   DoubleMatrix& f) const {
    if (w.rows() == 1) {
      for (std::size_t i = begin; i < begin + size; ++i) f(i, 0) = dot(rows_.row(i), w.data(), dimension());
      return;
    }
    std::vector<const double*> rows(size);
    for (std::size_t i = 0; i < size; ++i) rows[i] = rows_.row(begin + i);
    multiply_rows(rows.data(), size, columns, f.row(begin), w.rows(), false);
  }

  // sums += R' Z for `size` rows of each.
  void add_block(const double* r, std::size_t begin, std::size_t size, DoubleMatrix& sums) const {
    std::vector<double> weights(size);
    std::vector<double> sum(dimension());
    for (std::size_t k = 0; k < sums.rows(); ++k) {
      for (std::size_t i = 0; i < size; ++i) weights[i] = r[i * sums.rows() + k];
      weighted_row_sum(rows_.row(begin), dimension(), indices_.data(), weights.data(), size, sum.data());
      add_scaled(sums.row(k), sum.data(), 1.0, dimension());
    }
  }

  const DoubleMatrix& rows_;
  const std::size_t block_;
  std::vector<std::uint32_t> indices_;  // 0, 1, ...: of rows within a block
};

// The loss sum_i v_i loss_i and its derivatives with respect to the scores, which are n x outputs.
class Loss {
 public:
  explicit Loss(const LogisticProblem& problem)
      : n_(problem.rows->rows()),
        outputs_(problem.num_classes == 2 ? 1 : static_cast<std::size_t>(problem.num_classes)),
        classes_(problem.classes.begin(), problem.classes.end()),
        v_(problem.weights.empty() ? std::vector<double>(n_, 1.0) : problem.weights),
        p_(n_, outputs_),
        residuals_(n_, outputs_),
        curvature_(n_) {}

  [[nodiscard]] std::size_t outputs() const { return outputs_; }
  // After visit(): the derivative by the scores, v_i (p_ik - [k is the class of i]).
  [[nodiscard]] const DoubleMatrix& residuals() const { return residuals_; }
  // After visit(): s_i of the preconditioner.
  [[nodiscard]] const std::vector<double>& curvature() const { return curvature_; }

  [[nodiscard]] double value(const DoubleMatrix& f) const {
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) sum += v_[i] * (outputs_ == 1 ? binomial(f, i) : softmax(f, i));
    return sum;
  }

  // Moves to the scores f.
  void visit(const DoubleMatrix& f) {
    for (std::size_t i = 0; i < n_; ++i) {
      if (outputs_ == 1) {
        const double wrong = sigmoid(classes_[i] == 1 ? -f(i, 0) : f(i, 0));
        residuals_(i, 0) = classes_[i] == 1 ? -v_[i] * wrong : v_[i] * wrong;
        curvature_[i] = v_[i] * wrong * sigmoid(classes_[i] == 1 ? f(i, 0) : -f(i, 0));
        continue;
      }
      const double largest = largest_score(f, i);
      double total = 0;
      for (std::size_t k = 0; k < outputs_; ++k) total += p_(i, k) = std::exp(f(i, k) - largest);
      double others = 0;  // 1 - p of the class, without cancellation
      double spread = 0;  // 1 - |p|^2, likewise
      for (std::size_t k = 0; k < outputs_; ++k) {
        p_(i, k) /= total;
        residuals_(i, k) = v_[i] * p_(i, k);
        if (k != classes_[i]) others += p_(i, k);
      }
      for (std::size_t k = 0; k < outputs_; ++k) {
        spread += p_(i, k) * (k == classes_[i] ? others : 1.0 - p_(i, k));
      }
      residuals_(i, classes_[i]) = -v_[i] * others;
      curvature_[i] = v_[i] * spread / static_cast<double>(outputs_ - 1);
    }
  }

  // t := the second derivative of v_i loss_i, at the scores of visit(), applied to t (one per output).
  void apply_curvature(std::size_t i, double* t) const {
    if (outputs_ == 1) {
      t[0] *= curvature_[i];
      return;
    }
    const double* p = p_.row(i);
    double mean = 0;
    for (std::size_t k = 0; k < outputs_; ++k) mean += p[k] * t[k];
    for (std::size_t k = 0; k < outputs_; ++k) t[k] = v_[i] * p[k] * (t[k] - mean);
  }

 private:
  [[nodiscard]] double binomial(const DoubleMatrix& f, std::size_t i) const {
    const double margin = classes_[i] == 1 ? f(i, 0) : -f(i, 0);
    return std::max(0.0, -margin) + std::log1p(std::exp(-std::abs(margin)));
  }

  [[nodiscard]] double softmax(const DoubleMatrix& f, std::size_t i) const {
    const double own = f(i, classes_[i]);
    const double largest = largest_score(f, i);
    double others = 0;  // relative to the largest; log1p keeps what a confident prediction has left
    for (std::size_t k = 0; k < outputs_; ++k) others += k == classes_[i] ? 0.0 : std::exp(f(i, k) - largest);
    return largest == own ? std::log1p(others) : largest - own + std::log(others + std::exp(own - largest));
  }

  [[nodiscard]] double largest_score(const DoubleMatrix& f, std::size_t i) const {
    return *std::max_element(f.row(i), f.row(i) + outputs_);
  }

  const std::size_t n_;
  const std::size_t outputs_;
  const std::vector<std::size_t> classes_;
  const std::vector<double> v_;
  DoubleMatrix p_;  // n x outputs, several outputs only
  DoubleMatrix residuals_;
  std::vector<double> curvature_;
};

// P^-1 of the header. A factor is kept until the products that a better one would have saved cost as much as making it.
class Preconditioner {
 public:
  Preconditioner(const BlockedFeatures& features, std::size_t outputs, const RunOptions& options)
      : features_(features), options_(options), dual_(features.count() < features.dimension()) {
    const auto n = static_cast<double>(features.count());
    const auto d = static_cast<double>(features.dimension());
    const double size = dual_ ? n : d;
    const double product = static_cast<double>(outputs) * ((dual_ ? 8 : 4) * n * d + 2 * size * size);
    factor_cost_ = size * size * size / 3 / kProductSpeed / product;
    matrix_cost_ = dual_ ? 0.0 : n * d * d / kProductSpeed / product;
    if (dual_) matrix_ = inner_products(features.rows());
  }

  // Brings P up to date, as far as that pays, with C and the curvature.
  void update(double c, const std::vector<double>& curvature) {
    const bool new_curvature = curvature_.empty() || curvature_debt_ >= matrix_cost_ + factor_cost_;
    if (!new_curvature && (c == c_ || factor_debt_ < factor_cost_)) return;
    c_ = c;
    if (new_curvature) {
      curvature_ = curvature;
      curvature_debt_ = 0;
      if (!dual_) matrix_ = weighted_moments(features_.rows(), curvature_);
    }
    fresh_ = true;
    factor_debt_ = 0;
    refactor();
  }

  // To be told how many products with the Hessian a step took.
  void account(int products) {
    if (fresh_) usual_ = products;
    fresh_ = false;
    const double extra = std::max(0, products - usual_);
    factor_debt_ += extra;
    curvature_debt_ += extra;
  }

  // P^-1 x, outputs x D.
  [[nodiscard]] DoubleMatrix apply(const DoubleMatrix& x) const {
    DoubleMatrix y = x;
    if (!factored_) return y;
    if (!dual_) {
      solve_factored(factor_, y.data(), y.rows());
      return y;
    }
    DoubleMatrix f = features_.scores(x);
    auto turned = DoubleMatrix::uninitialised(f.cols(), f.rows());
    for (std::size_t i = 0; i < f.rows(); ++i) {
      for (std::size_t k = 0; k < f.cols(); ++k) turned(k, i) = f(i, k) * std::sqrt(curvature_[i]);
    }
    solve_factored(factor_, turned.data(), turned.rows());
    for (std::size_t i = 0; i < f.rows(); ++i) {
      for (std::size_t k = 0; k < f.cols(); ++k) f(i, k) = turned(k, i) * std::sqrt(curvature_[i]);
    }
    add(y, features_.sums(f), -c_);
    return y;
  }

 private:
  void refactor() {
    factor_ = matrix_;
    for (std::size_t i = 0; i < factor_.rows(); ++i) {
      for (std::size_t j = i; j < factor_.cols(); ++j) {
        factor_(i, j) =
            factor_(i, j) * c_ * (dual_ ? std::sqrt(curvature_[i] * curvature_[j]) : 1.0) + (i == j ? 1.0 : 0.0);
      }
    }
    // Positive definite by construction; should rounding spoil that, conjugate gradients do without.
    factored_ = factor_positive_definite(factor_, options_);
  }

  const BlockedFeatures& features_;
  const RunOptions& options_;
  const bool dual_;
  double factor_cost_ = 0;  // in products with the Hessian
  double matrix_cost_ = 0;
  double c_ = 0;
  std::vector<double> curvature_;
  DoubleMatrix matrix_;  // Z' S Z or Z Z', upper triangle
  DoubleMatrix factor_;
  bool factored_ = false;
  bool fresh_ = false;
  int usual_ = 0;  // products that the first step with this factor took
  double factor_debt_ = 0;
  double curvature_debt_ = 0;
};

class LogisticSolver {
 public:
  LogisticSolver(const LogisticProblem& problem, const RunOptions& options)
      : options_(options),
        loss_(problem),
        features_(*problem.rows),
        preconditioner_(features_, loss_.outputs(), options),
        w_(loss_.outputs(), features_.dimension()),
        f_(features_.count(), loss_.outputs()) {
    visit();
    start_slope_ = std::sqrt(inner(slope_, slope_));
  }

  LogisticSolution solve(double c) {
    LogisticSolution solution;
    double objective = 0.5 * inner(w_, w_) + c * loss_value_;
    while (solution.steps < kMostLogisticSteps) {
      report_progress(options_, "linear models", 0, 0);
      const Direction direction = newton_direction(c);
      const double moved = line_search(c, direction, objective);
      if (moved == 0) break;
      ++solution.steps;
      add(w_, direction.w, moved);
      add(f_, direction.f, moved);
      visit();
      objective = 0.5 * inner(w_, w_) + c * loss_value_;
      if (direction.promise <= kLogisticDecrement * objective && gradient_norm(c) <= kGradient * c * start_slope_) {
        solution.converged = true;
        break;
      }
    }
    solution.weights = w_;
    solution.objective = objective;
    return solution;
  }

 private:
  struct Direction {
    DoubleMatrix w;
    DoubleMatrix f;      // Z W' of it
    double promise = 0;  // minus the gradient along it: twice the decrease of the quadratic model
  };

  void visit() {
    loss_.visit(f_);
    loss_value_ = loss_.value(f_);
    slope_ = features_.sums(loss_.residuals());
  }

  [[nodiscard]] DoubleMatrix gradient(double c) const {
    DoubleMatrix g = w_;
    add(g, slope_, c);
    return g;
  }

  [[nodiscard]] double gradient_norm(double c) const {
    const DoubleMatrix g = gradient(c);
    return std::sqrt(inner(g, g));
  }

  // Conjugate gradients for H d = -g.
  Direction newton_direction(double c) {
    preconditioner_.update(c, loss_.curvature());
    Direction d{DoubleMatrix(w_.rows(), w_.cols()), DoubleMatrix(f_.rows(), f_.cols())};
    const DoubleMatrix g = gradient(c);
    DoubleMatrix f(f_.rows(), f_.cols());
    DoubleMatrix residual(g.rows(), g.cols());
    add(residual, g, -1.0);
    DoubleMatrix p = preconditioner_.apply(residual);
    double size = inner(residual, p);
    const double enough = kResidual * kResidual * size;
    int products = 0;
    while (size > enough && products < kMostProducts) {
      report_progress(options_, "linear models", 0, 0);
      DoubleMatrix h = features_.bent_sums(p, f, [&](std::size_t i, double* t) { loss_.apply_curvature(i, t); });
      scale(h.data(), c, h.size());
      add(h, p, 1.0);
      ++products;
      const double along = inner(p, h);
      if (!(along > 0)) break;
      const double step = size / along;
      add(d.w, p, step);
      add(d.f, f, step);
      add(residual, h, -step);
      DoubleMatrix next = preconditioner_.apply(residual);
      const double before = size;
      size = inner(residual, next);
      add(next, p, size / before);
      p = std::move(next);
    }
    preconditioner_.account(products);
    d.promise = -inner(g, d.w);
    return d;
  }

  // The first of 1, 1/2, 1/4, ... that decreases the objective enough; 0 if none does.
  [[nodiscard]] double line_search(double c, const Direction& d, double objective) const {
    const double ww = inner(w_, w_);
    const double wd = inner(w_, d.w);
    const double dd = inner(d.w, d.w);
    const double rounding = 1e-14 * std::abs(objective);
    for (double t = 1; t >= kLogisticShortest; t /= 2) {
      DoubleMatrix f = f_;
      add(f, d.f, t);
      const double there = 0.5 * (ww + 2 * t * wd + t * t * dd) + c * loss_.value(f);
      if (there <= objective - kLogisticSufficient * t * d.promise + rounding) return t;
    }
    return 0;
  }

  const RunOptions& options_;
  Loss loss_;
  BlockedFeatures features_;
  Preconditioner preconditioner_;
  DoubleMatrix w_;         // outputs x D
  DoubleMatrix f_;         // n x outputs, Z W'
  DoubleMatrix slope_;     // outputs x D, the gradient of the loss
  double loss_value_ = 0;  // without C
  double start_slope_ = 0;
};

}  // namespace

std::vector<LogisticSolution> solve_logistic(const LogisticProblem& problem, std::span<const double> grid,
                                             const RunOptions& options) {
  assert(problem.num_classes >= 2 && problem.classes.size() == problem.rows->rows());
  LogisticSolver solver(problem, options);
  std::vector<LogisticSolution> solutions;
  for (const double c : grid) solutions.push_back(solver.solve(c));
  return solutions;
}

DoubleMatrix probabilities(const DoubleMatrix& scores, std::int32_t num_classes) {
  const auto classes = static_cast<std::size_t>(num_classes);
  auto result = DoubleMatrix::uninitialised(scores.rows(), classes);
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    if (classes == 2) {
      result(i, 0) = sigmoid(-scores(i, 0));
      result(i, 1) = sigmoid(scores(i, 0));
      continue;
    }
    const double largest = *std::max_element(scores.row(i), scores.row(i) + classes);
    double total = 0;
    for (std::size_t k = 0; k < classes; ++k) total += result(i, k) = std::exp(scores(i, k) - largest);
    for (std::size_t k = 0; k < classes; ++k) result(i, k) /= total;
  }
  return result;
}

}  // namespace gckn
