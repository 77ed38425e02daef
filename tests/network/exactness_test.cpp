// SPDX-License-Identifier: BSD-3-Clause
// Theory as tests: with every pattern an anchor the network is the exact kernel, and Theorem 1 of the paper.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "gckn/kernels.h"
#include "gckn/network.h"
#include "linalg/symmetric.h"
#include "network/compiled_set.h"
#include "pattern/patterns.h"
#include "support/random_graphs.h"
#include "support/relative_difference.h"
#include "util/random.h"

namespace gckn {
namespace {

NetworkConfig all_patterns_config(LayerKind kind, int path_length, double eps) {
  NetworkConfig config = kind == LayerKind::path ? path({}) : walk({});
  config.layers[0].path_length = path_length;
  config.layers[0].filters = 16000;
  config.layers[0].sigma = 0.6;
  config.layers[0].pooling = Pooling::sum;
  config.layers[0].all_lengths = false;
  config.layers[0].eps = eps;
  return config;
}

// Of all pairs of rows.
DoubleMatrix inner_products(const DoubleMatrix& rows) {
  DoubleMatrix products(rows.rows(), rows.rows());
  for (std::size_t g = 0; g < rows.rows(); ++g) {
    for (std::size_t h = 0; h < rows.rows(); ++h) {
      products(g, h) = std::inner_product(rows.row(g), rows.row(g) + rows.cols(), rows.row(h), 0.0);
    }
  }
  return products;
}

TEST(Exactness, InnerProductsAreTheGaussianKernel) {
  for (const LayerKind kind : {LayerKind::path, LayerKind::walk}) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const GraphSet graphs = random_graphs({.graphs = 8, .most_nodes = 9}, seed);
      const auto network = fit_network<double>(graphs, all_patterns_config(kind, 2, 1e-8));
      ASSERT_TRUE(network.anchor_reports()[0].exact);
      const DoubleMatrix vectors = network.embed(graphs);
      KernelOptions options;
      options.kernel = kind == LayerKind::path ? ExactKernel::gaussian_path : ExactKernel::gaussian_walk;
      options.path_length = 2;
      const DoubleMatrix expected = kernel_matrix(graphs, options);
      ASSERT_GT(std::ranges::max(expected.values()), 0);
      EXPECT_LT(test::relative_difference(inner_products(vectors), expected), 1e-6);
    }
  }
}

// All nodes of a clique without labels are alike: one anchor in the first layer, and the node states of all lengths
// are patterns of the second layer with one vector.
TEST(Exactness, PatternsWithEqualVectorsShareAnAnchor) {
  GraphSetParts parts;
  parts.graph_sizes = {3};
  parts.edge_from = {0, 0, 1};
  parts.edge_to = {1, 2, 2};
  const GraphSet clique(std::move(parts));
  const Network network = fit_network(clique, subtree({.path_length = 2, .filters = 8}));
  EXPECT_EQ(network.layers()[0].config.filters, 1);
  EXPECT_EQ(network.layers()[1].config.filters, 1);
  EXPECT_GE(network.anchor_reports()[1].patterns, 3u);
  EXPECT_TRUE(network.anchor_reports()[1].exact);
}

// <psi(g), psi(h)> = h_g' K (K^1/2 + eps I)^-2 K h_h, from pattern counts and the pattern Gram matrix alone.
TEST(Exactness, RegularisedInnerProducts) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const double eps = 0.01;
    const GraphSet graphs = random_graphs({.graphs = 6, .most_nodes = 8}, seed);
    const auto network = fit_network<double>(graphs, all_patterns_config(LayerKind::path, 2, eps));
    const BasicLayer<double>& layer = network.layers()[0];
    const auto q = static_cast<std::size_t>(layer.config.filters);
    const std::size_t d = layer.input_width;

    // Patterns as label sequences, read off the anchors.
    std::map<std::vector<std::size_t>, std::size_t> pattern_of;
    std::vector<std::vector<std::size_t>> sequence(q);
    for (std::size_t i = 0; i < q; ++i) {
      for (std::size_t t = 0; t < 3; ++t) {
        const double* z = layer.anchors.data() + (t * q + i) * d;
        sequence[i].push_back(static_cast<std::size_t>(std::max_element(z, z + d) - z));
      }
      pattern_of[sequence[i]] = i;
    }
    ASSERT_EQ(pattern_of.size(), q) << "anchors are distinct patterns";
    DoubleMatrix gram(q, q);
    for (std::size_t i = 0; i < q; ++i) {
      for (std::size_t j = 0; j < q; ++j) {
        int equal = 0;
        for (std::size_t t = 0; t < 3; ++t) equal += sequence[i][t] == sequence[j][t] ? 1 : 0;
        gram(i, j) = std::exp((equal / 3.0 - 1.0) / 0.36);
      }
    }
    const DoubleMatrix root = inverse_square_root(gram, RootKind::root, eps).matrix;

    DoubleMatrix expected(graphs.num_graphs(), q);  // rows: (K^1/2 + eps I)^-1 K h
    for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
      std::vector<double> count(q);
      for (std::uint32_t a = graphs.graph_begin(g); a < graphs.graph_begin(g + 1); ++a) {
        for (const std::uint32_t b : graphs.neighbours(a)) {
          for (const std::uint32_t c : graphs.neighbours(b)) {
            if (c == a) continue;
            count[pattern_of.at({graphs.node_labels()[a], graphs.node_labels()[b], graphs.node_labels()[c]})] += 1;
          }
        }
      }
      std::vector<double> mapped(q);
      for (std::size_t i = 0; i < q; ++i)
        mapped[i] = std::inner_product(gram.row(i), gram.row(i) + q, count.begin(), 0.0);
      for (std::size_t i = 0; i < q; ++i) {
        expected(g, i) = std::inner_product(root.row(i), root.row(i) + q, mapped.begin(), 0.0);
      }
    }
    const DoubleMatrix vectors = network.embed(graphs);
    EXPECT_LT(test::relative_difference(inner_products(vectors), inner_products(expected)), 1e-10);
  }
}

