// SPDX-License-Identifier: BSD-3-Clause
#include "learn/linear_model.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "gckn/error.h"
#include "learn/logistic.h"
#include "learn/ridge.h"
#include "learn/sparse_linear.h"
#include "learn/squared_hinge.h"
#include "linalg/moments.h"
#include "linalg/vector_ops.h"

namespace gckn {
namespace {

struct Fitted {
  DoubleMatrix weights;  // outputs x D
  bool converged = true;
};

// One against the rest; with two classes the score of class 0 is minus that of class 1.
std::vector<Fitted> fit_squared_hinge(const LearningTask& task, const std::vector<std::uint32_t>& train,
                                      const Standardiser& standardiser, const DoubleMatrix& rows,
                                      std::span<const double> grid, const RunOptions& options) {
  const std::size_t outputs = num_outputs(*task.target);
  std::vector<Fitted> fitted(grid.size(), {DoubleMatrix(outputs, rows.cols()), true});
  SquaredHingeProblem problem;
  problem.rows = &rows;
  problem.weights = sample_weights(task, train);
  problem.outputs = [&](std::span<const std::uint32_t> of_rows, const std::vector<double>& w) {
    std::vector<std::uint32_t> graphs(of_rows.size());
    std::ranges::transform(of_rows, graphs.begin(), [&](std::uint32_t i) { return train[i]; });
    return standardiser.products(*task.vectors, graphs, w);
  };
  // Computed once for all classes; which of them is needed depends on the form that the solver begins with.
  std::optional<DoubleMatrix> shared;
  if (rows.rows() <= rows.cols()) {
    if (outputs > 1) shared = inner_products(rows);
    problem.products = shared ? &*shared : nullptr;
  } else if (problem.weights.empty()) {
    if (task.moments != nullptr) shared = task.moments->of(train, standardiser);
    if (!shared && outputs > 1) shared = weighted_moments(rows);
    problem.moments = shared ? &*shared : nullptr;
  }
  for (std::size_t o = 0; o < outputs; ++o) {
    problem.labels = one_against_rest(*task.target, train, o);
    const std::vector<SquaredHingeSolution> solutions = solve_squared_hinge(problem, grid, options);
    for (std::size_t c = 0; c < grid.size(); ++c) {
      std::ranges::copy(solutions[c].w, fitted[c].weights.row(o));
      fitted[c].converged = fitted[c].converged && solutions[c].converged;
    }
  }
  return fitted;
}

std::vector<Fitted> fit_logistic(const LearningTask& task, const std::vector<std::uint32_t>& train,
                                 const DoubleMatrix& rows, std::span<const double> grid, const RunOptions& options) {
  LogisticProblem problem;
  problem.rows = &rows;
  problem.num_classes = task.target->num_classes();
  problem.weights = sample_weights(task, train);
  for (const std::uint32_t g : train) problem.classes.push_back(task.target->class_of_graph[g]);
  std::vector<Fitted> fitted;
  for (LogisticSolution& solution : solve_logistic(problem, grid, options)) {
    fitted.push_back({std::move(solution.weights), solution.converged});
  }
  return fitted;
}

std::vector<Fitted> fit_ridge(const LearningTask& task, const std::vector<std::uint32_t>& train,
                              const DoubleMatrix& rows, std::span<const double> grid) {
  RidgeProblem problem;
  problem.rows = &rows;
  problem.weights = sample_weights(task, train);
  DoubleMatrix numbers(train.size(), 1);
  for (std::size_t i = 0; i < train.size(); ++i) numbers(i, 0) = task.target->number_of_graph[train[i]];
  problem.targets = &numbers;
  std::vector<Fitted> fitted;
  for (RidgeSolution& solution : solve_ridge(problem, grid)) fitted.push_back({std::move(solution.weights), true});
  return fitted;
}

std::vector<Fitted> fit(const LearningTask& task, const std::vector<std::uint32_t>& train,
                        const Standardiser& standardiser, const DoubleMatrix& rows, std::span<const double> grid,
                        const RunOptions& options) {
  switch (task.learner) {
    case Learner::logistic:
      return fit_logistic(task, train, rows, grid, options);
    case Learner::ridge:
      return fit_ridge(task, train, rows, grid);
    default:
      return fit_squared_hinge(task, train, standardiser, rows, grid, options);
  }
}

// Whether to go on to a larger C. Scores of a set this large hardly vary but by C: they rise and then fall.
class Ascent {
 public:
  bool goes_on(double score) {
    worse_ = score < best_ - kClearlyWorse ? worse_ + 1 : 0;
    best_ = std::max(best_, score);
    return worse_ < kMostWorse;
  }

