// SPDX-License-Identifier: BSD-3-Clause
// End-to-end training of a model: what it is, what is left of it when it is stopped, and how it goes on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gckn/datasets.h"
#include "gckn/error.h"
#include "gckn/model.h"
#include "gckn/model_file.h"
#include "support/files.h"
#include "support/random_graphs.h"

namespace gckn {
namespace {

using test::expect_input_error;
using test::TempDir;

GraphSet motif_graphs(std::uint64_t seed = 1, std::uint32_t graphs = 80) {
  return make_motif_set({.graphs = graphs, .nodes = 10, .labels = 4, .seed = seed});
}

TrainOptions small_options(int epochs) {
  TrainOptions options;
  options.networks = {subtree({.path_length = 2, .filters = 8})};
  options.supervised = SupervisedOptions{};
  options.supervised->epochs = epochs;
  options.supervised->batch_size = 16;
  return options;
}

// Stops a run once `epochs` epochs are done: by what on_epoch hears, as a person would.
struct StopAfter {
  int epochs;
  int heard = 0;

  TrainOptions listening(TrainOptions options) {
    options.on_epoch = [this](const EpochRecord& record) { heard = record.epoch; };
    return options;
  }
  RunOptions run() {
    RunOptions options;
    options.progress = [this](const Progress&) { return heard < epochs; };
    return options;
  }
};

void expect_same_model(const Model& a, const Model& b) {
  EXPECT_EQ(a.network().layers()[0].anchors, b.network().layers()[0].anchors);
  EXPECT_EQ(a.network().layers()[1].anchors, b.network().layers()[1].anchors);
  EXPECT_TRUE(std::ranges::equal(a.targets()[0].weights.values(), b.targets()[0].weights.values()));
  EXPECT_EQ(a.targets()[0].bias, b.targets()[0].bias);
}

void expect_to_predict_and_be_saved(bool standardised) {
  const GraphSet graphs = motif_graphs();
  TrainOptions options = small_options(30);
  options.learning.learner = Learner::logistic;
  options.supervised->standardised = standardised;
  const TrainResult result = train(graphs, options);
  EXPECT_EQ(result.history.size(), 30U);
  EXPECT_EQ(result.model.record().epochs, 30U);
  const Predictions predictions = result.model.predict(graphs);
  std::size_t right = 0;
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    right += predictions.targets[0].predicted[g] == graphs.targets().class_of_graph[g] ? 1 : 0;
  }
  EXPECT_GT(right, 72U);
  const TempDir folder;
  save_model(result.model, folder / "model.gckn");
  const Model loaded = load_model(folder / "model.gckn");
  expect_same_model(result.model, loaded);
  EXPECT_EQ(loaded.record(), result.model.record());
  EXPECT_TRUE(std::ranges::equal(loaded.predict(graphs).targets[0].probabilities.values(),
                                 predictions.targets[0].probabilities.values()));
}

TEST(SupervisedModel, PredictsAndIsSavedAsAnyOther) {
  expect_to_predict_and_be_saved(false);
}

TEST(SupervisedModel, PredictsAndIsSavedWithStandardisedVectors) {
  expect_to_predict_and_be_saved(true);
}

TEST(SupervisedModel, SeveralCandidatesAreChosenAmong) {
  const GraphSet graphs = motif_graphs(2, 60);
  TrainOptions options = small_options(4);
  options.networks.push_back(path({.path_length = 2, .filters = 8}));
  options.supervised->penalties = {1e-2, 1e-4};
  options.folds = 3;
  const TrainResult result = train(graphs, options);
  EXPECT_TRUE(result.searched);
  EXPECT_EQ(result.model.record().candidates, 4U);
  EXPECT_EQ(result.model.record().epochs, static_cast<std::uint64_t>(result.search.results[0].epochs));
  EXPECT_EQ(result.model.record().penalty, result.search.results[0].penalty);
  EXPECT_EQ(result.model.network().layers().size(), options.networks[result.network].layers.size());
  EXPECT_FALSE(result.model.targets()[0].calibration.empty());
}

TEST(SupervisedModel, TheBestEpochOnTheValidationPartIsKept) {
  const GraphSet graphs = motif_graphs();
  TrainOptions options = small_options(25);
  options.validation = 0.25;
  const TrainResult result = train(graphs, options);
  EXPECT_EQ(result.model.record().validation_graphs, 20U);
  double best = -1;
  double loss = 0;
  std::uint64_t epoch = 0;
  for (const EpochRecord& record : result.history) {
    ASSERT_TRUE(record.validation_figure && record.validation_loss);
    if (*record.validation_figure > best || (*record.validation_figure == best && *record.validation_loss < loss)) {
      best = *record.validation_figure;
      loss = *record.validation_loss;
      epoch = static_cast<std::uint64_t>(record.epoch);
    }
  }
  EXPECT_EQ(result.model.record().epochs, epoch);
  EXPECT_FALSE(result.model.targets()[0].calibration.empty());  // from the validation part
  options.patience = 3;
  const TrainResult patient = train(graphs, options);
  EXPECT_LE(patient.history.size(), result.history.size());
  EXPECT_TRUE(patient.history.size() == 25 || patient.history.size() == patient.model.record().epochs + 3);
}

TEST(SupervisedModel, ACheckpointGoesOnToTheSameBits) {
  constexpr int kEpochs = 400;  // long enough for the calling thread to say something meanwhile
  const GraphSet graphs = motif_graphs(1, 40);
  for (const auto& [validation, standardised] : {std::pair(0.0, true), {0.2, false}}) {
    TrainOptions options = small_options(kEpochs);
    options.validation = validation;
    options.supervised->standardised = standardised;
    const TrainResult whole = train(graphs, options);
    const TempDir folder;
    options.checkpoint = folder / "training.state";
    options.checkpoint_every = 30;
    StopAfter stop{5};
    const TrainResult part = train(graphs, stop.listening(options), stop.run());
    EXPECT_TRUE(part.interrupted);
    EXPECT_GE(part.history.size(), 5U);
    EXPECT_LT(part.history.size(), kEpochs);
    options.resume = true;
    RunOptions run;
    run.threads = 3;
    const TrainResult rest = train(graphs, options, run);
    EXPECT_FALSE(rest.interrupted);
    EXPECT_EQ(rest.history, whole.history);
    expect_same_model(rest.model, whole.model);
    // A training that has ended can go on for more epochs.
    options.supervised->epochs = kEpochs + 2;
    EXPECT_EQ(train(graphs, options).history.size(), kEpochs + 2);
    options.supervised->epochs = kEpochs;
    expect_input_error([&] { (void)train(graphs, options); }, {"402 epochs already", "400 are asked for"});
  }
}

TEST(SupervisedModel, ACheckpointOfAnotherTrainingIsRefused) {
  const GraphSet graphs = motif_graphs();
  TrainOptions options = small_options(2);
  const TempDir folder;
  options.checkpoint = folder / "training.state";
  (void)train(graphs, options);
  expect_input_error([&] { (void)train(graphs, options); }, {"training.state exists", "resume"});
  options.resume = true;
  const auto refuses = [&](const std::string& what, const auto& change) {
    TrainOptions other = options;
    change(other);
    expect_input_error([&] { (void)train(graphs, other); }, {"of another training", what});
  };
  refuses("\"penalty\" is 0.0001, here it is 0.001", [](TrainOptions& o) { o.supervised->penalties = {1e-3}; });
  refuses("\"learning_rate\"", [](TrainOptions& o) { o.supervised->learning_rate = 0.02; });
  refuses("\"batch_size\"", [](TrainOptions& o) { o.supervised->batch_size = 8; });
  refuses("\"standardised\"", [](TrainOptions& o) { o.supervised->standardised = true; });
  refuses("\"seed\"", [](TrainOptions& o) { o.seed = 3; });
  refuses("\"learner\"", [](TrainOptions& o) { o.learning.learner = Learner::logistic; });
  refuses("\"validation\"", [](TrainOptions& o) { o.validation = 0.3; });
  refuses("\"network\"", [](TrainOptions& o) { o.networks[0].layers[0].sigma = 1; });
  expect_input_error([&] { (void)train(motif_graphs(9), options); }, {"of another training", "\"fingerprint\""});
  // No checkpoint at all, and one that was damaged.
  folder.write("training.state", "nothing");
  expect_input_error([&] { (void)train(graphs, options); }, {"training.state"});
  save_model(train(graphs, small_options(1)).model, folder / "training.state");
  expect_input_error([&] { (void)train(graphs, options); }, {"training.state", "no checkpoint"});
}

TEST(SupervisedModel, DivergenceKeepsTheLastGoodModel) {
  const GraphSet graphs = motif_graphs();
  TrainOptions options = small_options(4);
  options.supervised->learning_rate = 1e200;
  const TrainResult result = train(graphs, options);
  EXPECT_NE(result.diverged.find("epoch 1, batch"), std::string::npos) << result.diverged;
  EXPECT_EQ(result.model.record().epochs, 0U);
  const Predictions predictions = result.model.predict(graphs);
  for (const double score : predictions.targets[0].scores.values()) EXPECT_TRUE(std::isfinite(score));
}

TEST(SupervisedModel, CancelledBeforeTheFirstEpochThereIsNoModel) {
  StopAfter stop{0};
  EXPECT_THROW((void)train(motif_graphs(1, 20'000), stop.listening(small_options(5)), stop.run()), Cancelled);
}

// Every class has its share, as near as can be.
TEST(SupervisedModel, TheValidationPartHasItsShare) {
  const GraphSet graphs = motif_graphs(1, 60);
  for (const double share : {0.05, 0.3, 0.4, 0.45, 0.7, 0.95}) {
    TrainOptions options = small_options(1);
    options.validation = share;
    EXPECT_NEAR(static_cast<double>(train(graphs, options).model.record().validation_graphs), 60 * share, 1) << share;
  }
}

// A dense graph of equal nodes: the number of its paths passes what a pattern's multiplicity can count.
TEST(SupervisedModel, AGraphOfTooManyPathsIsRefused) {
  GraphSetParts parts;
  parts.graph_sizes = {200, 3};
  for (std::uint32_t u = 0; u < 200; ++u) {
    for (std::uint32_t v = u + 1; v < 200; ++v) {
      parts.edge_from.push_back(u);
      parts.edge_to.push_back(v);
    }
  }
  parts.node_labels.assign(203, 1);
  parts.targets.kind = Targets::Kind::classes;
  parts.targets.class_names = {"dense", "empty"};
  parts.targets.class_of_graph = {0, 1};
  TrainOptions options = small_options(1);
  options.networks = {subtree({.path_length = 6, .filters = 4})};
  expect_input_error([&] { (void)train(GraphSet(std::move(parts)), options); }, {"too many paths"});
}

TEST(SupervisedModel, RefusesWhatMakesNoSense) {
  const GraphSet graphs = motif_graphs(1, 20);
  const auto refuses = [&](const auto& change) {
    TrainOptions options = small_options(2);
    change(options);
    EXPECT_THROW((void)train(graphs, options), UsageError);
  };
  refuses([](TrainOptions& o) { o.validation = 1; });
  refuses([](TrainOptions& o) { o.validation = -0.1; });
  refuses([](TrainOptions& o) { o.patience = 5; });  // without a validation part
  refuses([](TrainOptions& o) { o.patience = -1; });
  refuses([](TrainOptions& o) { o.checkpoint_every = 0; });
  refuses([](TrainOptions& o) { o.supervised->epochs = 0; });
  refuses([](TrainOptions& o) { o.networks[0].layers[0].pooling = Pooling::gmp; });
  TrainOptions options = small_options(2);
  options.validation = 0.001;
  expect_input_error([&] { (void)train(graphs, options); }, {"a part of 0.001", "empty"});
}

TEST(SupervisedModel, AClassThatThePartsCannotShareIsNamed) {
  GraphSetParts parts = random_parts({.graphs = 30, .most_nodes = 8}, 2);
  parts.targets.kind = Targets::Kind::classes;
  parts.targets.class_names = {"common", "frequent", "rare"};
  for (std::uint32_t g = 0; g < 30; ++g)
    parts.targets.class_of_graph.push_back(g == 7 ? 2 : static_cast<std::int32_t>(g % 2));
  const GraphSet graphs(std::move(parts));
  TrainOptions options = small_options(2);
  options.validation = 0.2;
  expect_input_error([&] { (void)train(graphs, options); }, {"rare"});
  options.validation = 0;
  EXPECT_EQ(train(graphs, options).history.size(), 2U);
}

}  // namespace
}  // namespace gckn
