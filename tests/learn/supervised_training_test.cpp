// SPDX-License-Identifier: BSD-3-Clause
// End-to-end training epoch by epoch, and its cross-validation.
#include "learn/supervised_training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "gckn/cross_validation.h"
#include "gckn/datasets.h"
#include "gckn/error.h"
#include "learn/linear_model.h"
#include "support/class_targets.h"
#include "support/files.h"
#include "support/random_graphs.h"
#include "util/parallel.h"

namespace gckn {
namespace {

GraphSet motif(std::uint32_t graphs = 80) {
  return make_motif_set({.graphs = graphs, .nodes = 10, .labels = 4, .seed = 3});
}

SupervisedOptions few_epochs(int epochs, bool standardised = false) {
  SupervisedOptions options;
  options.epochs = epochs;
  options.batch_size = 8;
  options.standardised = standardised;
  return options;
}

// A training on all graphs, with what it refers to.
struct Case {
  explicit Case(const GraphSet& graphs, const SupervisedOptions& options = few_epochs(3), double penalty = 1e-3,
                const LearningOptions& learning = {}, NetworkConfig config = subtree({.path_length = 2, .filters = 8}))
      : experiment(make_experiment(graphs, learning)), patterns(graphs) {
    AnchorStore<float> anchors;
    const CompiledSet compiled = patterns.compile(config, {});
    start.emplace(fit_on_and_embed(graphs, config, {}, compiled, {}, anchors, {}));
    std::vector<std::uint32_t> all(graphs.num_graphs());
    std::iota(all.begin(), all.end(), 0U);
    training.emplace(SupervisedTraining::Setup{&experiment, options, penalty, 5, all}, *start,
                     patterns.compile_for_training(config, {}));
    training->fit_linear_models(start->vectors, {});
  }

