// SPDX-License-Identifier: BSD-3-Clause
// A part of a compiled set is a compiled set: it has what it needs and nothing else, it is what compiling its graphs
// alone gives, and evaluating it gives the bits of the whole.
#include "network/batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "gckn/error.h"
#include "network/forward_pass.h"
#include "support/index_range.h"
#include "support/random_graphs.h"
#include "support/random_networks.h"
#include "support/sanitizers.h"

namespace gckn {
namespace {

using Numbers = std::vector<std::uint32_t>;

CompiledSet compile(const GraphSet& graphs, const Network& network, Evaluator evaluator, bool nodes_wanted = false) {
  RunOptions options;
  options.evaluator = evaluator;
  auto set = std::make_shared<const EncodedSet>(encode(graphs, {0, graphs.num_graphs()}, network.input()));
  const std::size_t last = network.layers().size() - 1;
  return nodes_wanted ? compile_up_to(std::move(set), network.config(), last, network.input(), options)
                      : compile_layers(std::move(set), network.config(), network.input(), options);
}

// Vectors of graphs, or rows of nodes.
Matrix evaluate(const Network& network, const CompiledSet& compiled, bool nodes_wanted = false) {
  const RunOptions options;
  ForwardPass<float> pass(compiled, network.input(), options);
  Matrix vectors(nodes_wanted ? 0 : compiled.graph().num_graphs(), network.vector_size());
  std::size_t column = 0;
  for (std::size_t j = 0; j < network.layers().size(); ++j) {
    column = pass.apply(LayerOperator<float>(network.layers()[j]),
                        plan_layer(network.config(), j, network.input(), nodes_wanted), network.config().global_pooling,
                        vectors, 0, column);
  }
  return nodes_wanted ? pass.node_rows() : vectors;
}

bool same_row(const Matrix& a, std::size_t i, const Matrix& b, std::size_t j) {
  return a.cols() == b.cols() && std::equal(a.row(i), a.row(i) + a.cols(), b.row(j));
}

// Random distinct numbers below `count`, in random order.
Numbers random_selection(Random& random, std::uint32_t count) {
  Numbers all = test::range(0, count);
  for (std::uint32_t i = count; i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
  all.resize(1 + random.below(count));
  return all;
}

void expect_sound_rows(const SparseRows<std::uint32_t>& rows, std::size_t columns) {
  EXPECT_EQ(rows.columns, columns);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = rows.row(i);
    EXPECT_TRUE(std::ranges::adjacent_find(row.index, std::greater_equal()) == row.index.end());
    EXPECT_TRUE(row.size() == 0 || row.index.back() < columns);
  }
}

// Numbers 0 .. count - 1 are all there, and no others.
void expect_all_used(const Numbers& used, std::size_t count, const char* what) {
  std::vector<char> is_used(count);
  for (const std::uint32_t number : used) {
    ASSERT_LT(number, count) << what;
    is_used[number] = 1;
  }
  EXPECT_TRUE(std::ranges::find(is_used, 0) == is_used.end()) << what;
}

void expect_sound_patterns(const Patterns& patterns, std::size_t num_colours, const ClassGraph& graph) {
  ASSERT_EQ(patterns.levels.size(), static_cast<std::size_t>(patterns.vertices));
  EXPECT_EQ(patterns.levels[0].colour, test::range(0, static_cast<std::uint32_t>(num_colours)));
  std::vector<Numbers> used(patterns.levels.size());
  const auto use = [&](std::size_t t, const Numbers& numbers) {
    used[t].insert(used[t].end(), numbers.begin(), numbers.end());
  };
  for (std::size_t i = 0; i < patterns.states.size(); ++i) {
    const StateTable& states = patterns.states[i];
    const std::size_t level = static_cast<std::size_t>(patterns.lengths[i]) - 1;
    EXPECT_EQ(states.identity, level == 0);
    const Colouring& colouring = patterns.colouring[i];
    const Numbers& of_class = *colouring.of_class;
    EXPECT_EQ(of_class.size(), graph.num_classes());
    EXPECT_EQ(colouring.hash->size(), colouring.count);
    if (states.identity) {
      EXPECT_EQ(colouring.count, num_colours);
      continue;
    }
    EXPECT_EQ(states.patterns.rows(), states.count);
    EXPECT_EQ(colouring.count, states.count + patterns.num_direct_classes());
    expect_all_used(of_class, colouring.count, "states");
    expect_sound_rows(states.patterns, patterns.levels[level].size());
    use(level, states.patterns.index);
  }
  for (std::size_t i = 0; i < patterns.histograms.size(); ++i) {
    const GraphHistograms& histograms = patterns.histograms[i];
    const std::size_t level = static_cast<std::size_t>(patterns.lengths[i]) - 1;
    EXPECT_EQ(histograms.paths.rows(), graph.num_graphs());
    EXPECT_EQ(histograms.paths.weight.size(), histograms.paths.index.size());
    EXPECT_EQ(histograms.mean.size(), histograms.paths.index.size());
    SparseRows<std::uint32_t> rows;
    rows.columns = histograms.paths.columns;
    rows.begin = histograms.paths.begin;
    rows.index = histograms.paths.index;
    expect_sound_rows(rows, patterns.levels[level].size());
    use(level, rows.index);
  }
  for (std::size_t t = patterns.levels.size(); t-- > 1;) {
    const TrieLevel& level = patterns.levels[t];
    ASSERT_EQ(level.parent.size(), level.size());
    std::tuple<std::uint32_t, std::uint32_t, std::uint32_t> before;
    for (std::size_t p = 0; p < level.size(); ++p) {
      ASSERT_LT(level.parent[p], patterns.levels[t - 1].size()) << "prefixes are there";
      ASSERT_LT(level.colour[p], num_colours);
      const std::tuple key(level.parent[p], level.edge.empty() ? 0 : level.edge[p], level.colour[p]);
      ASSERT_TRUE(p == 0 || before < key) << "parent first, then edge, then colour";
      before = key;
    }
    expect_all_used(used[t], level.size(), "patterns");
    use(t - 1, level.parent);
  }
  ASSERT_EQ(patterns.direct_begin.size(), patterns.direct_graphs.size() + 1);
  for (std::size_t i = 0; i < patterns.direct_graphs.size(); ++i) {
    const std::uint32_t g = patterns.direct_graphs[i];
    EXPECT_TRUE(i == 0 || patterns.direct_graphs[i - 1] < g);
    EXPECT_EQ(patterns.direct_begin[i + 1] - patterns.direct_begin[i], graph.graph_begin[g + 1] - graph.graph_begin[g]);
  }
}

// What is promised of every compiled set, and that nothing is there which is not used.
void expect_sound(const CompiledSet& part) {
  const ClassGraph& graph = part.graph();
  const EncodedSet& set = *part.set;
  EXPECT_EQ(graph.colour, *set.colours.of_class);
  EXPECT_EQ(set.colours.count, set.input.count);
  EXPECT_EQ(*set.colours.hash, set.input.hash);
  if (!set.input.one_hot) {
    expect_all_used(graph.colour, set.input.count, "colours");
    EXPECT_EQ(set.input.attributes.rows(), set.input.count);
    EXPECT_EQ(set.input.node.size(), set.input.count);
  }
  Numbers counts{set.colours.count};
  for (const auto& layer : part.layers) {
    ASSERT_EQ(layer->size(), counts.size());
    Numbers next;
    for (std::size_t b = 0; b < layer->size(); ++b) {
      expect_sound_patterns((*layer)[b], counts[b], graph);
      for (const Colouring& colouring : (*layer)[b].colouring) next.push_back(colouring.count);
    }
    counts = std::move(next);
  }
}

void expect_same_colouring(const Colouring& a, const Colouring& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(*a.of_class, *b.of_class);
  EXPECT_EQ(*a.hash, *b.hash);
  EXPECT_EQ(a.labels, b.labels);
}

template <typename Weight>
void expect_same_rows(const SparseRows<Weight>& a, const SparseRows<Weight>& b) {
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.begin, b.begin);
  EXPECT_EQ(a.index, b.index);
  EXPECT_EQ(a.weight, b.weight);
}

void expect_same_patterns(const Patterns& a, const Patterns& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.vertices, b.vertices);
  EXPECT_EQ(a.lengths, b.lengths);
  EXPECT_EQ(a.direct_graphs, b.direct_graphs);
  EXPECT_EQ(a.direct_begin, b.direct_begin);
  ASSERT_EQ(a.levels.size(), b.levels.size());
  for (std::size_t t = 0; t < a.levels.size(); ++t) {
    EXPECT_EQ(a.levels[t].parent, b.levels[t].parent);
    EXPECT_EQ(a.levels[t].colour, b.levels[t].colour);
    EXPECT_EQ(a.levels[t].edge, b.levels[t].edge);
  }
  ASSERT_EQ(a.states.size(), b.states.size());
  ASSERT_EQ(a.colouring.size(), b.colouring.size());
  for (std::size_t i = 0; i < a.states.size(); ++i) {
    EXPECT_EQ(a.states[i].identity, b.states[i].identity);
    EXPECT_EQ(a.states[i].count, b.states[i].count);
    expect_same_rows(a.states[i].patterns, b.states[i].patterns);
    expect_same_colouring(a.colouring[i], b.colouring[i]);
  }
  ASSERT_EQ(a.histograms.size(), b.histograms.size());
  for (std::size_t i = 0; i < a.histograms.size(); ++i) {
    expect_same_rows(a.histograms[i].paths, b.histograms[i].paths);
    EXPECT_EQ(a.histograms[i].mean, b.histograms[i].mean);
  }
}

