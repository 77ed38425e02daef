// SPDX-License-Identifier: BSD-3-Clause
// Compiled patterns against a literal enumeration of node sequences.
#include "pattern/patterns.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "gckn/error.h"
#include "network/compiled_set.h"
#include "pattern/path_walker.h"
#include "support/random_graphs.h"

namespace gckn {
namespace {

// A label sequence: vertex, edge, vertex, ...
using Sequence = std::vector<std::uint32_t>;
using Multiset = std::map<Sequence, std::uint64_t>;

// All label sequences of paths (walks) of `length` vertices from a node.
Multiset sequences_from(const GraphSet& graphs, std::uint32_t start, int length, LayerKind kind, bool edges) {
  Multiset found;
  std::vector<std::uint32_t> path{start};
  Sequence labels{graphs.node_labels()[start]};
  const std::function<void()> grow = [&] {
    if (static_cast<int>(path.size()) == length) {
      ++found[labels];
      return;
    }
    const std::uint32_t at = path.back();
    for (std::uint64_t a = graphs.arc_begin(at); a < graphs.arc_begin(at + 1); ++a) {
      const std::uint32_t to = graphs.arcs()[a];
      if (kind == LayerKind::path && std::find(path.begin(), path.end(), to) != path.end()) continue;
      path.push_back(to);
      if (edges) labels.push_back(graphs.arc_labels()[a]);
      labels.push_back(graphs.node_labels()[to]);
      grow();
      labels.pop_back();
      if (edges) labels.pop_back();
      path.pop_back();
    }
  };
  grow();
  return found;
}

struct LabelledSet {
  GraphSet graphs;
  EncodedSet encoded;
  const ClassGraph& classes;
  const Colouring& colours;

  LabelledSet(const RandomGraphs& shape, std::uint64_t seed)
      : graphs(random_graphs(shape, seed)),
        encoded(encode(graphs, {0, graphs.num_graphs()}, encoding_of(graphs))),
        classes(*encoded.graph),
        colours(encoded.colours) {}
  LabelledSet(const LabelledSet&) = delete;
  LabelledSet& operator=(const LabelledSet&) = delete;

 private:
  static InputEncoding encoding_of(const GraphSet& graphs) {
    NetworkConfig config;
    config.features = Features::labels;
    config.edge_labels = graphs.has_edge_labels() ? EdgeLabels::used : EdgeLabels::unused;
    return fit_encoding(graphs, config);
  }
};

TEST(Patterns, StatesAreTheMultisetsOfEveryNode) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomGraphs shape{.graphs = 5, .most_nodes = 8, .density = seed % 2 == 0 ? 0.3 : 0.85, .labels = 2};
    const bool edges = seed % 3 == 0;
    shape.edge_labels = edges ? 2 : 0;
    const LabelledSet setup(shape, seed);
    if (edges && !setup.graphs.has_edge_labels()) continue;
    for (const LayerKind kind : {LayerKind::path, LayerKind::walk}) {
      const int vertices = 4;
      RunOptions options;
      options.evaluator = Evaluator::shared;
      const Patterns patterns = compile_patterns(
          setup.classes, setup.colours,
          {.kind = kind, .vertices = vertices, .all_lengths = true, .edge_labels = edges, .num_edge_labels = 3},
          options);
      ASSERT_TRUE(patterns.direct_graphs.empty());
      for (int length = 1; length <= vertices; ++length) {
        const auto i = static_cast<std::size_t>(length) - 1;
        const StateTable& states = patterns.states[i];
        std::set<Multiset> distinct;
        for (std::uint32_t u = 0; u < setup.graphs.num_nodes(); ++u) {
          const std::uint32_t state = (*patterns.colouring[i].of_class)[setup.classes.class_of_node[u]];
          Multiset actual;
          const auto read = [&](std::uint32_t pattern, std::uint64_t count) {
            Sequence colours(static_cast<std::size_t>(length));
            Sequence labels(edges ? static_cast<std::size_t>(length) - 1 : 0);
            read_pattern(patterns, pattern, colours, labels);
            Sequence sequence;
            for (std::size_t t = 0; t < colours.size(); ++t) {
              if (edges && t > 0) sequence.push_back(labels[t - 1]);
              sequence.push_back(colours[t]);
            }
            EXPECT_EQ(actual.count(sequence), 0U) << "a pattern stands twice";
            actual[sequence] = count;
          };
          if (states.identity) {
            read(state, 1);
          } else {
            const auto row = states.patterns.row(state);
            for (std::size_t e = 0; e < row.size(); ++e) read(row.index[e], row.weight[e]);
          }
          const Multiset expected = sequences_from(setup.graphs, u, length, kind, edges);
          ASSERT_EQ(actual, expected) << "seed " << seed << ", node " << u << ", length " << length;
          distinct.insert(expected);
        }
        if (!states.identity) {
          EXPECT_EQ(distinct.size(), states.count) << "equal multisets are one state";
        }
      }
    }
  }
}

