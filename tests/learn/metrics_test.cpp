// SPDX-License-Identifier: BSD-3-Clause
// Metrics against scikit-learn (tests/golden/make_metrics.py) and against small cases worked out by hand.
#include "learn/metrics.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <vector>

#include "support/golden.h"

namespace gckn {
namespace {

using nlohmann::json;

DoubleMatrix matrix_of(const std::vector<std::vector<double>>& rows) {
  DoubleMatrix matrix(rows.size(), rows.empty() ? 0 : rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy(rows[i].begin(), rows[i].end(), matrix.row(i));
  return matrix;
}

// null is NaN.
void expect_value(double actual, const json& expected, const std::string& what) {
  if (expected.is_null()) {
    EXPECT_TRUE(std::isnan(actual)) << what << " is " << actual;
  } else {
    EXPECT_NEAR(actual, expected.get<double>(), 1e-12) << what;
  }
}

std::optional<std::vector<std::uint32_t>> rows_of(const json& golden) {
  if (!golden.contains("rows")) return std::nullopt;
  return golden["rows"].get<std::vector<std::uint32_t>>();
}

TEST(ClassificationMetrics, AgreeWithScikitLearn) {
  const json cases = test::load_golden("metrics.json").at("classification");
  ASSERT_GT(cases.size(), 20U);
  for (const json& golden : cases) {
    const std::string name = golden.at("name");
    const auto truth = golden.at("truth").get<std::vector<std::int32_t>>();
    const auto predicted = golden.at("predicted").get<std::vector<std::int32_t>>();
    const DoubleMatrix scores = matrix_of(golden.at("scores"));
    const DoubleMatrix probabilities =
        golden.contains("probabilities") ? matrix_of(golden["probabilities"]) : DoubleMatrix();
    const ClassPredictions predictions{truth, predicted, &scores, &probabilities, golden.at("num_classes")};
    const auto rows = rows_of(golden);
    const ClassificationMetrics actual =
        rows ? classification_metrics(predictions, *rows) : classification_metrics(predictions);
    const json& expected = golden.at("expected");
    expect_value(actual.accuracy, expected.at("accuracy"), name + ": accuracy");
    expect_value(actual.balanced_accuracy, expected.at("balanced_accuracy"), name + ": balanced accuracy");
    expect_value(actual.roc_auc, expected.at("roc_auc"), name + ": ROC-AUC");
    expect_value(actual.pr_auc, expected.at("pr_auc"), name + ": PR-AUC");
    expect_value(actual.mcc, expected.at("mcc"), name + ": MCC");
    expect_value(actual.log_loss, expected.at("log_loss"), name + ": log loss");
  }
}

TEST(ClassificationMetrics, TwoClassesByHand) {
  // By score: 1, then a tie of 1 and 0, then 0, then 1. Of 6 pairs the positives win 2 + 1.5 + 0.
  const std::vector<std::int32_t> truth{1, 1, 0, 0, 1};
  const std::vector<std::int32_t> predicted{1, 1, 1, 0, 0};
  const DoubleMatrix scores = matrix_of({{3}, {2}, {2}, {-1}, {-2}});
  const DoubleMatrix probabilities = matrix_of({{0.5, 0.5}, {0.5, 0.5}, {0.25, 0.75}, {1, 0}, {0.5, 0.5}});
  const ClassificationMetrics metrics = classification_metrics({truth, predicted, &scores, &probabilities, 2});
  EXPECT_NEAR(metrics.accuracy, 3.0 / 5, 1e-15);
  EXPECT_NEAR(metrics.balanced_accuracy, (2.0 / 3 + 1.0 / 2) / 2, 1e-15);
  EXPECT_NEAR(metrics.roc_auc, 3.5 / 6, 1e-15);
  // Thresholds 3, 2, -2 raise the recall by a third each, at precisions 1/1, 2/3 and 3/5.
  EXPECT_NEAR(metrics.pr_auc, (1.0 + 2.0 / 3 + 3.0 / 5) / 3, 1e-15);
  // TP = 2, TN = 1, FP = 1, FN = 1.
  EXPECT_NEAR(metrics.mcc, (2.0 * 1 - 1 * 1) / std::sqrt(3.0 * 3 * 2 * 2), 1e-15);
  EXPECT_NEAR(metrics.log_loss, (3 * std::log(2) + std::log(4) + 0) / 5, 1e-15);
}

TEST(ClassificationMetrics, ThreeClassesByHand) {
  const std::vector<std::int32_t> truth{0, 1, 2};
  const std::vector<std::int32_t> predicted{0, 1, 1};
  // Class 0 ranks first, class 1 second of three (behind one, before one), class 2 last.
  const DoubleMatrix scores = matrix_of({{9, 1, 5}, {2, 2, 4}, {1, 3, 3}});
  const ClassificationMetrics metrics = classification_metrics({truth, predicted, &scores, nullptr, 3});
  EXPECT_NEAR(metrics.balanced_accuracy, 2.0 / 3, 1e-15);
  EXPECT_NEAR(metrics.roc_auc, (1 + 0.5 + 0) / 3, 1e-15);
  EXPECT_NEAR(metrics.pr_auc, (1 + 1.0 / 2 + 1.0 / 3) / 3, 1e-15);
  // n sum r - sum t p = 3 * 2 - (1 + 2 + 0); n^2 - sum p^2 = 9 - 5; n^2 - sum t^2 = 9 - 3.
  EXPECT_NEAR(metrics.mcc, 3 / std::sqrt(4.0 * 6), 1e-15);
  EXPECT_TRUE(std::isnan(metrics.log_loss));
}

TEST(ClassificationMetrics, NoRowsGiveNaNs) {
  const std::vector<std::int32_t> classes{0, 1};
  const DoubleMatrix scores = matrix_of({{-1}, {1}});
  const ClassPredictions predictions{classes, classes, &scores, nullptr, 2};
  for (const ClassificationMetrics& metrics :
       {classification_metrics({}), classification_metrics(predictions, std::vector<std::uint32_t>{})}) {
    for (const double value : {metrics.accuracy, metrics.balanced_accuracy, metrics.roc_auc, metrics.pr_auc,
                               metrics.mcc, metrics.log_loss}) {
      EXPECT_TRUE(std::isnan(value));
    }
  }
  EXPECT_EQ(classification_metrics(predictions).roc_auc, 1);
}

TEST(ClassificationMetrics, WithoutScoresOnlyTheAreasAreMissing) {
  const std::vector<std::int32_t> classes{0, 1};
  const ClassificationMetrics metrics = classification_metrics({classes, classes, nullptr, nullptr, 2});
  EXPECT_EQ(metrics.accuracy, 1);
  EXPECT_EQ(metrics.mcc, 1);
  EXPECT_TRUE(std::isnan(metrics.roc_auc));
  EXPECT_TRUE(std::isnan(metrics.pr_auc));
}

TEST(ClassificationMetrics, InfiniteScoresRankAndNaNScoresUndefineTheAreas) {
  const std::vector<std::int32_t> classes{0, 1, 0};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  DoubleMatrix scores = matrix_of({{-infinity}, {infinity}, {0}});
  EXPECT_EQ(classification_metrics({classes, classes, &scores, nullptr, 2}).roc_auc, 1);
  scores(2, 0) = NAN;
  const ClassificationMetrics metrics = classification_metrics({classes, classes, &scores, nullptr, 2});
  EXPECT_TRUE(std::isnan(metrics.roc_auc));
  EXPECT_TRUE(std::isnan(metrics.pr_auc));
  EXPECT_EQ(metrics.accuracy, 1);
}

TEST(RegressionMetrics, AgreeWithScikitLearn) {
  const json cases = test::load_golden("metrics.json").at("regression");
  ASSERT_GT(cases.size(), 5U);
  for (const json& golden : cases) {
    const std::string name = golden.at("name");
    const auto truth = golden.at("truth").get<std::vector<double>>();
    const auto predicted = golden.at("predicted").get<std::vector<double>>();
    const auto rows = rows_of(golden);
    const RegressionMetrics actual =
        rows ? regression_metrics(truth, predicted, *rows) : regression_metrics(truth, predicted);
    expect_value(actual.rmse, golden.at("expected").at("rmse"), name + ": RMSE");
    expect_value(actual.mae, golden.at("expected").at("mae"), name + ": MAE");
    expect_value(actual.r2, golden.at("expected").at("r2"), name + ": R2");
  }
}

TEST(RegressionMetrics, ByHand) {
  const std::vector<double> truth{1, 2, 6};
  const std::vector<double> predicted{2, 2, 4};
  const RegressionMetrics metrics = regression_metrics(truth, predicted);
  EXPECT_NEAR(metrics.rmse, std::sqrt(5.0 / 3), 1e-15);
  EXPECT_NEAR(metrics.mae, 1, 1e-15);
  EXPECT_NEAR(metrics.r2, 1 - 5.0 / 14, 1e-15);
}

TEST(RegressionMetrics, NoRowsGiveNaNs) {
  const RegressionMetrics metrics = regression_metrics({}, {});
  EXPECT_TRUE(std::isnan(metrics.rmse));
  EXPECT_TRUE(std::isnan(metrics.mae));
  EXPECT_TRUE(std::isnan(metrics.r2));
}

}  // namespace
}  // namespace gckn
