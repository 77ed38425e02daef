// SPDX-License-Identifier: BSD-3-Clause
// Training, predicting, and models on disk.
#include "gckn/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "gckn/datasets.h"
#include "gckn/error.h"
#include "gckn/model_file.h"
#include "io/safetensors.h"
#include "support/files.h"
#include "support/random_graphs.h"
#include "util/random.h"

namespace gckn {
namespace {

GraphSet motif(std::uint64_t seed, std::uint32_t graphs = 120) {
  return make_motif_set({.graphs = graphs, .nodes = 12, .labels = 4, .seed = seed});
}

TrainOptions small_options(Learner learner = Learner::automatic) {
  TrainOptions options;
  options.networks = {subtree({.path_length = 2, .filters = 16})};
  options.learning.learner = learner;
  options.learning.C = {0.01, 0.1, 1};
  return options;
}

// Random graphs whose targets are the number of nodes with label 0, and minus that; the second is missing now and then.
GraphSet counting_set(std::uint64_t seed) {
  GraphSetParts parts = random_parts({.graphs = 150, .most_nodes = 12}, seed);
  parts.targets.kind = Targets::Kind::numbers;
  parts.targets.columns = 2;
  std::size_t node = 0;
  for (std::size_t g = 0; g < parts.graph_sizes.size(); ++g) {
    double count = 0.5;
    for (std::uint32_t u = 0; u < parts.graph_sizes[g]; ++u)
      count += parts.node_labels[node++] == parts.node_labels[0] ? 1 : 0;
    parts.targets.numbers.push_back(count);
    parts.targets.numbers.push_back(g % 4 == 0 ? NAN : -count);
  }
  return GraphSet(std::move(parts));
}

double accuracy(const Predictions& predictions, const GraphSet& graphs) {
  double right = 0;
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    const std::int32_t label = predictions.targets[0].predicted[g];
    right += predictions.targets[0].class_names[static_cast<std::size_t>(label)] ==
                     graphs.targets().class_names[static_cast<std::size_t>(graphs.targets().class_of_graph[g])]
                 ? 1
                 : 0;
  }
  return right / static_cast<double>(graphs.num_graphs());
}

TEST(Train, PredictsGraphsItHasNotSeen) {
  const GraphSet seen = motif(1);
  const GraphSet unseen = motif(2);
  for (const Learner learner : {Learner::svm, Learner::logistic}) {
    const TrainResult result = train(seen, small_options(learner));
    EXPECT_TRUE(result.searched);
    const Predictions predictions = result.model.predict(unseen);
    ASSERT_EQ(predictions.graphs, unseen.num_graphs());
    EXPECT_GT(accuracy(predictions, unseen), 0.75);
    const DoubleMatrix& probability = predictions.targets[0].probabilities;
    double log_loss = 0;
    for (std::size_t g = 0; g < unseen.num_graphs(); ++g) {
      EXPECT_NEAR(probability(g, 0) + probability(g, 1), 1.0, 1e-12);
      log_loss -= std::log(probability(g, static_cast<std::size_t>(unseen.targets().class_of_graph[g])));
    }
    EXPECT_LT(log_loss / static_cast<double>(unseen.num_graphs()), 0.6) << "of a coin it is 0.69";
  }
}

TEST(Train, SeveralNumbersWithMissingOnes) {
  const GraphSet graphs = counting_set(3);
  const TrainResult result = train(graphs, small_options());
  ASSERT_EQ(result.model.targets().size(), 2U);
  EXPECT_EQ(result.model.learner(), Learner::ridge);
  const Predictions predictions = result.model.predict(graphs);
  for (std::size_t t = 0; t < 2; ++t) {
    EXPECT_TRUE(predictions.targets[t].predicted.empty());
    EXPECT_TRUE(predictions.targets[t].probabilities.empty());
    double error = 0;
    double variance = 0;
    for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
      const double truth = (t == 0 ? 1 : -1) * graphs.targets().numbers[2 * g];
      error += std::pow(predictions.targets[t].scores(g, 0) - truth, 2);
      variance += std::pow(truth, 2);
    }
    EXPECT_LT(error, 0.1 * variance) << t;
  }
}

