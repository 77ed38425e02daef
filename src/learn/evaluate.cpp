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
#include "learn/grid_results.h"
#include "learn/linear_model.h"
#include "learn/logistic.h"
#include "learn/metrics.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::size_t kMostShared = std::size_t{256} << 20U;  // bytes of moments that folds share
constexpr const char* kEvaluating = "linear models";

// What rounding may move a score by, for one C. Scores do not grow faster than C from 0.
constexpr double kScoreRounding = 1e-9;
double tie_of_vectors(double c) {
  return kScoreRounding * std::min(1.0, c);
}
// The solver on sparse rows stops at a gradient that is small, not zero.
double tie_of_rows(double c) {
  constexpr double kSolverRounding = 1e-6;
  return kSolverRounding * std::min(1.0, c);
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
  return std::optional<FoldMoments>(std::in_place, vectors, target.present(folds.front()));
}

// Every fold of every target, side by side. tie: what rounding may move a score by, for one C. complete(t, task): what
// the task of target t is learnt from.
template <typename Complete>
Evaluation evaluate_tasks(const Experiment& experiment, const CChoice& choice, const RunOptions& options,
                          double (*tie)(double c), const Complete& complete) {
  GridResults results(experiment, choice);
  const std::size_t num_folds = results.num_folds();
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
      complete(t, task);
      const std::vector<std::uint32_t> train = target.present(results.fold(f).train);
      // Test graphs that nothing is chosen by must not decide which values are tried.
      const auto score_of = [&](const DoubleMatrix& scores) { return results.score_of(t, test, scores); };
      const JudgeScores judge(score_of);
      ScoredGrid scored =
          train_and_score(task, train, test, experiment.learning.C, options, results.selects(f) ? &judge : nullptr);
      if (target.is_classes()) {
        for (std::size_t c = 0; c < scored.scores.size(); ++c) {
          settle_ties(scored.scores[c], tie(experiment.learning.C[c]));
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

}  // namespace

void settle_ties(DoubleMatrix& scores, double tie) {
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const std::span<double> row(scores.row(i), scores.cols());
    const double best = row.size() == 1 ? 0.0 : *std::ranges::max_element(row);
    for (double& score : row) score = std::abs(score - best) <= tie ? best : score;
  }
}

std::vector<DoubleMatrix> no_scores(const Experiment& experiment, const TargetColumn& target) {
  return std::vector<DoubleMatrix>(experiment.learning.C.size(), DoubleMatrix(0, num_outputs(target)));
}

LearningTask task_of(const Experiment& experiment, const TargetColumn& target) {
  LearningTask task;
  task.target = &target;
  task.learner = experiment.learner;
  task.balanced = experiment.learning.balanced;
  task.graph_weights = experiment.learning.graph_weights;
  return task;
}

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
        fmt::format("{} cannot be selected by {}{}", to_string(experiment.learner), to_string(experiment.selected_by()),
                    experiment.learner == Learner::ridge ? "; columns of classes need the learner svm" : ""));
  }
  return experiment;
}

Evaluation evaluate(const Matrix& vectors, const Experiment& experiment, const std::vector<Fold>& selection,
                    const std::vector<Fold>& prediction, const RunOptions& options, bool standardised) {
  std::vector<std::optional<FoldMoments>> moments;
  for (const TargetColumn& target : experiment.targets) {
    moments.push_back(standardised ? shared_moments(vectors, experiment, target, selection) : std::nullopt);
  }
  return evaluate_tasks(experiment, {&selection, &prediction}, options, tie_of_vectors,
                        [&](std::size_t t, LearningTask& task) {
                          task.vectors = &vectors;
                          task.standardised = standardised;
                          task.moments = moments[t] ? &*moments[t] : nullptr;
                        });
}

Evaluation evaluate(const SparseRows<double>& rows, const Experiment& experiment, const CChoice& choice,
                    const RunOptions& options) {
  return evaluate_tasks(experiment, choice, options, tie_of_rows,
                        [&](std::size_t, LearningTask& task) { task.rows = &rows; });
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
