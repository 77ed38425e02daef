// SPDX-License-Identifier: BSD-3-Clause
// Explanations of models: what shares add up to, what is taken out, and what stands out.
#include "gckn/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "explain/model_scores.h"
#include "explain/reduced_graphs.h"
#include "gckn/datasets.h"
#include "gckn/error.h"
#include "support/files.h"
#include "support/graph_sets.h"
#include "support/random_graphs.h"

namespace gckn {
namespace {

GraphSet small_motif_set() {
  return make_motif_set({.graphs = 60, .nodes = 10, .labels = 3, .seed = 3});
}

Model small_model(const GraphSet& graphs, NetworkConfig config, double c = 1) {
  TrainOptions options;
  options.networks = {std::move(config)};
  options.learning.C = {c};
  options.folds = 3;
  return train(graphs, options).model;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(Explain, ExactSharesAddUpToTheScoreAboveTheEmptyGraph) {
  const GraphSet graphs = small_motif_set();
  for (const Pooling pooling : {Pooling::sum, Pooling::mean}) {
    for (const Pooling over_nodes : {Pooling::sum, Pooling::mean}) {
      for (const auto make : {path, subtree, walk, three_layer}) {
        const Model model = small_model(graphs, make({2, 12, 0.6, pooling, over_nodes, true}));
        const Predictions predictions = model.predict(graphs);
        const std::vector<Explanation> explanations = explain(model, graphs, {.method = ExplainMethod::exact});
        ASSERT_EQ(explanations.size(), graphs.num_graphs());
        for (std::size_t g = 0; g < explanations.size(); ++g) {
          const Explanation& explanation = explanations[g];
          EXPECT_EQ(explanation.error, "");
          const double scale = 1 + std::abs(explanation.score) + std::abs(explanation.empty_score);
          EXPECT_NEAR(sum(explanation.node_scores), explanation.score - explanation.empty_score, 1e-6 * scale);
          const double score = predictions.targets[0].scores(g, 0);
          EXPECT_NEAR(explanation.score, explanation.explained_class == 1 ? score : -score, 1e-3 * scale);
          EXPECT_EQ(explanation.explained_class, predictions.targets[0].predicted[g]);
        }
      }
    }
  }
}

TEST(Explain, PathsOfOneLayerHaveTheShareThatTheyHaveAlone) {
  const GraphSet graphs = small_motif_set();
  const Model model = small_model(graphs, path({2, 12, 0.6, Pooling::sum, Pooling::sum, true}));
  const std::vector<Explanation> all =
      explain(model, graphs, {.method = ExplainMethod::exact, .all_paths = true}, {0, 7});
  ASSERT_EQ(all.size(), 2);
  EXPECT_EQ(all[1].graph, 7);
  for (const Explanation& explanation : all) {
    double paths = 0;
    std::vector<double> by_node(explanation.node_scores.size());
    for (const ExplainedPath& path : explanation.paths) {
      paths += path.value;
      for (const std::uint32_t u : path.nodes) by_node[u] += path.value / static_cast<double>(path.nodes.size());
    }
    EXPECT_NEAR(paths, explanation.score - explanation.empty_score, 1e-9 * (1 + std::abs(explanation.score)));
    for (std::size_t u = 0; u < by_node.size(); ++u) EXPECT_NEAR(by_node[u], explanation.node_scores[u], 1e-9);
  }
}

TEST(Explain, EveryMethodGivesTheSameBitsForAnyNumberOfThreads) {
  const GraphSet graphs = small_motif_set();
  const Model model = small_model(graphs, subtree({2, 12, 0.6, Pooling::mean, Pooling::sum, true}));
  for (const ExplainMethod method :
       {ExplainMethod::exact, ExplainMethod::gradient, ExplainMethod::masks, ExplainMethod::occlusion}) {
    RunOptions one, three;
    one.threads = 1;
    three.threads = 3;
    const std::vector<Explanation> x = explain(model, graphs, {.method = method}, {}, one);
    const std::vector<Explanation> y = explain(model, graphs, {.method = method}, {}, three);
    for (std::size_t g = 0; g < x.size(); ++g) {
      EXPECT_EQ(x[g].node_scores, y[g].node_scores);
      EXPECT_EQ(x[g].edge_scores, y[g].edge_scores);
      EXPECT_EQ(x[g].parts, y[g].parts);
    }
    // ... and alone.
    const std::vector<Explanation> alone = explain(model, graphs, {.method = method}, {5});
    EXPECT_EQ(alone[0].parts, x[5].parts);
    EXPECT_EQ(alone[0].node_scores, x[5].node_scores);
  }
}

// Paths from u of up to so many vertices, u included.
std::size_t count_paths(const GraphSet& graphs, std::uint32_t u, int vertices, std::vector<std::uint32_t>& path) {
  path.push_back(u);
  std::size_t count = 1;
  for (const std::uint32_t v : graphs.neighbours(u)) {
    if (vertices > 1 && std::ranges::find(path, v) == path.end()) count += count_paths(graphs, v, vertices - 1, path);
  }
  path.pop_back();
  return count;
}

TEST(Explain, MasksKeepThePredictionWithFewPaths) {
  const GraphSet graphs = small_motif_set();
  const Model model = small_model(graphs, subtree({3, 16, 0.5, Pooling::mean, Pooling::sum, true}), 10);
  const ExplainOptions options{.method = ExplainMethod::masks, .all_paths = true};
  int converged = 0;
  for (const Explanation& explanation : explain(model, graphs, options)) {
    ASSERT_TRUE(explanation.minimisation);
    converged += explanation.minimisation->converged ? 1 : 0;
    double weights = 0;
    for (const ExplainedPath& path : explanation.paths) {
      EXPECT_GE(path.value, 0);
      EXPECT_LE(path.value, 1);
      weights += path.value;
    }
    EXPECT_GE(explanation.minimisation->objective, options.mu * weights);
    // Masks of 1, where it begins, have the loss of the score.
    std::size_t paths = 0;
    for (std::uint32_t u = graphs.graph_begin(explanation.graph); u < graphs.graph_begin(explanation.graph + 1); ++u) {
      std::vector<std::uint32_t> path;
      paths += count_paths(graphs, u, 4, path);
    }
    const double at_first = std::log1p(std::exp(-explanation.score)) + options.mu * static_cast<double>(paths);
    EXPECT_LT(explanation.minimisation->objective, at_first);
    EXPECT_LT(weights, static_cast<double>(paths) / 2);
  }
  EXPECT_GT(converged, 50);
}

// A graph has a prediction for each of its nodes and edges, which together may take minutes.
TEST(Explain, OcclusionCanBeCancelledInTheMidstOfItsPredictions) {
  const GraphSet graphs = small_motif_set();
  const Model model = small_model(graphs, path({2, 12, 0.6, Pooling::sum, Pooling::max, true}));
  int reports_behind_last_graph = 0;
  RunOptions run;
  run.progress = [&](const Progress& progress) {
    if (progress.stage == "leaving out nodes and edges" && progress.done == 1) ++reports_behind_last_graph;
    return reports_behind_last_graph < 2;  // the first might be the end of all
  };
  EXPECT_THROW(explain(model, graphs, {.method = ExplainMethod::occlusion}, {4}, run), Cancelled);
}

TEST(Explain, OcclusionIsTheChangeOfThePrediction) {
  const GraphSet graphs = small_motif_set();
  const Model model = small_model(graphs, path({2, 12, 0.6, Pooling::sum, Pooling::max, true}));
  const Explanation explanation = explain(model, graphs, {.method = ExplainMethod::occlusion}, {4}).front();
  const auto edges = graph_edges(graphs, 4);
  const std::size_t nodes = explanation.node_scores.size();
  ASSERT_EQ(explanation.edge_scores.size(), edges.size());
  ReducedGraphs reduced(graphs);
  std::vector<char> keeps(nodes, 1);
  keeps[2] = 0;
  reduced.add(4, keeps);
  keeps[2] = 1;
  reduced.add(4, keeps, edges[3]);
  reduced.add(4, keeps);
  const DoubleMatrix scores = model.predict(reduced.take()).targets[0].scores;
  const double sign = explanation.explained_class == 1 ? 1 : -1;
  EXPECT_DOUBLE_EQ(explanation.score, sign * scores(2, 0));
  EXPECT_DOUBLE_EQ(explanation.node_scores[2], sign * (scores(2, 0) - scores(0, 0)));
  EXPECT_DOUBLE_EQ(explanation.edge_scores[3], sign * (scores(2, 0) - scores(1, 0)));
}

TEST(Explain, ReducedGraphsKeepWhatIsLeft) {
  RandomGraphs shape;
  shape.edge_labels = 3;
  shape.attributes = 2;
  const GraphSet graphs = random_graphs(shape, 5);
  ReducedGraphs whole(graphs);
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    whole.add(g, std::vector<char>(graphs.graph_begin(g + 1) - graphs.graph_begin(g), 1));
  }
  test::expect_same_structure(graphs, whole.take());
  EXPECT_EQ(whole.size(), 0);
}

TEST(Explain, MethodsThatAModelDoesNotAllowAreRefused) {
  const GraphSet graphs = small_motif_set();
  const Model of_maxima = small_model(graphs, subtree({2, 8, 0.6, Pooling::mean, Pooling::max, true}));
  EXPECT_EQ(method_for(of_maxima, ExplainMethod::automatic), ExplainMethod::gradient);
  EXPECT_THROW(explain(of_maxima, graphs, {.method = ExplainMethod::exact}), UsageError);
  EXPECT_NO_THROW(explain(of_maxima, graphs, {.method = ExplainMethod::gradient}, {0}));
  const Model of_gmp = small_model(graphs, subtree({2, 8, 0.6, Pooling::gmp, Pooling::sum, true}));
  EXPECT_EQ(method_for(of_gmp, ExplainMethod::automatic), ExplainMethod::occlusion);
  EXPECT_THROW(explain(of_gmp, graphs, {.method = ExplainMethod::masks}), UsageError);
  EXPECT_EQ(
      method_for(small_model(graphs, path({2, 8, 0.6, Pooling::max, Pooling::mean, true})), ExplainMethod::automatic),
      ExplainMethod::exact);
}

TEST(Explain, OddGraphsAreExplainedOrSayWhyNot) {
  const GraphSet graphs = small_motif_set();
  const Model model = small_model(graphs, subtree({2, 8, 0.6, Pooling::mean, Pooling::sum, true}));
  GraphSetParts parts;
  parts.name = "odd";
  parts.graph_sizes = {0, 1, 2, 2};  // empty, one node, two apart, a label that nobody knows
  parts.edge_from = {3};
  parts.edge_to = {4};
  parts.node_labels = {0, 1, 2, 77, 78};
  const GraphSet odd(std::move(parts));
  for (const ExplainMethod method : {ExplainMethod::exact, ExplainMethod::masks, ExplainMethod::occlusion}) {
    const std::vector<Explanation> explanations = explain(model, odd, {.method = method});
    ASSERT_EQ(explanations.size(), 4);
    EXPECT_TRUE(explanations[0].parts.empty());
    EXPECT_DOUBLE_EQ(explanations[0].score, explanations[0].empty_score);
    for (const Explanation& explanation : explanations) {
      EXPECT_EQ(explanation.error, "");
      for (const double score : explanation.node_scores) EXPECT_TRUE(std::isfinite(score));
    }
    const auto measured = fidelity(model, odd, explanations, 0);
    EXPECT_FALSE(measured[0]);
  }
  EXPECT_THROW(explain(model, graphs, {}, {60}), InputError);
  EXPECT_THROW(explain(model, graphs, {.target = 1}), UsageError);
}

TEST(Explain, FidelityIsOfTheGraphWithoutItsMotifAndOfTheMotifAlone) {
  const GraphSet graphs = small_motif_set();
  const Model model = small_model(graphs, path({3, 20, 0.5, Pooling::sum, Pooling::sum, true}), 10);
  const std::vector<Explanation> explanations = explain(model, graphs, {});
  const auto measured = fidelity(model, graphs, explanations, 0);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < explanations.size(); ++i) {
    const Substructure motif = explanations[i].motif();
    ASSERT_EQ(measured[i].has_value(), !motif.nodes.empty());
    if (!measured[i]) continue;
    EXPECT_NEAR(measured[i]->sparsity,
                1 - static_cast<double>(motif.nodes.size()) / static_cast<double>(explanations[i].node_scores.size()),
                1e-12);
    std::vector<char> keeps(explanations[i].node_scores.size(), 0);
    for (const std::uint32_t u : motif.nodes) keeps[u] = 1;
    ReducedGraphs alone(graphs);
    alone.add(i, keeps);
    const Predictions predictions = model.predict(alone.take());
    const double sign = explanations[i].explained_class == 1 ? 1 : -1;
    EXPECT_NEAR(measured[i]->score_alone, explanations[i].score - sign * predictions.targets[0].scores(0, 0), 1e-9);
    EXPECT_EQ(measured[i]->class_changes_alone, predictions.targets[0].predicted[0] != explanations[i].explained_class);
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

TEST(Explain, AnchorsOfAllPatternsAreThosePatterns) {
  const GraphSet graphs = small_motif_set();
  // So many filters that every path is an anchor.
  const Model model = small_model(graphs, path({1, 500, 0.6, Pooling::sum, Pooling::sum, false}));
  const std::vector<ExplainedAnchor> anchors = explain_anchors(model);
  ASSERT_EQ(anchors.size(), static_cast<std::size_t>(model.network().config().layers[0].filters));
  std::vector<std::vector<std::uint32_t>> seen;
  for (const ExplainedAnchor& anchor : anchors) {
    EXPECT_NEAR(anchor.similarity, 1, 1e-6);
    seen.push_back(anchor.labels);
    ASSERT_EQ(anchor.weights.size(), 1);
    // What the share of such a path is in a graph that has it.
    const Explanation explanation =
        explain(model, graphs, {.method = ExplainMethod::exact, .all_paths = true}, {0}).front();
    const double sign = explanation.explained_class == 1 ? 1 : -1;
    for (const ExplainedPath& path : explanation.paths) {
      const auto label = [&](std::uint32_t u) { return graphs.node_labels()[graphs.graph_begin(0) + u]; };
      if (label(path.nodes[0]) != anchor.labels[0] || label(path.nodes[1]) != anchor.labels[1]) continue;
      EXPECT_NEAR(path.value, sign * anchor.weights[0], 1e-6 * (1 + std::abs(path.value)));
      break;
    }
  }
  std::ranges::sort(seen);
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
  const Model of_two_layers = small_model(graphs, subtree({1, 4, 0.6, Pooling::sum, Pooling::sum, false}));
  EXPECT_TRUE(explain_anchors(of_two_layers).front().weights.empty());
}

}  // namespace
}  // namespace gckn
