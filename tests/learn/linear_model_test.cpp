// SPDX-License-Identifier: BSD-3-Clause
#include "learn/linear_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "linalg/vector_ops.h"
#include "support/class_targets.h"
#include "support/index_range.h"
#include "util/random.h"

namespace gckn {
namespace {

// Rows of class c have a large value in column c.
Matrix separated_classes(const std::vector<std::int32_t>& class_of_row, std::size_t columns, Random& random) {
  Matrix vectors(class_of_row.size(), columns);
  for (std::size_t i = 0; i < vectors.rows(); ++i) {
    for (std::size_t k = 0; k < columns; ++k) {
      vectors(i, k) = static_cast<float>(random.uniform() + (static_cast<std::int32_t>(k) == class_of_row[i] ? 2 : 0));
    }
  }
  return vectors;
}

TEST(LinearModel, SeparatesSeveralClasses) {
  Random random(1);
  for (const int num_classes : {2, 3, 5}) {
    TargetColumn target = test::column_of_sizes(std::vector<int>(static_cast<std::size_t>(num_classes), 1))[0];
    target.class_of_graph.clear();
    for (int i = 0; i < 300; ++i) target.class_of_graph.push_back(i % num_classes);
    const Matrix vectors = separated_classes(target.class_of_graph, 6, random);
    const std::vector<double> grid{0.01, 1.0};
    for (const Learner learner : {Learner::svm, Learner::logistic}) {
      const LearningTask task{&vectors, &target, learner, false, {}};
      const std::vector<DoubleMatrix> scores =
          train_and_score(task, test::range(0, 200), test::range(200, 300), grid).scores;
      for (const DoubleMatrix& of_c : scores) {
        const std::vector<std::int32_t> predicted = classes_of_scores(of_c);
        int right = 0;
        for (std::size_t i = 0; i < 100; ++i) right += predicted[i] == target.class_of_graph[200 + i] ? 1 : 0;
        EXPECT_GE(right, 97);
      }
      // One model of one C gives the same scores.
      const LinearModel model = train_linear(task, test::range(0, 200), 1.0);
      const DoubleMatrix rows = model.standardiser.apply(vectors, test::range(200, 300));
      for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_NEAR(dot(rows.row(i), model.weights.row(0), rows.cols()), scores[1](i, 0), 1e-4);
      }
    }
  }
}

// Weighing a row twice is having it twice, and balancing is weighing.
TEST(LinearModel, WeightsAreRepetitions) {
  Random random(2);
  TargetColumn target = test::column_of_sizes({40, 20})[0];
  Matrix vectors = separated_classes(target.class_of_graph, 4, random);
  for (std::size_t i = 0; i < 60; i += 3) vectors(i, 0) = vectors(i, 1);  // some overlap
  std::vector<std::uint32_t> twice = test::range(0, 60);
  const std::vector<std::uint32_t> small_class = test::range(40, 60);
  twice.insert(twice.end(), small_class.begin(), small_class.end());
  std::vector<double> weights(60, 1.0);
  for (std::size_t i = 40; i < 60; ++i) weights[i] = 2.0;
  for (const Learner learner : {Learner::svm, Learner::logistic}) {
    // Without standardising: its statistics count rows, not weights.
    LearningTask repeated{&vectors, &target, learner, false, {}, false};
    LearningTask weighted = repeated;
    weighted.graph_weights = weights;
    LearningTask balanced = repeated;
    balanced.balanced = true;
    const LinearModel a = train_linear(repeated, twice, 0.75);
    const LinearModel b = train_linear(weighted, test::range(0, 60), 0.75);
    const LinearModel c = train_linear(balanced, test::range(0, 60), 1.0);  // weights 0.75 and 1.5
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_NEAR(a.weights(0, k), b.weights(0, k), 1e-6);
      EXPECT_NEAR(a.weights(0, k), c.weights(0, k), 1e-6);
    }
  }
}

// Of many training graphs no larger C is tried once two are clearly worse than the best; of fewer, or where nothing is
// chosen by the test graphs, all are.
TEST(LinearModel, LargeSetsEndTheGridWhereItIsClearlyWorse) {
  constexpr std::uint32_t kGraphs = kManyTrainingGraphs + 101;
  Random random(4);
  TargetColumn target = test::column_of_sizes({1, 1})[0];
  target.class_of_graph.clear();
  SparseRows<double> rows;
  rows.columns = 6;
  std::vector<std::pair<std::uint32_t, double>> entries;
  for (std::uint32_t i = 0; i < kGraphs; ++i) {
    entries = {{static_cast<std::uint32_t>(random.uniform() * 5), 1.0}, {5, random.uniform()}};
    target.class_of_graph.push_back(random.uniform() < 0.1 + 0.15 * entries[0].first ? 1 : 0);
    rows.add_row(entries);
  }
  const std::vector<double> grid{1e-4, 1e-3, 1e-2, 0.1, 1, 10};
  LearningTask task;
  task.target = &target;
  task.rows = &rows;
  const std::vector<std::uint32_t> tested = test::range(kGraphs - 100, kGraphs);
  const auto values_tried = [&](const std::vector<double>& judgements, std::uint32_t train, bool is_judged) {
    std::size_t tried = 0;
    const auto next = [&](const DoubleMatrix&) { return judgements[tried++]; };
    const JudgeScores judge(next);
    const std::vector<DoubleMatrix> scores =
        train_and_score(task, test::range(0, train), tested, grid, {}, is_judged ? &judge : nullptr).scores;
    EXPECT_EQ(scores.size(), grid.size());
    std::size_t different = 1;
    for (std::size_t c = 1; c < grid.size(); ++c) {
      different += std::ranges::equal(scores[c].values(), scores[c - 1].values()) ? 0 : 1;
    }
    EXPECT_TRUE(tried == 0 || tried == different);
    return different;
  };
  const std::uint32_t many = kManyTrainingGraphs + 1;
  EXPECT_EQ(values_tried({0.5, 0.8, 0.7, 0.79, 0.9, 0.9}, many, true), 4U);
  EXPECT_EQ(values_tried({0.5, 0.8, 0.7, 0.797, 0.7, 0.7}, many, true), 6U);
  EXPECT_EQ(values_tried({0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, many, true), 6U);
  EXPECT_EQ(values_tried({0.5, 0.4, 0.4, 0.4, 0.4, 0.4}, many - 1, true), 6U);
  EXPECT_EQ(values_tried({}, many, false), 6U);
}

TEST(LinearModel, TiesGoToTheLowestClass) {
  DoubleMatrix scores(3, 3);
  scores(1, 1) = scores(1, 2) = 1;
  scores(2, 2) = 1;
  EXPECT_EQ(classes_of_scores(scores), (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(classes_of_scores(DoubleMatrix(1, 1)), (std::vector<std::int32_t>{0}));
}

}  // namespace
}  // namespace gckn
