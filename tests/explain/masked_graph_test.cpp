// SPDX-License-Identifier: BSD-3-Clause
// Masks on paths: against golden objectives and gradients, finite differences, and each other.
#include "explain/masked_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "gckn/error.h"
#include "learn/losses.h"
#include "support/golden.h"
#include "support/random_networks.h"
#include "support/sanitizers.h"
#include "util/parallel.h"

namespace gckn {
namespace {

using nlohmann::json;

// L(label, W v + b) + mu sum of the masks of all paths, and its gradient.
struct Objective {
  DoubleMatrix weight;
  std::vector<double> bias;
  int label = 0;
  double mu = 0;

  double operator()(MaskedGraph& graph, std::span<const double> masks, std::vector<double>& gradient) const {
    const DoubleMatrix& vector = graph.forward(masks);
    std::vector<double> scores = bias;
    for (std::size_t o = 0; o < bias.size(); ++o) {
      scores[o] += std::inner_product(weight.row(o), weight.row(o) + weight.cols(), vector.data(), 0.0);
    }
    std::vector<double> d_scores(bias.size());
    double value = loss_with_gradient(LossKind::cross_entropy, scores, {label, 0}, d_scores);
    DoubleMatrix d_vector(1, weight.cols());
    for (std::size_t o = 0; o < bias.size(); ++o) {
      for (std::size_t k = 0; k < weight.cols(); ++k) d_vector(0, k) += d_scores[o] * weight(o, k);
    }
    gradient.resize(masks.size());
    graph.backward(d_vector, gradient);
    for (std::size_t v = 0; v < masks.size(); ++v) {
      value += mu * graph.paths_of_variable()[v] * masks[v];
      gradient[v] += mu * graph.paths_of_variable()[v];
    }
    return value;
  }
};

class GoldenMasks : public testing::TestWithParam<std::string> {};

TEST_P(GoldenMasks, ObjectiveAndGradient) {
  json golden = test::load_golden(GetParam());
  golden["graphs"] = json::array({golden.at("graph")});
  const GraphSet graphs = test::graphs_of(golden);
  const Objective objective{test::matrix_of(golden.at("weight")), golden.at("bias").get<std::vector<double>>(),
                            golden.at("label"), golden.at("mu")};
  for (const test::Input input : {test::Input::attributes, test::Input::labels}) {
    if (input == test::Input::labels && !graphs.has_node_labels()) continue;
    const BasicNetwork<double> network = test::network_of<double>(golden, input);
    const MaskedSet set(graphs, {0, 1}, network, {}, MaskVariables::paths);
    const auto layers = operators_for_masks(network);
    MaskedGraph graph(set, layers);
    graph.load(0);
    std::map<std::pair<std::size_t, std::vector<std::uint32_t>>, std::uint32_t> variable_of_path;
    for (const MaskedPaths& paths : graph.paths()) {
      for (std::size_t p = 0; p < paths.size(); ++p) {
        const auto path = paths.path(p);
        variable_of_path[{paths.layer, {path.begin(), path.end()}}] = paths.variable[p];
      }
    }
    std::vector<double> masks(graph.num_variables());
    std::size_t given = 0;
    for (std::size_t j = 0; j < golden["masks"].size(); ++j) {
      for (const json& mask : golden["masks"][j]) {
        masks[variable_of_path.at({j, mask.at("path").get<std::vector<std::uint32_t>>()})] = mask.at("weight");
        ++given;
      }
    }
    ASSERT_EQ(given, masks.size());
    std::vector<double> gradient;
    const double expected = golden.at("expected").at("objective");
    // The second pass computes only what masks change.
    for (int pass = 0; pass < 2; ++pass) {
      EXPECT_NEAR(objective(graph, masks, gradient), expected, 1e-9 * std::abs(expected));
    }
    double largest = 0;
    double difference = 0;
    for (std::size_t j = 0; j < golden["masks"].size(); ++j) {
      for (std::size_t i = 0; i < golden["masks"][j].size(); ++i) {
        const double of_path = golden["expected"]["d_masks"][j][i];
        const auto path = golden["masks"][j][i].at("path").get<std::vector<std::uint32_t>>();
        largest = std::max(largest, std::abs(of_path));
        difference = std::max(difference, std::abs(gradient[variable_of_path.at({j, path})] - of_path));
      }
    }
    EXPECT_LT(difference, 1e-6 * largest);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenMasks,
                         testing::Values("masks-continuous-any-norm-subtree.json", "masks-edge-labels-subtree.json",
                                         "masks-path-mean-all-lengths.json", "masks-subtree-max-max.json",
                                         "masks-subtree-sum-all-lengths.json", "masks-three-layer-all-lengths.json"),
                         [](const auto& golden) {
                           std::string name = golden.param.substr(0, golden.param.find('.'));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

struct MaskCase {
  GraphSet graphs;
  BasicNetwork<double> network;
};

std::optional<MaskCase> random_mask_case(std::uint64_t seed) {
  Random random(seed);
  const RandomGraphs shape = random_shape(random);
  NetworkConfig config = random_config(random, shape);
  for (LayerConfig& layer : config.layers) {
    if (layer.pooling == Pooling::gmp) layer.pooling = Pooling::mean;
    layer.filters = 2 + static_cast<int>(random.below(5));
  }
  if (config.global_pooling == Pooling::gmp) config.global_pooling = Pooling::sum;
  GraphSet graphs = random_graphs(shape, seed);
  try {
    BasicNetwork<double> network = fit_network<double>(graphs, config);
    return MaskCase{std::move(graphs), std::move(network)};
  } catch (const UnsuitableNetwork&) {
    return std::nullopt;
  }
}

Objective random_objective(std::size_t columns, Random& random) {
  Objective objective{DoubleMatrix(3, columns), {0.1, -0.2, 0.3}, static_cast<int>(random.below(3)), 0.01};
  for (std::size_t i = 0; i < objective.weight.size(); ++i) objective.weight.data()[i] = random.uniform() - 0.5;
  return objective;
}

// Masks of states stand for those of their paths: the same vector, and the sum of their gradients.
TEST(MaskedGraph, TiedMasksGiveTheSumOfTheGradientsOfTheirPaths) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 300 / kSanitizerShare; ++seed) {
    const std::optional<MaskCase> random_case = random_mask_case(seed);
    if (!random_case) continue;
    const auto& [graphs, network] = *random_case;
    std::size_t masked = 0;
    for (std::size_t j = 0; j < network.layers().size(); ++j) masked += has_masks(network.config(), j) ? 1 : 0;
    if (masked > 1) continue;
    Random random(seed + 1000);
    const Objective objective = random_objective(network.vector_size(), random);
    const MaskedSet tied(graphs, {0, graphs.num_graphs()}, network, {}, MaskVariables::states);
    const MaskedSet single(graphs, {0, graphs.num_graphs()}, network, {}, MaskVariables::paths);
    const auto layers = operators_for_masks(network);
    MaskedGraph of_states(tied, layers);
    MaskedGraph of_paths(single, layers);
    for (std::uint32_t g = 0; g < graphs.num_graphs(); ++g) {
      of_states.load(g);
      of_paths.load(g);
      std::vector<double> masks(of_states.num_variables());
      for (double& mask : masks) mask = random.uniform();
      std::vector<double> path_masks(of_paths.num_variables());
      ASSERT_EQ(of_states.paths().size(), of_paths.paths().size());
      for (std::size_t i = 0; i < of_paths.paths().size(); ++i) {
        ASSERT_EQ(of_states.paths()[i].nodes, of_paths.paths()[i].nodes);
        for (std::size_t p = 0; p < of_paths.paths()[i].size(); ++p) {
          path_masks[of_paths.paths()[i].variable[p]] = masks[of_states.paths()[i].variable[p]];
        }
      }
      std::vector<double> gradient, path_gradient, sum(masks.size());
      const double value = objective(of_states, masks, gradient);
      EXPECT_NEAR(value, objective(of_paths, path_masks, path_gradient), 1e-9 * std::abs(value));
      for (std::size_t i = 0; i < of_paths.paths().size(); ++i) {
        for (std::size_t p = 0; p < of_paths.paths()[i].size(); ++p) {
          sum[of_states.paths()[i].variable[p]] += path_gradient[of_paths.paths()[i].variable[p]];
        }
      }
      for (std::size_t v = 0; v < masks.size(); ++v) EXPECT_NEAR(gradient[v], sum[v], 1e-9 * (1 + std::abs(sum[v])));
      compared += masks.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(compared, 100 / static_cast<int>(kSanitizerShare));
}

TEST(MaskedGraph, GradientIsThatOfFiniteDifferences) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 120 / kSanitizerShare; ++seed) {
    const std::optional<MaskCase> random_case = random_mask_case(seed);
    if (!random_case) continue;
    const auto& [graphs, network] = *random_case;
    Random random(seed + 2000);
    const Objective objective = random_objective(network.vector_size(), random);
    const MaskedSet set(graphs, {0, graphs.num_graphs()}, network, {});
    const auto layers = operators_for_masks(network);
    MaskedGraph graph(set, layers);
    for (std::uint32_t g = 0; g < graphs.num_graphs(); g += 3) {
      graph.load(g);
      if (graph.num_variables() == 0) continue;
      std::vector<double> masks(graph.num_variables());
      for (double& mask : masks) mask = 0.2 + 0.6 * random.uniform();
      std::vector<double> gradient, unused;
      objective(graph, masks, gradient);
      const std::size_t v = random.below(masks.size());
      constexpr double kStep = 1e-5;
      std::vector<double> moved = masks;
      moved[v] = masks[v] + kStep;
      const double above = objective(graph, moved, unused);
      moved[v] = masks[v] - kStep;
      const double below = objective(graph, moved, unused);
      EXPECT_NEAR(gradient[v], (above - below) / (2 * kStep), 1e-5 * (1 + std::abs(gradient[v])))
          << "seed " << seed << ", graph " << g;
      ++compared;
    }
  }
  EXPECT_GT(compared, 50 / static_cast<int>(kSanitizerShare));
}

// Every layer is homogeneous in its input, so the gradient of a score times the masks is the score, less that of the
// empty graph.
TEST(MaskedGraph, GradientTimesMaskAddsUpToTheScore) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 200 / kSanitizerShare; ++seed) {
    const std::optional<MaskCase> random_case = random_mask_case(seed);
    if (!random_case) continue;
    const auto& [graphs, network] = *random_case;
    Random random(seed + 3000);
    DoubleMatrix weight(1, network.vector_size());
    for (std::size_t k = 0; k < weight.size(); ++k) weight.data()[k] = random.uniform() - 0.5;
    const MaskedSet set(graphs, {0, graphs.num_graphs()}, network, {});
    const auto layers = operators_for_masks(network);
    MaskedGraph graph(set, layers);
    for (std::uint32_t g = 0; g < graphs.num_graphs(); ++g) {
      graph.load(g);
      const std::vector<double> masks(graph.num_variables(), 1.0);
      const DoubleMatrix& vector = graph.forward(masks);
      const double score = std::inner_product(vector.data(), vector.data() + vector.size(), weight.data(), 0.0);
      std::vector<double> shares(masks.size());
      graph.backward(weight, shares);
      double sum = 0;
      for (std::size_t v = 0; v < shares.size(); ++v) sum += graph.layer_of_variable()[v] == 0 ? shares[v] : 0.0;
      EXPECT_NEAR(sum, score, 1e-6 * (1 + std::abs(score))) << "seed " << seed << ", graph " << g;
      ++compared;
    }
  }
  EXPECT_GT(compared, 200 / static_cast<int>(kSanitizerShare));
}

TEST(MaskedGraph, TooManyPathsAreRefused) {
  const std::optional<MaskCase> random_case = random_mask_case(1);
  ASSERT_TRUE(random_case);
  const MaskedSet set(random_case->graphs, {0, random_case->graphs.num_graphs()}, random_case->network, {});
  const auto layers = operators_for_masks(random_case->network);
  MaskedGraph graph(set, layers);
  std::uint32_t largest = 0;
  for (std::uint32_t g = 0; g < random_case->graphs.num_graphs(); ++g) {
    if (random_case->graphs.graph_begin(g + 1) - random_case->graphs.graph_begin(g) > 3) largest = g;
  }
  EXPECT_THROW(graph.load(largest, 3), LimitError);
  EXPECT_NO_THROW(graph.load(largest));
}

}  // namespace
}  // namespace gckn
