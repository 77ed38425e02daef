// SPDX-License-Identifier: BSD-3-Clause
// Models that compare states of nodes: the sparse machine against the one on the kernel, files, explanations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "gckn/datasets.h"
#include "gckn/error.h"
#include "gckn/explain.h"
#include "gckn/kernels.h"
#include "gckn/model.h"
#include "gckn/model_file.h"
#include "learn/kernel_solver.h"
#include "network/assignment.h"
#include "support/files.h"
#include "support/random_graphs.h"

namespace gckn {
namespace {

using test::TempDir;

GraphSet labelled_motifs(std::uint32_t graphs = 120, std::uint64_t seed = 3) {
  return make_motif_set({.graphs = graphs, .nodes = 12, .labels = 4, .seed = seed});
}

TrainOptions by_states(double c, int path_length = 3) {
  TrainOptions options;
  options.networks = {states(path_length)};
  options.learning.C = {c};
  return options;
}

GraphSet three_classes() {
  GraphSetParts parts = random_parts({.graphs = 60, .most_nodes = 10, .labels = 3}, 8);
  parts.targets.kind = Targets::Kind::classes;
  parts.targets.class_names = {"few", "some", "many"};
  for (const std::uint32_t nodes : parts.graph_sizes) {
    parts.targets.class_of_graph.push_back(nodes < 4 ? 0 : nodes < 8 ? 1 : 2);
  }
  return GraphSet(std::move(parts));
}

TEST(StateModel, IsTheMachineOnTheAssignmentKernel) {
  const GraphSet graphs = labelled_motifs();
  KernelOptions options;
  options.kernel = ExactKernel::path_oa;
  options.path_length = 3;
  options.normalised = true;
  DoubleMatrix kernel = kernel_matrix(graphs, options);
  for (std::size_t i = 0; i < kernel.size(); ++i) kernel.data()[i] += 1;  // the bias
  KernelProblem problem;
  for (std::uint32_t g = 0; g < 80; ++g) {
    problem.train.push_back(g);
    problem.labels.push_back(graphs.targets().class_of_graph[g] == 1 ? 1.0 : -1.0);
  }
  const GraphSet learnt_from = select_graphs(graphs, problem.train);
  for (const double c : {0.01, 1.0, 30.0}) {
    std::vector<double> expected;
    solve_kernel_machines(kernel, {problem}, std::vector<double>{c}, {},
                          [&](std::size_t, std::size_t, const KernelSolution& solution) {
                            EXPECT_TRUE(solution.converged);
                            expected.assign(solution.f.begin(), solution.f.end());
                          });
    // Of graphs that it has not seen, too, which have states that are new.
    const Predictions predictions = train(learnt_from, by_states(c)).model.predict(graphs);
    EXPECT_GT(predictions.unknown_states, 0U);
    EXPECT_GT(predictions.states, predictions.unknown_states);
    for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
      EXPECT_NEAR(predictions.targets[0].scores(g, 0), expected[g], 1e-6) << "C = " << c << ", graph " << g;
    }
  }
}

TEST(StateModel, IsSavedAndPredictsTheSameBitsInAnyCompany) {
  const GraphSet graphs = labelled_motifs();
  const Model model = train(graphs, by_states(1)).model;
  const TempDir folder;
  save_model(model, folder / "states.gckn");
  const Model loaded = load_model(folder / "states.gckn");
  EXPECT_EQ(loaded.network().config().compare, Compare::states);
  EXPECT_EQ(loaded.network().config().layers[0].path_length, 3);
  EXPECT_EQ(loaded.network().input(), model.network().input());
  EXPECT_EQ(loaded.columns()->names(), model.columns()->names());
  const DoubleMatrix expected = model.predict(graphs).targets[0].scores;
  RunOptions run;
  run.threads = 3;
  EXPECT_TRUE(std::ranges::equal(loaded.predict(graphs, run).targets[0].scores.values(), expected.values()));
  for (const std::uint32_t g : {0U, 17U, 119U}) {
    EXPECT_EQ(loaded.predict(select_graphs(graphs, std::vector{g})).targets[0].scores(0, 0), expected(g, 0));
  }
  EXPECT_FALSE(loaded.predict(graphs).targets[0].probabilities.empty());
  EXPECT_THROW((void)loaded.network().embed(graphs), UsageError);
  EXPECT_THROW((void)explain_anchors(loaded), UsageError);
}

TEST(StateModel, FilesThatContradictThemselvesAreRefused) {
  EXPECT_THROW(AssignmentColumns({3, 2}, {1, 1}), UsageError);
  EXPECT_THROW(AssignmentColumns({2, 3}, {1, 0}), UsageError);
  EXPECT_THROW(AssignmentColumns({2, 3}, {1}), UsageError);
  EXPECT_EQ(AssignmentColumns({2, 3}, {1, 4}).size(), 5U);
  for (const int bits : {-1, 0, 32, 64}) EXPECT_THROW(AssignmentColumns::hashed(bits), UsageError);
}

// With hashed columns what was never seen has weights, too, by chance.
TEST(StateModel, TooManyStatesAreHashed) {
  const GraphSet graphs = labelled_motifs();
  TrainOptions options = by_states(1);
  const Model named = train(graphs, options).model;
  ASSERT_FALSE(named.columns()->is_hashed());
  options.fit.max_state_columns = named.columns()->size();
  EXPECT_FALSE(train(graphs, options).model.columns()->is_hashed());
  --options.fit.max_state_columns;
  const Model model = train(graphs, options).model;
  ASSERT_EQ(model.columns()->bits(), kHashedStateBits);
  EXPECT_EQ(model.targets()[0].weights.cols(), std::size_t{1} << kHashedStateBits);
  const Predictions predictions = model.predict(labelled_motifs(120, 4));
  EXPECT_GT(predictions.states, 0U);
  EXPECT_EQ(predictions.unknown_states, 0U);

  // There are far more columns than states here, so that hardly any two meet.
  const DoubleMatrix expected = named.predict(graphs).targets[0].scores;
  const DoubleMatrix scores = model.predict(graphs).targets[0].scores;
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) EXPECT_NEAR(scores(g, 0), expected(g, 0), 0.05) << g;