TEST(Train, SeveralClasses) {
  GraphSetParts parts = random_parts({.graphs = 90, .most_nodes = 10}, 7);
  parts.targets.kind = Targets::Kind::classes;
  parts.targets.class_names = {"few", "many", "some"};
  for (const std::uint32_t nodes : parts.graph_sizes) {
    parts.targets.class_of_graph.push_back(nodes < 4 ? 0 : nodes > 7 ? 1 : 2);
  }
  const GraphSet graphs(std::move(parts));
  for (const Learner learner : {Learner::svm, Learner::logistic}) {
    const Predictions predictions = train(graphs, small_options(learner)).model.predict(graphs);
    EXPECT_EQ(predictions.targets[0].scores.cols(), 3U);
    EXPECT_GT(accuracy(predictions, graphs), 0.8);
    for (std::size_t g = 0; g < 90; ++g) {
      double sum = 0;
      for (std::size_t c = 0; c < 3; ++c) sum += predictions.targets[0].probabilities(g, c);
      EXPECT_NEAR(sum, 1.0, 1e-12);
    }
  }
}

TEST(Train, TheBestOfSeveralNetworksIsTaken) {
  TrainOptions options = small_options();
  options.networks = {path({.path_length = 0, .filters = 4}), subtree({.path_length = 2, .filters = 16})};
  const TrainResult result = train(motif(4), options);
  EXPECT_EQ(result.network, 1U) << "single labels say little about a motif";
  EXPECT_EQ(result.model.network().layers().size(), 2U);
}

// The network comes from the search, which shares patterns and anchors between candidates. It is the one that fitting
// it alone gives, to the bit, and so are the vectors that the linear model was trained on.
TEST(Train, TheNetworkIsThatOfAFitOfItsOwn) {
  const test::TempDir folder;
  const GraphSet graphs = motif(8, 60);
  TrainOptions options = small_options();
  options.networks.clear();
  for (const double sigma : {0.4, 1.0}) {
    for (const int filters : {8, 16}) {
      options.networks.push_back(three_layer({.path_length = 2, .filters = filters, .sigma = sigma}));
      options.networks.push_back(subtree({.path_length = 3, .filters = filters, .sigma = sigma}));
    }
  }
  options.seed = 5;
  options.journal = folder.path() / "journal";
  const TrainResult result = train(graphs, options);
  FitOptions fit;
  fit.seed = options.seed;
  const auto [network, vectors] = fit_and_embed(graphs, options.networks[result.network], fit);
  save_network(result.model.network(), folder.path() / "searched.gckn");
  save_network(network, folder.path() / "alone.gckn");
  EXPECT_EQ(test::read_text(folder.path() / "searched.gckn"), test::read_text(folder.path() / "alone.gckn"));

  // A search that is resumed when it is over fits the chosen network only, and alone.
  options.resume = true;
  const TrainResult resumed = train(graphs, options);
  save_model(result.model, folder.path() / "first.gckn");
  save_model(resumed.model, folder.path() / "resumed.gckn");
  EXPECT_EQ(test::read_text(folder.path() / "first.gckn"), test::read_text(folder.path() / "resumed.gckn"));
}

TEST(Train, ASingleChoiceNeedsNoSearch) {
  TrainOptions options = small_options(Learner::logistic);
  options.learning.C = {0.1};
  const TrainResult result = train(motif(4, 40), options);
  EXPECT_FALSE(result.searched);
  EXPECT_EQ(result.model.targets()[0].C, 0.1);
  // A class with one member cannot be split into folds: no probabilities, but a model.
  GraphSetParts parts = random_parts({.graphs = 12, .most_nodes = 6}, 3);
  parts.targets.kind = Targets::Kind::classes;
  parts.targets.class_names = {"a", "b"};
  parts.targets.class_of_graph.assign(12, 0);
  parts.targets.class_of_graph[5] = 1;
  const GraphSet lonely(std::move(parts));
  options.learning.learner = Learner::svm;
  const TrainResult without = train(lonely, options);
  EXPECT_TRUE(without.model.predict(lonely).targets[0].probabilities.empty());
  EXPECT_EQ(without.remarks.size(), 1U);
  options.learning.C = {0.1, 1};
  EXPECT_THROW(train(lonely, options), InputError);
}