// Everything but paths visited and the numbers of nodes in the file.
void expect_same(const CompiledSet& a, const CompiledSet& b) {
  EXPECT_EQ(a.graph().graph_begin, b.graph().graph_begin);
  EXPECT_EQ(a.graph().class_of_node, b.graph().class_of_node);
  EXPECT_EQ(a.graph().size, b.graph().size);
  EXPECT_EQ(a.graph().degree, b.graph().degree);
  EXPECT_EQ(a.graph().colour, b.graph().colour);
  EXPECT_EQ(a.graph().arc_begin, b.graph().arc_begin);
  EXPECT_EQ(a.graph().arc_to, b.graph().arc_to);
  EXPECT_EQ(a.graph().arc_label, b.graph().arc_label);
  expect_same_colouring(a.set->colours, b.set->colours);
  EXPECT_EQ(a.set->input.one_hot, b.set->input.one_hot);
  EXPECT_EQ(a.set->input.hash, b.set->input.hash);
  EXPECT_EQ(a.set->input.label, b.set->input.label);
  EXPECT_TRUE(std::ranges::equal(a.set->input.attributes.values(), b.set->input.attributes.values()));
  ASSERT_EQ(a.layers.size(), b.layers.size());
  for (std::size_t j = 0; j < a.layers.size(); ++j) {
    ASSERT_EQ(a.layers[j]->size(), b.layers[j]->size());
    for (std::size_t k = 0; k < a.layers[j]->size(); ++k) expect_same_patterns((*a.layers[j])[k], (*b.layers[j])[k]);
  }
}