// A random lift of a small graph: every vertex becomes `fibre` nodes with its label, every edge a random matching.
GraphSetParts random_lift(std::uint64_t seed) {
  Random random(seed);
  const std::uint32_t n = 6;
  const std::uint32_t fibre = 3;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::vector<std::set<std::uint32_t>> near(n);
  for (std::uint32_t u = 1; u < n; ++u) {  // a tree and some more edges: every vertex has a neighbour
    edges.emplace_back(static_cast<std::uint32_t>(random.below(u)), u);
  }
  for (std::uint32_t u = 0; u < n; ++u) {
    for (std::uint32_t v = u + 1; v < n; ++v) {
      const bool present = std::find(edges.begin(), edges.end(), std::pair{u, v}) != edges.end();
      if (!present && random.uniform() < 0.25) edges.emplace_back(u, v);
    }
  }
  for (const auto& [u, v] : edges) {
    near[u].insert(v);
    near[v].insert(u);
  }
  // Labels such that the neighbours of every vertex have pairwise distinct ones; otherwise as few as greedy gives.
  std::vector<std::int64_t> label(n, -1);
  for (std::uint32_t u = 0; u < n; ++u) {
    std::set<std::int64_t> taken;
    for (const std::uint32_t v : near[u]) {
      for (const std::uint32_t w : near[v]) {
        if (w != u) taken.insert(label[w]);
      }
    }
    for (label[u] = 0; taken.contains(label[u]);) ++label[u];
  }
  GraphSetParts parts;
  parts.name = "lift";
  parts.graph_sizes = {n * fibre};
  for (std::uint32_t u = 0; u < n; ++u) {
    for (std::uint32_t i = 0; i < fibre; ++i) parts.node_labels.push_back(label[u]);
  }
  for (const auto& [u, v] : edges) {
    std::array<std::uint32_t, 3> order{0, 1, 2};
    for (std::uint32_t i = fibre; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    for (std::uint32_t i = 0; i < fibre; ++i) {
      parts.edge_from.push_back(u * fibre + i);
      parts.edge_to.push_back(v * fibre + order[i]);
    }
  }
  return parts;
}

// WL colours after k rounds, written out here so that the test does not check the library against itself.
std::vector<int> wl_colours(const GraphSet& graphs, int rounds) {
  std::vector<int> colour(graphs.node_labels().begin(), graphs.node_labels().end());
  for (int round = 0; round < rounds; ++round) {
    std::map<std::pair<int, std::multiset<int>>, int> names;
    std::vector<int> next;
    for (std::uint32_t u = 0; u < graphs.num_nodes(); ++u) {
      std::multiset<int> around;
      for (const std::uint32_t v : graphs.neighbours(u)) around.insert(colour[v]);
      next.push_back(names.emplace(std::pair{colour[u], around}, static_cast<int>(names.size())).first->second);
    }
    colour = next;
  }
  return colour;
}

TEST(Exactness, TheoremOneWalkHistogramsAreWlColours) {
  int equal_pairs = 0;
  int different_pairs = 0;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    const GraphSet graphs(random_lift(seed));
    const std::vector<std::uint32_t> labels(graphs.node_labels().begin(), graphs.node_labels().end());
    NetworkConfig by_label;
    by_label.features = Features::labels;
    const EncodedSet set = encode(graphs, {0, graphs.num_graphs()}, fit_encoding(graphs, by_label));
    const ClassGraph& classes = *set.graph;
    RunOptions options;
    options.evaluator = Evaluator::shared;
    for (int k = 1; k <= 4; ++k) {
      const Patterns patterns = compile_patterns(
          classes, set.colours, {.kind = LayerKind::walk, .vertices = k + 1, .all_lengths = false}, options);
      ASSERT_TRUE(patterns.direct_graphs.empty());
      const std::vector<int> wl = wl_colours(graphs, k);
      for (std::uint32_t u = 0; u < graphs.num_nodes(); ++u) {
        for (std::uint32_t v = u + 1; v < graphs.num_nodes(); ++v) {
          const auto& state = *patterns.colouring[0].of_class;
          const bool equal_walks = state[classes.class_of_node[u]] == state[classes.class_of_node[v]];
          EXPECT_EQ(equal_walks, wl[u] == wl[v]) << "seed " << seed << ", k " << k << ", nodes " << u << " " << v;
          (equal_walks && labels[u] == labels[v] ? equal_pairs : different_pairs) += 1;
        }
      }
    }
  }
  EXPECT_GT(equal_pairs, 100);
  EXPECT_GT(different_pairs, 100);
}

}  // namespace
}  // namespace gckn
