// SPDX-License-Identifier: BSD-3-Clause
#include "learn/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "learn/linear_model.h"
#include "learn/statistics.h"

namespace gckn {
namespace {

std::vector<double> defined(const std::vector<double>& values) {
  std::vector<double> result;
  for (const double value : values) {
    if (!std::isnan(value)) result.push_back(value);
  }
  return result;
}

// Means of the groups of folds that repeat one another.
std::vector<double> means_of_repeats(const std::vector<double>& by_fold, int repeats) {
  const std::size_t size = by_fold.size() / static_cast<std::size_t>(repeats);
  std::vector<double> means;
  for (std::size_t begin = 0; begin + size <= by_fold.size(); begin += size) {
    const auto first = by_fold.begin() + static_cast<std::ptrdiff_t>(begin);
    means.push_back(mean_estimate(defined({first, first + static_cast<std::ptrdiff_t>(size)})).mean);
  }
  return defined(means);
}

// The values that a metric can have: no interval needs to reach beyond.
Interval range_of(Metric metric) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (metric) {
    case Metric::mcc:
      return {-1, 1};
    case Metric::r2:
      return {-kInfinity, 1};
    case Metric::log_loss:
    case Metric::rmse:
    case Metric::mae:
      return {0, kInfinity};
    default:
      return {0, 1};
  }
}

double test_over_train(const std::vector<Fold>& folds) {
  double ratio = 0;
  for (const Fold& fold : folds) {
    ratio += static_cast<double>(fold.test.size()) / static_cast<double>(fold.train.size());
  }
  return ratio / static_cast<double>(folds.size());
}

class Summary {
 public:
  Summary(const Experiment& experiment, const std::vector<Fold>& folds, int repeats, std::uint64_t seed)
      : experiment_(experiment), folds_(folds), repeats_(repeats), seed_(seed) {}

