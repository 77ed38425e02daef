// SPDX-License-Identifier: BSD-3-Clause
// Forward and backward passes of mini-batches: against embedding, golden gradients and finite differences.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "gckn/error.h"
#include "learn/losses.h"
#include "network/trainable_network.h"
#include "support/golden.h"
#include "support/random_networks.h"
#include "support/relative_difference.h"
#include "support/sanitizers.h"
#include "util/parallel.h"

namespace gckn {
namespace {

using nlohmann::json;
using test::relative_difference;

RunOptions shared_patterns() {
  RunOptions options;
  options.evaluator = Evaluator::shared;
  return options;
}

template <typename Real>
TrainableNetwork<Real> trainable(const BasicNetwork<Real>& network, const GraphSet& graphs) {
  auto set = std::make_shared<const EncodedSet>(encode(graphs, {0, graphs.num_graphs()}, network.input()));
  return {network, compile_layers(std::move(set), network.config(), network.input(), shared_patterns())};
}

template <typename Real>
BasicMatrix<Real> vectors_of(TrainableNetwork<Real>& network, std::span<const std::uint32_t> graphs) {
  BasicMatrix<Real> vectors(graphs.size(), network.vector_size());
  network.forward(graphs, [&](const auto& part) {
    std::copy_n(part.vectors.data(), part.vectors.size(), vectors.row(part.first));
  });
  return vectors;
}

std::vector<std::uint32_t> first_numbers(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

DoubleMatrix as_column(const std::vector<double>& values) {
  DoubleMatrix column(values.size(), 1);
  std::ranges::copy(values, column.data());
  return column;
}

class GoldenGradient : public testing::TestWithParam<std::string> {};

TEST_P(GoldenGradient, LossScoresAndGradients) {
  const json golden = test::load_golden(GetParam());
  const json& supervised = golden.at("supervised");
  const json& expected = supervised.at("expected");
  const GraphSet graphs = test::graphs_of(golden);
  const DoubleMatrix weight = test::matrix_of(supervised.at("weight"));
  const auto bias = supervised.at("bias").get<std::vector<double>>();
  const auto labels = supervised.at("labels").get<std::vector<int>>();
  const LossKind loss = supervised.at("loss") == "squared_hinge" ? LossKind::squared_hinge : LossKind::cross_entropy;
  for (const test::Input input : {test::Input::attributes, test::Input::labels}) {
    if (input == test::Input::labels && !graphs.has_node_labels()) continue;
    TrainableNetwork<double> network = trainable(test::network_of<double>(golden, input), graphs);
    DoubleMatrix scores(labels.size(), bias.size());
    DoubleMatrix d_scores(labels.size(), bias.size());
    DoubleMatrix d_weight(weight.rows(), weight.cols());
    std::vector<double> d_bias(bias.size());
    std::vector<double> losses(labels.size());
    DoubleMatrix all_vectors(labels.size(), weight.cols());
    network.forward_and_backward(first_numbers(labels.size()), [&](const auto& part) {
      for (std::size_t i = 0; i < part.vectors.rows(); ++i) {
        const std::size_t g = part.first + i;
        std::copy_n(part.vectors.row(i), weight.cols(), all_vectors.row(g));
        for (std::size_t o = 0; o < bias.size(); ++o) {
          scores(g, o) =
              bias[o] + std::inner_product(weight.row(o), weight.row(o) + weight.cols(), part.vectors.row(i), 0.0);
        }
        losses[g] =
            loss_with_gradient(loss, {scores.row(g), bias.size()}, {labels[g], 0}, {d_scores.row(g), bias.size()});
        for (std::size_t k = 0; k < weight.cols(); ++k) {
          double sum = 0;
          for (std::size_t o = 0; o < bias.size(); ++o) sum += d_scores(g, o) * weight(o, k);
          (*part.d_vectors)(i, k) = sum / static_cast<double>(labels.size());
        }
      }
    });
    for (std::size_t g = 0; g < labels.size(); ++g) {
      for (std::size_t o = 0; o < bias.size(); ++o) {
        d_bias[o] += d_scores(g, o) / static_cast<double>(labels.size());
        for (std::size_t k = 0; k < weight.cols(); ++k) {
          d_weight(o, k) += d_scores(g, o) * all_vectors(g, k) / static_cast<double>(labels.size());
        }
      }
    }
    const double mean = std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(labels.size());
    EXPECT_NEAR(mean, expected.at("loss").get<double>(), 1e-9 * expected.at("loss").get<double>());
    EXPECT_LT(relative_difference(scores, test::matrix_of(expected.at("scores"))), 1e-9);
    EXPECT_LT(relative_difference(d_weight, test::matrix_of(expected.at("d_weight"))), 1e-9);
    EXPECT_LT(relative_difference(as_column(d_bias), as_column(expected.at("d_bias").get<std::vector<double>>())),
              1e-9);
    for (std::size_t j = 0; j < network.layers().size(); ++j) {
      std::vector<double> d_anchors;
      for (const json& position : expected.at("d_anchors")[j]) {
        for (const json& row : position) d_anchors.insert(d_anchors.end(), row.begin(), row.end());
      }
      EXPECT_LT(relative_difference(as_column(network.anchor_gradients()[j].d_anchors), as_column(d_anchors)), 1e-9)
          << "layer " << j << ", input " << static_cast<int>(input);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenGradient,
                         testing::Values("continuous-unit-path.json", "dense-subtree.json",
                                         "path-mean-all-lengths.json", "subtree-sum-all-lengths.json",
                                         "three-layer-all-lengths.json", "three-layer-one-length.json"),
                         [](const auto& golden) {
                           std::string name = golden.param.substr(0, golden.param.find('.'));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A random network that can be trained, with anchors moved away from where maxima are reached by several paths at once.
struct RandomCase {
  GraphSet graphs;
  BasicNetwork<double> network;
};
std::optional<RandomCase> random_case(Random& random, std::uint64_t seed) {
  const RandomGraphs shape = random_shape(random);
  NetworkConfig config = random_config(random, shape);
  for (LayerConfig& layer : config.layers) {
    if (layer.pooling == Pooling::gmp) layer.pooling = Pooling::mean;
    layer.filters = 2 + static_cast<int>(random.below(7));
  }
  if (config.global_pooling == Pooling::gmp) config.global_pooling = Pooling::sum;
  GraphSet graphs = random_graphs(shape, seed);
  try {
    BasicNetwork<double> fitted = fit_network<double>(graphs, config);
    std::vector<BasicLayer<double>> layers = fitted.layers();
    for (BasicLayer<double>& layer : layers) {
      for (double& value : layer.anchors) value += 0.1 * (random.uniform() - 0.5);
      for (double& value : layer.edge_anchors) value += 0.1 * (random.uniform() - 0.5);
    }
    return RandomCase{std::move(graphs), {fitted.config(), fitted.input(), std::move(layers)}};
  } catch (const UnsuitableNetwork&) {
    return std::nullopt;  // no path of that length
  }
}

constexpr int kCases = 150 / kSanitizerShare;

TEST(Batch, VectorsAreThoseOfEmbedding) {
  Random random(1);
  int tried = 0;
  for (std::uint64_t seed = 0; tried < kCases; ++seed) {
    const auto random_network = random_case(random, seed);
    if (!random_network) continue;
    ++tried;
    const auto& [graphs, network] = *random_network;
    TrainableNetwork<double> batches = trainable(network, graphs);
    const DoubleMatrix whole = network.embed(graphs);
    // Some of the graphs in another order, again and again in the same memory.
    for (std::uint64_t round = 0; round < 3; ++round) {
      std::vector<std::uint32_t> chosen = shuffled_numbers(graphs.num_graphs(), 10 * seed + round);
      chosen.resize(1 + random.below(chosen.size()));
      DoubleMatrix expected(chosen.size(), whole.cols());
      for (std::size_t i = 0; i < chosen.size(); ++i) std::copy_n(whole.row(chosen[i]), whole.cols(), expected.row(i));
      ASSERT_LT(relative_difference(vectors_of(batches, chosen), expected), 1e-9) << "seed " << seed;
    }
  }
}

// d/dh <R, vectors(Z + h direction)> at h = 0, by central differences of fourth order.
double numeric_slope(const RandomCase& c, const std::vector<std::vector<double>>& direction,
                     const std::vector<std::vector<double>>& edge_direction, const DoubleMatrix& r, double step) {
  const auto value = [&](double h) {
    std::vector<BasicLayer<double>> layers = c.network.layers();
    for (std::size_t j = 0; j < layers.size(); ++j) {
      for (std::size_t k = 0; k < direction[j].size(); ++k) layers[j].anchors[k] += h * direction[j][k];
      for (std::size_t k = 0; k < edge_direction[j].size(); ++k) layers[j].edge_anchors[k] += h * edge_direction[j][k];
    }
    const DoubleMatrix vectors = BasicNetwork<double>(c.network.config(), c.network.input(), layers).embed(c.graphs);
    return std::inner_product(vectors.data(), vectors.data() + vectors.size(), r.data(), 0.0);
  };
  return (8 * (value(step) - value(-step)) - (value(2 * step) - value(-2 * step))) / (12 * step);
}

std::vector<double> random_values(Random& random, std::size_t count) {
  std::vector<double> values(count);
  for (double& value : values) value = random.uniform() - 0.5;
  return values;
}

void expect_gradient(const RandomCase& c, Random& random, const std::string& what) {
  TrainableNetwork<double> network = trainable(c.network, c.graphs);
  DoubleMatrix r(c.graphs.num_graphs(), network.vector_size());
  std::ranges::copy(random_values(random, r.size()), r.data());
  network.forward_and_backward(first_numbers(c.graphs.num_graphs()), [&](const auto& part) {
    std::copy_n(r.row(part.first), part.d_vectors->size(), part.d_vectors->data());
  });
  double size = 0;
  for (const AnchorGradient<double>& gradient : network.anchor_gradients()) {
    for (const double d : gradient.d_anchors) size += d * d;
    for (const double d : gradient.d_edge_anchors) size += d * d;
  }
  for (int trial = 0; trial < 3; ++trial) {
    std::vector<std::vector<double>> direction;
    std::vector<std::vector<double>> edge_direction;
    double analytic = 0;
    for (std::size_t j = 0; j < network.layers().size(); ++j) {
      const AnchorGradient<double>& gradient = network.anchor_gradients()[j];
      direction.push_back(random_values(random, gradient.d_anchors.size()));
      edge_direction.push_back(random_values(random, gradient.d_edge_anchors.size()));
      analytic += std::inner_product(direction[j].begin(), direction[j].end(), gradient.d_anchors.begin(), 0.0);
      analytic +=
          std::inner_product(edge_direction[j].begin(), edge_direction[j].end(), gradient.d_edge_anchors.begin(), 0.0);
    }
    // A maximum that changes hands within a step is no error: take smaller steps.
    double best = std::numeric_limits<double>::infinity();
    for (const double step : {1e-3, 1e-4, 1e-5, 1e-6}) {
      best = std::min(best, std::abs(analytic - numeric_slope(c, direction, edge_direction, r, step)));
    }
    EXPECT_LT(best, 1e-6 * std::max(std::sqrt(size), 1e-3)) << what;
  }
}

// The exact derivative is that of regularisation `gram`. without_max: for anchors that make paths equal, where a
// maximum has no derivative.
void make_exact(RandomCase& c, bool without_max = false) {
  std::vector<BasicLayer<double>> layers = c.network.layers();
  NetworkConfig config = c.network.config();
  for (std::size_t j = 0; j < layers.size(); ++j) {
    layers[j].config.regularisation = Regularisation::gram;
    if (without_max && layers[j].config.pooling == Pooling::max) layers[j].config.pooling = Pooling::sum;
    config.layers[j] = layers[j].config;
  }
  if (without_max && config.global_pooling == Pooling::max) config.global_pooling = Pooling::mean;
  c.network = BasicNetwork<double>(config, c.network.input(), std::move(layers));
}

TEST(Gradient, IsThatOfFiniteDifferences) {
  Random random(2);
  int tried = 0;
  for (std::uint64_t seed = 0; tried < kCases; ++seed) {
    auto c = random_case(random, 1000 + seed);
    if (!c) continue;
    ++tried;
    make_exact(*c);
    expect_gradient(*c, random, "seed " + std::to_string(seed) + " " + to_json(c->network.config()));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Gradient, WithEqualAnchors) {
  Random random(3);
  int tried = 0;
  for (std::uint64_t seed = 0; tried < kCases / 3; ++seed) {
    auto c = random_case(random, 2000 + seed);
    if (!c) continue;
    ++tried;
    make_exact(*c, true);
    // The first two anchors of every position are equal: two eigenvalues of the Gram matrix are 0 and others may agree.
    std::vector<BasicLayer<double>> layers = c->network.layers();
    for (BasicLayer<double>& layer : layers) {
      const auto copy = [&](std::vector<double>& anchors, std::size_t width) {
        const std::size_t q = static_cast<std::size_t>(layer.config.filters);
        for (std::size_t k = 0; q > 1 && k + q * width <= anchors.size(); k += q * width) {
          std::copy_n(anchors.begin() + static_cast<std::ptrdiff_t>(k), width,
                      anchors.begin() + static_cast<std::ptrdiff_t>(k + width));
        }
      };
      copy(layer.anchors, layer.input_width);
      if (layer.edge_width > 0) copy(layer.edge_anchors, layer.edge_width);
    }
    c->network = BasicNetwork<double>(c->network.config(), c->network.input(), std::move(layers));
    expect_gradient(*c, random, "seed " + std::to_string(seed) + " " + to_json(c->network.config()));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Gradient, GeneralisedMaxPoolingIsRefused) {
  const GraphSet graphs = random_graphs({}, 1);
  for (const bool global : {false, true}) {
    NetworkConfig config = path({.path_length = 1, .filters = 4});
    (global ? config.global_pooling : config.layers[0].pooling) = Pooling::gmp;
    const auto network = fit_network<double>(graphs, config);
    EXPECT_THROW(trainable(network, graphs), UsageError);
  }
}

TEST(Gradient, SameBitsForAnyNumberOfThreads) {
  const GraphSet graphs = random_graphs({.graphs = 40, .most_nodes = 20}, 5);
  const Network network = fit_network(graphs, subtree({.path_length = 3, .filters = 16}));
  std::vector<std::vector<float>> gradients;
  for (const int threads : {1, 2, 5}) {
    RunOptions options;
    options.threads = threads;
    const ThreadScope scope(options);
    TrainableNetwork<float> batches = trainable(network, graphs);
    batches.forward_and_backward(first_numbers(graphs.num_graphs()), [&](const auto& part) {
      std::copy_n(part.vectors.data(), part.vectors.size(), part.d_vectors->data());
    });
    gradients.push_back(batches.anchor_gradients()[0].d_anchors);
  }
  EXPECT_EQ(gradients[0], gradients[1]);
  EXPECT_EQ(gradients[0], gradients[2]);
}

}  // namespace
}  // namespace gckn
