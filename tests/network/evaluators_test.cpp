// SPDX-License-Identifier: BSD-3-Clause
// Properties of fitted networks on random graphs; the plain evaluator is the yardstick.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "gckn/error.h"
#include "gckn/kernels.h"
#include "gckn/network.h"
#include "support/random_graphs.h"
#include "support/random_networks.h"
#include "support/relative_difference.h"
#include "support/sanitizers.h"
#include "util/random.h"

namespace gckn {
namespace {

using test::relative_difference;

template <typename Real>
BasicMatrix<Real> embed_with(const BasicNetwork<Real>& network, const GraphSet& graphs, Evaluator evaluator,
                             int threads = 0) {
  RunOptions options;
  options.evaluator = evaluator;
  options.threads = threads;
  return network.embed(graphs, options);
}

TEST(Evaluators, AgreeOnRandomNetworks) {
  std::uint32_t fitted = 0;
  for (std::uint64_t seed = 1; seed <= 100; seed += kSanitizerShare) {
    Random random(seed);
    const RandomGraphs shape = random_shape(random);
    const NetworkConfig config = random_config(random, shape);
    const GraphSet training = random_graphs(shape, 2 * seed);
    const GraphSet graphs = random_graphs(shape, 2 * seed + 1);
    try {
      const auto network = fit_network<double>(training, config);
      ++fitted;
      const DoubleMatrix expected = embed_with(network, graphs, Evaluator::plain);
      for (const Evaluator evaluator : {Evaluator::automatic, Evaluator::shared, Evaluator::direct}) {
        EXPECT_LT(relative_difference(embed_with(network, graphs, evaluator), expected), 1e-9)
            << "seed " << seed << ", evaluator " << static_cast<int>(evaluator);
      }
    } catch (const InputError& error) {  // no path of the full length, no edge label at all
      EXPECT_TRUE(std::string(error.what()).find("has no") != std::string::npos ||
                  std::string(error.what()).find("have no") != std::string::npos)
          << error.what();
    }
  }
  EXPECT_GT(fitted, 70 / kSanitizerShare);
}

TEST(Evaluators, AgreeInFloat) {
  for (std::uint64_t seed = 0; seed < 20; seed += kSanitizerShare) {
    const GraphSet graphs = random_graphs({.graphs = 30, .most_nodes = 14}, seed);
    const Network network = fit_network(graphs, subtree({.path_length = 3, .filters = 16, .sigma = 0.6}));
    const Matrix expected = embed_with(network, graphs, Evaluator::plain);
    for (const Evaluator evaluator : {Evaluator::automatic, Evaluator::shared, Evaluator::direct}) {
      EXPECT_LT(relative_difference(embed_with(network, graphs, evaluator), expected), 1e-4);
    }
  }
}

// Complete and complete multipartite graphs consist of twins only.
TEST(Evaluators, AgreeOnTwins) {
  for (const bool closed : {true, false}) {
    GraphSetParts parts;
    parts.name = "twins";
    for (const std::uint32_t n : {8U, 13U}) {
      const auto first = static_cast<std::uint32_t>(parts.node_labels.size());
      parts.graph_sizes.push_back(n);
      for (std::uint32_t u = 0; u < n; ++u) {
        parts.node_labels.push_back(u % 4 == 0 ? 1 : 0);
        for (std::uint32_t v = u + 1; v < n; ++v) {
          if (!closed && u % 2 == v % 2) continue;
          parts.edge_from.push_back(first + u);
          parts.edge_to.push_back(first + v);
          parts.edge_labels.push_back((u % 4 + v % 4) % 2);
        }
      }
    }
    const GraphSet graphs(std::move(parts));
    for (const Pooling pooling : {Pooling::sum, Pooling::mean, Pooling::max, Pooling::gmp}) {
      for (const bool edges : {false, true}) {
        for (const bool walks : {false, true}) {
          const Architecture arch{.path_length = 3, .filters = 7, .sigma = 0.7, .pooling = pooling};
          NetworkConfig config = walks ? walk(arch) : three_layer(arch);
          config.edge_labels = edges ? EdgeLabels::used : EdgeLabels::unused;
          const auto network = fit_network<double>(graphs, config);
          const DoubleMatrix expected = embed_with(network, graphs, Evaluator::plain);
          for (const Evaluator evaluator : {Evaluator::shared, Evaluator::direct}) {
            EXPECT_LT(relative_difference(embed_with(network, graphs, evaluator), expected), 1e-9);
          }
        }
      }
    }
  }
}

TEST(Evaluators, RenumberingNodesChangesNothing) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const RandomGraphs shape = random_shape(random);
    GraphSetParts parts = random_parts(shape, seed);
    const GraphSet graphs(parts);
    NetworkConfig config = three_layer({.path_length = 2, .filters = 8, .sigma = 0.6});
    if (shape.attributes > 0) config.features = Features::attributes;
    const auto network = fit_network<double>(graphs, config);
    const GraphSet renumbered(renumber_nodes(std::move(parts), seed + 100));
    for (const Evaluator evaluator : {Evaluator::shared, Evaluator::direct}) {
      EXPECT_LT(relative_difference(embed_with(network, renumbered, evaluator), embed_with(network, graphs, evaluator)),
                1e-9);
    }
  }
}

