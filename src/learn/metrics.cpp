// SPDX-License-Identifier: BSD-3-Clause
#include "learn/metrics.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <vector>

namespace gckn {
namespace {

std::vector<std::uint32_t> all_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

// Rows by class. Doubles, because products of them follow; exact below 2^53.
struct Counts {
  std::vector<double> truth;
  std::vector<double> predicted;
  std::vector<double> right;
};

Counts count(const ClassPredictions& p, std::span<const std::uint32_t> rows) {
  const auto classes = static_cast<std::size_t>(p.num_classes);
  Counts counts{std::vector<double>(classes), std::vector<double>(classes), std::vector<double>(classes)};
  for (const std::uint32_t i : rows) {
    assert(i < p.truth.size());
    assert(p.truth[i] >= 0 && p.truth[i] < p.num_classes);
    assert(p.predicted[i] >= 0 && p.predicted[i] < p.num_classes);
    ++counts.truth[static_cast<std::size_t>(p.truth[i])];
    ++counts.predicted[static_cast<std::size_t>(p.predicted[i])];
    if (p.truth[i] == p.predicted[i]) ++counts.right[static_cast<std::size_t>(p.truth[i])];
  }
  return counts;
}

double balanced_accuracy(const Counts& counts) {
  double sum = 0;
  double occurring = 0;
  for (std::size_t k = 0; k < counts.truth.size(); ++k) {
    if (counts.truth[k] == 0) continue;
    sum += counts.right[k] / counts.truth[k];
    ++occurring;
  }
  return sum / occurring;
}

double matthews(const Counts& counts, double n, double right) {
  const auto inner = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  const double scale =
      (n * n - inner(counts.predicted, counts.predicted)) * (n * n - inner(counts.truth, counts.truth));
  return scale == 0 ? 0.0 : (n * right - inner(counts.truth, counts.predicted)) / std::sqrt(scale);
}

struct Areas {
  double roc = NAN;
  double pr = NAN;
};

// Of one class, whose scores are in column `column`, against the rest.
Areas areas_of(const ClassPredictions& p, std::int32_t positive, std::size_t column,
               std::span<const std::uint32_t> rows) {
  struct Scored {
    double score;
    bool positive;
  };
  std::vector<Scored> ranking;
  ranking.reserve(rows.size());
  double positives = 0;
  for (const std::uint32_t i : rows) {
    const Scored row{(*p.scores)(i, column), p.truth[i] == positive};
    if (std::isnan(row.score)) return {};
    positives += row.positive ? 1 : 0;
    ranking.push_back(row);
  }
  const double negatives = static_cast<double>(rows.size()) - positives;
  if (positives == 0 || negatives == 0) return {};
  std::sort(ranking.begin(), ranking.end(), [](const Scored& a, const Scored& b) { return a.score > b.score; });

  double pairs_won = 0;  // of positive and negative; a tie is half a pair
  double average_precision = 0;
  double found = 0;  // positives so far
  double wrong = 0;  // negatives so far
  for (std::size_t begin = 0; begin < ranking.size();) {
    double tied_positives = 0;
    double tied_negatives = 0;
    std::size_t end = begin;
    for (; end < ranking.size() && ranking[end].score == ranking[begin].score; ++end) {
      ++(ranking[end].positive ? tied_positives : tied_negatives);
    }
    begin = end;
    found += tied_positives;
    wrong += tied_negatives;
    pairs_won += tied_positives * (negatives - wrong + 0.5 * tied_negatives);
    average_precision += tied_positives / positives * (found / (found + wrong));
  }
  return {pairs_won / (positives * negatives), average_precision};
}

// Of class 1 of two, or the mean over classes.
Areas areas(const ClassPredictions& p, const Counts& counts, std::span<const std::uint32_t> rows) {
  assert(p.scores->rows() == p.truth.size());
  assert(p.scores->cols() == (p.num_classes == 2 ? 1 : static_cast<std::size_t>(p.num_classes)));
  if (p.num_classes == 2) return areas_of(p, 1, 0, rows);
  Areas sum{0, 0};
  double occurring = 0;
  for (std::int32_t k = 0; k < p.num_classes; ++k) {
    const auto column = static_cast<std::size_t>(k);
    if (counts.truth[column] == 0) continue;
    const Areas of_class = areas_of(p, k, column, rows);  // NaN if k is the only class: then so is the mean
    sum.roc += of_class.roc;
    sum.pr += of_class.pr;
    ++occurring;
  }
  return {sum.roc / occurring, sum.pr / occurring};
}

double log_loss(const ClassPredictions& p, std::span<const std::uint32_t> rows) {
  assert(p.probabilities->rows() == p.truth.size());
  assert(p.probabilities->cols() == static_cast<std::size_t>(p.num_classes));
  constexpr double eps = std::numeric_limits<double>::epsilon();
  double sum = 0;
  for (const std::uint32_t i : rows) {
    sum -= std::log(std::clamp((*p.probabilities)(i, static_cast<std::size_t>(p.truth[i])), eps, 1 - eps));
  }
  return sum / static_cast<double>(rows.size());
}

bool given(const DoubleMatrix* matrix) {
  return matrix != nullptr && !matrix->empty();
}

}  // namespace

ClassificationMetrics classification_metrics(const ClassPredictions& predictions) {
  return classification_metrics(predictions, all_rows(predictions.truth.size()));
}

ClassificationMetrics classification_metrics(const ClassPredictions& predictions, std::span<const std::uint32_t> rows) {
  assert(predictions.truth.size() == predictions.predicted.size());
  ClassificationMetrics metrics;
  if (rows.empty()) return metrics;
  const auto n = static_cast<double>(rows.size());
  const Counts counts = count(predictions, rows);
  const double right = std::accumulate(counts.right.begin(), counts.right.end(), 0.0);
  metrics.accuracy = right / n;
  metrics.balanced_accuracy = balanced_accuracy(counts);
  metrics.mcc = matthews(counts, n, right);
  if (given(predictions.scores)) {
    const Areas both = areas(predictions, counts, rows);
    metrics.roc_auc = both.roc;
    metrics.pr_auc = both.pr;
  }
  if (given(predictions.probabilities)) metrics.log_loss = log_loss(predictions, rows);
  return metrics;
}

RegressionMetrics regression_metrics(std::span<const double> truth, std::span<const double> predicted) {
  return regression_metrics(truth, predicted, all_rows(truth.size()));
}

RegressionMetrics regression_metrics(std::span<const double> truth, std::span<const double> predicted,
                                     std::span<const std::uint32_t> rows) {
  assert(truth.size() == predicted.size());
  RegressionMetrics metrics;
  if (rows.empty()) return metrics;
  const auto n = static_cast<double>(rows.size());
  double mean = 0;
  double squares = 0;
  double magnitudes = 0;
  bool constant = true;  // by comparison: rounding of the mean would give constant rows some variance
  for (const std::uint32_t i : rows) {
    assert(i < truth.size());
    const double error = truth[i] - predicted[i];
    mean += truth[i] / n;
    squares += error * error;
    magnitudes += std::abs(error);
    constant = constant && truth[i] == truth[rows.front()];
  }
  metrics.rmse = std::sqrt(squares / n);
  metrics.mae = magnitudes / n;
  if (constant) return metrics;
  double spread = 0;
  for (const std::uint32_t i : rows) spread += (truth[i] - mean) * (truth[i] - mean);
  metrics.r2 = 1 - squares / spread;
  return metrics;
}

}  // namespace gckn
