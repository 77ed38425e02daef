// SPDX-License-Identifier: BSD-3-Clause
// Models with a Gaussian head: the kernel and the machine's optimality written out, files, what is left out and why.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gckn/datasets.h"
#include "gckn/error.h"
#include "gckn/kernels.h"
#include "gckn/model.h"
#include "gckn/model_file.h"
#include "io/safetensors.h"
#include "model/support_graphs.h"
#include "support/class_targets.h"
#include "support/files.h"
#include "support/random_graphs.h"

namespace gckn {
namespace {

using test::TempDir;

GraphSet gaussian_motifs() {
  return make_motif_set({.graphs = 90, .nodes = 12, .labels = 4, .seed = 5});
}

NetworkConfig gaussian(Compare compare) {
  if (compare == Compare::states) return states(2, Head::gaussian);
  NetworkConfig config = subtree({.path_length = 2, .filters = 8});
  config.compare = compare;
  config.head = Head::gaussian;
  return config;
}

TrainOptions with_head(Compare compare, double c) {
  TrainOptions options;
  options.networks = {gaussian(compare)};
  options.learning.C = {c};
  return options;
}

// Between all graphs, from the definition: public kernels and vectors, means over all pairs.
DoubleMatrix written_out(const Model& model, const GraphSet& graphs) {
  const std::size_t n = graphs.num_graphs();
  const NetworkConfig& config = model.network().config();
  DoubleMatrix distance(n, n);
  double parts = 0;
  const auto add = [&](const auto& of_pair, const auto& rounded) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) sum += i == j ? 0.0 : of_pair(i, j);
    }
    const double mean = rounded(sum / static_cast<double>(n * (n - 1)));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) distance(i, j) += of_pair(i, j) / mean;
    }
    parts += 1;
  };
  if (compares_states(config)) {
    KernelOptions options;
    options.kernel = ExactKernel::path_oa;
    options.path_length = 2;
    options.normalised = true;
    DoubleMatrix assignment = kernel_matrix(graphs, options);
    const auto is_empty = [&](std::size_t g) { return graphs.graph_begin(g) == graphs.graph_begin(g + 1); };
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (is_empty(i) && is_empty(j)) assignment(i, j) = 1;  // equal, and not what the normalised kernel says
      }
    }
    add([&](std::size_t i, std::size_t j) { return 1 - assignment(i, j); },
        [](double mean) { return std::exp2(std::round(8 * std::log2(mean)) / 8); });
  }
  if (compares_vectors(config)) {
    const Matrix vectors = model.network().embed(graphs);
    const SupportGraphs::Parts& known = model.support()->parts();
    add(
        [&](std::size_t i, std::size_t j) {
          double square = 0;
          for (std::size_t k = 0; k < vectors.cols(); ++k) {
            if (known.scale[k] == 0) continue;
            const double d = (static_cast<double>(vectors(i, k)) - vectors(j, k)) / known.scale[k];
            square += d * d;
          }
          return square;
        },
        [](double mean) { return mean; });
  }
  for (std::size_t i = 0; i < distance.size(); ++i) distance.data()[i] = std::exp(-2 * distance.data()[i] / parts);
  return distance;
}