  const TempDir folder;
  save_model(model, folder / "hashed.gckn");
  const Model loaded = load_model(folder / "hashed.gckn");
  EXPECT_EQ(loaded.columns()->bits(), kHashedStateBits);
  EXPECT_TRUE(summarise_model_file(folder / "hashed.gckn").is_trained);
  EXPECT_TRUE(std::ranges::equal(loaded.predict(graphs).targets[0].scores.values(), scores.values()));
  const std::vector<Explanation> explanations = explain(loaded, graphs, {.all_paths = true});
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    const double sign = explanations[g].explained_class == 1 ? 1 : -1;
    EXPECT_NEAR(sign * explanations[g].score, scores(g, 0), 1e-9) << g;
  }
}

TEST(StateModel, SharesAddUpToTheScore) {
  for (const GraphSet& graphs : {labelled_motifs(), three_classes()}) {
    const Model model = train(graphs, by_states(1)).model;
    EXPECT_EQ(method_for(model, ExplainMethod::automatic), ExplainMethod::exact);
    ExplainOptions options;
    options.all_paths = true;
    const std::vector<Explanation> explanations = explain(model, graphs, options);
    const TargetPredictions predicted = model.predict(graphs).targets[0];
    for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
      const Explanation& explanation = explanations[g];
      ASSERT_EQ(explanation.error, "");
      EXPECT_EQ(explanation.explained_class, predicted.predicted[g]);
      const double sum = std::accumulate(explanation.node_scores.begin(), explanation.node_scores.end(), 0.0);
      EXPECT_NEAR(sum, explanation.score - explanation.empty_score, 1e-9);
      double of_paths = 0;
      for (const ExplainedPath& path : explanation.paths) of_paths += path.value;
      EXPECT_NEAR(of_paths, sum, 1e-9);
      const bool is_first = predicted.scores.cols() == 1 && predicted.predicted[g] == 0;
      const std::size_t output = predicted.scores.cols() == 1 ? 0 : static_cast<std::size_t>(predicted.predicted[g]);
      EXPECT_NEAR(explanation.score, (is_first ? -1 : 1) * predicted.scores(g, output), 1e-9);
    }
  }
}