 private:
  static constexpr int kMostWorse = 2;
  double best_ = -std::numeric_limits<double>::infinity();
  int worse_ = 0;  // in succession
};

// Every output on its own. consume(o, c, solution): for each and each value of C, until it returns false.
template <typename Consume>
void fit_sparse(const LearningTask& task, const std::vector<std::uint32_t>& train, std::span<const double> grid,
                bool rough, const RunOptions& options, const Consume& consume) {
  const std::size_t outputs = num_outputs(*task.target);
  SparseProblem problem;
  problem.rows = task.rows;
  problem.train = train;
  problem.weights = sample_weights(task, train);
  problem.rough = rough;
  if (task.learner == Learner::logistic) {
    problem.loss = SparseLoss::logistic;
    if (outputs > 1) {
      throw UnsuitableNetwork("logistic regression of more than two classes needs vectors; the learner svm does not");
    }
  } else if (task.learner == Learner::ridge) {
    problem.loss = SparseLoss::squared_error;
  }
  for (std::size_t o = 0; o < outputs; ++o) {
    if (task.learner == Learner::ridge) {
      problem.targets.clear();
      for (const std::uint32_t g : train) problem.targets.push_back(task.target->number_of_graph[g]);
    } else {
      problem.targets = one_against_rest(*task.target, train, o);
    }
    solve_sparse(problem, grid, options,
                 [&](std::size_t c, const SparseSolution& solution) { return consume(o, c, solution); });
  }
}

LinearModel train_sparse(const LearningTask& task, const std::vector<std::uint32_t>& train, double c,
                         const RunOptions& options) {
  const std::size_t columns = task.rows->columns;
  LinearModel model{Standardiser::identity(columns), DoubleMatrix(num_outputs(*task.target), columns + 1), true};
  fit_sparse(task, train, {&c, 1}, false, options, [&](std::size_t o, std::size_t, const SparseSolution& solution) {
    std::ranges::copy(solution.w, model.weights.row(o));
    model.weights(o, columns) = solution.bias;
    model.converged = model.converged && solution.converged;
    return true;
  });
  return model;
}

ScoredGrid train_and_score_sparse(const LearningTask& task, const std::vector<std::uint32_t>& train,
                                  std::span<const std::uint32_t> test, std::span<const double> grid,
                                  const RunOptions& options, const JudgeScores* judge) {
  const std::size_t outputs = num_outputs(*task.target);
  const bool is_large = train.size() > kManyTrainingGraphs;
  Ascent ascent;
  ScoredGrid result;
  result.scores.assign(grid.size(), DoubleMatrix(test.size(), outputs));
  std::vector<char> converged(grid.size(), 1);
  fit_sparse(task, train, grid, is_large, options, [&](std::size_t o, std::size_t c, const SparseSolution& solution) {
    for (std::size_t i = 0; i < test.size(); ++i) {
      const auto row = task.rows->row(test[i]);
      double score = 0;
      for (std::size_t e = 0; e < row.size(); ++e) score += row.weight[e] * solution.w[row.index[e]];
      result.scores[c](i, o) = score + solution.bias;
    }
    if (!solution.converged) converged[c] = 0;
    if (!is_large || outputs > 1 || judge == nullptr || ascent.goes_on((*judge)(result.scores[c]))) return true;
    std::fill(result.scores.begin() + static_cast<std::ptrdiff_t>(c) + 1, result.scores.end(), result.scores[c]);
    return false;
  });
  result.unconverged = static_cast<std::size_t>(std::ranges::count(converged, char{0}));
  return result;
}

Standardiser standardiser_of(const LearningTask& task, const std::vector<std::uint32_t>& train) {
  if (task.standardiser != nullptr) return *task.standardiser;
  return task.standardised ? Standardiser(*task.vectors, train) : Standardiser::identity(task.vectors->cols());
}

DoubleMatrix scores_of(const DoubleMatrix& rows, const DoubleMatrix& weights) {
  DoubleMatrix scores(rows.rows(), weights.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t o = 0; o < weights.rows(); ++o) scores(i, o) = dot(rows.row(i), weights.row(o), rows.cols());
  }
  return scores;
}

}  // namespace

