// SPDX-License-Identifier: BSD-3-Clause
// How good predictions are. Definitions are scikit-learn's; where they leave a value undefined it is NaN, never an
// exception, because a resample or a small fold may well hold one class only.
//
// Over n rows with t_k rows of class k, p_k predicted as k and r_k rightly so, sums over k:
//   accuracy           sum r_k / n
//   balanced accuracy  mean of r_k / t_k over the classes that occur (t_k > 0)
//   MCC                (n sum r_k - sum t_k p_k) / sqrt((n^2 - sum p_k^2) (n^2 - sum t_k^2)), Gorodkin's for K classes;
//                      0 where that is 0 / 0 (all rows, or all predictions, of one class), as scikit-learn has it
//   log loss           - mean of ln(probability of the true class), the probability clipped to [eps, 1 - eps] with
//                      double's eps; rows of probabilities are not normalised
// and, for one class (positive) against the rest (negative), ranked by its score:
//   ROC-AUC            P(score of a positive > score of a negative) + 1/2 P(equal)
//   PR-AUC             average precision: sum over distinct scores s, descending, of
//                      (recall(s) - recall(before s)) precision(s), where rows of score >= s count as found
// With two classes the positive one is class 1; with more both areas are means over the classes that occur, each
// against the rest. Neither is defined while truth holds one class only. (There scikit-learn gives an average precision
// of 0 or 1, which depends on nothing that was predicted.)
//
// Scores of different classifiers need not share a scale, so an area over rows pooled from several folds can be too
// low: average over folds instead. Probabilities may be pooled.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "gckn/matrix.h"

namespace gckn {

// Predictions by row; a view.
struct ClassPredictions {
  std::span<const std::int32_t> truth;      // 0 .. num_classes - 1
  std::span<const std::int32_t> predicted;  // 0 .. num_classes - 1
  // rows x 1 with two classes (of class 1), otherwise rows x num_classes. Only their order matters.
  const DoubleMatrix* scores = nullptr;         // none or empty: no areas
  const DoubleMatrix* probabilities = nullptr;  // rows x num_classes; none or empty: no log loss
  std::int32_t num_classes = 0;
};

struct ClassificationMetrics {
  double accuracy = NAN;
  double balanced_accuracy = NAN;
  double roc_auc = NAN;  // also NaN if a score is
  double pr_auc = NAN;   // also NaN if a score is
  double mcc = NAN;
  double log_loss = NAN;
};

// Of all rows, or of the given ones, which may repeat (a fold, a bootstrap resample). All NaN without rows.
// Threads may share the predictions.
ClassificationMetrics classification_metrics(const ClassPredictions& predictions);
ClassificationMetrics classification_metrics(const ClassPredictions& predictions, std::span<const std::uint32_t> rows);

struct RegressionMetrics {
  double rmse = NAN;  // sqrt(mean (y - f)^2)
  double mae = NAN;   // mean |y - f|
  double r2 = NAN;    // 1 - sum (y - f)^2 / sum (y - mean y)^2; NaN with fewer than two rows or constant truth
};

// As above, for truth y and predictions f.
RegressionMetrics regression_metrics(std::span<const double> truth, std::span<const double> predicted);
RegressionMetrics regression_metrics(std::span<const double> truth, std::span<const double> predicted,
                                     std::span<const std::uint32_t> rows);

}  // namespace gckn