TEST(Patterns, NumbersDoNotDependOnThreads) {
  const LabelledSet setup({.graphs = 9000, .most_nodes = 12, .density = 0.2}, 3);
  const auto compile = [&](int threads) {
    const ClassGraph& classes = setup.classes;
    RunOptions options;
    options.threads = threads;
    options.evaluator = Evaluator::shared;
    return compile_patterns(classes, setup.colours, {.vertices = 4}, options);
  };
  const Patterns one = compile(1);
  const Patterns four = compile(4);
  ASSERT_GT(setup.classes.chunks().size(), 3U) << "several chunks are merged";
  for (std::size_t i = 0; i < one.states.size(); ++i) {
    EXPECT_EQ(one.states[i].patterns.index, four.states[i].patterns.index);
    EXPECT_EQ(*one.colouring[i].of_class, *four.colouring[i].of_class);
  }
}

// The choice is made by each graph alone: whatever stands beside it.
// A path, a dense graph without twins, a path.
GraphSet mixed_graphs(std::uint32_t labels) {
  GraphSetParts parts;
  parts.name = "mixed";
  std::uint32_t first = 0;
  for (const std::uint32_t nodes : {6U, 60U, 8U}) {
    parts.graph_sizes.push_back(nodes);
    for (std::uint32_t u = 0; u < nodes; ++u) {
      parts.node_labels.push_back(u % labels);
      for (std::uint32_t v = u + 1; v < nodes; ++v) {
        if (nodes > 10 ? (u * u + v * v + u * v) % 7 != 0 : v == u + 1) {
          parts.edge_from.push_back(first + u);
          parts.edge_to.push_back(first + v);
        }
      }
    }
    first += nodes;
  }
  return GraphSet(std::move(parts));
}

TEST(Patterns, DenseGraphsOfManyLabelsAreEvaluatedDirectly) {
  const GraphSet graphs = mixed_graphs(30);
  const EncodedSet set = encode(graphs, {0, 3}, fit_encoding(graphs, {}));
  const Patterns patterns = compile_patterns(*set.graph, set.colours, {.vertices = 3}, {});
  EXPECT_EQ(patterns.direct_graphs, std::vector<std::uint32_t>{1});
  ASSERT_EQ(patterns.colouring.size(), 3U);
  const Colouring& longest = patterns.colouring[2];
  const std::uint32_t shared = patterns.states[2].count;
  EXPECT_EQ(longest.count, shared + patterns.num_direct_classes());
  for (std::uint32_t c = 0; c < set.graph->num_classes(); ++c) {
    const bool is_direct = c >= set.graph->graph_begin[1] && c < set.graph->graph_begin[2];
    EXPECT_EQ((*longest.of_class)[c] >= shared, is_direct) << c;
  }
  for (std::size_t g = 0; g < 3; ++g) {
    const EncodedSet alone = encode(graphs, {g, g + 1}, fit_encoding(graphs, {}));
    EXPECT_EQ(compile_patterns(*alone.graph, alone.colours, {.vertices = 3}, {}).direct_graphs.size(),
              g == 1 ? 1U : 0U);
  }
}

