// SPDX-License-Identifier: BSD-3-Clause
// Explanations of models with a Gaussian head: shares along the way from the empty graph, and masks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "explain/gaussian_scores.h"
#include "explain/graph_states.h"
#include "gckn/datasets.h"
#include "gckn/error.h"
#include "gckn/explain.h"
#include "gckn/model.h"
#include "support/class_targets.h"
#include "support/random_graphs.h"

namespace gckn {
namespace {

NetworkConfig with_gaussian_head(Compare compare) {
  if (compare == Compare::states) return states(2, Head::gaussian);
  NetworkConfig config = subtree({.path_length = 2, .filters = 8});
  config.compare = compare;
  config.head = Head::gaussian;
  return config;
}

Model gaussian_model(const GraphSet& graphs, Compare compare) {
  TrainOptions options;
  options.networks = {with_gaussian_head(compare)};
  options.learning.C = {1};
  options.folds = 3;
  return train(graphs, options).model;
}

GraphSet three_classes() {
  GraphSetParts parts = random_parts({.graphs = 60, .most_nodes = 10, .labels = 3}, 8);
  parts.targets = test::classes_of_sizes({20, 20, 20});
  return GraphSet(std::move(parts));
}

class GaussianShares : public testing::TestWithParam<Compare> {};

TEST_P(GaussianShares, AddUpToTheScoreAboveTheEmptyGraph) {
  for (const GraphSet& graphs :
       {make_motif_set({.graphs = 60, .nodes = 10, .labels = 3, .seed = 3}), three_classes()}) {
    const Model model = gaussian_model(graphs, GetParam());
    EXPECT_EQ(method_for(model, ExplainMethod::automatic), ExplainMethod::exact);
    const Predictions predictions = model.predict(graphs);
    for (const Explanation& explanation : explain(model, graphs, {.all_paths = true})) {
      ASSERT_EQ(explanation.error, "");
      const std::size_t g = explanation.graph;
      EXPECT_EQ(explanation.explained_class, predictions.targets[0].predicted[g]);
      const bool two_classes = predictions.targets[0].scores.cols() == 1;
      const double score =
          predictions.targets[0].scores(g, two_classes ? 0 : static_cast<std::size_t>(explanation.explained_class));
      EXPECT_NEAR(explanation.score, two_classes && explanation.explained_class == 0 ? -score : score, 1e-4);
      const double change = explanation.score - explanation.empty_score;
      double of_paths = 0;
      for (const ExplainedPath& path : explanation.paths) of_paths += path.value;
      EXPECT_NEAR(std::accumulate(explanation.node_scores.begin(), explanation.node_scores.end(), 0.0), change, 1e-6);
      EXPECT_NEAR(of_paths, change, 1e-6);
    }
  }
}

TEST_P(GaussianShares, AreTheSameForAnyNumberOfThreads) {
  const GraphSet graphs = make_motif_set({.graphs = 40, .nodes = 10, .labels = 3, .seed = 4});
  const Model model = gaussian_model(graphs, GetParam());
  RunOptions one, three;
  one.threads = 1;
  three.threads = 3;
  const std::vector<Explanation> x = explain(model, graphs, {}, {}, one);
  const std::vector<Explanation> y = explain(model, graphs, {}, {}, three);
  for (std::size_t g = 0; g < x.size(); ++g) EXPECT_EQ(x[g].node_scores, y[g].node_scores);
}

TEST_P(GaussianShares, MasksKeepThePredictionWithFewerPaths) {
  const GraphSet graphs = make_motif_set({.graphs = 60, .nodes = 10, .labels = 3, .seed = 3});
  const Model model = gaussian_model(graphs, GetParam());
  if (GetParam() == Compare::both) {
    EXPECT_THROW((void)method_for(model, ExplainMethod::masks), UsageError);
    return;
  }
  const std::vector<std::uint32_t> some{0, 1, 2, 3};
  const auto masks = [&](double mu) {
    return explain(model, graphs, {.method = ExplainMethod::masks, .mu = mu, .all_paths = true}, some);
  };
  const std::vector<Explanation> cheap = masks(0);
  const std::vector<Explanation> dear = masks(1e-3);
  for (std::size_t i = 0; i < some.size(); ++i) {
    ASSERT_TRUE(dear[i].minimisation);
    EXPECT_TRUE(dear[i].minimisation->converged);
    EXPECT_GT(dear[i].minimisation->objective, cheap[i].minimisation->objective);
    EXPECT_LT(dear[i].paths.size(), cheap[i].paths.size());
    EXPECT_FALSE(dear[i].paths.empty());
  }
}

// Of both parts at once, at some place on the way: against differences.
TEST_P(GaussianShares, GradientsAreThoseOfTheScores) {
  const GraphSet graphs = three_classes();
  const Model model = gaussian_model(graphs, GetParam());
  const GaussianScores scores(model, 0);
  const std::vector<double> d_scores{0.7, -0.2, 0.4};
  std::vector<double> assignment, vector;
  if (GetParam() != Compare::vectors) {
    const GraphStates states(graphs, 5, model.network().input(), 2, {});
    assignment = StateAssignment(scores.support(), states.counts()).of(std::vector<double>(states.size(), 0.6));
  }
  if (GetParam() != Compare::states) {
    const Matrix embedded = model.network().embed(graphs);
    for (std::size_t k = 0; k < embedded.cols(); ++k) vector.push_back(0.6 * static_cast<double>(embedded(5, k)));
  }
  const GaussianScores::Compared place{assignment, vector};
  const auto value = [&] {
    const std::vector<double> of = scores.of(place);
    return std::inner_product(of.begin(), of.end(), d_scores.begin(), 0.0);
  };
  const GaussianScores::Gradient gradient = scores.gradient(place, d_scores);
  const auto check = [&](std::vector<double>& at, const std::vector<double>& found) {
    ASSERT_EQ(found.size(), at.size());
    double largest = 0;
    for (const double slope : found) largest = std::max(largest, std::abs(slope));
    for (std::size_t k = 0; k < at.size(); ++k) {
      const double before = at[k];
      const double step = 1e-5 * (1 + std::abs(before));
      at[k] = before + step;
      const double above = value();
      at[k] = before - step;
      const double below = value();
      at[k] = before;
      EXPECT_NEAR(found[k], (above - below) / (2 * step), 1e-6 * (1 + largest));
    }
  };
  check(assignment, gradient.assignment);
  check(vector, gradient.vector);
}

TEST_P(GaussianShares, AnchorsHaveNoWeights) {
  const GraphSet graphs = make_motif_set({.graphs = 40, .nodes = 10, .labels = 3, .seed = 4});
  TrainOptions options;
  options.networks = {with_gaussian_head(GetParam())};
  if (GetParam() != Compare::states) {
    options.networks[0] = path({.path_length = 2, .filters = 8, .pooling = Pooling::sum});
    options.networks[0].compare = GetParam();
    options.networks[0].head = Head::gaussian;
  }
  options.learning.C = {1};
  const Model model = train(graphs, options).model;
  if (GetParam() == Compare::states) {
    EXPECT_THROW((void)explain_anchors(model), UsageError);
    return;
  }
  for (const ExplainedAnchor& anchor : explain_anchors(model)) EXPECT_TRUE(anchor.weights.empty());
}

INSTANTIATE_TEST_SUITE_P(Compare, GaussianShares, testing::Values(Compare::states, Compare::vectors, Compare::both),
                         [](const auto& compared) { return std::string(to_string(compared.param)); });

}  // namespace
}  // namespace gckn