// Scores are linear in the masks, so at the optimum a path is kept where it speaks for the prediction by more than its
// price, and left out where it does not.
TEST(StateModel, MasksKeepThePathsThatAreWorthTheirPrice) {
  const GraphSet graphs = labelled_motifs(40);
  TrainOptions logistic = by_states(10);
  logistic.learning.learner = Learner::logistic;  // whose scores are log-odds as they are
  const Model model = train(graphs, logistic).model;
  ExplainOptions options;
  options.all_paths = true;
  const std::vector<Explanation> shares = explain(model, graphs, options);
  options.method = ExplainMethod::masks;
  options.mu = 1e-4;
  const std::vector<Explanation> masks = explain(model, graphs, options);
  std::size_t kept = 0;
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    ASSERT_TRUE(masks[g].minimisation.has_value());
    EXPECT_TRUE(masks[g].minimisation->converged);
    double score = masks[g].empty_score;
    const auto share_of = [&](const ExplainedPath& path) {
      const auto found = std::ranges::find(shares[g].paths, path.nodes, &ExplainedPath::nodes);
      return found == shares[g].paths.end() ? 0.0 : found->value;
    };
    for (const ExplainedPath& path : masks[g].paths) score += path.value * share_of(path);
    const double slope = 1 / (1 + std::exp(score));  // of the loss
    for (const ExplainedPath& path : masks[g].paths) {
      if (path.value < 0.99) continue;
      ++kept;
      EXPECT_GT(slope * share_of(path), options.mu * 0.9) << g;
    }
  }
  EXPECT_GT(kept, 0U);
}

// A machine of a tiny C has tiny scores, and still a prediction to keep.
TEST(StateModel, MasksDoNotDependOnTheSizeOfScores) {
  const GraphSet graphs = labelled_motifs(80);
  ExplainOptions options;
  options.method = ExplainMethod::masks;
  std::size_t empty = 0;
  for (const Explanation& explanation : explain(train(graphs, by_states(1e-3)).model, graphs, options)) {
    EXPECT_TRUE(explanation.minimisation->converged);
    empty += explanation.explained_class == 1 && explanation.parts.empty() ? 1 : 0;
  }
  EXPECT_LT(empty, 8U);
}

TEST(StateModel, IsACandidateOfTheChoiceAndHonestlyLeftOut) {
  CrossValidationOptions cv;
  cv.networks = {subtree({.path_length = 1, .filters = 2}), states(3)};
  cv.folds = 3;
  cv.inner_folds = 2;
  cv.baselines = false;
  cv.learning.C = {0.01, 1, 100};
  const CrossValidationResult result = cross_validate(labelled_motifs(), cv);
  EXPECT_TRUE(std::ranges::any_of(result.results, [](const FoldResult& fold) { return fold.network == 1; }));
  EXPECT_GT(result.targets[0].methods[0].metrics[0].mean, 0.6);
  // Attributes alone have no states; the network remains.
  GraphSetParts parts = random_parts({.graphs = 40, .labels = 0, .attributes = 2}, 2);
  parts.targets.kind = Targets::Kind::classes;
  parts.targets.class_names = {"a", "b"};
  for (std::size_t g = 0; g < 40; ++g) parts.targets.class_of_graph.push_back(static_cast<std::int32_t>(g % 2));
  const GraphSet attributes(std::move(parts));
  const CrossValidationResult without = cross_validate(attributes, cv);
  ASSERT_FALSE(without.remarks.empty());
  EXPECT_NE(without.remarks.front().find("states of nodes are left out"), std::string::npos);
  EXPECT_THROW((void)train(attributes, by_states(1)), InputError);
}

TEST(StateModel, LearnsNumbersAndProbabilities) {
  GraphSetParts parts = random_parts({.graphs = 80, .most_nodes = 12, .labels = 2}, 5);
  parts.targets.kind = Targets::Kind::numbers;
  parts.targets.columns = 1;
  for (const std::uint32_t nodes : parts.graph_sizes) parts.targets.numbers.push_back(10.0 + nodes);
  const GraphSet numbers(std::move(parts));
  const TrainResult fitted = train(numbers, by_states(100));
  const DoubleMatrix scores = fitted.model.predict(numbers).targets[0].scores;
  double error = 0;
  for (std::size_t g = 0; g < 80; ++g) error += std::abs(scores(g, 0) - numbers.targets().numbers[g]) / 80;
  EXPECT_LT(error, 1.0);
  TrainOptions logistic = by_states(1);
  logistic.learning.learner = Learner::logistic;
  const Predictions predictions = train(labelled_motifs(), logistic).model.predict(labelled_motifs());
  for (std::size_t g = 0; g < 120; ++g) {
    const double* p = predictions.targets[0].probabilities.row(g);
    EXPECT_NEAR(p[0] + p[1], 1, 1e-12);
  }
  EXPECT_THROW((void)train(three_classes(), logistic), InputError);
}

}  // namespace
}  // namespace gckn
