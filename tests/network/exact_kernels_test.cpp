// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "gckn/error.h"
#include "gckn/kernels.h"
#include "network/compiled_set.h"
#include "network/wl_refinement.h"
#include "pattern/patterns.h"
#include "support/random_graphs.h"
#include "util/random.h"

namespace gckn {
namespace {

constexpr std::array kAllKernels{ExactKernel::path,         ExactKernel::walk,  ExactKernel::wl_subtree,
                                 ExactKernel::path_oa,      ExactKernel::wl_oa, ExactKernel::gaussian_path,
                                 ExactKernel::gaussian_walk};

// WL histograms with colours as the terms they stand for, written out so that nothing is checked against itself.
DoubleMatrix wl_by_terms(const GraphSet& graphs, int rounds, bool edge_labels) {
  DoubleMatrix k(graphs.num_graphs(), graphs.num_graphs());
  std::vector<int> colour(graphs.node_labels().begin(), graphs.node_labels().end());
  for (int round = 0; round <= rounds; ++round) {
    if (round > 0) {
      std::map<std::pair<int, std::multiset<std::pair<int, int>>>, int> names;
      std::vector<int> next;
      for (std::uint32_t u = 0; u < graphs.num_nodes(); ++u) {
        std::multiset<std::pair<int, int>> around;
        for (std::uint64_t a = graphs.arc_begin(u); a < graphs.arc_begin(u + 1); ++a) {
          around.emplace(edge_labels ? static_cast<int>(graphs.arc_labels()[a]) : 0, colour[graphs.arcs()[a]]);
        }
        next.push_back(names.emplace(std::pair{colour[u], around}, static_cast<int>(names.size())).first->second);
      }
      colour = next;
    }
    std::vector<std::map<int, double>> count(graphs.num_graphs());
    for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
      for (std::uint32_t u = graphs.graph_begin(g); u < graphs.graph_begin(g + 1); ++u) count[g][colour[u]] += 1;
    }
    for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
      for (std::size_t h = 0; h < graphs.num_graphs(); ++h) {
        for (const auto& [c, number] : count[g]) k(g, h) += count[h].contains(c) ? number * count[h][c] : 0.0;
      }
    }
  }
  return k;
}

// Far beyond the round after which nothing changes, too.
TEST(ExactKernels, WlIsThatOfWrittenOutColours) {
  for (const bool edge_labels : {false, true}) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const GraphSet graphs = random_graphs({.graphs = 30, .labels = 2, .edge_labels = edge_labels ? 2U : 0U}, seed);
      for (const int rounds : {0, 1, 2, 5, 20}) {
        KernelOptions options;
        options.kernel = ExactKernel::wl_subtree;
        options.path_length = rounds;
        options.edge_labels = edge_labels;
        const DoubleMatrix expected = wl_by_terms(graphs, rounds, edge_labels);
        EXPECT_TRUE(std::ranges::equal(kernel_matrix(graphs, options).values(), expected.values()))
            << "seed " << seed << ", " << rounds << " rounds";
      }
    }
  }
}

TEST(ExactKernels, OrderOfGraphsAndThreadsChangeNoBit) {
  const GraphSet graphs = random_graphs({.graphs = 40, .labels = 3, .edge_labels = 2}, 5);
  std::vector<std::uint32_t> order(graphs.num_graphs());
  std::iota(order.begin(), order.end(), 0U);
  Random random(6);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  const GraphSet shuffled = select_graphs(graphs, order);
  for (const ExactKernel kernel : kAllKernels) {
    for (const bool normalised : {false, true}) {
      KernelOptions options;
      options.kernel = kernel;
      options.path_length = 3;
      options.normalised = normalised;
      options.edge_labels = true;
      RunOptions run;
      run.threads = 1;
      const DoubleMatrix k = kernel_matrix(graphs, options, run);
      run.threads = 4;
      const DoubleMatrix of_shuffled = kernel_matrix(shuffled, options, run);
      for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t j = 0; j < order.size(); ++j) {
          ASSERT_EQ(of_shuffled(i, j), k(order[i], order[j])) << "kernel " << static_cast<int>(kernel);
          ASSERT_EQ(k(i, j), k(j, i));
        }
      }
    }
  }
}

// Numbers of nodes whose roots are rounded, and every graph twice: it is exactly as like its copy as itself.
TEST(ExactKernels, NormalisedIsExactlyOneForEqualGraphs) {
  const GraphSet once(random_parts({.graphs = 30, .most_nodes = 12, .labels = 2}, 17));
  std::vector<std::uint32_t> twice(60);
  for (std::uint32_t i = 0; i < 60; ++i) twice[i] = i % 30;
  const GraphSet graphs = select_graphs(once, twice);
  for (const ExactKernel kernel : kAllKernels) {
    KernelOptions options;
    options.kernel = kernel;
    options.path_length = 1;
    options.normalised = true;
    const DoubleMatrix k = kernel_matrix(graphs, options);
    for (std::size_t i = 0; i < 60; ++i) {
      const double own = k(i, i);
      EXPECT_TRUE(own == 1.0 || own == 0.0) << own << ": 0 is for graphs without such paths";
      EXPECT_EQ(k(i, (i + 30) % 60), own);
      for (std::size_t j = 0; j < 60; ++j) {
        EXPECT_EQ(k(i, j), k(j, i));
        EXPECT_LE(k(i, j), 1.0);
        EXPECT_EQ(k(i, j), k((i + 30) % 60, j));
      }
    }
  }
}

