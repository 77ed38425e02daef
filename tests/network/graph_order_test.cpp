// SPDX-License-Identifier: BSD-3-Clause
// The order of the graphs in a file changes no bit of a fitted network, nor of a graph's vector: also where paths are
// drawn and where attributes are standardised.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "gckn/io.h"
#include "gckn/network.h"
#include "network/fit.h"
#include "support/files.h"
#include "support/random_graphs.h"
#include "util/random.h"

namespace gckn {
namespace {

template <typename Values>
bool same_bits(const Values& a, const Values& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(*a.data())) == 0);
}

void expect_same_network(const Network& expected, const Network& actual, const std::string& what) {
  EXPECT_TRUE(same_bits(actual.input().mean, expected.input().mean)) << what;
  EXPECT_TRUE(same_bits(actual.input().scale, expected.input().scale)) << what;
  ASSERT_EQ(actual.layers().size(), expected.layers().size()) << what;
  for (std::size_t j = 0; j < expected.layers().size(); ++j) {
    EXPECT_TRUE(same_bits(actual.layers()[j].anchors, expected.layers()[j].anchors)) << what << ", layer " << j;
    EXPECT_TRUE(same_bits(actual.layers()[j].edge_anchors, expected.layers()[j].edge_anchors)) << what;
  }
}

bool has_sampled(const Network& network) {
  return std::ranges::any_of(network.anchor_reports(), &AnchorReport::sampled);
}

// Fits in the order of the set with one thread and in two others with three. Returns whether paths were drawn.
bool expect_order_does_not_matter(const GraphSet& graphs, const NetworkConfig& config, const FitOptions& fit,
                                  const std::string& what) {
  const auto [network, vectors] = fit_and_embed(graphs, config, fit, {.threads = 1});
  for (const std::uint64_t seed : {1U, 2U}) {
    const std::vector<std::uint32_t> order = shuffled_numbers(graphs.num_graphs(), seed);
    const auto [other, rows] = fit_and_embed(select_graphs(graphs, order), config, fit, {.threads = 3});
    expect_same_network(network, other, what);
    std::size_t different = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      different += std::equal(rows.row(i), rows.row(i) + rows.cols(), vectors.row(order[i])) ? 0 : 1;
    }
    EXPECT_EQ(different, 0U) << what;
  }
  return has_sampled(network);
}

// Few points, so that small sets have to be sampled.
FitOptions small_samples() {
  FitOptions fit;
  fit.sample_points = 100;
  fit.max_points = 100;
  fit.seeding_points = 50;
  fit.max_iterations = 8;
  return fit;
}

// A set with copies of its graphs, of which any may come first.
GraphSet with_copies(const GraphSet& graphs) {
  std::vector<std::uint32_t> members(graphs.num_graphs());
  std::iota(members.begin(), members.end(), 0U);
  for (std::uint32_t g = 0; g < graphs.num_graphs(); g += 3) members.push_back(g);
  return select_graphs(graphs, members);
}

TEST(GraphOrder, AttributesInAllArchitecturesAndPoolings) {
  const GraphSet graphs =
      with_copies(random_graphs({.graphs = 160, .most_nodes = 16, .labels = 3, .attributes = 4}, 21));
  for (const Features features : {Features::attributes, Features::labels_and_attributes}) {
    for (const Pooling pooling : {Pooling::sum, Pooling::mean, Pooling::max}) {
      const Architecture arch{.path_length = 2, .filters = 6, .pooling = pooling, .global_pooling = pooling};
      for (NetworkConfig config : {walk(arch), path(arch), subtree(arch), three_layer(arch)}) {
        config.features = features;
        const std::string what =
            fmt::format("{}, {}, {} layers", to_string(features), to_string(pooling), config.layers.size());
        EXPECT_TRUE(expect_order_does_not_matter(graphs, config, small_samples(), what)) << what << ": nothing drawn";
      }
    }
  }
}

