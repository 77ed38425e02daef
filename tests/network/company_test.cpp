// SPDX-License-Identifier: BSD-3-Clause
// A graph's vector does not depend on the company it is in: alone, in a set, in any block and order, to the bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gckn/error.h"
#include "gckn/network.h"
#include "graph/sample_graphs.h"
#include "network/embed.h"
#include "network/fit.h"
#include "support/random_graphs.h"

namespace gckn {
namespace {

GraphSet select(const GraphSet& graphs, std::vector<std::uint32_t> members) {
  return select_graphs(graphs, members);
}

// Rows of `vectors` against graphs embedded alone, in pairs and in reverse.
void expect_same_in_any_company(const Network& network, const GraphSet& graphs, const Matrix& vectors,
                                const RunOptions& options) {
  const auto n = static_cast<std::uint32_t>(graphs.num_graphs());
  const auto same = [&](const Matrix& rows, std::size_t row, std::uint32_t g) {
    return std::equal(rows.row(row), rows.row(row) + rows.cols(), vectors.row(g));
  };
  for (std::uint32_t g = 0; g < n; g += 3) {
    EXPECT_TRUE(same(network.embed(select(graphs, {g}), options), 0, g)) << "graph " << g << " alone";
    const std::uint32_t other = (g * 7 + 5) % n;
    const Matrix pair = network.embed(select(graphs, {other, g}), options);
    EXPECT_TRUE(same(pair, 0, other) && same(pair, 1, g)) << "graphs " << other << ", " << g;
    EXPECT_TRUE(same(network.embed(graphs, g, std::min(n, g + 2), options), 0, g)) << "graph " << g << " in a part";
  }
  std::vector<std::uint32_t> order(n);
  std::iota(order.rbegin(), order.rend(), 0U);
  const Matrix reversed = network.embed(select(graphs, order), options);
  for (std::uint32_t g = 0; g < n; ++g) EXPECT_TRUE(same(reversed, n - 1 - g, g)) << "graph " << g << " in reverse";
}

TEST(Company, LabelsInAllArchitectures) {
  const GraphSet graphs = random_graphs({.graphs = 40, .most_nodes = 14, .density = 0.3, .labels = 3}, 11);
  for (const Pooling pooling : {Pooling::sum, Pooling::mean, Pooling::max, Pooling::gmp}) {
    for (const Pooling global : {Pooling::sum, Pooling::mean, Pooling::max}) {
      const Architecture arch{.path_length = 3, .filters = 12, .pooling = pooling, .global_pooling = global};
      for (const NetworkConfig& config : {walk(arch), path(arch), subtree(arch), three_layer(arch)}) {
        const auto [network, vectors] = fit_and_embed(graphs, config);
        expect_same_in_any_company(network, graphs, vectors, {});
      }
    }
  }
}

TEST(Company, AttributesEdgeLabelsAndDenseGraphs) {
  RandomGraphs shape{.graphs = 30, .most_nodes = 14, .density = 0.3, .labels = 3};
  shape.edge_labels = 2;
  const GraphSet labelled = random_graphs(shape, 12);
  NetworkConfig edges = three_layer({.path_length = 2, .filters = 10});
  edges.edge_labels = EdgeLabels::used;
  const auto [edge_network, edge_vectors] = fit_and_embed(labelled, edges);
  expect_same_in_any_company(edge_network, labelled, edge_vectors, {});

  shape.attributes = 3;
  const GraphSet attributed = random_graphs(shape, 13);
  NetworkConfig config = subtree({.path_length = 3, .filters = 10});
  config.features = Features::attributes;
  const auto [network, vectors] = fit_and_embed(attributed, config);
  expect_same_in_any_company(network, attributed, vectors, {});

  // Some are dense enough to be evaluated directly, others are not.
  const GraphSet mixed = random_graphs({.graphs = 20, .most_nodes = 40, .density = 0.6, .labels = 5}, 14);
  const auto [mixed_network, mixed_vectors] = fit_and_embed(mixed, subtree({.path_length = 2, .filters = 16}));
  expect_same_in_any_company(mixed_network, mixed, mixed_vectors, {});
}

// Many blocks, each with a few graphs of the set, on several threads.
TEST(Company, BlocksAndThreadsChangeNothing) {
  const GraphSet graphs = random_graphs({.graphs = 6000, .most_nodes = 12, .density = 0.3, .labels = 3}, 15);
  const auto [network, vectors] = fit_and_embed(graphs, subtree({.path_length = 2, .filters = 8}));
  for (const int threads : {1, 4}) {
    RunOptions options;
    options.threads = threads;
    EXPECT_TRUE(std::ranges::equal(network.embed(graphs, options).values(), vectors.values())) << threads;
  }
}

// Sums over 1e8 paths, and sums of such sums.
TEST(Overflow, DenseGraphsHaveFiniteVectors) {
  const GraphSet graphs = complete_graphs({4, 100, 6});
  Architecture arch{.path_length = 3, .filters = 8, .pooling = Pooling::sum};
  for (const NetworkConfig& config : {path(arch), subtree(arch)}) {
    const Matrix vectors = fit_and_embed(graphs, config).second;
    EXPECT_TRUE(std::ranges::all_of(vectors.values(), [](float value) { return std::isfinite(value); }));
  }
}

// Where even a float's range is passed it is an error of that graph.
TEST(Overflow, ANumberBeyondAllBoundsIsAnErrorOfItsGraph) {
  const GraphSet small = complete_graphs({25, 26});
  const Network network = fit_network(small, walk({.path_length = 20, .filters = 4, .pooling = Pooling::sum}));
  const GraphSet graphs = complete_graphs({25, 200, 26});
  try {
    (void)network.embed(graphs);
    ADD_FAILURE() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("graph 1: its vector has numbers beyond all bounds"), std::string::npos)
        << error.what();
  }
  std::vector<ImpossibleGraph> impossible;
  const Matrix vectors = embed_in_blocks(network, graphs, {0, 3}, {}, &impossible);
  ASSERT_EQ(impossible.size(), 1U);
  EXPECT_EQ(impossible[0].graph, 1U);
  EXPECT_TRUE(std::isfinite(vectors(0, 0)) && std::isnan(vectors(1, 0)) && std::isfinite(vectors(2, 0)));
}

// There are more paths than a 64-bit number can count, not none.
TEST(Overflow, MorePathsThanCanBeCounted) {
  const GraphSet graphs = complete_graphs({300});
  RunOptions options;
  options.max_paths = 1'000'000;
  NetworkConfig config = path({.path_length = 7, .filters = 4});
  const Network network = fit_network(graphs, config, {}, options);
  EXPECT_GT(network.anchor_reports()[0].patterns, 0U);
}

TEST(SampleGraphs, FollowsContentsNotOrder) {
  const GraphSet graphs = random_graphs({.graphs = 500, .most_nodes = 20, .labels = 5}, 16);
  const std::uint64_t half = graphs.num_nodes() / 2;
  const std::vector<std::uint32_t> members = sample_graphs(graphs, half, 1);
  EXPECT_LT(members.size(), 400U);
  EXPECT_GT(members.size(), 100U);
  EXPECT_TRUE(std::ranges::is_sorted(members));
  EXPECT_NE(members, sample_graphs(graphs, half, 2));
  EXPECT_EQ(sample_graphs(graphs, 0, 1).size(), graphs.num_graphs());
  EXPECT_EQ(sample_graphs(graphs, graphs.num_nodes(), 1).size(), graphs.num_graphs());

  // Equal graphs stand for each other, so contents are compared.
  std::vector<std::uint32_t> order(graphs.num_graphs());
  std::iota(order.rbegin(), order.rend(), 0U);
  const GraphSet reversed = select_graphs(graphs, order);
  const auto contents = [](const GraphSet& set, const std::vector<std::uint32_t>& chosen) {
    std::vector<std::vector<std::uint32_t>> all;
    for (const std::uint32_t g : chosen) {
      std::vector<std::uint32_t> graph;
      for (std::uint32_t u = set.graph_begin(g); u < set.graph_begin(g + 1); ++u) {
        graph.push_back(set.node_labels()[u]);
        for (const std::uint32_t v : set.neighbours(u)) graph.push_back(100 + v - set.graph_begin(g));
      }
      all.push_back(std::move(graph));
    }
    std::ranges::sort(all);
    return all;
  };
  EXPECT_EQ(contents(reversed, sample_graphs(reversed, half, 1)), contents(graphs, members));
}

TEST(SampleGraphs, CopiesHaveTheirShare) {
  const GraphSet few = random_graphs({.graphs = 4, .most_nodes = 9, .labels = 3}, 17);
  std::vector<std::uint32_t> copies;
  for (std::uint32_t i = 0; i < 400; ++i) copies.push_back(i % 4);
  const GraphSet graphs = select_graphs(few, copies);
  std::vector<int> taken(4);
  for (const std::uint32_t g : sample_graphs(graphs, graphs.num_nodes() / 2, 3)) ++taken[g % 4];
  for (const int count : taken) EXPECT_GT(count, 25);
}

TEST(SampleGraphs, FittingSaysThatItSampled) {
  const GraphSet graphs = random_graphs({.graphs = 300, .most_nodes = 20, .density = 0.3, .labels = 5}, 18);
  FitOptions fit;
  fit.max_nodes = graphs.num_nodes() / 3;
  const auto [network, vectors] = fit_and_embed(graphs, subtree({.path_length = 2, .filters = 8}), fit);
  EXPECT_EQ(network.learnt_from().of, 300U);
  EXPECT_GT(network.learnt_from().graphs, 50U);
  EXPECT_LT(network.learnt_from().graphs, 200U);
  EXPECT_TRUE(std::ranges::equal(vectors.values(), network.embed(graphs).values()));
  EXPECT_FALSE(fit_network(graphs, subtree({.path_length = 2, .filters = 8})).learnt_from().is_sample());
}

// With patterns compiled beforehand the sample is a mask, and the same.
TEST(SampleGraphs, SearchesSampleAlike) {
  const GraphSet graphs = random_graphs({.graphs = 200, .most_nodes = 20, .density = 0.2, .labels = 5}, 19);
  const NetworkConfig config = subtree({.path_length = 2, .filters = 8});
  FitOptions fit;
  fit.max_nodes = graphs.num_nodes() / 3;
  SharedPatterns patterns(graphs);
  AnchorStore<float> anchors;
  const FittedNetwork fitted = fit_on_and_embed(graphs, config, {}, patterns.compile(config, {}), fit, anchors, {});
  const auto [network, vectors] = fit_and_embed(graphs, config, fit);
  EXPECT_EQ(fitted.network.learnt_from().graphs, network.learnt_from().graphs);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_EQ(fitted.network.layers()[j].anchors, network.layers()[j].anchors);
  EXPECT_TRUE(std::ranges::equal(fitted.vectors.values(), vectors.values()));
  // Of training graphs alone, too.
  std::vector<char> is_training(200);
  std::fill_n(is_training.begin(), 120, 1);
  AnchorStore<float> others;
  const FittedNetwork half =
      fit_on_and_embed(graphs, config, is_training, patterns.compile(config, {}), fit, others, {});
  EXPECT_EQ(half.network.learnt_from().of, 120U);
  for (const std::uint32_t g : sample_graphs(graphs, fit.max_nodes, fit.seed, is_training)) EXPECT_LT(g, 120U);
}

}  // namespace
}  // namespace gckn