// Means and scales of attributes, too.
TEST(ExactKernels, OrderOfGraphsWithAttributesChangesNoBit) {
  const GraphSet graphs = random_graphs({.graphs = 30, .attributes = 3}, 8);
  std::vector<std::uint32_t> order(graphs.num_graphs());
  std::iota(order.rbegin(), order.rend(), 0U);
  KernelOptions options;
  options.kernel = ExactKernel::gaussian_path;
  options.path_length = 1;
  options.features = Features::attributes;
  const DoubleMatrix k = kernel_matrix(graphs, options);
  const DoubleMatrix of_reversed = kernel_matrix(select_graphs(graphs, order), options);
  ASSERT_GT(*std::ranges::max_element(k.values()), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = 0; j < order.size(); ++j) EXPECT_EQ(of_reversed(i, j), k(order[i], order[j]));
  }
}

TEST(WlRefinement, ColoursAreNumberedByWhatTheyName) {
  const GraphSet graphs = random_graphs({.graphs = 30, .labels = 2}, 7);
  std::vector<std::uint32_t> order(graphs.num_graphs());
  std::iota(order.rbegin(), order.rend(), 0U);
  const GraphSet reversed = select_graphs(graphs, order);
  const auto second_round = [](const GraphSet& set) {
    return refine(set, refine(set, first_colours(set.node_labels(), 9), {}, {}), {}, {});
  };
  const NodeColours colours = second_round(graphs);
  const NodeColours of_reversed = second_round(reversed);
  EXPECT_EQ(colours.count, of_reversed.count);
  for (std::size_t g = 0; g < order.size(); ++g) {
    const std::size_t h = order[g];
    for (std::uint32_t i = 0; i < graphs.graph_begin(h + 1) - graphs.graph_begin(h); ++i) {
      EXPECT_EQ(of_reversed.of_node[reversed.graph_begin(g) + i], colours.of_node[graphs.graph_begin(h) + i]);
    }
  }
}

// The message of the LimitError that `call` throws.
std::string message_of(const auto& call) {
  try {
    call();
  } catch (const LimitError& error) {
    return error.what();
  }
  return "nothing thrown";
}

// A hub with leaves of as many labels: no two leaves are twins, and every two of them are the ends of a path.
GraphSet stars(std::uint32_t graphs, std::uint32_t leaves) {
  GraphSetParts parts;
  parts.name = "stars";
  for (std::uint32_t g = 0; g < graphs; ++g) {
    const auto hub = static_cast<std::uint32_t>(parts.node_labels.size());
    parts.graph_sizes.push_back(leaves + 1);
    parts.node_labels.push_back(0);
    for (std::uint32_t i = 1; i <= leaves; ++i) {
      parts.node_labels.push_back(i);
      parts.edge_from.push_back(hub);
      parts.edge_to.push_back(hub + i);
    }
  }
  return GraphSet(std::move(parts));
}

TEST(ExactKernels, ManyPatternsAreRefused) {
  const GraphSet graphs = stars(3, 10);
  const EncodedSet set = encode(graphs, {0, graphs.num_graphs()}, fit_encoding(graphs, {}));
  CompileRequest request{.vertices = 3, .all_lengths = false, .states = false, .histograms = true};
  request.most_entries = 3 * 90;
  RunOptions shared;
  shared.evaluator = Evaluator::shared;
  EXPECT_EQ(compile_patterns(*set.graph, set.colours, request, shared).histograms[0].paths.entries(), 3U * 90U);
  --request.most_entries;
  EXPECT_EQ(
      message_of([&] { (void)compile_patterns(*set.graph, set.colours, request, shared); }),
      "the graphs have more than 269 different paths of 2 edges, those of each counted alone: shorten them or take "
      "fewer graphs");
}

// 2e10 paths would take minutes to visit and more memory than there is: they are counted first.
TEST(ExactKernels, TooManyPathsAreRefusedBeforeTheyAreVisited) {
  const GraphSet graphs = stars(2, 100'000);
  for (const ExactKernel kernel : {ExactKernel::path, ExactKernel::walk, ExactKernel::gaussian_path}) {
    KernelOptions options;
    options.kernel = kernel;
    options.path_length = 2;
    EXPECT_EQ(message_of([&] { (void)kernel_matrix(graphs, options); }),
              kernel == ExactKernel::walk
                  ? "more than 4000000000 walks of 2 edges: shorten them or raise the limit of paths to visit"
                  : "more than 4000000000 paths of 2 edges: shorten them or raise the limit of paths to visit");
  }
}

TEST(ExactKernels, TheLimitCountsVisits) {
  const GraphSet graphs = stars(1, 10);  // 20 visits to extend single nodes, 10 + 10 * 10 to extend edges
  KernelOptions options;
  options.path_length = 2;
  RunOptions run;
  run.max_paths = 130;
  EXPECT_EQ(kernel_matrix(graphs, options, run)(0, 0), 90.0);
  run.max_paths = 129;
  EXPECT_THROW((void)kernel_matrix(graphs, options, run), LimitError);
}

}  // namespace
}  // namespace gckn