TEST(Patterns, DenseGraphsOfFewLabelsAreListed) {
  const GraphSet graphs = mixed_graphs(2);
  const EncodedSet set = encode(graphs, {0, 3}, fit_encoding(graphs, {}));
  EXPECT_TRUE(compile_patterns(*set.graph, set.colours, {.vertices = 3}, {}).direct_graphs.empty());
}

// Attributes that no two nodes of a graph share are not listed, labels always are.
TEST(Patterns, ColoursThatDoNotRepeatAreEvaluatedDirectly) {
  RandomGraphs shape{.graphs = 50, .most_nodes = 12, .density = 0.2, .labels = 100'000};
  const LabelledSet unique(shape, 1);
  EXPECT_TRUE(compile_patterns(unique.classes, unique.colours, {.vertices = 4}, {}).direct_graphs.empty());
  Colouring not_labels = unique.colours;
  not_labels.labels = false;
  EXPECT_GT(compile_patterns(unique.classes, not_labels, {.vertices = 4}, {}).direct_graphs.size(), 30U);
}

TEST(Patterns, HistogramsAreSumsOverTheStatesOfNodes) {
  const LabelledSet setup({.graphs = 40, .most_nodes = 12, .density = 0.3, .labels = 3}, 5);
  RunOptions options;
  options.evaluator = Evaluator::shared;
  const Patterns patterns =
      compile_patterns(setup.classes, setup.colours, {.vertices = 4, .histograms = true}, options);
  for (std::size_t i = 0; i < patterns.lengths.size(); ++i) {
    const GraphHistograms& histograms = patterns.histograms[i];
    ASSERT_EQ(histograms.paths.rows(), setup.graphs.num_graphs());
    for (std::size_t g = 0; g < setup.graphs.num_graphs(); ++g) {
      std::map<std::uint32_t, std::pair<double, double>> expected;
      for (std::uint32_t u = setup.graphs.graph_begin(g); u < setup.graphs.graph_begin(g + 1); ++u) {
        const std::uint32_t state = (*patterns.colouring[i].of_class)[setup.classes.class_of_node[u]];
        if (patterns.states[i].identity) {
          expected[state].first += 1;
          expected[state].second += 1;
          continue;
        }
        const auto row = patterns.states[i].patterns.row(state);
        const double total = std::accumulate(row.weight.begin(), row.weight.end(), 0.0);
        for (std::size_t e = 0; e < row.size(); ++e) {
          expected[row.index[e]].first += row.weight[e];
          expected[row.index[e]].second += row.weight[e] / total;
        }
      }
      const auto row = histograms.paths.row(g);
      ASSERT_EQ(row.size(), expected.size());
      std::size_t e = 0;
      for (const auto& [pattern, weights] : expected) {
        EXPECT_EQ(row.index[e], pattern);
        EXPECT_EQ(row.weight[e], weights.first);
        EXPECT_NEAR(histograms.mean[histograms.paths.begin[g] + e], weights.second, 1e-12);
        ++e;
      }
    }
  }
}

// What the headers promise of the order of patterns: parents ascend, so children are contiguous.
TEST(Patterns, ChildrenOfAPatternAreContiguous) {
  const LabelledSet setup({.graphs = 200, .most_nodes = 12, .density = 0.3, .labels = 5}, 6);
  const Patterns patterns = compile_patterns(setup.classes, setup.colours, {.vertices = 4}, {});
  for (std::size_t t = 1; t < patterns.levels.size(); ++t) {
    const TrieLevel& level = patterns.levels[t];
    ASSERT_GT(level.size(), 10U);
    for (std::size_t p = 1; p < level.size(); ++p) {
      const bool ordered = level.parent[p - 1] < level.parent[p] ||
                           (level.parent[p - 1] == level.parent[p] && level.colour[p - 1] < level.colour[p]);
      ASSERT_TRUE(ordered) << "level " << t << ", pattern " << p;
    }
  }
}

TEST(Patterns, LimitStopsCompilation) {
  const LabelledSet setup({.graphs = 20, .most_nodes = 12, .density = 0.9, .labels = 2}, 1);
  RunOptions options;
  options.max_paths = 50;
  options.evaluator = Evaluator::shared;
  EXPECT_THROW(compile_patterns(setup.classes, setup.colours, {.vertices = 5}, options), InputError);
}

TEST(PathWalker, CountsAndSelectsEverySequenceOnce) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const LabelledSet setup({.graphs = 3, .most_nodes = 8, .density = seed % 2 == 0 ? 0.3 : 0.9, .labels = 2}, seed);
    for (const LayerKind kind : {LayerKind::path, LayerKind::walk}) {
      for (int length = 1; length <= 4; ++length) {
        const WalkCounts walks = count_walks(setup.classes, length);
        PathWalker walker(setup.classes, kind, length, &walks);
        for (std::uint32_t c = 0; c < setup.classes.num_classes(); ++c) {
          std::map<Sequence, double> ways_of;
          walker.visit_from(c, [&](double ways) {
            ways_of[Sequence(walker.classes().begin(), walker.classes().end())] += ways;
            return true;
          });
          double total = 0;
          for (const auto& [sequence, ways] : ways_of) total += ways;
          ASSERT_EQ(walker.count_from(c), total);
          std::map<Sequence, double> selected;
          std::vector<double> places;
          for (double place = 0; place < total; ++place) places.push_back(place);
          std::size_t found = 0;
          walker.select(c, places, [&](std::size_t i) {
            EXPECT_EQ(i, found++);
            selected[Sequence(walker.classes().begin(), walker.classes().end())] += 1;
          });
          ASSERT_EQ(found, places.size());
          if (places.size() > 2) {  // a few of them are the same few
            std::vector<Sequence> all;
            walker.select(c, places,
                          [&](std::size_t) { all.emplace_back(walker.classes().begin(), walker.classes().end()); });
            const std::vector<double> some{places[1], places.back()};
            std::vector<Sequence> few;
            walker.select(c, some,
                          [&](std::size_t) { few.emplace_back(walker.classes().begin(), walker.classes().end()); });
            ASSERT_EQ(few, (std::vector<Sequence>{all[1], all.back()}));
          }
          ASSERT_EQ(selected, ways_of);
        }
      }
    }
  }
}