// With interned patterns the numbers are canonical, so even the bits stay.
TEST(Evaluators, OrderOfGraphsAndNodesLeavesBitsOfSharedEvaluation) {
  const RandomGraphs shape{.graphs = 40, .most_nodes = 14, .density = 0.2};
  GraphSetParts parts = random_parts(shape, 7);
  const GraphSet graphs(parts);
  const NetworkConfig config = subtree({.path_length = 3, .filters = 16, .sigma = 0.6});
  RunOptions options;
  options.evaluator = Evaluator::shared;
  const auto [network, vectors] = fit_and_embed(graphs, config, {}, options);

  // Reverse the order of the graphs by rebuilding the parts.
  GraphSetParts reversed;
  reversed.name = parts.name;
  parts = renumber_nodes(std::move(parts), 3);
  std::vector<std::uint32_t> begin(parts.graph_sizes.size() + 1);
  std::partial_sum(parts.graph_sizes.begin(), parts.graph_sizes.end(), begin.begin() + 1);
  for (std::size_t g = parts.graph_sizes.size(); g-- > 0;) {
    const auto first = static_cast<std::uint32_t>(reversed.node_labels.size());
    reversed.graph_sizes.push_back(parts.graph_sizes[g]);
    for (std::uint32_t u = begin[g]; u < begin[g + 1]; ++u) reversed.node_labels.push_back(parts.node_labels[u]);
    for (std::size_t e = 0; e < parts.edge_from.size(); ++e) {
      if (parts.edge_from[e] < begin[g] || parts.edge_from[e] >= begin[g + 1]) continue;
      reversed.edge_from.push_back(parts.edge_from[e] - begin[g] + first);
      reversed.edge_to.push_back(parts.edge_to[e] - begin[g] + first);
    }
  }
  const auto [network_reversed, vectors_reversed] = fit_and_embed(GraphSet(std::move(reversed)), config, {}, options);
  for (std::size_t j = 0; j < network.layers().size(); ++j) {
    EXPECT_EQ(network.layers()[j].anchors, network_reversed.layers()[j].anchors) << "layer " << j;
  }
  for (std::size_t g = 0; g < vectors.rows(); ++g) {
    const std::size_t twin = vectors.rows() - 1 - g;
    EXPECT_TRUE(std::equal(vectors.row(g), vectors.row(g) + vectors.cols(), vectors_reversed.row(twin))) << g;
  }
}

TEST(Evaluators, SameBitsForAnyNumberOfThreads) {
  for (const std::uint32_t attributes : {0U, 3U}) {
    const GraphSet graphs =
        random_graphs({.graphs = 120 / kSanitizerShare, .most_nodes = 14, .density = 0.2, .attributes = attributes}, 5);
    for (const Pooling pooling : {Pooling::sum, Pooling::mean, Pooling::max}) {
      NetworkConfig config = three_layer({.path_length = 3, .filters = 24, .sigma = 0.6, .pooling = pooling});
      if (attributes > 0) config.features = Features::attributes;
      FitOptions fit;
      fit.max_iterations = 8;
      fit.sample_points = 3000 / kSanitizerShare;
      RunOptions one;
      one.threads = 1;
      const auto [network, vectors] = fit_and_embed(graphs, config, fit, one);
      for (const int threads : {2, 4}) {
        RunOptions more;
        more.threads = threads;
        const auto [same, same_vectors] = fit_and_embed(graphs, config, fit, more);
        for (std::size_t j = 0; j < network.layers().size(); ++j) {
          EXPECT_EQ(network.layers()[j].anchors, same.layers()[j].anchors);
        }
        EXPECT_TRUE(std::ranges::equal(vectors.values(), same_vectors.values()));
        EXPECT_TRUE(std::ranges::equal(vectors.values(), network.embed(graphs, more).values()));
      }
    }
  }
}

