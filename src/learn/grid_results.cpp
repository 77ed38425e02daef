// SPDX-License-Identifier: BSD-3-Clause
#include "learn/grid_results.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "learn/linear_model.h"

namespace gckn {
namespace {

constexpr double kSame = 1e-12;  // means that differ by less are equal: sums of equal numbers in another order

// Of a target's numbers, over the graphs of a fold; 1 for classes.
double deviation_of(const TargetColumn& target, const Fold& fold) {
  if (target.is_classes()) return 1;
  double n = 0;
  double mean = 0;
  double square = 0;
  for (const std::uint32_t g : target.present(fold)) {
    const double value = target.number_of_graph[g];
    n += 1;
    const double before = value - mean;
    mean += before / n;
    square += before * (value - mean);
  }
  return square > 0 ? std::sqrt(square / n) : 1;
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

}  // namespace

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

GridResults::GridResults(const Experiment& experiment, const CChoice& choice, bool common)
    : experiment_(experiment),
      choice_(choice),
      common_(common),
      scores_(experiment.targets.size(), std::vector<std::vector<DoubleMatrix>>(num_folds())),
      values_(experiment.targets.size(),
              std::vector<std::vector<double>>(experiment.learning.C.size(),
                                               std::vector<double>(choice.selection->size(), NAN))) {
  for (const TargetColumn& target : experiment.targets) {
    deviation_.push_back(deviation_of(target, choice.selection->front()));
  }
}

std::size_t GridResults::num_folds() const {
  return choice_.selection->size() + (is_same() ? 0 : choice_.prediction->size());
}

const Fold& GridResults::fold(std::size_t f) const {
  const std::size_t selected = choice_.selection->size();
  return f < selected ? (*choice_.selection)[f] : (*choice_.prediction)[f - selected];
}

double GridResults::score_of(std::size_t t, const std::vector<std::uint32_t>& test, const DoubleMatrix& scores) const {
  return selection_score(experiment_, experiment_.targets[t], deviation_[t], test, scores);
}

void GridResults::take(std::size_t t, std::size_t f, std::vector<DoubleMatrix> scores) {
  const TargetColumn& target = experiment_.targets[t];
  const std::vector<std::uint32_t> test = target.tested(fold(f));
  if (selects(f) && !test.empty()) {
    for (std::size_t c = 0; c < scores.size(); ++c) values_[t][c][f] = score_of(t, test, scores[c]);
  }
  if (!selects(f) || is_same()) scores_[t][f] = std::move(scores);  // others are of no more use
}

// The first of equals.
std::size_t GridResults::best_of(const std::vector<double>& means) const {
  std::size_t best = 0;
  for (std::size_t c = 1; c < means.size(); ++c) {
    if (means[c] > means[best] + kSame) best = c;
  }
  return best;
}

Evaluation GridResults::finish() {
  Evaluation result;
  result.predictions.resize(choice_.prediction->size());
  const std::vector<double>& grid = experiment_.learning.C;
  std::vector<std::vector<double>> means(values_.size());  // by target and value
  std::vector<double> mean_of_targets;                     // that some fold defines
  for (std::size_t c = 0; c < grid.size(); ++c) {
    std::vector<double> defined;
    for (std::size_t t = 0; t < values_.size(); ++t) {
      means[t].push_back(mean_of(values_[t][c]));
      if (std::isfinite(means[t][c])) defined.push_back(means[t][c]);
    }
    mean_of_targets.push_back(mean_of(defined));
  }
  result.score_by_c = common_ ? mean_of_targets : means[0];
  for (std::size_t t = 0; t < values_.size(); ++t) {
    const std::size_t best = best_of(common_ ? mean_of_targets : means[t]);
    result.C.push_back(grid[best]);
    result.score += (common_ ? mean_of_targets : means[t])[best] / static_cast<double>(values_.size());
    const std::size_t first = is_same() ? 0 : choice_.selection->size();
    for (std::size_t f = 0; f < result.predictions.size(); ++f) {
      result.predictions[f].push_back(std::move(scores_[t][first + f][best]));
    }
  }
  return result;
}

}  // namespace gckn
