// SPDX-License-Identifier: BSD-3-Clause
#include "learn/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "gckn/error.h"
#include "learn/equal_rows.h"
#include "learn/kernel_hinge.h"
#include "learn/kernel_side_by_side.h"
#include "learn/linear_model.h"
#include "learn/logistic.h"
#include "learn/metrics.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::size_t kMostShared = std::size_t{256} << 20U;  // bytes of moments that folds share
constexpr const char* kEvaluating = "linear models";
constexpr double kSame = 1e-12;  // means that differ by less are equal: sums of equal numbers in another order

// All graphs of a fold that have the target.
std::vector<std::uint32_t> graphs_of(const TargetColumn& target, const Fold& fold) {
  std::vector<std::uint32_t> graphs = target.present(fold.train);
  const std::vector<std::uint32_t> test = target.present(fold.test);
  graphs.insert(graphs.end(), test.begin(), test.end());
  return graphs;
}

// Of a target's numbers, over the graphs of a fold; 1 for classes.
double deviation_of(const TargetColumn& target, const Fold& fold) {
  if (target.is_classes()) return 1;
  double n = 0;
  double mean = 0;
  double square = 0;
  for (const std::uint32_t g : graphs_of(target, fold)) {
    const double value = target.number_of_graph[g];
    n += 1;
    const double before = value - mean;
    mean += before / n;
    square += before * (value - mean);
  }
  return square > 0 ? std::sqrt(square / n) : 1;
}

// The metric that is selected by, turned so that more is better. Errors are in units of the target's deviation, so that
// targets can be averaged.
double selection_score(const Experiment& experiment, const TargetColumn& target, double deviation,
                       const std::vector<std::uint32_t>& graphs, const DoubleMatrix& scores) {
  const Metric metric = experiment.selected_by();
  if (metric == Metric::accuracy) {  // by far the most common, and cheap
    const std::vector<std::int32_t> predicted = classes_of_scores(scores);
    std::size_t right = 0;
    for (std::size_t i = 0; i < graphs.size(); ++i) right += predicted[i] == target.class_of_graph[graphs[i]] ? 1 : 0;
    return static_cast<double>(right) / static_cast<double>(graphs.size());
  }
  const std::vector<Metric> metrics = metrics_of(experiment, target);
  const auto at = std::ranges::find(metrics, metric) - metrics.begin();
  double value = metric_values(experiment, target, graphs, scores)[static_cast<std::size_t>(at)];
  if (metric == Metric::rmse || metric == Metric::mae) value /= deviation;
  return larger_is_better(metric) ? value : -value;
}

// Mean over the values that are defined.
double mean_of(const std::vector<double>& values) {
  double sum = 0;
  double count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    count += 1;
  }
  return count > 0 ? sum / count : -std::numeric_limits<double>::infinity();
}

// What rounding may move a score by, for one C. Scores do not grow faster than C from 0.
constexpr double kScoreRounding = 1e-9;
double tie_of_vectors(double c) {
  return kScoreRounding * std::min(1.0, c);
}
// The solver on a kernel stops at a residual (kernel_side_by_side.h); |f| is at most 4 C times the points.
double tie_of_kernel(double c, std::size_t points) {
  constexpr double kResiduals = 100;
  return kResiduals * kKernelResidual * std::min(1.0, 4 * c * static_cast<double>(points));
}

// Scores whose order is a matter of rounding, and so of the order of graphs in their file, are made equal: the row's
// largest, or 0 where one score stands for two classes. Ties then go to the lowest class.
void settle_ties(DoubleMatrix& scores, double tie) {
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const std::span<double> row(scores.row(i), scores.cols());
    const double best = row.size() == 1 ? 0.0 : *std::ranges::max_element(row);
    for (double& score : row) score = std::abs(score - best) <= tie ? best : score;
  }
}

// What the folds of a target share: useful if they are several and the solver begins with the moments of all rows.
std::optional<FoldMoments> shared_moments(const Matrix& vectors, const Experiment& experiment,
                                          const TargetColumn& target, const std::vector<Fold>& folds) {
  if (experiment.learner != Learner::svm || experiment.learning.balanced ||
      !experiment.learning.graph_weights.empty() || folds.size() < 2 ||
      experiment.targets.size() * (vectors.cols() + 1) * (vectors.cols() + 1) * sizeof(double) > kMostShared) {
    return std::nullopt;
  }
  if (target.present(folds.front().train).size() <= vectors.cols()) return std::nullopt;
  return std::optional<FoldMoments>(std::in_place, vectors, graphs_of(target, folds.front()));
}