bool has_direct_graphs(const CompiledSet& set) {
  return std::ranges::any_of(set.layers, [](const auto& layer) {
    return std::ranges::any_of(*layer, [](const Patterns& block) { return !block.direct_graphs.empty(); });
  });
}

// Selects several times and checks everything there is to check.
void expect_parts_like_the_whole(const GraphSet& graphs, const Network& network, Evaluator evaluator, Random& random) {
  const auto n = static_cast<std::uint32_t>(graphs.num_graphs());
  const CompiledSet whole = compile(graphs, network, evaluator);
  const CompiledSet whole_nodes = compile(graphs, network, evaluator, true);
  const Matrix vectors = evaluate(network, whole);
  const Matrix nodes = evaluate(network, whole_nodes, true);
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Numbers selected = repeat == 0 ? test::range(0, n) : random_selection(random, n);
    const CompiledSet part = select_graphs(whole, selected);
    expect_sound(part);
    const Matrix part_vectors = evaluate(network, part);
    ASSERT_EQ(part_vectors.rows(), selected.size());
    const CompiledSet part_nodes = select_graphs(whole_nodes, selected);
    expect_sound(part_nodes);
    const Matrix part_rows = evaluate(network, part_nodes, true);
    std::size_t node = 0;
    for (std::size_t k = 0; k < selected.size(); ++k) {
      EXPECT_TRUE(same_row(part_vectors, k, vectors, selected[k])) << "graph " << selected[k];
      for (std::uint32_t u = graphs.graph_begin(selected[k]); u < graphs.graph_begin(selected[k] + 1); ++u, ++node) {
        EXPECT_TRUE(same_row(part_rows, node, nodes, u)) << "node " << u;
      }
    }
    EXPECT_EQ(node, part_rows.rows());
    // A set as it is compiled may have prefixes that lead nowhere, and a state without patterns that nobody has.
    const CompiledSet alone = compile(select_graphs(graphs, selected), network, evaluator);
    expect_same(part, select_graphs(alone, test::range(0, static_cast<std::uint32_t>(selected.size()))));
    const bool all_lengths = std::ranges::all_of(network.config().layers, &LayerConfig::all_lengths);
    if (all_lengths && !has_direct_graphs(alone)) expect_same(part, alone);
  }
}

