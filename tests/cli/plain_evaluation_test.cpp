// SPDX-License-Identifier: BSD-3-Clause
// The plain evaluation: right where classes are apart, at chance where they are not, the same by both systems.
#include "plain_evaluation.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "gckn/error.h"

namespace gckn::cli {
namespace {

Targets alternating_classes(std::size_t graphs, std::size_t classes) {
  Targets targets;
  targets.kind = Targets::Kind::classes;
  for (std::size_t c = 0; c < classes; ++c) targets.class_names.push_back(std::to_string(c));
  for (std::size_t g = 0; g < graphs; ++g) targets.class_of_graph.push_back(static_cast<std::int32_t>(g % classes));
  return targets;
}

// Noise in every column; column c is raised by `signal` for class c.
Matrix noisy_vectors(const Targets& targets, std::size_t columns, double signal) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  Matrix vectors(targets.class_of_graph.size(), columns);
  for (std::size_t g = 0; g < vectors.rows(); ++g) {
    for (std::size_t j = 0; j < columns; ++j) {
      const bool raised = targets.class_of_graph[g] == static_cast<std::int32_t>(j);
      vectors(g, j) = static_cast<float>(100 + normal(random) + (raised ? signal : 0));
    }
  }
  return vectors;
}

TEST(PlainEvaluation, SeparatedClassesAreFound) {
  const Targets targets = alternating_classes(300, 3);
  const PlainEvaluation evaluation = evaluate_plainly(noisy_vectors(targets, 5, 8), targets, 0, {});
  EXPECT_EQ(evaluation.graphs, 300U);
  EXPECT_EQ(evaluation.accuracies.size(), 10U);
  EXPECT_GT(evaluation.mean, 0.99);
  EXPECT_NEAR(evaluation.majority, 1.0 / 3, 0.01);
}

TEST(PlainEvaluation, NoiseStaysAtChance) {
  // More columns than graphs: anything learnt from test graphs would show as high accuracy.
  const Targets targets = alternating_classes(200, 2);
  const PlainEvaluation evaluation = evaluate_plainly(noisy_vectors(targets, 400, 0), targets, 0, {});
  EXPECT_GT(evaluation.mean, 0.35);
  EXPECT_LT(evaluation.mean, 0.65);
}

TEST(PlainEvaluation, BothSystemsGiveTheSamePredictions) {
  // Zero columns carry nothing, but make the graphs x graphs system the smaller one.
  const Targets targets = alternating_classes(120, 2);
  const Matrix narrow = noisy_vectors(targets, 20, 1);
  Matrix wide(narrow.rows(), 300);
  for (std::size_t g = 0; g < narrow.rows(); ++g) std::copy_n(narrow.row(g), narrow.cols(), wide.row(g));
  const PlainEvaluation by_columns = evaluate_plainly(narrow, targets, 7, {});
  const PlainEvaluation by_graphs = evaluate_plainly(wide, targets, 7, {});
  EXPECT_EQ(by_columns.accuracies, by_graphs.accuracies);
  EXPECT_GT(by_columns.mean, by_columns.majority);
}

TEST(PlainEvaluation, ConstantColumnsAreHarmless) {
  const Targets targets = alternating_classes(60, 2);
  Matrix vectors = noisy_vectors(targets, 4, 6);
  for (std::size_t g = 0; g < vectors.rows(); ++g) vectors(g, 3) = 0.1F;
  EXPECT_GT(evaluate_plainly(vectors, targets, 0, {}).mean, 0.95);
}

TEST(PlainEvaluation, FewGraphsAndMissingClasses) {
  Targets targets = alternating_classes(7, 2);
  targets.class_of_graph[3] = -1;
  const PlainEvaluation evaluation = evaluate_plainly(noisy_vectors(targets, 3, 5), targets, 0, {});
  EXPECT_EQ(evaluation.graphs, 6U);
  EXPECT_EQ(evaluation.accuracies.size(), 6U);
}

TEST(PlainEvaluation, NeedsTwoClasses) {
  EXPECT_NO_THROW(require_classes(alternating_classes(2, 2)));
  EXPECT_THROW(require_classes(Targets{}), InputError);
  EXPECT_THROW(require_classes(alternating_classes(3, 1)), InputError);
  Targets one_missing = alternating_classes(2, 2);
  one_missing.class_of_graph[0] = -1;
  EXPECT_THROW(require_classes(one_missing), InputError);
}

TEST(PlainEvaluation, CanBeCancelled) {
  const Targets targets = alternating_classes(50, 2);
  RunOptions options;
  options.progress = [](const Progress&) { return false; };
  EXPECT_THROW(evaluate_plainly(noisy_vectors(targets, 3, 1), targets, 0, options), Cancelled);
}

}  // namespace
}  // namespace gckn::cli