// The results of one choice of C as they come, fold by fold.
class GridResults {
 public:
  GridResults(const Experiment& experiment, const CChoice& choice)
      : experiment_(experiment),
        choice_(choice),
        scores_(experiment.targets.size(), std::vector<std::vector<DoubleMatrix>>(num_folds())),
        values_(experiment.targets.size(),
                std::vector<std::vector<double>>(experiment.learning.C.size(),
                                                 std::vector<double>(choice.selection->size(), NAN))) {
    for (const TargetColumn& target : experiment.targets) {
      deviation_.push_back(deviation_of(target, choice.selection->front()));
    }
  }

  // Those of the selection first, then those of the prediction unless they are the same.
  [[nodiscard]] std::size_t num_folds() const {
    return choice_.selection->size() + (is_same() ? 0 : choice_.prediction->size());
  }
  [[nodiscard]] const Fold& fold(std::size_t f) const {
    const std::size_t selected = choice_.selection->size();
    return f < selected ? (*choice_.selection)[f] : (*choice_.prediction)[f - selected];
  }

  // For every C the scores of the fold's test graphs that have target t. From any thread, once for each t and f.
  void take(std::size_t t, std::size_t f, std::vector<DoubleMatrix> scores) {
    const TargetColumn& target = experiment_.targets[t];
    const std::vector<std::uint32_t> test = target.tested(fold(f));
    const bool selects = f < choice_.selection->size();
    if (selects && !test.empty()) {
      for (std::size_t c = 0; c < scores.size(); ++c) {
        values_[t][c][f] = selection_score(experiment_, target, deviation_[t], test, scores[c]);
      }
    }
    if (!selects || is_same()) scores_[t][f] = std::move(scores);  // others are of no more use
  }

  // When all are taken.
  Evaluation finish() {
    Evaluation result;
    result.predictions.resize(choice_.prediction->size());
    const std::vector<double>& grid = experiment_.learning.C;
    for (std::size_t t = 0; t < values_.size(); ++t) {
      std::size_t best = 0;
      double best_mean = -std::numeric_limits<double>::infinity();
      for (std::size_t c = 0; c < grid.size(); ++c) {
        const double mean = mean_of(values_[t][c]);
        if (t == 0) result.score_by_c.push_back(mean);
        if (mean > best_mean + kSame) {
          best_mean = mean;
          best = c;
        }
      }
      result.C.push_back(grid[best]);
      result.score += best_mean / static_cast<double>(values_.size());
      const std::size_t first = is_same() ? 0 : choice_.selection->size();
      for (std::size_t f = 0; f < result.predictions.size(); ++f) {
        result.predictions[f].push_back(std::move(scores_[t][first + f][best]));
      }
    }
    return result;
  }

 private:
  [[nodiscard]] bool is_same() const { return choice_.selection == choice_.prediction; }

  const Experiment& experiment_;
  const CChoice choice_;
  std::vector<double> deviation_;                               // by target
  std::vector<std::vector<std::vector<DoubleMatrix>>> scores_;  // by target, fold and C; of predicted folds
  std::vector<std::vector<std::vector<double>>> values_;        // by target, C and selection fold
};

// What a fold of a target has to learn, without its vectors.
LearningTask task_of(const Experiment& experiment, const TargetColumn& target) {
  LearningTask task;
  task.target = &target;
  task.learner = experiment.learner;
  task.balanced = experiment.learning.balanced;
  task.graph_weights = experiment.learning.graph_weights;
  return task;
}

// Scores of no graph, for every C.
std::vector<DoubleMatrix> no_scores(const Experiment& experiment, const TargetColumn& target) {
  return std::vector<DoubleMatrix>(experiment.learning.C.size(), DoubleMatrix(0, num_outputs(target)));
}