TEST(Batch, IsLikeTheWholeOnRandomNetworks) {
  std::uint32_t fitted = 0;
  std::uint32_t with_direct = 0;
  for (std::uint64_t seed = 1; seed <= 30; seed += kSanitizerShare) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const RandomGraphs shape = random_shape(random);
    const NetworkConfig config = random_config(random, shape);
    const GraphSet training = random_graphs(shape, 2 * seed);
    RandomGraphs more = shape;
    more.graphs = 10;
    if (shape.labels > 0) ++more.labels;  // one that the network does not know
    const GraphSet graphs = random_graphs(more, 2 * seed + 1);
    try {
      const Network network = fit_network(training, config);
      ++fitted;
      for (const Evaluator evaluator : {Evaluator::automatic, Evaluator::shared, Evaluator::direct}) {
        SCOPED_TRACE(static_cast<int>(evaluator));
        expect_parts_like_the_whole(graphs, network, evaluator, random);
        with_direct += has_direct_graphs(compile(graphs, network, evaluator)) ? 1 : 0;
      }
    } catch (const InputError& error) {  // no path of the full length, no edge label at all
      EXPECT_TRUE(std::string(error.what()).find("has no") != std::string::npos ||
                  std::string(error.what()).find("have no") != std::string::npos)
          << error.what();
    }
  }
  EXPECT_GT(fitted, 20 / kSanitizerShare);
  EXPECT_GT(with_direct, fitted);
}

// Graphs that are direct in one layer and shared in the next have patterns in the order of the batch. It takes graphs
// of twins in which a node has more paths of one pattern than 32 bits can count.
TEST(Batch, ReordersPatternsOfDirectClasses) {
  const GraphSet graphs = complete_graphs({600, 5, 620, 0, 590});
  RunOptions options;
  options.evaluator = Evaluator::shared;
  const Network network = fit_network(graphs, three_layer({.path_length = 4, .filters = 6}), {}, options);
  const CompiledSet whole = compile(graphs, network, Evaluator::shared);
  ASSERT_EQ((*whole.layers[0])[0].direct_graphs, (Numbers{0, 2, 4}));
  ASSERT_TRUE((*whole.layers[1])[4].direct_graphs.empty());
  Random random(1);
  for (int repeat = 0; repeat < 5; ++repeat) {
    expect_parts_like_the_whole(graphs, network, Evaluator::shared, random);
  }
}

TEST(Batch, OneGraphNoGraphAndGraphsWithoutNodes) {
  GraphSetParts parts = random_parts({.graphs = 6, .most_nodes = 8, .density = 0.5, .labels = 3}, 3);
  parts.graph_sizes.insert(parts.graph_sizes.begin() + 2, 0);
  parts.graph_sizes.push_back(0);
  const GraphSet graphs(std::move(parts));
  for (const NetworkConfig& config : {walk({.path_length = 2, .filters = 5}), three_layer({.filters = 5})}) {
    const Network network = fit_network(graphs, config);
    for (const Evaluator evaluator : {Evaluator::shared, Evaluator::direct}) {
      const CompiledSet whole = compile(graphs, network, evaluator);
      const Matrix vectors = evaluate(network, whole);
      for (std::uint32_t g = 0; g < graphs.num_graphs(); ++g) {
        const CompiledSet part = select_graphs(whole, Numbers{g});
        expect_sound(part);
        EXPECT_TRUE(same_row(evaluate(network, part), 0, vectors, g)) << g;
      }
      const CompiledSet without_nodes = select_graphs(whole, Numbers{7, 2});
      expect_sound(without_nodes);
      const Matrix zeros = evaluate(network, without_nodes);
      ASSERT_EQ(zeros.rows(), 2U);
      EXPECT_TRUE(std::ranges::all_of(zeros.values(), [](float value) { return value == 0; }));
      const CompiledSet none = select_graphs(whole, Numbers{});
      expect_sound(none);
      EXPECT_EQ(evaluate(network, none).rows(), 0U);
    }
  }
}

TEST(Batch, APartOfAPartIsAPart) {
  const GraphSet graphs = random_graphs({.graphs = 30, .most_nodes = 12, .density = 0.3, .labels = 3}, 4);
  const Network network = fit_network(graphs, three_layer({.path_length = 3, .filters = 8}));
  const CompiledSet whole = compile(graphs, network, Evaluator::automatic);
  const CompiledSet part = select_graphs(whole, Numbers{20, 4, 11, 7, 29, 0});
  expect_same(select_graphs(part, Numbers{3, 4, 0}), select_graphs(whole, Numbers{7, 29, 20}));
}

TEST(Batch, RefusesNumbersThatAreNone) {
  const GraphSet graphs = random_graphs({.graphs = 5}, 6);
  const Network network = fit_network(graphs, path({.path_length = 1, .filters = 4}));
  const CompiledSet whole = compile(graphs, network, Evaluator::automatic);
  const auto message = [&](const Numbers& selected) -> std::string {
    try {
      (void)select_graphs(whole, selected);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(message({0, 5}), "there is no graph 5 to select among 5");
  EXPECT_EQ(message({3, 1, 3}), "graph 3 is selected twice");
  EXPECT_EQ(message({3, 1, 4}), "none");
}

}  // namespace
}  // namespace gckn