class GaussianHead : public testing::TestWithParam<Compare> {};
INSTANTIATE_TEST_SUITE_P(All, GaussianHead, testing::Values(Compare::vectors, Compare::states, Compare::both),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

// The optimum is where a_i = 2 C y_i max(0, 1 - y_i f_i), f = (K + 1) a; graphs with a_i = 0 are no support graphs.
TEST_P(GaussianHead, IsTheMachineOnItsKernel) {
  const GraphSet graphs = gaussian_motifs();
  for (const double c : {0.1, 3.0}) {
    const Model model = train(graphs, with_head(GetParam(), c)).model;
    const TargetPredictions predicted = model.predict(graphs).targets[0];
    const DoubleMatrix kernel = written_out(model, graphs);
    std::vector<double> f(graphs.num_graphs(), 0.0);
    std::size_t support = 0;
    for (std::size_t i = 0; i < graphs.num_graphs(); ++i) {
      const double y = graphs.targets().class_of_graph[i] == 1 ? 1 : -1;
      const double a = 2 * c * y * std::max(0.0, 1 - y * predicted.scores(i, 0));
      support += a != 0 ? 1 : 0;
      for (std::size_t j = 0; j < f.size(); ++j) f[j] += a * (kernel(j, i) + 1);
    }
    EXPECT_NEAR(static_cast<double>(support), static_cast<double>(model.support()->size()), 1);
    for (std::size_t j = 0; j < f.size(); ++j) EXPECT_NEAR(f[j], predicted.scores(j, 0), 2e-4) << c;
    EXPECT_FALSE(predicted.probabilities.empty());
  }
}

TEST_P(GaussianHead, LearnsNumbers) {
  GraphSetParts parts = random_parts({.graphs = 60, .most_nodes = 12, .labels = 2}, 5);
  parts.targets.kind = Targets::Kind::numbers;
  parts.targets.columns = 1;
  double mean = 0;
  for (const std::uint32_t nodes : parts.graph_sizes) {
    parts.targets.numbers.push_back(100.0 + nodes);
    mean += (100.0 + nodes) / 60;
  }
  const GraphSet graphs(std::move(parts));
  const double c = 2;
  const Model model = train(graphs, with_head(GetParam(), c)).model;
  const DoubleMatrix scores = model.predict(graphs).targets[0].scores;
  const DoubleMatrix kernel = written_out(model, graphs);
  // a = 2 C (y - f), with y and f as they are once the mean is taken off.
  for (std::size_t j = 0; j < graphs.num_graphs(); ++j) {
    double f = mean;
    for (std::size_t i = 0; i < graphs.num_graphs(); ++i) {
      f += 2 * c * (graphs.targets().numbers[i] - scores(i, 0)) * (kernel(j, i) + 1);
    }
    EXPECT_NEAR(f, scores(j, 0), 1e-3);
  }
}

TEST_P(GaussianHead, IsSavedAndPredictsTheSameBitsInAnyCompany) {
  const GraphSet graphs = gaussian_motifs();
  const Model model = train(graphs, with_head(GetParam(), 1)).model;
  const TempDir folder;
  save_model(model, folder / "machine.gckn");
  const Model loaded = load_model(folder / "machine.gckn");
  EXPECT_EQ(loaded.network().config().compare, GetParam());
  EXPECT_EQ(loaded.network().config().head, Head::gaussian);
  EXPECT_EQ(loaded.support()->parts().scales, model.support()->parts().scales);
  const DoubleMatrix expected = model.predict(graphs).targets[0].scores;
  RunOptions run;
  run.threads = 3;
  EXPECT_TRUE(std::ranges::equal(loaded.predict(graphs, run).targets[0].scores.values(), expected.values()));
  for (const std::uint32_t g : {0U, 17U, 89U}) {
    EXPECT_EQ(loaded.predict(select_graphs(graphs, std::vector{g})).targets[0].scores(0, 0), expected(g, 0));
  }
}

TEST_P(GaussianHead, AForgedScaleIsRefused) {
  const Model model = train(gaussian_motifs(), with_head(GetParam(), 1)).model;
  const TempDir folder;
  save_model(model, folder / "honest.gckn");
  const Safetensors file = Safetensors::read(folder / "honest.gckn");
  const auto refuses = [&](const char* key, double value) {
    auto config = nlohmann::ordered_json::parse(file.metadata().at("config"));
    config["gaussian"][key] = value;
    write_safetensors(folder / "forged.gckn", {{"config", config.dump()}}, file.tensors());
    test::expect_input_error([&] { (void)load_model(folder / "forged.gckn"); }, {"forged.gckn: ", "gaussian"});
  };
  refuses("states", GetParam() == Compare::vectors ? 0.5 : -0.5);
  refuses("vectors", GetParam() == Compare::states ? 0.5 : -0.5);
  refuses("walks", 0.5);
}

TEST_P(GaussianHead, ManyClassesAndTheSameBitsForAnyNumberOfThreads) {
  GraphSetParts parts = random_parts({.graphs = 60, .most_nodes = 10, .labels = 3}, 8);
  parts.targets = test::classes_of_sizes({20, 20, 20});
  const GraphSet graphs(std::move(parts));
  RunOptions one;
  one.threads = 1;
  RunOptions three;
  three.threads = 3;
  const Predictions a = train(graphs, with_head(GetParam(), 1), one).model.predict(graphs);
  const Predictions b = train(graphs, with_head(GetParam(), 1), three).model.predict(graphs);
  EXPECT_EQ(a.targets[0].scores.cols(), 3U);
  EXPECT_TRUE(std::ranges::equal(a.targets[0].scores.values(), b.targets[0].scores.values()));
}

CrossValidationOptions few_folds(std::vector<NetworkConfig> candidates) {
  CrossValidationOptions cv;
  cv.networks = std::move(candidates);
  cv.folds = 3;
  cv.inner_folds = 2;
  cv.baselines = false;
  cv.learning.C = {0.1, 10};
  return cv;
}

// Whatever the test graphs are, what is learnt from the others predicts them.
TEST_P(GaussianHead, NothingIsLearntFromTestGraphs) {
  const GraphSet graphs = gaussian_motifs();
  const CrossValidationOptions cv = few_folds({gaussian(GetParam())});
  const CrossValidationResult result = cross_validate(graphs, cv);
  for (std::size_t f = 0; f < result.folds.size(); ++f) {
    const GraphSet learnt_from = select_graphs(graphs, result.folds[f].train);
    const FoldPrediction& prediction = result.results[f].targets[0];
    const Model model = train(learnt_from, with_head(GetParam(), prediction.C)).model;
    const DoubleMatrix scores = model.predict(select_graphs(graphs, prediction.graphs)).targets[0].scores;
    for (std::size_t i = 0; i < prediction.graphs.size(); ++i) {
      EXPECT_NEAR(prediction.scores(i, 0), scores(i, 0), 1e-4);
    }
  }
}

TEST(GaussianChoice, IsLeftOutWhereItCannotBe) {
  const GraphSet graphs = gaussian_motifs();
  CrossValidationOptions cv = few_folds({subtree({.path_length = 1, .filters = 4}), gaussian(Compare::both)});
  cv.learning.learner = Learner::logistic;
  const CrossValidationResult result = cross_validate(graphs, cv);
  ASSERT_EQ(result.remarks.size(), 1U);
  EXPECT_NE(result.remarks[0].find("a Gaussian head on vectors and states is left out: there is no logistic"),
            std::string::npos)
      << result.remarks[0];
  NetworkConfig linear = gaussian(Compare::both);
  linear.head = Head::linear;
  EXPECT_THROW(validate(linear), UsageError);
}

TEST(GaussianChoice, TheGraphsDecideWhatIsTried) {
  const auto kinds = [](const std::vector<NetworkConfig>& candidates) {
    std::vector<std::string> words;
    for (const NetworkConfig& config : candidates) {
      std::string word = std::string(to_string(config.compare)) + " " + std::string(to_string(config.head));
      if (words.empty() || words.back() != word) words.push_back(std::move(word));
    }
    return words;
  };
  const std::vector<std::string> all{"states gaussian", "both gaussian", "states linear"};
  const std::vector<std::string> linear{"states linear", "vectors linear"};
  const GraphSet labelled = gaussian_motifs();
  LearningOptions learning;
  EXPECT_EQ(kinds(default_candidates(labelled, {}, learning)), all);
  EXPECT_EQ(learning.linear_lead, 1);
  EXPECT_EQ(learning.C, LearningOptions::short_c_grid());
  EXPECT_EQ(learning.score_resolution, 1e-3);
  learning.C = {1};
  learning.learner = Learner::logistic;
  EXPECT_EQ(kinds(default_candidates(labelled, {}, learning)), linear);
  EXPECT_EQ(learning.C, std::vector<double>{1});
  learning = {};
  const GraphSet attributes(random_parts({.graphs = 10, .labels = 0, .attributes = 2}, 2));
  EXPECT_EQ(kinds(default_candidates(attributes, {}, learning)),
            (std::vector<std::string>{"vectors linear", "vectors gaussian"}));
  GraphSetParts many;
  many.graph_sizes.assign(kMostKernelGraphs + 1, 1);
  many.node_labels.assign(kMostKernelGraphs + 1, 7);
  EXPECT_EQ(kinds(default_candidates(GraphSet(std::move(many)), {}, learning)), linear);
}

TEST(GaussianChoice, OfEquallyGoodCandidatesTheFirstIsChosen) {
  const GraphSet graphs = gaussian_motifs();
  CrossValidationOptions cv = few_folds({states(1), states(2), states(3)});
  cv.protocol = Protocol::paper;
  CrossValidationResult result = cross_validate(graphs, cv);
  const auto best = std::ranges::max_element(result.networks, {}, &NetworkScore::score);
  ASSERT_GT(best->score, result.networks[0].score);  // or there would be nothing to see
  EXPECT_EQ(result.results[0].network, best->network);
  cv.learning.score_resolution = 4;  // all scores are 0
  result = cross_validate(graphs, cv);
  EXPECT_EQ(result.results[0].network, 0U);
}

TEST(GaussianChoice, ALinearModelHasToBeAhead) {
  const GraphSet graphs = gaussian_motifs();
  CrossValidationOptions cv = few_folds({states(1, Head::gaussian), states(2)});
  cv.protocol = Protocol::paper;
  const auto chosen = [&](double lead) {
    cv.learning.linear_lead = lead;
    const CrossValidationResult result = cross_validate(graphs, cv);
    EXPECT_GT(result.networks[1].score, result.networks[0].score);  // or there would be nothing to see
    return result.results[0].network;
  };
  EXPECT_EQ(chosen(0), 1U);
  EXPECT_EQ(chosen(1000), 0U);
  std::swap(cv.networks[0], cv.networks[1]);
  cv.learning.linear_lead = 1000;
  EXPECT_EQ(cross_validate(graphs, cv).results[0].network, 1U);
}

TEST(GaussianChoice, DegreesAreComparedByTheirNeighbours) {
  LearningOptions learning;
  const GraphSet dense(random_parts({.graphs = 10, .most_nodes = 30, .density = 0.6, .labels = 0}, 2));
  const std::vector<NetworkConfig> candidates = default_candidates(dense, {}, learning);
  ASSERT_EQ(candidates.size(), 2U);
  for (const NetworkConfig& config : candidates) {
    EXPECT_EQ(config.layers.front().path_length, 1);
    EXPECT_EQ(config.compare, Compare::vectors);
  }
  EXPECT_EQ(candidates[0].head, Head::linear);
  EXPECT_EQ(candidates[1].head, Head::gaussian);
  // In sparse graphs paths are few, and say more.
  EXPECT_EQ(default_candidates(make_house_set({.graphs = 10}), {}, learning).front().compare, Compare::states);
  GraphSetParts many;
  many.graph_sizes.assign(kMostKernelGraphs + 1, 1);
  for (const NetworkConfig& config : default_candidates(GraphSet(std::move(many)), {}, learning)) {
    EXPECT_EQ(config.head, Head::linear);
  }
}

}  // namespace
}  // namespace gckn