// The fold of a choice and target that problems on a kernel belong to: one for every output.
struct KernelTask {
  std::size_t choice;
  std::size_t target;
  std::size_t fold;
  std::vector<std::uint32_t> test;
  std::size_t first_problem;
  std::vector<DoubleMatrix> scores;  // by C
};

}  // namespace

Metric Experiment::selected_by() const {
  return learning.select_by.value_or(learner == Learner::ridge ? Metric::rmse : Metric::accuracy);
}

Experiment make_experiment(const GraphSet& graphs, const LearningOptions& learning) {
  if (learning.C.empty()) throw UsageError("there is no value of C to try");
  for (std::size_t i = 0; i < learning.C.size(); ++i) {
    if (!(learning.C[i] > 0) || !std::isfinite(learning.C[i])) {
      throw UsageError(fmt::format("C = {} is not positive", learning.C[i]));
    }
    if (i > 0 && learning.C[i] <= learning.C[i - 1]) throw UsageError("the values of C must ascend");
  }
  if (!learning.graph_weights.empty()) {
    if (learning.graph_weights.size() != graphs.num_graphs()) {
      throw UsageError(fmt::format("{} weights for {} graphs", learning.graph_weights.size(), graphs.num_graphs()));
    }
    for (const double weight : learning.graph_weights) {
      if (!(weight > 0) || !std::isfinite(weight)) throw UsageError(fmt::format("weight {} is not positive", weight));
    }
  }
  Experiment experiment{target_columns(graphs, learning.learner), learner_for(graphs, learning.learner), learning};
  const std::vector<Metric> possible = metrics_of(experiment, experiment.targets.front());
  if (std::ranges::find(possible, experiment.selected_by()) == possible.end()) {
    throw UsageError(
        fmt::format("{} cannot be selected by {}", to_string(experiment.learner), to_string(experiment.selected_by())));
  }
  return experiment;
}

Evaluation evaluate(const Matrix& vectors, const Experiment& experiment, const std::vector<Fold>& selection,
                    const std::vector<Fold>& prediction, const RunOptions& options, bool standardised) {
  GridResults results(experiment, {&selection, &prediction});
  const std::size_t num_folds = results.num_folds();
  std::vector<std::optional<FoldMoments>> moments;
  for (const TargetColumn& target : experiment.targets) {
    moments.push_back(standardised ? shared_moments(vectors, experiment, target, selection) : std::nullopt);
  }
  std::atomic<std::size_t> unconverged{0};
  std::atomic<std::size_t> done{0};
  const std::size_t total = experiment.targets.size() * num_folds;
  parallel_for(total, [&](std::size_t i) {
    const std::size_t t = i / num_folds;
    const std::size_t f = i % num_folds;
    const TargetColumn& target = experiment.targets[t];
    const std::vector<std::uint32_t> test = target.tested(results.fold(f));
    if (test.empty()) {
      results.take(t, f, no_scores(experiment, target));
    } else {
      LearningTask task = task_of(experiment, target);
      task.vectors = &vectors;
      task.standardised = standardised;
      task.moments = moments[t] ? &*moments[t] : nullptr;
      const std::vector<std::uint32_t> train = target.present(results.fold(f).train);
      ScoredGrid scored = train_and_score(task, train, test, experiment.learning.C, options);
      if (target.is_classes()) {
        for (std::size_t c = 0; c < scored.scores.size(); ++c) {
          settle_ties(scored.scores[c], tie_of_vectors(experiment.learning.C[c]));
        }
      }
      unconverged += scored.unconverged;
      results.take(t, f, std::move(scored.scores));
    }
    report_progress(options, kEvaluating, ++done, total);
  });
  Evaluation result = results.finish();
  result.unconverged = unconverged;
  return result;
}