TEST(ModelFile, SavedModelsPredictTheSame) {
  const test::TempDir folder;
  for (const GraphSet& graphs : {motif(5), counting_set(6)}) {
    const Model model = train(graphs, small_options()).model;
    save_model(model, folder.path() / "model.gckn");
    const Model loaded = load_model(folder.path() / "model.gckn");
    EXPECT_EQ(loaded.learner(), model.learner());
    EXPECT_EQ(loaded.seed(), model.seed());
    const Predictions before = model.predict(graphs);
    const Predictions after = loaded.predict(graphs);
    ASSERT_EQ(before.targets.size(), after.targets.size());
    for (std::size_t t = 0; t < before.targets.size(); ++t) {
      EXPECT_EQ(before.targets[t].name, after.targets[t].name);
      EXPECT_EQ(before.targets[t].class_names, after.targets[t].class_names);
      EXPECT_EQ(before.targets[t].predicted, after.targets[t].predicted);
      const auto same = [](const DoubleMatrix& a, const DoubleMatrix& b) {
        return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data());
      };
      EXPECT_TRUE(same(before.targets[t].scores, after.targets[t].scores));
      EXPECT_TRUE(same(before.targets[t].probabilities, after.targets[t].probabilities));
    }
    // The network within it embeds.
    EXPECT_EQ(load_network(folder.path() / "model.gckn").embed(graphs).rows(), graphs.num_graphs());
  }
}

TEST(ModelFile, TrainingTwiceGivesTheSameBytes) {
  const test::TempDir folder;
  const GraphSet graphs = motif(8, 60);
  TrainOptions options = small_options();
  options.networks.push_back(path({.path_length = 3, .filters = 8}));
  std::vector<std::string> contents;
  for (const int threads : {1, 2, 4}) {
    RunOptions run;
    run.threads = threads;
    save_model(train(graphs, options, run).model, folder.path() / "model.gckn");
    contents.push_back(test::read_text(folder.path() / "model.gckn"));
  }
  EXPECT_EQ(contents[0], contents[1]);
  EXPECT_EQ(contents[0], contents[2]);
}

TEST(ModelFile, RefusesANetworkAndWhatDoesNotFit) {
  const test::TempDir folder;
  const GraphSet graphs = motif(9, 40);
  const Model model = train(graphs, small_options()).model;
  const auto path = folder.path() / "model.gckn";
  save_network(model.network(), path);
  EXPECT_THROW(load_model(path), InputError);

  save_model(model, path);
  const Safetensors file = Safetensors::read(path);
  const auto tampered = [&](const std::function<void(nlohmann::json&)>& change) {
    nlohmann::json config = nlohmann::json::parse(file.metadata().at("config"));
    change(config);
    write_safetensors(folder.path() / "tampered.gckn", {{"config", config.dump()}}, file.tensors());
    return load_model(folder.path() / "tampered.gckn");
  };
  EXPECT_NO_THROW(tampered([](nlohmann::json&) {}));
  EXPECT_THROW(tampered([](nlohmann::json& json) { json["classes"] = {"a", "b", "c"}; }), InputError);
  EXPECT_THROW(tampered([](nlohmann::json& json) { json["classes"] = {"a"}; }), InputError);
  EXPECT_THROW(tampered([](nlohmann::json& json) { json["classes"] = 7; }), InputError);
  EXPECT_THROW(tampered([](nlohmann::json& json) { json["task"] = "classify"; }), InputError);
  EXPECT_THROW(tampered([](nlohmann::json& json) { json["task"]["learner"] = "oracle"; }), InputError);
  EXPECT_THROW(tampered([](nlohmann::json& json) { json["task"]["learner"] = "auto"; }), InputError);
  EXPECT_THROW(tampered([](nlohmann::json& json) { json["task"]["targets"] = {"x", "y"}; }), InputError);
  EXPECT_THROW(tampered([](nlohmann::json& json) { json["task"]["calibration"] = nlohmann::json::array(); }),
               InputError);
  EXPECT_THROW(tampered([](nlohmann::json& json) { json["task"].erase("C"); }), InputError);
  EXPECT_THROW(tampered([](nlohmann::json& json) { json["task"]["calibration"].push_back({1, 2}); }), InputError);
  EXPECT_THROW(tampered([](nlohmann::json& json) { json["task"]["colour"] = "red"; }), InputError);
  EXPECT_THROW(tampered([](nlohmann::json& json) { json.erase("classes"); }), InputError) << "numbers of an svm";
  EXPECT_THROW(tampered([](nlohmann::json& json) { json["format"] = 3; }), InputError) << "a newer format";
  for (const char* name : {"scaler.mean", "scaler.scale", "linear.weight", "linear.bias"}) {
    std::map<std::string, TensorView> tensors = file.tensors();
    tensors.erase(name);
    write_safetensors(folder.path() / "tampered.gckn", file.metadata(), tensors);
    EXPECT_THROW(load_model(folder.path() / "tampered.gckn"), InputError) << name;
  }
}