  [[nodiscard]] MethodResult method(const MethodPredictions& predictions, std::size_t t) const {
    const TargetColumn& target = experiment_.targets[t];
    const std::vector<Metric> metrics = metrics_of(experiment_, target);
    MethodResult result{predictions.name, std::vector<MetricSummary>(metrics.size())};
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      const std::vector<std::uint32_t> test = target.tested(folds_[f]);
      const std::vector<double> values = metric_values(experiment_, target, test, predictions.scores[f][t]);
      for (std::size_t m = 0; m < metrics.size(); ++m) result.metrics[m].by_fold.push_back(values[m]);
    }
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      MetricSummary& summary = result.metrics[m];
      summary.metric = metrics[m];
      const MeanEstimate estimate = mean_estimate(defined(summary.by_fold), test_over_train(folds_));
      summary.mean = estimate.mean;
      const Interval range = range_of(metrics[m]);
      summary.low = std::max(estimate.interval.low, range.low);  // in this order NaN stays NaN
      summary.high = std::min(estimate.interval.high, range.high);
      summary.deviation =
          repeats_ > 1 ? mean_estimate(means_of_repeats(summary.by_fold, repeats_)).deviation : estimate.deviation;
    }
    if (folds_.size() == 1) bootstrap(predictions.scores[0][t], t, result);
    for (MetricSummary& summary : result.metrics) {
      // Where values by fold say nothing, the graphs still do.
      const bool is_needed = folds_.size() == 1 || std::isnan(summary.low);
      if (summary.metric != Metric::accuracy || !is_needed) continue;
      const PooledTests tests = pooled(t, predictions, predictions);
      const Interval interval = binomial_interval(tests.right_graphs, tests.truth.size());
      summary.low = interval.low;
      summary.high = interval.high;
    }
    return result;
  }

  // Of the methods' results, and where these do not vary of their predictions for target t.
  [[nodiscard]] Comparison compare(const MethodResult& ours, const MethodResult& baseline,
                                   const MethodPredictions& our_predictions,
                                   const MethodPredictions& baseline_predictions, std::size_t t) const {
    const auto values = [&](const MethodResult& method) -> const std::vector<double>& {
      return std::ranges::find(method.metrics, experiment_.selected_by(), &MetricSummary::metric)->by_fold;
    };
    std::vector<double> first;
    std::vector<double> second;
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      if (std::isnan(values(ours)[f]) || std::isnan(values(baseline)[f])) continue;
      first.push_back(values(ours)[f]);
      second.push_back(values(baseline)[f]);
    }
    const PairedTest test = corrected_t_test(first, second, test_over_train(folds_));
    Comparison result{baseline.name, test.difference, test.interval.low, test.interval.high, test.p_value};
    if (std::isnan(result.p_value) && experiment_.selected_by() == Metric::accuracy) {
      const PooledTests tests = pooled(t, our_predictions, baseline_predictions);
      if (!tests.truth.empty()) result.p_value = mcnemar_test(tests.truth, tests.ours, tests.theirs).p_value;
    }
    return result;
  }

 private:
  // Every tested graph once, with the predictions of two methods for it in the first fold that tests it.
  struct PooledTests {
    std::vector<std::int32_t> truth;
    std::vector<std::int32_t> ours;
    std::vector<std::int32_t> theirs;
    double right_graphs = 0;  // that the first method is right about; for one tested repeatedly the share of its tests
  };

  [[nodiscard]] PooledTests pooled(std::size_t t, const MethodPredictions& ours,
                                   const MethodPredictions& theirs) const {
    const TargetColumn& target = experiment_.targets[t];
    std::vector<std::uint32_t> times(target.class_of_graph.size(), 0);
    std::vector<std::uint32_t> right(times.size(), 0);
    PooledTests tests;
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      const std::vector<std::uint32_t> graphs = target.tested(folds_[f]);
      const std::vector<std::int32_t> by_ours = classes_of_scores(ours.scores[f][t]);
      const std::vector<std::int32_t> by_theirs = classes_of_scores(theirs.scores[f][t]);
      for (std::size_t i = 0; i < graphs.size(); ++i) {
        const std::int32_t truth = target.class_of_graph[graphs[i]];
        right[graphs[i]] += by_ours[i] == truth ? 1 : 0;
        if (++times[graphs[i]] > 1) continue;
        tests.truth.push_back(truth);
        tests.ours.push_back(by_ours[i]);
        tests.theirs.push_back(by_theirs[i]);
      }
    }
    for (std::size_t g = 0; g < times.size(); ++g) {
      if (times[g] > 0) tests.right_graphs += static_cast<double>(right[g]) / times[g];
    }
    // Shares of tests do not add up exactly.
    tests.right_graphs = std::min(tests.right_graphs, static_cast<double>(tests.truth.size()));
    return tests;
  }

  // One fold says nothing about other folds, but its graphs say something about others like them.
  void bootstrap(const DoubleMatrix& scores, std::size_t t, MethodResult& result) const {
    const TargetColumn& target = experiment_.targets[t];
    const std::vector<std::uint32_t> test = target.tested(folds_[0]);
    // Of very many graphs the intervals are narrow, and need not be known so well.
    constexpr std::size_t kMostResamples = 1000;
    constexpr std::size_t kFewestResamples = 200;
    constexpr std::size_t kRows = 20'000'000;  // to be drawn in all
    const std::size_t resamples =
        std::clamp(kRows / std::max<std::size_t>(test.size(), 1), kFewestResamples, kMostResamples);
    const std::vector<Interval> intervals = bootstrap_intervals(
        test.size(),
        [&](std::span<const std::uint32_t> rows) {
          std::vector<std::uint32_t> graphs;
          DoubleMatrix drawn(rows.size(), scores.cols());
          for (std::size_t i = 0; i < rows.size(); ++i) {
            graphs.push_back(test[rows[i]]);
            std::copy_n(scores.row(rows[i]), scores.cols(), drawn.row(i));
          }
          return metric_values(experiment_, target, graphs, drawn);
        },
        seed_, resamples);
    for (std::size_t m = 0; m < result.metrics.size(); ++m) {
      MetricSummary& summary = result.metrics[m];
      // Resamples have fewer different graphs, which some metrics notice: their quantiles may miss the figure itself.
      summary.low = std::isnan(intervals[m].low) ? intervals[m].low : std::min(intervals[m].low, summary.mean);
      summary.high = std::isnan(intervals[m].high) ? intervals[m].high : std::max(intervals[m].high, summary.mean);
    }
  }

  const Experiment& experiment_;
  const std::vector<Fold>& folds_;
  const int repeats_;
  const std::uint64_t seed_;
};

}  // namespace

std::vector<TargetResult> summarise(const Experiment& experiment, const std::vector<Fold>& folds, int repeats,
                                    const std::vector<MethodPredictions>& methods, std::uint64_t seed) {
  const Summary summary(experiment, folds, repeats, seed);
  std::vector<TargetResult> results;
  for (std::size_t t = 0; t < experiment.targets.size(); ++t) {
    const TargetColumn& target = experiment.targets[t];
    TargetResult result{target.name, target.class_names, experiment.selected_by(), {}, {}};
    for (const MethodPredictions& method : methods) result.methods.push_back(summary.method(method, t));
    for (std::size_t m = 1; m < result.methods.size(); ++m) {
      result.comparisons.push_back(summary.compare(result.methods[0], result.methods[m], methods[0], methods[m], t));
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace gckn