std::vector<Evaluation> evaluate_kernel(const DoubleMatrix& kernel, const Experiment& experiment,
                                        const std::vector<CChoice>& choices, const RunOptions& options) {
  const std::vector<std::uint32_t> first_equal = first_equal_rows(kernel);
  std::vector<GridResults> results;
  std::vector<KernelTask> tasks;
  std::vector<KernelHingeProblem> problems;
  std::vector<std::size_t> task_of_problem;
  for (std::size_t choice = 0; choice < choices.size(); ++choice) {
    GridResults& result = results.emplace_back(experiment, choices[choice]);
    for (std::size_t t = 0; t < experiment.targets.size(); ++t) {
      const TargetColumn& target = experiment.targets[t];
      for (std::size_t f = 0; f < result.num_folds(); ++f) {
        std::vector<std::uint32_t> test = target.tested(result.fold(f));
        if (test.empty()) {
          result.take(t, f, no_scores(experiment, target));
          continue;
        }
        const std::vector<std::uint32_t> train = target.present(result.fold(f).train);
        const std::size_t outputs = num_outputs(target);
        const std::vector<double> weights = sample_weights(task_of(experiment, target), train);
        const std::vector<DoubleMatrix> scores(experiment.learning.C.size(), DoubleMatrix(test.size(), outputs));
        tasks.push_back({choice, t, f, std::move(test), problems.size(), scores});
        for (std::size_t o = 0; o < outputs; ++o) {
          problems.push_back({train, one_against_rest(target, train, o), weights});
          task_of_problem.push_back(tasks.size() - 1);
        }
      }
    }
  }
  std::vector<std::size_t> unconverged(problems.size(), 0);
  std::atomic<std::size_t> done{0};
  const std::size_t total = problems.size() * experiment.learning.C.size();
  solve_kernel_hinge(kernel, problems, experiment.learning.C, options,
                     [&](std::size_t p, std::size_t c, std::span<const double> f, bool converged) {
                       KernelTask& task = tasks[task_of_problem[p]];
                       DoubleMatrix& scores = task.scores[c];
                       for (std::size_t i = 0; i < task.test.size(); ++i) {
                         scores(i, p - task.first_problem) = f[first_equal[task.test[i]]];
                       }
                       unconverged[p] += converged ? 0 : 1;
                       report_progress(options, kEvaluating, ++done, total);
                     });
  for (KernelTask& task : tasks) {
    for (std::size_t c = 0; c < task.scores.size(); ++c) {
      settle_ties(task.scores[c], tie_of_kernel(experiment.learning.C[c], problems[task.first_problem].train.size()));
    }
    results[task.choice].take(task.target, task.fold, std::move(task.scores));
  }
  std::vector<Evaluation> evaluations;
  for (GridResults& result : results) evaluations.push_back(result.finish());
  for (std::size_t p = 0; p < problems.size(); ++p) {
    evaluations[tasks[task_of_problem[p]].choice].unconverged += unconverged[p];
  }
  return evaluations;
}

std::vector<Metric> metrics_of(const Experiment& experiment, const TargetColumn& target) {
  if (!target.is_classes()) return {Metric::rmse, Metric::mae, Metric::r2};
  std::vector<Metric> metrics{Metric::accuracy, Metric::balanced_accuracy, Metric::roc_auc, Metric::pr_auc,
                              Metric::mcc};
  if (experiment.learner == Learner::logistic) metrics.push_back(Metric::log_loss);
  return metrics;
}

std::vector<double> metric_values(const Experiment& experiment, const TargetColumn& target,
                                  const std::vector<std::uint32_t>& graphs, const DoubleMatrix& scores) {
  if (!target.is_classes()) {
    std::vector<double> truth;
    std::vector<double> predicted;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      truth.push_back(target.number_of_graph[graphs[i]]);
      predicted.push_back(scores(i, 0));
    }
    const RegressionMetrics metrics = regression_metrics(truth, predicted);
    return {metrics.rmse, metrics.mae, metrics.r2};
  }
  std::vector<std::int32_t> truth;
  for (const std::uint32_t g : graphs) truth.push_back(target.class_of_graph[g]);
  const std::vector<std::int32_t> predicted = classes_of_scores(scores);
  DoubleMatrix likelihood;
  if (experiment.learner == Learner::logistic) likelihood = probabilities(scores, target.num_classes());
  const ClassificationMetrics metrics =
      classification_metrics({truth, predicted, &scores, &likelihood, target.num_classes()});
  std::vector<double> values{metrics.accuracy, metrics.balanced_accuracy, metrics.roc_auc, metrics.pr_auc, metrics.mcc};
  if (experiment.learner == Learner::logistic) values.push_back(metrics.log_loss);
  return values;
}

}  // namespace gckn