std::vector<double> one_against_rest(const TargetColumn& target, const std::vector<std::uint32_t>& train,
                                     std::size_t output) {
  const std::int32_t own_class = num_outputs(target) == 1 ? 1 : static_cast<std::int32_t>(output);
  std::vector<double> labels;
  for (const std::uint32_t g : train) labels.push_back(target.class_of_graph[g] == own_class ? 1.0 : -1.0);
  return labels;
}

std::vector<double> sample_weights(const LearningTask& task, const std::vector<std::uint32_t>& train) {
  std::vector<double> weights;
  if (!task.graph_weights.empty()) {
    for (const std::uint32_t g : train) weights.push_back(task.graph_weights[g]);
  }
  if (!task.balanced || !task.target->is_classes()) return weights;
  if (weights.empty()) weights.assign(train.size(), 1.0);
  std::vector<double> of_class(task.target->class_names.size());
  double total = 0;
  for (std::size_t i = 0; i < train.size(); ++i) {
    of_class[static_cast<std::size_t>(task.target->class_of_graph[train[i]])] += weights[i];
    total += weights[i];
  }
  const auto present =
      static_cast<double>(of_class.size() - static_cast<std::size_t>(std::ranges::count(of_class, 0.0)));
  for (std::size_t i = 0; i < train.size(); ++i) {
    weights[i] *= total / (present * of_class[static_cast<std::size_t>(task.target->class_of_graph[train[i]])]);
  }
  return weights;
}

LinearModel train_linear(const LearningTask& task, const std::vector<std::uint32_t>& train, double c,
                         const RunOptions& options) {
  if (task.rows != nullptr) return train_sparse(task, train, c, options);
  Standardiser standardiser = standardiser_of(task, train);
  const DoubleMatrix rows = standardiser.apply(*task.vectors, train);
  std::vector<Fitted> fitted = fit(task, train, standardiser, rows, {&c, 1}, options);
  return {std::move(standardiser), std::move(fitted.front().weights), fitted.front().converged};
}

ScoredGrid train_and_score(const LearningTask& task, const std::vector<std::uint32_t>& train,
                           std::span<const std::uint32_t> test, std::span<const double> grid, const RunOptions& options,
                           const JudgeScores* judge) {
  if (task.rows != nullptr) return train_and_score_sparse(task, train, test, grid, options, judge);
  const Standardiser standardiser = standardiser_of(task, train);
  const DoubleMatrix train_rows = standardiser.apply(*task.vectors, train);
  const DoubleMatrix test_rows = standardiser.apply(*task.vectors, test);
  ScoredGrid result;
  for (const Fitted& fitted : fit(task, train, standardiser, train_rows, grid, options)) {
    result.scores.push_back(scores_of(test_rows, fitted.weights));
    result.unconverged += fitted.converged ? 0 : 1;
  }
  return result;
}

std::vector<std::int32_t> classes_of_scores(const DoubleMatrix& scores) {
  std::vector<std::int32_t> classes(scores.rows(), 0);
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const double* row = scores.row(i);
    classes[i] = scores.cols() == 1 ? static_cast<std::int32_t>(row[0] > 0)
                                    : static_cast<std::int32_t>(std::max_element(row, row + scores.cols()) - row);
  }
  return classes;
}

}  // namespace gckn