TEST(Predict, RefusesGraphsWithoutWhatTheModelReads) {
  const Model model = train(motif(9, 40), small_options()).model;
  GraphSetParts parts = random_parts({.graphs = 3}, 1);
  parts.node_labels.clear();
  EXPECT_THROW((void)model.predict(GraphSet(parts)), InputError);
  // Odd but legal: no node, labels that no training graph had.
  GraphSetParts odd;
  odd.graph_sizes = {0, 1};
  odd.node_labels = {77};
  EXPECT_EQ(model.predict(GraphSet(odd)).targets[0].predicted.size(), 2U);
}

// Graphs are predicted in parts where all of them together pass the limit, and those that pass it alone are named.
TEST(Predict, OneGraphOfTooManyPathsDoesNotCostTheOthers) {
  for (const Learner learner : {Learner::svm, Learner::logistic}) {
    const Model model = train(motif(9, 40), small_options(learner)).model;
    GraphSetParts parts;
    parts.graph_sizes = {3, 40, 0, 2, 30};
    std::uint32_t begin = 0;
    Random random(5);
    for (const std::uint32_t size : parts.graph_sizes) {  // dense, but without twins, whose paths are counted once
      for (std::uint32_t u = 0; u < size; ++u) {
        parts.node_labels.push_back(u % 4);
        for (std::uint32_t v = 0; v < u; ++v) {
          if (random.below(3) == 0) continue;
          parts.edge_from.push_back(begin + u);
          parts.edge_to.push_back(begin + v);
        }
      }
      begin += size;
    }
    const GraphSet graphs(std::move(parts));
    const Predictions whole = model.predict(graphs);
    EXPECT_TRUE(whole.unpredicted.empty());
    RunOptions limited;
    limited.max_paths = 100;
    EXPECT_THROW((void)model.network().embed(graphs, limited), LimitError);
    const Predictions parted = model.predict(graphs, limited);
    EXPECT_EQ(parted.unpredicted, (std::vector<std::uint32_t>{1, 4}));
    for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
      const bool known = g != 1 && g != 4;
      EXPECT_EQ(parted.targets[0].predicted[g], known ? whole.targets[0].predicted[g] : -1);
      EXPECT_EQ(std::isnan(parted.targets[0].scores(g, 0)), !known);
      EXPECT_EQ(std::isnan(parted.targets[0].probabilities(g, 1)), !known);
      if (known) {
        EXPECT_NEAR(parted.targets[0].scores(g, 0), whole.targets[0].scores(g, 0), 1e-4);
      }
    }
  }
}

}  // namespace
}  // namespace gckn
