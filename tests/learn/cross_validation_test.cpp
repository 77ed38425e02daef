// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/cross_validation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "gckn/datasets.h"
#include "gckn/error.h"
#include "learn/evaluate.h"
#include "learn/splits.h"
#include "support/class_targets.h"
#include "support/files.h"
#include "support/index_range.h"
#include "support/random_graphs.h"
#include "util/random.h"

namespace gckn {
namespace {

using test::range;

CrossValidationOptions small_cv(Protocol protocol) {
  CrossValidationOptions cv;
  cv.protocol = protocol;
  cv.networks = {subtree({.path_length = 2, .filters = 16}), path({.path_length = 3, .filters = 16})};
  cv.learning.C = {0.01, 0.1, 1};
  cv.folds = 5;
  cv.inner_folds = 3;
  return cv;
}

TEST(CrossValidation, LearnsThePlantedMotif) {
  const GraphSet graphs = make_motif_set({.graphs = 200, .nodes = 12, .labels = 4, .seed = 1});
  for (const Protocol protocol : {Protocol::nested, Protocol::paper}) {
    const CrossValidationResult result = cross_validate(graphs, small_cv(protocol));
    EXPECT_EQ(result.optimistic, protocol == Protocol::paper);
    ASSERT_EQ(result.targets.size(), 1U);
    const std::vector<MethodResult>& methods = result.targets[0].methods;
    ASSERT_EQ(methods.size(), 4U);
    const MetricSummary& accuracy = methods[0].metrics[0];
    EXPECT_EQ(accuracy.metric, Metric::accuracy);
    EXPECT_EQ(accuracy.by_fold.size(), 5U);
    EXPECT_GT(accuracy.mean, 0.8);
    EXPECT_LT(accuracy.low, accuracy.mean);
    EXPECT_GT(accuracy.high, accuracy.mean);
    EXPECT_GT(methods[0].metrics[2].mean, 0.85) << "ROC-AUC";
    EXPECT_EQ(methods[1].name, "majority class");
    EXPECT_NEAR(methods[1].metrics[0].mean, 0.5, 0.02);
    EXPECT_NEAR(methods[1].metrics[2].mean, 0.5, 1e-12) << "constant scores rank nothing";
    ASSERT_EQ(result.targets[0].comparisons.size(), 3U);
    EXPECT_LT(result.targets[0].comparisons[0].p_value, 0.01);
    EXPECT_NEAR(result.targets[0].comparisons[0].difference, accuracy.mean - methods[1].metrics[0].mean, 1e-12);
    std::size_t tested = 0;
    for (const Fold& fold : result.folds) tested += fold.test.size();
    EXPECT_EQ(tested, graphs.num_graphs());
  }
}

// Labels without a relation to the graphs cannot be predicted; a leak would show as an accuracy above chance.
TEST(CrossValidation, NestedFindsNothingInNoise) {
  GraphSetParts parts = random_parts({.graphs = 300, .most_nodes = 10}, 5);
  parts.targets = test::classes_of_sizes({150, 150});
  Random random(9);
  for (std::size_t i = 300; i > 1; --i) {
    std::swap(parts.targets.class_of_graph[i - 1], parts.targets.class_of_graph[random.below(i)]);
  }
  const CrossValidationResult result = cross_validate(GraphSet(std::move(parts)), small_cv(Protocol::nested));
  for (const MethodResult& method : result.targets[0].methods) {
    EXPECT_GT(method.metrics[0].mean, 0.4) << method.name;
    EXPECT_LT(method.metrics[0].mean, 0.6) << method.name;
  }
}

// The order of a file must not leak: sorted by class or shuffled, the same graphs get the same predictions.
TEST(CrossValidation, OrderOfTheFileDoesNotMatter) {
  const GraphSet graphs = make_motif_set({.graphs = 120, .nodes = 10, .labels = 3, .seed = 2});
  std::vector<std::uint32_t> order = range(0, 120);
  Random random(4);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  const std::vector<Fold> folds = make_folds(target_columns(graphs, Learner::svm), range(0, 120), 5, 0);
  for (const Protocol protocol : {Protocol::nested, Protocol::paper}) {
    CrossValidationOptions cv = small_cv(protocol);
    cv.networks[0].layers[0].pooling = Pooling::max;  // where the last bits of vectors used to tell
    cv.networks[0].global_pooling = Pooling::max;
    // The same folds in both orders.
    const auto with_folds = [&](const GraphSet& set, const std::vector<std::uint32_t>& place) {
      std::vector<Fold> own = folds;
      for (Fold& fold : own) {
        for (std::uint32_t& g : fold.train) g = place[g];
        for (std::uint32_t& g : fold.test) g = place[g];
      }
      CrossValidationOptions options = cv;
      options.given_folds = own;
      return cross_validate(set, options);
    };
    std::vector<std::uint32_t> place(120);
    for (std::uint32_t i = 0; i < 120; ++i) place[order[i]] = i;
    const CrossValidationResult in_order = with_folds(graphs, range(0, 120));
    const CrossValidationResult shuffled = with_folds(select_graphs(graphs, order), place);
    for (std::size_t f = 0; f < folds.size(); ++f) {
      EXPECT_EQ(in_order.results[f].targets[0].predicted, shuffled.results[f].targets[0].predicted) << "fold " << f;
    }
    for (std::size_t m = 0; m < 4; ++m) {
      const MethodResult& method = in_order.targets[0].methods[m];
      const MethodResult& other = shuffled.targets[0].methods[m];
      for (std::size_t k = 0; k < method.metrics.size(); ++k) {
        EXPECT_EQ(method.metrics[k].by_fold, other.metrics[k].by_fold) << method.name << ": metric " << k;
      }
    }
  }
}

// Networks of which several share patterns, and several anchors.
std::vector<NetworkConfig> related_networks() {
  std::vector<NetworkConfig> networks;
  for (const auto& architecture : {path, subtree, three_layer}) {
    for (const int filters : {4, 6}) {
      for (const double sigma : {0.5, 1.0}) {
        for (const Pooling pooling : {Pooling::sum, Pooling::max}) {
          for (const Pooling of_nodes : {Pooling::mean, Pooling::max}) {
            networks.push_back(architecture({2, filters, sigma, pooling, of_nodes, true}));
            networks.back().features = Features::attributes;
            networks.back().unit_attributes = sigma < 1 || pooling == Pooling::sum;
          }
        }
      }
    }
  }
  return networks;
}

// Numbers as targets: an error is a real number, in which the last bit of a vector shows.
GraphSet graphs_with_numbers() {
  GraphSetParts parts = random_parts({.graphs = 60, .attributes = 2}, 3);
  parts.targets.kind = Targets::Kind::numbers;
  parts.targets.columns = 1;
  Random random(8);
  for (int g = 0; g < 60; ++g) parts.targets.numbers.push_back(random.uniform());
  return GraphSet(std::move(parts));
}

// Networks of a search share patterns and anchors; alone they get the same.
TEST(CrossValidation, SharedWorkChangesNothing) {
  const GraphSet graphs = graphs_with_numbers();
  CrossValidationOptions cv = small_cv(Protocol::paper);
  cv.baselines = false;
  cv.networks = related_networks();
  const CrossValidationResult together = cross_validate(graphs, cv);
  for (std::size_t k = 0; k < together.networks.size(); ++k) {
    CrossValidationOptions alone = cv;
    alone.networks = {cv.networks[k]};
    EXPECT_EQ(cross_validate(graphs, alone).networks[0].score_by_c, together.networks[k].score_by_c) << k;
  }
}

// By network and fold, what a nested search wrote into its journal: the score of every C. The result has that of the
// chosen network only.
std::map<std::string, std::vector<double>> journal_of_nested(const GraphSet& graphs, CrossValidationOptions cv,
                                                             const std::filesystem::path& journal) {
  cv.journal = journal;
  cross_validate(graphs, cv);
  std::map<std::string, std::vector<double>> scores;
  std::ifstream file(journal);
  std::string line;
  std::getline(file, line);  // its head
  while (std::getline(file, line)) {
    const nlohmann::json unit = nlohmann::json::parse(line);
    scores[unit.at("unit")] = unit.at("score_by_C").get<std::vector<double>>();
  }
  return scores;
}

// Every outer fold learns anchors of its own and shares them among the networks: what a network gets must be what it
// gets alone, where there is nobody to share with.
TEST(CrossValidation, SharedWorkOfNestedFoldsChangesNothing) {
  const GraphSet graphs = graphs_with_numbers();
  CrossValidationOptions cv = small_cv(Protocol::nested);
  cv.baselines = false;
  cv.folds = 3;
  cv.networks = related_networks();
  const test::TempDir folder;
  const auto together = journal_of_nested(graphs, cv, folder / "together");
  EXPECT_EQ(together.size(), cv.networks.size() * 3);
  std::map<std::string, std::vector<double>> each_alone;
  for (std::size_t k = 0; k < cv.networks.size(); ++k) {
    CrossValidationOptions alone = cv;
    alone.networks = {cv.networks[k]};
    each_alone.merge(journal_of_nested(graphs, alone, folder / std::to_string(k)));
  }
  EXPECT_EQ(together, each_alone);
  const std::set<std::vector<double>> distinct = [&] {
    std::set<std::vector<double>> values;
    for (const auto& [unit, scores] : together) values.insert(scores);
    return values;
  }();
  EXPECT_EQ(distinct.size(), together.size()) << "networks or folds that could be mistaken for each other";
}

// Also what is to be said of results that come from a journal.
TEST(CrossValidation, AResumedSearchSaysThatAnchorsAreOfASample) {
  const GraphSet graphs = graphs_with_numbers();
  for (const Protocol protocol : {Protocol::nested, Protocol::paper}) {
    CrossValidationOptions cv = small_cv(protocol);
    cv.baselines = false;
    cv.fit.max_nodes = graphs.num_nodes() / 4;
    const test::TempDir folder;
    cv.journal = folder / "journal";
    const CrossValidationResult first = cross_validate(graphs, cv);
    ASSERT_EQ(first.remarks.size(), 1U);
    EXPECT_NE(first.remarks[0].find("sample"), std::string::npos) << first.remarks[0];
    cv.resume = true;
    EXPECT_EQ(cross_validate(graphs, cv).remarks, first.remarks);
  }
}

// What the second fold gets does not depend on what the first one learns from: the same graphs or others.
TEST(CrossValidation, NestedFoldsHaveAnchorsOfTheirOwn) {
  const GraphSet graphs = graphs_with_numbers();
  const Fold others{range(0, 20), range(20, 25)};
  const Fold same{range(25, 45), range(50, 55)};
  const Fold second{range(25, 45), range(45, 50)};
  CrossValidationOptions cv = small_cv(Protocol::nested);
  cv.baselines = false;
  cv.networks = related_networks();
  const test::TempDir folder;
  cv.given_folds = {same, second};
  const auto after_same = journal_of_nested(graphs, cv, folder / "same");
  cv.given_folds = {others, second};
  const auto after_others = journal_of_nested(graphs, cv, folder / "others");
  std::size_t compared = 0;
  for (const auto& [unit, scores] : after_same) {
    if (!unit.ends_with("fold 2")) continue;
    EXPECT_EQ(scores, after_others.at(unit)) << unit;
    ++compared;
  }
  EXPECT_EQ(compared, cv.networks.size());
}

TEST(CrossValidation, SameForAnyNumberOfThreads) {
  const GraphSet graphs = make_motif_set({.graphs = 60, .nodes = 8, .labels = 3, .seed = 3});
  RunOptions one;
  one.threads = 1;
  RunOptions four;
  four.threads = 4;
  const auto a = cross_validate(graphs, small_cv(Protocol::nested), one);
  const auto b = cross_validate(graphs, small_cv(Protocol::nested), four);
  for (std::size_t f = 0; f < a.results.size(); ++f) {
    const FoldPrediction& first = a.results[f].targets[0];
    const FoldPrediction& second = b.results[f].targets[0];
    EXPECT_EQ(first.C, second.C);
    EXPECT_TRUE(std::equal(first.scores.data(), first.scores.data() + first.scores.size(), second.scores.data()));
  }
}

// Chains of four nodes and one of six: paths of four edges are in one graph only.
GraphSet chains(int graphs) {
  GraphSetParts parts;
  parts.targets.kind = Targets::Kind::classes;
  parts.targets.class_names = {"a", "b"};
  for (int g = 0; g < graphs; ++g) {
    const std::uint32_t nodes = g == 0 ? 6 : 4;
    const std::uint32_t first = std::accumulate(parts.graph_sizes.begin(), parts.graph_sizes.end(), 0U);
    parts.graph_sizes.push_back(nodes);
    for (std::uint32_t u = 0; u + 1 < nodes; ++u) {
      parts.edge_from.push_back(first + u);
      parts.edge_to.push_back(first + u + 1);
    }
    parts.targets.class_of_graph.push_back(g % 2);
  }
  return GraphSet(std::move(parts));
}

TEST(CrossValidation, LeavesOutPathsThatAFoldDoesNotHave) {
  const GraphSet graphs = chains(40);
  for (const Protocol protocol : {Protocol::nested, Protocol::paper}) {
    CrossValidationOptions cv = small_cv(protocol);
    cv.networks = {path({.path_length = 5, .filters = 4}), path({.path_length = 2, .filters = 4}),
                   path({.path_length = 6, .filters = 4})};
    const CrossValidationResult result = cross_validate(graphs, cv);
    ASSERT_EQ(result.results.size(), 5U);
    if (protocol == Protocol::nested) {
      // All graphs together have a path of five edges, the training graphs of one fold have not.
      for (const FoldResult& fold : result.results) EXPECT_EQ(fold.network, 1U);
    } else {
      ASSERT_EQ(result.networks.size(), 3U);
      EXPECT_FALSE(std::isnan(result.networks[0].score));
      EXPECT_FALSE(std::isnan(result.networks[1].score));
      EXPECT_TRUE(std::isnan(result.networks[2].score));
      const std::size_t best = result.networks[0].score >= result.networks[1].score ? 0 : 1;
      for (const FoldResult& fold : result.results) EXPECT_EQ(fold.network, best);
    }
    ASSERT_FALSE(result.remarks.empty());
    EXPECT_NE(result.remarks[0].find("edges are left out"), std::string::npos) << result.remarks[0];
    cv.networks = {path({.path_length = 6, .filters = 4})};
    EXPECT_THROW(cross_validate(graphs, cv), InputError) << "none is left";
  }
}

// Chains whose first label is their class, half of each; as easy as can be.
GraphSet easy_graphs(std::uint32_t graphs) {
  GraphSetParts parts;
  parts.targets = test::classes_of_sizes({static_cast<int>(graphs / 2), static_cast<int>(graphs / 2)});
  for (std::uint32_t g = 0; g < graphs; ++g) {
    parts.graph_sizes.push_back(2);
    parts.edge_from.push_back(2 * g);
    parts.edge_to.push_back(2 * g + 1);
    parts.node_labels.push_back(g < graphs / 2 ? 1 : 2);
    parts.node_labels.push_back(0);
  }
  return GraphSet(std::move(parts));
}

const MetricSummary& summary_of(const CrossValidationResult& result, std::size_t method, Metric metric) {
  const std::vector<MetricSummary>& metrics = result.targets[0].methods[method].metrics;
  return *std::ranges::find(metrics, metric, &MetricSummary::metric);
}

// 40 graphs that are all right leave room for one in ten to be wrong, however equal the folds are.
TEST(CrossValidation, PerfectFoldsAreJudgedByTheirGraphs) {
  const GraphSet graphs = easy_graphs(40);
  for (const Protocol protocol : {Protocol::nested, Protocol::paper_repeated}) {
    CrossValidationOptions cv = small_cv(protocol);
    cv.networks = {path({.path_length = 1, .filters = 4})};
    const CrossValidationResult result = cross_validate(graphs, cv);
    const MetricSummary& accuracy = summary_of(result, 0, Metric::accuracy);
    EXPECT_EQ(accuracy.mean, 1);
    EXPECT_EQ(accuracy.deviation, 0);
    EXPECT_NEAR(accuracy.low, std::pow(0.025, 1.0 / 40), 1e-12) << "each graph counts once, however often tested";
    EXPECT_EQ(accuracy.high, 1);
    EXPECT_TRUE(std::isnan(summary_of(result, 0, Metric::roc_auc).low)) << "nothing to judge by";
    const Comparison& majority = result.targets[0].comparisons[0];
    EXPECT_EQ(majority.difference, 0.5);
    EXPECT_NEAR(majority.p_value, 2 * std::pow(0.5, 20), 1e-15) << "20 graphs that one of the two has right";
    EXPECT_TRUE(std::isnan(majority.low));
    EXPECT_EQ(result.targets[0].comparisons[1].p_value, 1) << "the histogram is as good";
    cv.learning.select_by = Metric::mcc;
    EXPECT_TRUE(std::isnan(cross_validate(graphs, cv).targets[0].comparisons[0].p_value));
  }
}

TEST(CrossValidation, ATestListIsJudgedByItsGraphs) {
  const GraphSet graphs = easy_graphs(40);
  CrossValidationOptions cv = small_cv(Protocol::nested);
  cv.networks = {path({.path_length = 1, .filters = 4})};
  const auto with_test = [&](const std::vector<std::uint32_t>& test) {
    Fold fold{{}, test};
    for (std::uint32_t g = 0; g < 40; ++g) {
      if (std::ranges::find(test, g) == test.end()) fold.train.push_back(g);
    }
    cv.given_folds = {fold};
    return cross_validate(graphs, cv);
  };
  const CrossValidationResult ten = with_test({0, 1, 2, 3, 4, 35, 36, 37, 38, 39});
  EXPECT_NEAR(summary_of(ten, 0, Metric::accuracy).low, std::pow(0.025, 0.1), 1e-12);
  EXPECT_EQ(summary_of(ten, 0, Metric::accuracy).high, 1);
  EXPECT_TRUE(std::isnan(summary_of(ten, 0, Metric::mcc).low)) << "all resamples have 1";
  const CrossValidationResult one = with_test({0});
  EXPECT_EQ(summary_of(one, 0, Metric::accuracy).mean, 1);
  for (const MetricSummary& summary : one.targets[0].methods[0].metrics) EXPECT_TRUE(std::isnan(summary.low));
}

// As in training: as many folds as the smallest class has graphs, and the result says so.
TEST(CrossValidation, ASmallClassMakesFewerFolds) {
  GraphSetParts parts = random_parts({.graphs = 20}, 1);
  parts.targets = test::classes_of_sizes({16, 4});
  const CrossValidationResult result = cross_validate(GraphSet(std::move(parts)), small_cv(Protocol::nested));
  EXPECT_EQ(result.folds.size(), 4U);
  ASSERT_FALSE(result.remarks.empty());
  EXPECT_EQ(result.remarks[0], "4 folds instead of 5: class '1' has only 4 graphs");
}

// Two columns; the second is known for two graphs, which a given split tests together.
TEST(CrossValidation, ATargetThatNoTrainingGraphHasIsNotPredicted) {
  GraphSetParts parts = random_parts({.graphs = 30}, 4);
  parts.targets.kind = Targets::Kind::numbers;
  parts.targets.columns = 2;
  for (int g = 0; g < 30; ++g) {
    parts.targets.numbers.push_back(g % 7);
    parts.targets.numbers.push_back(g < 2 ? static_cast<double>(g) : NAN);
  }
  CrossValidationOptions cv = small_cv(Protocol::nested);
  cv.given_folds = {{range(10, 30), range(0, 10)}, {range(0, 20), range(20, 30)}};
  const CrossValidationResult result = cross_validate(GraphSet(std::move(parts)), cv);
  EXPECT_EQ(result.results[0].targets[0].scores.rows(), 10U);
  EXPECT_TRUE(result.results[0].targets[1].graphs.empty());
  EXPECT_EQ(result.results[0].targets[1].scores.rows(), 0U);
  EXPECT_TRUE(std::isnan(result.targets[1].methods[0].metrics[0].by_fold[0]));
}

TEST(CrossValidation, ATestListHasAPairedTest) {
  const GraphSet graphs = make_motif_set({.graphs = 200, .nodes = 10, .labels = 3, .seed = 2});
  CrossValidationOptions cv = small_cv(Protocol::nested);
  cv.given_folds = make_folds(target_columns(graphs, Learner::svm), range(0, 200), 2, 0);
  cv.given_folds.pop_back();
  const CrossValidationResult result = cross_validate(graphs, cv);
  const Comparison& majority = result.targets[0].comparisons[0];
  EXPECT_GT(majority.difference, 0.2);
  EXPECT_LT(majority.p_value, 0.01);
}

// The baselines' C comes from the first split, as ours does, not from the folds that are reported.
TEST(CrossValidation, RepeatsAreAsManyAsAskedFor) {
  const GraphSet graphs = make_motif_set({.graphs = 60, .nodes = 8, .labels = 3, .seed = 3});
  CrossValidationOptions cv = small_cv(Protocol::paper_repeated);
  EXPECT_EQ(cross_validate(graphs, cv).folds.size(), 50U);
  cv.repeats = 1;
  EXPECT_EQ(cross_validate(graphs, cv).folds.size(), 5U);
  cv.repeats = 0;
  EXPECT_THROW(cross_validate(graphs, cv), UsageError);
}

// So that a network chosen by several times ten folds can be reported on others with the same anchors.
TEST(CrossValidation, RepeatedFoldsAreNewToAnySearch) {
  const GraphSet graphs = make_motif_set({.graphs = 60, .nodes = 8, .labels = 3, .seed = 3});
  std::vector<std::vector<std::uint32_t>> searched;
  CrossValidationOptions search = small_cv(Protocol::paper);
  search.repeats = 6;
  for (const Fold& fold : cross_validate(graphs, search).folds) searched.push_back(fold.test);
  EXPECT_EQ(searched.size(), 30U);
  EXPECT_EQ(std::set(searched.begin(), searched.end()).size(), 30U) << "every repeat is another shuffle";
  for (const Fold& fold : cross_validate(graphs, small_cv(Protocol::paper_repeated)).folds) {
    EXPECT_EQ(std::count(searched.begin(), searched.end(), fold.test), 0);
  }
}

// The best constant probabilities are the classes' shares.
TEST(CrossValidation, MajorityHasTheLogLossOfItsShares) {
  GraphSetParts parts = random_parts({.graphs = 100}, 6);
  parts.targets = test::classes_of_sizes({90, 10});
  CrossValidationOptions cv = small_cv(Protocol::paper);
  cv.learning.learner = Learner::logistic;
  const CrossValidationResult result = cross_validate(GraphSet(std::move(parts)), cv);
  const MethodResult& majority = result.targets[0].methods[1];
  EXPECT_EQ(majority.metrics.back().metric, Metric::log_loss);
  EXPECT_NEAR(majority.metrics.back().mean, -0.9 * std::log(0.9) - 0.1 * std::log(0.1), 0.01);
}

// One bar from 0 to the end for everything, from the calling thread.
TEST(CrossValidation, ProgressIsOfTheWhole) {
  const GraphSet graphs = make_motif_set({.graphs = 60, .nodes = 8, .labels = 3, .seed = 3});
  const std::thread::id caller = std::this_thread::get_id();
  for (const Protocol protocol : {Protocol::nested, Protocol::paper, Protocol::paper_repeated}) {
    std::vector<Progress> reports;
    RunOptions options;
    options.progress = [&](const Progress& progress) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      reports.push_back(progress);
      return true;
    };
    cross_validate(graphs, small_cv(protocol), options);
    ASSERT_GE(reports.size(), 2U);
    for (std::size_t i = 0; i < reports.size(); ++i) {
      EXPECT_TRUE(reports[i].is_whole);
      EXPECT_EQ(reports[i].total, reports[0].total);
      EXPECT_GE(reports[i].done, reports[i == 0 ? 0 : i - 1].done);
    }
    EXPECT_LT(reports[reports.size() - 2].done, reports[0].total);
    EXPECT_EQ(reports.back().done, reports.back().total);
  }
}

TEST(CrossValidation, IsCancelledAtOnceAndFromTheCallback) {
  const GraphSet graphs = make_motif_set({.graphs = 300, .nodes = 20, .labels = 3, .seed = 3});
  CrossValidationOptions cv = small_cv(Protocol::nested);
  cv.networks[0].layers[0].filters = 128;
  cv.learning.C = LearningOptions::default_c_grid();
  int asked = 0;
  RunOptions options;
  options.progress = [&](const Progress&) { return ++asked < 2; };
  EXPECT_THROW(cross_validate(graphs, cv, options), Cancelled);
  EXPECT_EQ(asked, 2) << "not asked again once it has said no";
  options.progress = [](const Progress&) -> bool { throw std::runtime_error("of the callback"); };
  EXPECT_THROW(cross_validate(graphs, cv, options), std::runtime_error);
}

// A histogram of 100,000 labels would be a matrix of gigabytes.
TEST(CrossValidation, AHistogramOfTooManyLabelsIsLeftOut) {
  constexpr std::uint32_t kGraphs = 250;
  constexpr std::uint32_t kNodes = 400;
  GraphSetParts parts;
  for (std::uint32_t g = 0; g < kGraphs; ++g) {
    parts.graph_sizes.push_back(kNodes);
    for (std::uint32_t u = 0; u < kNodes; ++u) parts.node_labels.push_back(static_cast<std::int64_t>(g * kNodes + u));
  }
  parts.targets = test::classes_of_sizes({125, 125});
  CrossValidationOptions cv = small_cv(Protocol::paper);
  cv.networks = {path({.path_length = 0, .filters = 4})};
  const CrossValidationResult result = cross_validate(GraphSet(std::move(parts)), cv);
  std::vector<std::string> names;
  for (const MethodResult& method : result.targets[0].methods) names.push_back(method.name);
  EXPECT_EQ(names, (std::vector<std::string>{"gckn", "majority class", "WL optimal assignment"}));
  ASSERT_FALSE(result.remarks.empty());
  EXPECT_EQ(result.remarks[0],
            "the label histogram is left out: 250 graphs times 100000 labels are too many numbers (at most 20000000)");
}

TEST(Splits, FarTooManyFoldsAreRefusedBeforeAnyIsMade) {
  try {
    make_folds(test::column_of_sizes({30, 30}), range(0, 60), 2'000'000'000, 0);  // 48 GB, if they were made
    FAIL() << "must be refused";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "class '0' has 30 graphs, fewer than the 2000000000 folds");
  }
}

TEST(CrossValidation, BadInput) {
  GraphSetParts parts = random_parts({.graphs = 20}, 1);
  EXPECT_THROW(cross_validate(GraphSet(parts), small_cv(Protocol::nested)), InputError) << "no classes";
  parts.targets = test::classes_of_sizes({20});
  EXPECT_THROW(cross_validate(GraphSet(parts), small_cv(Protocol::nested)), InputError) << "one class";
  parts.targets = test::classes_of_sizes({19, 1});
  EXPECT_THROW(cross_validate(GraphSet(parts), small_cv(Protocol::nested)), InputError) << "a class of one graph";
  parts.targets = test::classes_of_sizes({10, 10});
  CrossValidationOptions cv = small_cv(Protocol::nested);
  cv.learning.C = {1, 0.1};
  EXPECT_THROW(cross_validate(GraphSet(parts), cv), UsageError);
  cv.learning.C = {-1};
  EXPECT_THROW(cross_validate(GraphSet(parts), cv), UsageError);
  cv = small_cv(Protocol::nested);
  cv.given_folds = {{{0, 1}, {1, 2}}};
  EXPECT_THROW(cross_validate(GraphSet(parts), cv), InputError) << "a graph in both parts";
  cv.given_folds = {{{0, 1}, {99}}};
  EXPECT_THROW(cross_validate(GraphSet(parts), cv), InputError) << "no such graph";
  cv.given_folds = {{{0, 10}, {1, 11}}, {{0, 10}, {1, 12}}};
  EXPECT_THROW(cross_validate(GraphSet(parts), cv), InputError) << "two folds test a graph";
  cv.given_folds = {{{0, 1}, {11}}};
  EXPECT_THROW(cross_validate(GraphSet(parts), cv), InputError) << "one class to learn from";
}

TEST(SelectGraphs, KeepsWhatGraphsHave) {
  GraphSetParts parts = random_parts({.graphs = 6, .most_nodes = 9, .edge_labels = 2, .attributes = 2}, 11);
  parts.targets = test::classes_of_sizes({3, 3});
  const GraphSet graphs(parts);
  const GraphSet all = select_graphs(graphs, range(0, 6));
  EXPECT_TRUE(std::ranges::equal(all.arcs(), graphs.arcs()));
  EXPECT_TRUE(std::ranges::equal(all.node_attributes(), graphs.node_attributes()));
  EXPECT_TRUE(std::ranges::equal(all.arc_labels(), graphs.arc_labels()));
  const std::vector<std::uint32_t> some{4, 1};
  const GraphSet two = select_graphs(graphs, some);
  ASSERT_EQ(two.num_graphs(), 2U);
  EXPECT_EQ(two.graph_begin(1), graphs.graph_begin(5) - graphs.graph_begin(4));
  EXPECT_EQ(two.targets().class_of_graph, (std::vector<std::int32_t>{1, 0}));
  const std::vector<std::uint32_t> wrong{6};
  EXPECT_THROW(select_graphs(graphs, wrong), InputError);
}

}  // namespace
}  // namespace gckn