TEST(GraphOrder, DenseGraphsOfDegrees) {
  const GraphSet graphs = with_copies(random_graphs({.graphs = 30, .most_nodes = 30, .density = 0.5, .labels = 0}, 22));
  for (const Pooling pooling : {Pooling::sum, Pooling::mean, Pooling::max}) {
    const Architecture arch{.path_length = 2, .filters = 6, .pooling = pooling, .global_pooling = pooling};
    for (const NetworkConfig& config : {walk(arch), path(arch), subtree(arch), three_layer(arch)}) {
      const std::string what = fmt::format("{}, {} layers", to_string(pooling), config.layers.size());
      EXPECT_TRUE(expect_order_does_not_matter(graphs, config, small_samples(), what)) << what << ": nothing drawn";
    }
  }
}

TEST(GraphOrder, EdgeLabelsAndSamplesOfGraphs) {
  const GraphSet graphs =
      with_copies(random_graphs({.graphs = 60, .density = 0.4, .labels = 3, .edge_labels = 3, .attributes = 2}, 23));
  NetworkConfig config = three_layer({.path_length = 2, .filters = 6});
  config.features = Features::labels_and_attributes;
  config.edge_labels = EdgeLabels::used;
  EXPECT_TRUE(expect_order_does_not_matter(graphs, config, small_samples(), "edge labels"));
  FitOptions fit = small_samples();
  fit.max_nodes = graphs.num_nodes() / 2;
  EXPECT_TRUE(expect_order_does_not_matter(graphs, config, fit, "half of the graphs"));
}

// A fold learns from the same graphs wherever they and the others stand.
TEST(GraphOrder, TrainingGraphsAmongOthers) {
  const GraphSet graphs = with_copies(random_graphs({.graphs = 60, .labels = 0, .attributes = 3}, 24));
  NetworkConfig config = subtree({.path_length = 2, .filters = 6});
  config.features = Features::attributes;
  const auto fit_half = [&](const GraphSet& set, const std::vector<char>& is_training) {
    SharedPatterns patterns(set);
    AnchorStore<float> anchors;
    return fit_on_and_embed(set, config, is_training, patterns.compile(config, {}), small_samples(), anchors, {});
  };
  std::vector<char> is_training(graphs.num_graphs());
  for (std::size_t g = 0; g < is_training.size(); ++g) is_training[g] = g % 2 == 0 ? 1 : 0;
  const FittedNetwork expected = fit_half(graphs, is_training);
  EXPECT_TRUE(has_sampled(expected.network));
  const std::vector<std::uint32_t> order = shuffled_numbers(graphs.num_graphs(), 3);
  std::vector<char> shuffled_training;
  for (const std::uint32_t g : order) shuffled_training.push_back(is_training[g]);
  const FittedNetwork actual = fit_half(select_graphs(graphs, order), shuffled_training);
  expect_same_network(expected.network, actual.network, "half of the graphs");
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_TRUE(std::equal(actual.vectors.row(i), actual.vectors.row(i) + actual.vectors.cols(),
                           expected.vectors.row(order[i])));
  }
  // What is learnt is what the training graphs alone give.
  std::vector<std::uint32_t> members;
  for (std::uint32_t g = 0; g < is_training.size(); g += 2) members.push_back(g);
  expect_same_network(fit_network(select_graphs(graphs, members), config, small_samples()), expected.network, "alone");
}

TEST(GraphOrder, OnBenchmarkSets) {
  GCKN_SKIP_WITHOUT_DATASETS();
  FitOptions fit;
  fit.max_iterations = 10;
  for (const char* name : {"ENZYMES.zip", "IMDB-BINARY.zip"}) {
    const GraphSet graphs = read_graphs(test::datasets_dir() / name);
    const NetworkConfig config = three_layer({.path_length = 2, .filters = 16});
    EXPECT_TRUE(expect_order_does_not_matter(graphs, config, fit, name)) << name << ": nothing drawn";
  }
  NetworkConfig attributes = subtree({.path_length = 2, .filters = 16});
  attributes.features = Features::attributes;
  const GraphSet graphs = read_graphs(test::datasets_dir() / "ENZYMES.zip");
  EXPECT_TRUE(expect_order_does_not_matter(graphs, attributes, fit, "attributes of ENZYMES"));
}

}  // namespace
}  // namespace gckn
