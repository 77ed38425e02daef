// SPDX-License-Identifier: BSD-3-Clause
#include "learn/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>

#include "gckn/error.h"
#include "learn/linear_model.h"
#include "learn/logistic.h"
#include "learn/metrics.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::size_t kMostShared = std::size_t{256} << 20U;  // bytes of moments that folds share
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
  const bool same = &selection == &prediction;
  const std::size_t num_folds = selection.size() + (same ? 0 : prediction.size());
  const std::size_t num_targets = experiment.targets.size();
  const std::vector<double>& grid = experiment.learning.C;
  const auto fold_at = [&](std::size_t f) -> const Fold& {
    return f < selection.size() ? selection[f] : prediction[f - selection.size()];
  };
  // By target and fold: scores for every C.
  std::vector<std::vector<std::vector<DoubleMatrix>>> scores(num_targets,
                                                             std::vector<std::vector<DoubleMatrix>>(num_folds));
  std::vector<std::vector<std::vector<double>>> values(  // by target, C and selection fold
      num_targets, std::vector<std::vector<double>>(grid.size(), std::vector<double>(selection.size(), NAN)));
  std::vector<std::optional<FoldMoments>> moments;
  std::vector<double> deviation;
  for (const TargetColumn& target : experiment.targets) {
    deviation.push_back(deviation_of(target, selection.front()));
    moments.push_back(standardised ? shared_moments(vectors, experiment, target, selection) : std::nullopt);
  }
  std::atomic<std::size_t> unconverged{0};
  parallel_for(num_targets * num_folds, [&](std::size_t i) {
    report_progress(options, "linear models", i, num_targets * num_folds);
    const std::size_t t = i / num_folds;
    const std::size_t f = i % num_folds;
    const TargetColumn& target = experiment.targets[t];
    const std::vector<std::uint32_t> train = target.present(fold_at(f).train);
    const std::vector<std::uint32_t> test = target.tested(fold_at(f));
    if (test.empty()) {
      scores[t][f].assign(grid.size(), DoubleMatrix(0, num_outputs(target)));
      return;
    }
    const LearningTask task{.vectors = &vectors,
                            .target = &target,
                            .learner = experiment.learner,
                            .balanced = experiment.learning.balanced,
                            .graph_weights = experiment.learning.graph_weights,
                            .standardised = standardised,
                            .moments = moments[t] ? &*moments[t] : nullptr};
    ScoredGrid scored = train_and_score(task, train, test, grid);
    unconverged += scored.unconverged;
    scores[t][f] = std::move(scored.scores);
    if (f >= selection.size()) return;
    for (std::size_t c = 0; c < grid.size(); ++c) {
      values[t][c][f] = selection_score(experiment, target, deviation[t], test, scores[t][f][c]);
    }
    if (!same) scores[t][f].clear();  // of no more use
  });
  Evaluation result;
  result.unconverged = unconverged;
  result.predictions.resize(prediction.size());
  for (std::size_t t = 0; t < num_targets; ++t) {
    std::size_t best = 0;
    double best_mean = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < grid.size(); ++c) {
      const double mean = mean_of(values[t][c]);
      if (t == 0) result.score_by_c.push_back(mean);
      if (mean > best_mean + kSame) {
        best_mean = mean;
        best = c;
      }
    }
    result.C.push_back(grid[best]);
    result.score += best_mean / static_cast<double>(num_targets);
    for (std::size_t f = 0; f < prediction.size(); ++f) {
      result.predictions[f].push_back(std::move(scores[t][same ? f : selection.size() + f][best]));
    }
  }
  return result;
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