// The automatic choice depends on the whole set; only the plain evaluator looks at one graph at a time.
TEST(Evaluators, AGraphAloneIsItsRowUpToRounding) {
  const GraphSet graphs = random_graphs({.graphs = 40, .most_nodes = 14}, 6);
  const Network network = fit_network(graphs, subtree({.path_length = 3, .filters = 16}));
  const Matrix plain = embed_with(network, graphs, Evaluator::plain);
  const Matrix automatic = embed_with(network, graphs, Evaluator::automatic);
  for (std::uint32_t g = 0; g < 8; ++g) {
    const GraphSet alone = select_graphs(graphs, std::array{g});
    EXPECT_TRUE(
        std::equal(plain.row(g), plain.row(g) + plain.cols(), embed_with(network, alone, Evaluator::plain).data()));
    Matrix row(1, automatic.cols());
    std::copy_n(automatic.row(g), automatic.cols(), row.data());
    EXPECT_LT(relative_difference(embed_with(network, alone, Evaluator::automatic), row), 1e-3);
  }
}

// Equal graphs have equal bits wherever they stand, so the order of a file cannot leak into vectors.
TEST(Evaluators, EqualGraphsHaveEqualBits) {
  for (const std::uint32_t attributes : {0U, 2U}) {
    GraphSetParts parts;
    for (std::uint64_t seed = 0; parts.graph_sizes.empty() || parts.graph_sizes[0] < 6; ++seed) {
      parts = random_parts({.graphs = 1, .most_nodes = 12, .attributes = attributes}, seed);
    }
    const GraphSetParts one = parts;
    for (std::uint32_t copy = 1; copy < 333; ++copy) {
      parts.graph_sizes.push_back(one.graph_sizes[0]);
      parts.node_labels.insert(parts.node_labels.end(), one.node_labels.begin(), one.node_labels.end());
      parts.node_attributes.insert(parts.node_attributes.end(), one.node_attributes.begin(), one.node_attributes.end());
      for (std::size_t e = 0; e < one.edge_from.size(); ++e) {
        parts.edge_from.push_back(one.edge_from[e] + copy * one.graph_sizes[0]);
        parts.edge_to.push_back(one.edge_to[e] + copy * one.graph_sizes[0]);
      }
    }
    const GraphSet graphs(std::move(parts));
    NetworkConfig config = subtree({.path_length = 3, .filters = 10, .sigma = 0.6, .pooling = Pooling::max});
    if (attributes > 0) config.features = Features::attributes;
    const Network network = fit_network(graphs, config);
    for (const Evaluator evaluator : {Evaluator::shared, Evaluator::direct}) {
      const Matrix vectors = embed_with(network, graphs, evaluator);
      for (std::size_t g = 1; g < vectors.rows(); ++g) {
        ASSERT_TRUE(std::equal(vectors.row(g), vectors.row(g) + vectors.cols(), vectors.row(0))) << g;
      }
    }
  }
}

TEST(Evaluators, UnknownLabelsAreOrthogonalToKnownOnes) {
  // Nodes of label 7 (unknown) compare like a zero vector of norm 1: kappa = exp(-alpha) for a single node.
  GraphSetParts training;
  training.name = "training";
  training.graph_sizes = {2};
  training.node_labels = {1, 2};
  const double sigma = 0.8;
  const auto network = fit_network<double>(GraphSet(training), path({.path_length = 0, .filters = 2, .sigma = sigma}));
  ASSERT_EQ(network.layers()[0].config.filters, 2);
  GraphSetParts other = training;
  other.node_labels = {7, 7};
  const DoubleMatrix vector = network.embed(GraphSet(other));
  // A of two orthogonal anchors: symmetric, so c = (k, k) is an eigenvector with lambda = 1 + k, k = exp(-alpha).
  const double k = std::exp(-1 / (sigma * sigma));
  const double expected = 2 * k / (std::sqrt(1 + k) + 0.01);
  EXPECT_NEAR(vector(0, 0), expected, 1e-12);
  EXPECT_NEAR(vector(0, 1), expected, 1e-12);
}