  Experiment experiment;
  SharedPatterns patterns;
  std::optional<FittedNetwork> start;
  std::optional<SupervisedTraining> training;
};

void expect_same_bits(const TrainingState& a, const TrainingState& b) {
  EXPECT_EQ(a.epoch, b.epoch);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.parameters.anchors, b.parameters.anchors);
  EXPECT_TRUE(std::ranges::equal(a.parameters.weights.values(), b.parameters.weights.values()));
  EXPECT_EQ(a.parameters.bias, b.parameters.bias);
  EXPECT_EQ(a.anchor_moments, b.anchor_moments);
  EXPECT_EQ(a.weight_moments, b.weight_moments);
  EXPECT_EQ(a.bias_moments, b.bias_moments);
}

std::vector<std::uint32_t> numbers_below(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

// The start is the optimum of the linear model: no small change of a weight makes the objective smaller.
TEST(SupervisedTraining, BeginsAtTheOptimumOfTheLinearModel) {
  const GraphSet graphs = motif();
  for (const auto& [learner, standardised] :
       {std::pair(Learner::svm, false), {Learner::logistic, false}, {Learner::svm, true}, {Learner::logistic, true}}) {
    LearningOptions learning;
    learning.learner = learner;
    constexpr double kPenalty = 1e-2;
    Case c(graphs, few_epochs(1, standardised), kPenalty, learning);
    const std::vector<std::uint32_t> all = numbers_below(graphs.num_graphs());
    TrainedParameters parameters = c.training->state().parameters;
    const auto objective = [&](const TrainedParameters& at) {
      c.training->restore(at);
      double penalty = at.bias[0] * at.bias[0];  // which the learners penalise, too
      for (const double weight : at.weights.values()) penalty += weight * weight;
      return c.training->loss(all, c.training->scores(all)) + 0.5 * kPenalty * penalty;
    };
    const double best = objective(parameters);
    for (std::size_t k = 0; k < parameters.weights.size(); k += 3) {
      for (const double step : {-1e-3, 1e-3}) {
        TrainedParameters moved = parameters;
        moved.weights.data()[k] += step;
        EXPECT_GT(objective(moved), best - 1e-9) << to_string(learner) << " " << standardised << " " << k;
      }
    }
  }
}

TEST(SupervisedTraining, LossFallsAndAnchorsStayUnitVectors) {
  const GraphSet graphs = motif();
  Case c(graphs, few_epochs(60));
  std::vector<double> losses;
  for (int epoch = 1; epoch <= 60; ++epoch) {
    const EpochRecord record = c.training->run_epoch({});
    EXPECT_EQ(record.epoch, epoch);
    EXPECT_DOUBLE_EQ(record.learning_rate, epoch <= 50 ? 0.01 : 0.005);
    losses.push_back(record.loss);
  }
  EXPECT_LT(losses.back(), 0.3 * *std::ranges::max_element(losses));
  const Network network = c.training->network();
  for (const BasicLayer<float>& layer : network.layers()) {
    for (std::size_t k = 0; k < layer.anchors.size(); k += layer.input_width) {
      double square = 0;
      for (std::size_t i = 0; i < layer.input_width; ++i) square += std::pow(layer.anchors[k + i], 2);
      EXPECT_NEAR(square, 1, 1e-5);
    }
  }
  EXPECT_NE(network.layers()[0].anchors, c.start->network.layers()[0].anchors);
}

TEST(SupervisedTraining, TenStepsHaveTheSameBitsForAnyNumberOfThreads) {
  const GraphSet graphs = motif();
  std::optional<TrainingState> expected;
  for (const int threads : {1, 2, 5}) {
    RunOptions options;
    options.threads = threads;
    const ThreadScope scope(options);
    Case c(graphs);
    c.training->run_epoch({});  // of ten batches
    if (!expected) expected = c.training->state();
    EXPECT_EQ(c.training->state().step, 10U);
    expect_same_bits(*expected, c.training->state());
    const OneThread alone;
    Case sequential(graphs);
    sequential.training->run_epoch({});
    expect_same_bits(*expected, sequential.training->state());
  }
}

TEST(SupervisedTraining, GoesOnFromAStateToTheSameBits) {
  const GraphSet graphs = motif();
  Case whole(graphs);
  Case second(graphs);
  whole.training->run_epoch({});
  second.training->restore(whole.training->state());
  for (int epoch = 2; epoch <= 3; ++epoch) {
    EXPECT_EQ(whole.training->run_epoch({}), second.training->run_epoch({}));
  }
  expect_same_bits(whole.training->state(), second.training->state());
}

// The scores of a training are those of the model that it makes.
TEST(SupervisedTraining, ScoresAreThoseOfTheNetworkAndWeights) {
  const GraphSet graphs = motif(30);
  for (const bool standardised : {false, true}) {
    Case c(graphs, few_epochs(3, standardised));
    c.training->run_epoch({});
    const std::vector<DoubleMatrix> scores = c.training->scores(numbers_below(30));
    const Matrix vectors = c.training->network().embed(graphs);
    const DoubleMatrix weights = c.training->weights(0);
    const Standardiser& standardiser = c.training->standardiser();
    for (std::size_t g = 0; g < 30; ++g) {
      double expected = c.training->bias(0)[0];
      for (std::size_t k = 0; k < weights.cols(); ++k) {
        expected += weights(0, k) * (static_cast<double>(vectors(g, k)) - standardiser.mean[k]) / standardiser.scale[k];
      }
      EXPECT_NEAR(scores[0](g, 0), expected, 1e-3 * std::max(1.0, std::abs(expected)));
    }
  }
}

// W' (x - m) / s + b' with W' = W s and b' = b + W m is the same function of the anchors as W x + b, so the first step
// of Adam, which knows little more of a gradient than its sign, moves them alike.
TEST(SupervisedTraining, GradientsOfAnchorsGoThroughTheStandardisedColumns) {
  const GraphSet graphs = motif(30);
  const auto with = [&](bool standardised) {
    SupervisedOptions options = few_epochs(1, standardised);
    options.batch_size = 30;
    return Case(graphs, options, 1e-9);
  };
  Case plain = with(false);
  Case scaled = with(true);
  TrainedParameters parameters = plain.training->state().parameters;
  const Standardiser& standardiser = scaled.training->standardiser();
  double largest = 0;
  for (std::size_t k = 0; k < parameters.weights.cols(); ++k) {
    parameters.bias[0] += parameters.weights(0, k) * standardiser.mean[k];
    parameters.weights(0, k) *= standardiser.scale[k];
    largest = std::max(largest, std::abs(standardiser.scale[k] - 1));
  }
  EXPECT_GT(largest, 0.1);  // otherwise both are the same
  scaled.training->restore(parameters);
  const double loss = plain.training->run_epoch({}).loss;
  EXPECT_NEAR(scaled.training->run_epoch({}).loss, loss, 1e-3 * loss);
  std::size_t different = 0;
  std::size_t all = 0;
  for (std::size_t j = 0; j < 2; ++j) {
    const std::vector<float>& start = plain.start->network.layers()[j].anchors;
    const std::vector<float>& a = plain.training->state().parameters.anchors[j];
    const std::vector<float>& b = scaled.training->state().parameters.anchors[j];
    EXPECT_NE(a, start);
    all += a.size();
    for (std::size_t k = 0; k < a.size(); ++k) different += std::abs(a[k] - b[k]) > 1e-3F ? 1 : 0;
  }
  EXPECT_LT(different * 20, all);  // where a gradient is next to 0 its sign is rounding
}

// Two targets of numbers, the second missing now and then.
GraphSet counting_set() {
  GraphSetParts parts = random_parts({.graphs = 60, .most_nodes = 10}, 4);
  parts.targets.kind = Targets::Kind::numbers;
  parts.targets.columns = 2;
  for (std::size_t g = 0; g < parts.graph_sizes.size(); ++g) {
    parts.targets.numbers.push_back(1000.0 * parts.graph_sizes[g]);
    parts.targets.numbers.push_back(g % 4 == 0 ? NAN : -0.01 * parts.graph_sizes[g] + 7);
  }
  return GraphSet(std::move(parts));
}

TEST(SupervisedTraining, NumbersOfAnySizeWithMissingOnes) {
  const GraphSet graphs = counting_set();
  SupervisedOptions options = few_epochs(80);
  options.learning_rate = 0.003;
  Case c(graphs, options);
  for (int epoch = 0; epoch < 80; ++epoch) c.training->run_epoch({});
  const std::vector<DoubleMatrix> scores = c.training->scores(numbers_below(60));
  EXPECT_EQ(scores[0].rows(), 60U);
  EXPECT_EQ(scores[1].rows(), 45U);
  const std::vector<std::uint32_t> present = c.experiment.targets[1].present(numbers_below(60));
  double worst[2] = {0, 0};
  for (std::size_t i = 0; i < 60; ++i) {
    worst[0] = std::max(worst[0], std::abs(scores[0](i, 0) - c.experiment.targets[0].number_of_graph[i]));
  }
  for (std::size_t i = 0; i < 45; ++i) {
    worst[1] = std::max(worst[1], std::abs(scores[1](i, 0) - c.experiment.targets[1].number_of_graph[present[i]]));
  }
  EXPECT_LT(worst[0], 1500);  // of 10,000
  EXPECT_LT(worst[1], 0.015);
}

// A graph of weight 2 counts as two graphs: the batch of all of them has the same gradient, so the same first step.
TEST(SupervisedTraining, WeightsOfGraphsScaleTheirLoss) {
  const GraphSet graphs = motif(12);
  SupervisedOptions options = few_epochs(1);
  options.batch_size = 12;
  LearningOptions twice;
  twice.graph_weights.assign(12, 2.0);
  Case single(graphs, options, 1e-3);
  Case doubled(graphs, options, 2e-3, twice);
  EXPECT_NEAR(2 * single.training->run_epoch({}).loss, doubled.training->run_epoch({}).loss, 1e-5);
  LearningOptions balanced;
  balanced.balanced = true;
  Case even(graphs, options, 1e-3, balanced);  // the classes are of equal size
  EXPECT_NEAR(even.training->run_epoch({}).loss, Case(graphs, options, 1e-3).training->run_epoch({}).loss, 1e-6);
}

TEST(SupervisedTraining, DivergenceNamesEpochAndBatch) {
  const GraphSet graphs = motif();
  SupervisedOptions options = few_epochs(5);
  options.learning_rate = 1e200;
  Case c(graphs, options);
  try {
    for (int epoch = 0; epoch < 5; ++epoch) c.training->run_epoch({});
    FAIL() << "it goes on with numbers that are none";
  } catch (const TrainingDiverged& error) {
    EXPECT_NE(std::string(error.what()).find("epoch 1, batch"), std::string::npos) << error.what();
  }
}

TEST(SupervisedTraining, RefusesOptionsThatMakeNoSense) {
  const auto refuses = [](const auto& change) {
    SupervisedOptions options;
    change(options);
    EXPECT_THROW(validate(options, {}), UsageError);
  };
  EXPECT_NO_THROW(validate({}, {subtree({})}));
  EXPECT_THROW(validate({}, {subtree({}), states(2)}), UsageError);
  NetworkConfig gaussian = subtree({});
  gaussian.head = Head::gaussian;
  EXPECT_THROW(validate({}, {gaussian}), UsageError);
  refuses([](SupervisedOptions& o) { o.epochs = 0; });
  refuses([](SupervisedOptions& o) { o.batch_size = 0; });
  refuses([](SupervisedOptions& o) { o.learning_rate = 0; });
  refuses([](SupervisedOptions& o) { o.learning_rate = NAN; });
  refuses([](SupervisedOptions& o) { o.halve_every = 0; });
  refuses([](SupervisedOptions& o) { o.selection_folds = 0; });
  refuses([](SupervisedOptions& o) { o.penalties = {}; });
  refuses([](SupervisedOptions& o) { o.penalties = {1e-3, -1}; });
}

CrossValidationOptions small_cv(Protocol protocol) {
  CrossValidationOptions cv;
  cv.protocol = protocol;
  cv.networks = {subtree({.path_length = 2, .filters = 8})};
  cv.supervised = few_epochs(6);
  cv.supervised->penalties = {1e-2, 1e-4};
  cv.folds = 4;
  cv.baselines = false;
  return cv;
}

TEST(SupervisedCrossValidation, PaperTakesTheEpochWithTheBestMean) {
  const GraphSet graphs = motif();
  const CrossValidationResult result = cross_validate(graphs, small_cv(Protocol::paper));
  ASSERT_EQ(result.networks.size(), 2U);  // one network, two penalties
  double best = -1;
  int epoch = 0;
  double penalty = 0;
  for (const NetworkScore& candidate : result.networks) {
    ASSERT_EQ(candidate.score_by_c.size(), 6U);
    for (std::size_t e = 0; e < 6; ++e) {
      if (candidate.score_by_c[e] > best + 1e-9) {
        best = candidate.score_by_c[e];
        epoch = static_cast<int>(e) + 1;
        penalty = candidate.penalty;
      }
    }
  }
  EXPECT_EQ(result.results[0].epochs, epoch);
  EXPECT_EQ(result.results[0].penalty, penalty);
  EXPECT_NEAR(result.targets[0].methods[0].metrics[0].mean, best, 1e-12);
  EXPECT_TRUE(result.optimistic);
}

TEST(SupervisedCrossValidation, SameResultForAnyNumberOfThreads) {
  const GraphSet graphs = motif();
  for (const Protocol protocol : {Protocol::paper, Protocol::nested}) {
    std::vector<CrossValidationResult> results;
    for (const int threads : {1, 3, 16}) {  // folds side by side, and one after the other
      RunOptions options;
      options.threads = threads;
      results.push_back(cross_validate(graphs, small_cv(protocol), options));
    }
    for (std::size_t f = 0; f < results[0].results.size(); ++f) {
      for (std::size_t i = 1; i < results.size(); ++i) {
        EXPECT_EQ(results[0].results[f].epochs, results[i].results[f].epochs);
        EXPECT_TRUE(std::ranges::equal(results[0].results[f].targets[0].scores.values(),
                                       results[i].results[f].targets[0].scores.values()));
      }
    }
  }
}

// Other classes of the test graphs change no prediction.
TEST(SupervisedCrossValidation, NestedDoesNotLookAtTestGraphs) {
  CrossValidationOptions cv = small_cv(Protocol::nested);
  Fold fold;
  for (std::uint32_t g = 0; g < 80; ++g) (g % 4 == 0 ? fold.test : fold.train).push_back(g);
  cv.given_folds = {fold};
  std::vector<DoubleMatrix> scores;
  for (const bool other_classes : {false, true}) {
    GraphSetParts parts = random_parts({.graphs = 80, .most_nodes = 10}, 6);
    parts.targets = test::classes_of_sizes({40, 40});
    for (const std::uint32_t g : fold.test) {
      if (other_classes) parts.targets.class_of_graph[g] = 1 - parts.targets.class_of_graph[g];
    }
    scores.push_back(cross_validate(GraphSet(std::move(parts)), cv).results[0].targets[0].scores);
  }
  EXPECT_EQ(scores[0].rows(), 20U);
  EXPECT_TRUE(std::ranges::equal(scores[0].values(), scores[1].values()));
}

TEST(SupervisedCrossValidation, PaperRepeatedAndJournal) {
  const GraphSet graphs = motif(40);
  CrossValidationOptions cv = small_cv(Protocol::paper_repeated);
  cv.supervised = few_epochs(3);
  cv.repeats = 2;
  const test::TempDir folder;
  cv.journal = folder / "journal";
  const CrossValidationResult result = cross_validate(graphs, cv);
  EXPECT_EQ(result.folds.size(), 8U);
  cv.resume = true;
  const CrossValidationResult again = cross_validate(graphs, cv);
  for (std::size_t f = 0; f < 8; ++f) {
    EXPECT_TRUE(
        std::ranges::equal(result.results[f].targets[0].scores.values(), again.results[f].targets[0].scores.values()));
  }
  cv.supervised->learning_rate = 0.02;
  test::expect_input_error([&] { cross_validate(graphs, cv); }, {"another experiment", "supervised"});
}

TEST(SupervisedCrossValidation, TrainingsThatDivergeAtOnceHaveNoFigure) {
  const GraphSet graphs = motif(40);
  CrossValidationOptions cv = small_cv(Protocol::paper);
  cv.supervised->learning_rate = 1e200;
  try {
    cross_validate(graphs, cv);
    FAIL() << "a figure of trainings that failed";
  } catch (const TrainingDiverged& error) {
    EXPECT_NE(std::string(error.what()).find("epoch 1, batch"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace gckn