TEST(PathSampler, SamplesUniformly) {
  const LabelledSet setup({.graphs = 6, .most_nodes = 8, .density = 0.4, .labels = 2}, 4);
  const std::vector<char> eligible(setup.classes.num_classes(), 1);
  const PathSampler sampler(setup.classes, LayerKind::path, 3, eligible);
  std::vector<double> weights;
  const PathSampler::Sample all = sampler.all(weights);
  std::map<Sequence, double> expected;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    expected[Sequence(all.classes.begin() + static_cast<std::ptrdiff_t>(3 * i),
                      all.classes.begin() + static_cast<std::ptrdiff_t>(3 * i + 3))] += weights[i];
  }
  const double total = sampler.total();
  const std::size_t count = 200'000;
  const PathSampler::Sample sample = sampler.sample(count, 1);
  std::map<Sequence, double> actual;
  for (std::size_t i = 0; i < count; ++i) {
    actual[Sequence(sample.classes.begin() + static_cast<std::ptrdiff_t>(3 * i),
                    sample.classes.begin() + static_cast<std::ptrdiff_t>(3 * i + 3))] += 1;
  }
  ASSERT_EQ(actual.size(), expected.size());
  for (const auto& [sequence, weight] : expected) {
    EXPECT_NEAR(actual[sequence] / static_cast<double>(count), weight / total, 2e-3);
  }
}

TEST(PathSampler, CanBeStopped) {
  const LabelledSet setup({.graphs = 6, .most_nodes = 8, .density = 0.4, .labels = 2}, 4);
  RunOptions options;
  std::string_view stop = "counting paths";
  options.progress = [&](const Progress& progress) { return progress.stage != stop; };
  const std::vector<char> eligible(setup.classes.num_classes(), 1);
  EXPECT_THROW(PathSampler(setup.classes, LayerKind::path, 3, eligible, options), Cancelled);
  stop = "drawing paths";
  const PathSampler sampler(setup.classes, LayerKind::path, 3, eligible, options);
  EXPECT_THROW(sampler.sample(100, 1), Cancelled);
}

}  // namespace
}  // namespace gckn