// Factors must not overflow where the bandwidth is small: edge labels have positions of their own.
TEST(Evaluators, AgreeForSmallBandwidths) {
  for (const double sigma : {0.02, 0.05}) {
    const RandomGraphs shape{.graphs = 10, .most_nodes = 8, .density = 0.4, .edge_labels = 2, .attributes = 2};
    const GraphSet graphs = random_graphs(shape, 21);
    NetworkConfig config = path({.path_length = 2, .filters = 8, .sigma = sigma});
    config.edge_labels = EdgeLabels::used;
    config.features = Features::attributes;
    const Network network = fit_network(graphs, config);
    const Matrix expected = embed_with(network, graphs, Evaluator::plain);
    for (const Evaluator evaluator : {Evaluator::shared, Evaluator::direct}) {
      EXPECT_LT(relative_difference(embed_with(network, graphs, evaluator), expected), 1e-3) << sigma;
    }
  }
}

TEST(Evaluators, BandwidthsWithoutDigitsAreRefused) {
  for (const double sigma : {0.0, 1e-5, 1e5, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(validate(path({.sigma = sigma})), UsageError) << sigma;
  }
}

// Evaluators keep an array per path: the longest path fits, and what is longer is refused before it gets there.
TEST(Evaluators, TheLongestPathIsTheLimit) {
  GraphSetParts parts;
  parts.name = "ring";
  const std::uint32_t nodes = kLongestPath + 2;
  parts.graph_sizes = {nodes};
  for (std::uint32_t u = 0; u < nodes; ++u) {
    parts.node_labels.push_back(u % 3);
    parts.edge_from.push_back(u);
    parts.edge_to.push_back((u + 1) % nodes);
  }
  const GraphSet ring(std::move(parts));
  const auto network = fit_network<double>(ring, path({.path_length = kLongestPath, .filters = 4, .sigma = 0.6}));
  const DoubleMatrix expected = embed_with(network, ring, Evaluator::plain);
  for (const Evaluator evaluator : {Evaluator::shared, Evaluator::direct}) {
    EXPECT_LT(relative_difference(embed_with(network, ring, evaluator), expected), 1e-9);
  }
  EXPECT_NO_THROW(kernel_matrix(ring, {.path_length = kLongestPath}));
  EXPECT_THROW(validate(path({.path_length = kLongestPath + 1})), UsageError);
  EXPECT_THROW(kernel_matrix(ring, {.path_length = kLongestPath + 1}), UsageError);
}

// Clique: one distinct pattern, whatever evaluator is chosen.
TEST(Evaluators, AnchorsAreDistinctPatterns) {
  GraphSetParts parts;
  parts.name = "clique";
  parts.graph_sizes = {40};
  for (std::uint32_t u = 0; u < 40; ++u) {
    for (std::uint32_t v = u + 1; v < 40; ++v) {
      parts.edge_from.push_back(u);
      parts.edge_to.push_back(v);
    }
  }
  const GraphSet graphs(std::move(parts));
  for (const Evaluator evaluator : {Evaluator::automatic, Evaluator::shared, Evaluator::direct}) {
    RunOptions options;
    options.evaluator = evaluator;
    FitOptions fit;
    fit.sample_points = 100;  // fewer than there are paths
    const Network network = fit_network(graphs, path({.path_length = 2, .filters = 2}), fit, options);
    EXPECT_EQ(network.layers()[0].config.filters, 1) << static_cast<int>(evaluator);
  }
}

// One anchor for directions all round: it is like none of them, and no sample makes it better.
TEST(Evaluators, SamplesOfPathsThatNoAnchorIsLike) {
  Random random(4);
  GraphSetParts parts;
  parts.name = "round";
  parts.node_attribute_columns = 2;
  for (int g = 0; g < 400; ++g) {
    parts.graph_sizes.push_back(2);
    const double angle = 6.283185307179586 * random.uniform();
    for (const double sign : {1.0, -1.0}) {
      parts.node_attributes.push_back(sign * std::cos(angle));
      parts.node_attributes.push_back(sign * std::sin(angle));
    }
  }
  const GraphSet graphs(std::move(parts));
  FitOptions fit;
  fit.sample_points = 64;
  const Network network = fit_network(graphs, path({.path_length = 0, .filters = 1}), fit);
  ASSERT_EQ(network.anchor_reports().size(), 1U);
  EXPECT_LT(std::abs(network.anchor_reports()[0].similarity), 0.5);
  EXPECT_TRUE(network.anchor_reports()[0].converged);
}

TEST(Evaluators, OddButLegalGraphs) {
  GraphSetParts parts;
  parts.name = "odd";
  parts.graph_sizes = {0, 1, 0, 3, 0};
  parts.node_labels = {0, 0, 1, 0};
  parts.edge_from = {1};
  parts.edge_to = {2};
  const GraphSet graphs(std::move(parts));
  const Network network = fit_network(graphs, subtree({.path_length = 1, .filters = 4, .sigma = 1}));
  const Matrix vectors = network.embed(graphs);
  ASSERT_EQ(vectors.rows(), 5U);
  for (const std::size_t g : {0U, 2U, 4U}) {
    for (std::size_t j = 0; j < vectors.cols(); ++j) EXPECT_EQ(vectors(g, j), 0.0F);
  }
  const std::size_t block = vectors.cols() / 2;
  bool something = false;
  for (std::size_t j = 0; j < block; ++j) something |= vectors(1, j) != 0.0F;
  EXPECT_TRUE(something) << "a single node has a path of one vertex";
  for (std::size_t j = block; j < vectors.cols(); ++j) EXPECT_EQ(vectors(1, j), 0.0F) << "and none of two";
}

TEST(Evaluators, NoPathToLearnFromIsAnError) {
  GraphSetParts parts;
  parts.name = "edgeless";
  parts.graph_sizes = {3};
  parts.node_labels = {0, 1, 2};
  EXPECT_THROW(fit_network(GraphSet(std::move(parts)), path({.path_length = 2})), InputError);
}

TEST(Evaluators, LimitOfPathsIsAClearError) {
  const GraphSet graphs = random_graphs({.graphs = 5, .most_nodes = 14, .density = 0.9, .labels = 3}, 3);
  const Network network = fit_network(graphs, path({.path_length = 3, .filters = 8}));
  for (const Evaluator evaluator : kAllEvaluators) {
    RunOptions options;
    options.evaluator = evaluator;
    options.max_paths = 100;
    EXPECT_THROW((void)network.embed(graphs, options), InputError) << static_cast<int>(evaluator);
    options.max_paths = 10'000'000;
    EXPECT_NO_THROW((void)network.embed(graphs, options)) << static_cast<int>(evaluator);
  }
}

TEST(Evaluators, ProgressCanCancel) {
  const GraphSet graphs = random_graphs({.graphs = 50}, 3);
  int calls = 0;
  RunOptions options;
  options.progress = [&](const Progress& progress) {
    EXPECT_LE(progress.done, progress.total);
    EXPECT_FALSE(progress.stage.empty());
    return ++calls < 5;
  };
  EXPECT_THROW((void)fit_network(graphs, subtree({.path_length = 3}), {}, options), Cancelled);
  EXPECT_EQ(calls, 5);
}

// Every report is a place where it can be cancelled; there are several in each kernel and all lead out.
TEST(ExactKernels, CanBeCancelledAnywhere) {
  const GraphSet graphs = random_graphs({.graphs = 40}, 3);
  for (const ExactKernel kernel :
       {ExactKernel::path, ExactKernel::walk, ExactKernel::wl_subtree, ExactKernel::gaussian_path}) {
    KernelOptions kernel_options;
    kernel_options.kernel = kernel;
    kernel_options.path_length = 2;
    RunOptions options;
    int calls = 0;  // about: the number of reports depends on how long loops take
    options.progress = [&](const Progress& progress) {
      EXPECT_LE(progress.done, progress.total) << progress.stage;
      ++calls;
      return true;
    };
    (void)kernel_matrix(graphs, kernel_options, options);
    EXPECT_GT(calls, 4);
    for (int last = 1; last <= calls; last += 3) {
      int left = last;
      bool cancelled = false;
      options.progress = [&](const Progress&) { return --left > 0; };
      try {
        (void)kernel_matrix(graphs, kernel_options, options);
      } catch (const Cancelled&) {
        cancelled = true;
      }
      EXPECT_EQ(cancelled, left == 0) << last << " of " << calls;
    }
  }
}

TEST(Evaluators, FitAndEmbedIsFitThenEmbed) {
  for (const bool concat : {false, true}) {
    const GraphSet graphs = random_graphs({.graphs = 50}, 4);
    NetworkConfig config = three_layer({.path_length = 2, .filters = 9});
    config.concat_layers = concat;
    const auto [network, vectors] = fit_and_embed(graphs, config);
    EXPECT_EQ(vectors.cols(), network.vector_size());
    EXPECT_TRUE(std::ranges::equal(vectors.values(), fit_network(graphs, config).embed(graphs).values()));
  }
}

}  // namespace
}  // namespace gckn
