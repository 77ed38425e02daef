// SPDX-License-Identifier: BSD-3-Clause
// The trace of a block against the definitions: every path of every node, one by one, from anchors and input as they
// are, without tables, patterns or states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "network/compiled_set.h"
#include "network/evaluators.h"
#include "support/random_graphs.h"

namespace gckn {
namespace {

constexpr double kTolerance = 1e-11;
constexpr double kSigma = 0.8;
constexpr double kGmpLambda = 1.0;

struct TraceCase {
  LayerKind kind = LayerKind::path;
  Pooling pooling = Pooling::sum;
  bool all_lengths = true;
  bool edge_labels = false;
  bool attributes = false;
  Evaluator evaluator = Evaluator::shared;
  bool feeds_layer = true;  // otherwise it is the last one, pooled over graphs
};

NetworkConfig config_of(const TraceCase& of) {
  NetworkConfig config;
  LayerConfig layer;
  layer.kind = of.kind;
  layer.path_length = 2;
  layer.filters = 5;
  layer.sigma = kSigma;
  layer.pooling = of.pooling;
  layer.all_lengths = of.all_lengths;
  layer.gmp_lambda = kGmpLambda;
  config.layers = {layer};
  config.features = of.attributes ? Features::attributes : Features::labels;
  config.unit_attributes = false;  // norms that are not 1
  config.edge_labels = of.edge_labels;
  return config;
}

// The definitions, read off a graph set and the anchors of one layer.
class PlainLayer {
 public:
  PlainLayer(const GraphSet& graphs, const BasicLayer<double>& layer, const TraceCase& of)
      : graphs_(graphs), layer_(layer), case_(of) {
    for (std::uint32_t u = 0; u < graphs.num_nodes(); ++u) rows_.push_back(input(u));
  }

  [[nodiscard]] double norm(std::uint32_t u) const {
    double square = 0;
    for (const double value : rows_[u]) square += value * value;
    return std::sqrt(square);
  }

  // exp(alpha (s - 1)) of a path, s the mean over positions.
  [[nodiscard]] std::vector<double> kappa(std::span<const std::uint32_t> nodes,
                                          std::span<const std::uint32_t> edges) const {
    const auto q = static_cast<std::size_t>(layer_.config.filters);
    std::vector<double> result(q);
    for (std::size_t i = 0; i < q; ++i) {
      double s = 0;
      for (std::size_t t = 0; t < nodes.size(); ++t) {
        const std::vector<double>& x = rows_[nodes[t]];
        for (std::size_t k = 0; k < x.size(); ++k) {
          s += x[k] / norm(nodes[t]) * layer_.anchors[(t * q + i) * x.size() + k];
        }
      }
      for (std::size_t t = 0; t < edges.size(); ++t) {
        s += layer_.edge_anchors[(t * q + i) * layer_.edge_width + edges[t]];
      }
      const auto positions = static_cast<double>(nodes.size() + edges.size());
      result[i] = std::exp((s / positions - 1) / (kSigma * kSigma));
    }
    return result;
  }

  // kappa of all paths of so many vertices from a node.
  [[nodiscard]] std::vector<std::vector<double>> paths_from(std::uint32_t u, int length) const {
    std::vector<std::vector<double>> found;
    std::vector<std::uint32_t> nodes{u};
    std::vector<std::uint32_t> edges;
    const std::function<void()> grow = [&] {
      if (static_cast<int>(nodes.size()) == length) {
        found.push_back(kappa(nodes, edges));
        return;
      }
      const std::uint32_t at = nodes.back();
      for (std::uint64_t a = graphs_.arc_begin(at); a < graphs_.arc_begin(at + 1); ++a) {
        const std::uint32_t to = graphs_.arcs()[a];
        if (case_.kind == LayerKind::path && std::ranges::find(nodes, to) != nodes.end()) continue;
        nodes.push_back(to);
        if (case_.edge_labels) edges.push_back(graphs_.arc_labels()[a]);
        grow();
        nodes.pop_back();
        if (case_.edge_labels) edges.pop_back();
      }
    };
    grow();
    return found;
  }

  // c(u) = r_u pool kappa(p).
  [[nodiscard]] std::vector<double> pooled(std::uint32_t u, int length) const {
    std::vector<double> c(static_cast<std::size_t>(layer_.config.filters));
    const auto paths = paths_from(u, length);
    for (std::size_t i = 0; i < c.size(); ++i) {
      for (const std::vector<double>& path : paths) {
        c[i] = case_.pooling == Pooling::max ? std::max(c[i], path[i]) : c[i] + path[i];
      }
      if (case_.pooling == Pooling::mean && !paths.empty()) c[i] /= static_cast<double>(paths.size());
      c[i] *= norm(u);
    }
    return c;
  }

 private:
  [[nodiscard]] std::vector<double> input(std::uint32_t u) const {
    if (!case_.attributes) {
      std::vector<double> one_hot(graphs_.node_label_values().size());
      one_hot[graphs_.node_labels()[u]] = 1;
      return one_hot;
    }
    const std::size_t columns = graphs_.node_attribute_columns();
    const auto n = static_cast<double>(graphs_.num_nodes());
    std::vector<double> row;
    for (std::size_t k = 0; k < columns; ++k) {
      double mean = 0;
      double square = 0;
      for (std::size_t v = 0; v < graphs_.num_nodes(); ++v) mean += graphs_.node_attributes()[v * columns + k] / n;
      for (std::size_t v = 0; v < graphs_.num_nodes(); ++v) {
        square += std::pow(graphs_.node_attributes()[v * columns + k] - mean, 2) / n;
      }
      row.push_back((graphs_.node_attributes()[u * columns + k] - mean) / std::sqrt(square));
    }
    return row;
  }

  const GraphSet& graphs_;
  const BasicLayer<double>& layer_;
  const TraceCase case_;
  std::vector<std::vector<double>> rows_;  // by node
};

void expect_near(const double* actual, const std::vector<double>& expected, const char* what) {
  const double scale = std::max(1.0, *std::ranges::max_element(expected));
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(actual[i], expected[i], kTolerance * scale) << what;
}

// Everything there is to know about one block.
struct Traced {
  Traced(const GraphSet& set, const TraceCase& wanted)
      : graphs(set),
        of(wanted),
        network(fit_network<double>(graphs, config_of(of))),
        plan(plan_layer(network.config(), 0, network.input(), of.feeds_layer)),
        layer(network.layers()[0], true),
        plain(graphs, network.layers()[0], of) {
    RunOptions options;
    options.evaluator = of.evaluator;
    auto encoded = std::make_shared<const EncodedSet>(encode(graphs, {0, graphs.num_graphs()}, network.input()));
    compiled = of.feeds_layer ? compile_up_to(encoded, network.config(), 0, network.input(), options)
                              : compile_layers(encoded, network.config(), network.input(), options);
    features = input_features<double>(compiled.set->input, network.input());
    const auto evaluate = [&](BlockTrace<double>* asked) {
      return evaluate_block(layer, plan, patterns(), classes(), compiled.set->colours, features, options, asked);
    };
    outputs = evaluate(&trace);
    const auto without = evaluate(nullptr);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_EQ(outputs[i].transformed, without[i].transformed);
      EXPECT_TRUE(std::ranges::equal(outputs[i].rows.values(), without[i].rows.values())) << "a trace changes bits";
    }
    const std::size_t lengths = patterns().lengths.size();
    EXPECT_TRUE(outputs.size() == lengths && trace.kappa.size() == lengths && trace.start.size() == lengths &&
                trace.pooled.size() == lengths);
  }
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;

  [[nodiscard]] const Patterns& patterns() const { return (*compiled.layers[0])[0]; }
  [[nodiscard]] const ClassGraph& classes() const { return compiled.graph(); }

  // A node that has the colour, or none.
  [[nodiscard]] std::uint32_t node_of_colour(std::uint32_t colour) const {
    for (std::uint32_t u = 0; u < graphs.num_nodes(); ++u) {
      if (classes().colour[classes().class_of_node[u]] == colour) return u;
    }
    return kNone;
  }

  [[nodiscard]] bool is_direct(std::uint32_t g) const {
    return std::ranges::binary_search(patterns().direct_graphs, g);
  }

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  const GraphSet& graphs;
  const TraceCase of;
  const BasicNetwork<double> network;
  const LayerPlan plan;
  const LayerOperator<double> layer;
  const PlainLayer plain;
  CompiledSet compiled;
  ColourFeatures<double> features;
  BlockTrace<double> trace;
  std::vector<BlockOutput<double>> outputs;
};

void expect_plain_kappa(const Traced& traced, std::size_t i) {
  const auto length = static_cast<std::size_t>(traced.patterns().lengths[i]);
  const TrieLevel& level = traced.patterns().levels[length - 1];
  const DoubleMatrix& kappa = traced.trace.kappa[i];
  ASSERT_EQ(kappa.rows(), level.size());
  ASSERT_EQ(traced.trace.start[i].size(), level.size());
  std::vector<std::uint32_t> colours(length);
  std::vector<std::uint32_t> edges(traced.of.edge_labels ? length - 1 : 0);
  for (std::uint32_t p = 0; p < level.size(); ++p) {
    read_pattern(traced.patterns(), p, colours, edges);
    EXPECT_EQ(traced.trace.start[i][p], colours[0]);
    std::vector<std::uint32_t> nodes;
    for (const std::uint32_t colour : colours) nodes.push_back(traced.node_of_colour(colour));
    if (std::ranges::find(nodes, Traced::kNone) != nodes.end()) {
      EXPECT_EQ(length, 1U) << "only the colour of unknown labels is on no node";
      continue;
    }
    std::vector<double> expected = traced.plain.kappa(nodes, edges);
    if (traced.of.pooling != Pooling::gmp) {
      for (double& value : expected) value *= traced.plain.norm(nodes[0]);
    }
    expect_near(kappa.row(p), expected, "kappa");
  }
}

// The rows that are c, wherever they are: of the trace, or of the output where A is still to come.
void expect_plain_pooled(const Traced& traced, std::size_t i) {
  const Patterns& patterns = traced.patterns();
  const int length = patterns.lengths[i];
  const TransformAt at = traced.plan.transform_at(length);
  const DoubleMatrix& rows = at == TransformAt::graphs ? traced.outputs[i].rows : traced.trace.pooled[i];
  const std::size_t direct = length == 1 ? 0 : patterns.num_direct_classes();
  std::size_t shared = 0;  // rows in front of those of direct classes
  if (at == TransformAt::graphs) {
    EXPECT_TRUE(traced.trace.pooled[i].empty());
    shared = traced.plan.by_histogram ? traced.trace.kappa[i].rows() : patterns.states[i].count;
  } else if (at == TransformAt::states) {
    shared = patterns.states[i].count;
  }
  ASSERT_EQ(rows.rows(), shared + direct);
  if (traced.plan.by_histogram) {
    const DoubleMatrix& kappa = traced.trace.kappa[i];
    EXPECT_TRUE(std::equal(kappa.data(), kappa.data() + kappa.size(), rows.data()));
  }
  for (std::uint32_t g = 0; g < traced.graphs.num_graphs(); ++g) {
    const bool is_direct = length > 1 && traced.is_direct(g);
    if (!is_direct && (traced.plan.by_histogram || at == TransformAt::patterns)) continue;
    for (std::uint32_t u = traced.graphs.graph_begin(g); u < traced.graphs.graph_begin(g + 1); ++u) {
      const std::uint32_t c = traced.classes().class_of_node[u];
      std::size_t row = 0;
      if (is_direct) {
        const auto place = std::ranges::lower_bound(patterns.direct_graphs, g) - patterns.direct_graphs.begin();
        row = shared + patterns.direct_begin[static_cast<std::size_t>(place)] + (c - traced.classes().graph_begin[g]);
      } else {
        row = (*patterns.colouring[i].of_class)[c];
      }
      expect_near(rows.row(row), traced.plain.pooled(u, length), "pooled");
    }
  }
}

// The header promises that the first pattern with the bits of a maximum is the one it was taken from.
void expect_winners(const Traced& traced, std::size_t i) {
  const StateTable& states = traced.patterns().states[i];
  if (states.identity) return;
  const bool at_graphs = traced.plan.transform_at(traced.patterns().lengths[i]) == TransformAt::graphs;
  const DoubleMatrix& pooled = at_graphs ? traced.outputs[i].rows : traced.trace.pooled[i];
  for (std::size_t s = 0; s < states.count; ++s) {
    const auto row = states.patterns.row(s);
    for (std::size_t k = 0; k < pooled.cols() && row.size() > 0; ++k) {
      const auto kappa = [&](std::uint32_t p) { return traced.trace.kappa[i](p, k); };
      EXPECT_EQ(kappa(*std::ranges::max_element(row.index, {}, kappa)), pooled(s, k));
    }
  }
}

TEST(BlockTrace, IsWhatTheDefinitionsSay) {
  const GraphSet graphs =
      random_graphs({.graphs = 5, .most_nodes = 9, .density = 0.5, .labels = 3, .edge_labels = 2, .attributes = 2}, 2);
  std::uint32_t with_pooled = 0;
  for (int bits = 0; bits < 64; ++bits) {
    TraceCase of;
    of.kind = (bits & 1) != 0 ? LayerKind::walk : LayerKind::path;
    of.all_lengths = (bits & 2) != 0;
    of.edge_labels = (bits & 4) != 0;
    of.attributes = (bits & 8) != 0;
    of.evaluator = (bits & 16) != 0 ? Evaluator::direct : Evaluator::shared;
    of.feeds_layer = (bits & 32) != 0;
    for (const Pooling pooling : {Pooling::sum, Pooling::mean, Pooling::max}) {
      of.pooling = pooling;
      SCOPED_TRACE(testing::Message() << "case " << bits << ", pooling " << static_cast<int>(pooling));
      const Traced traced(graphs, of);
      for (std::size_t i = 0; i < traced.outputs.size(); ++i) {
        expect_plain_kappa(traced, i);
        expect_plain_pooled(traced, i);
        if (pooling == Pooling::max) expect_winners(traced, i);
        with_pooled += traced.trace.pooled[i].empty() ? 0 : 1;
      }
    }
  }
  EXPECT_GT(with_pooled, 100U);
}

// Generalised max pooling: xi is where the gradient of sum_p (<A kappa(p), xi> - 1)^2 + lambda |xi|^2 is zero, and the
// norm of the start multiplies it afterwards.
TEST(BlockTrace, HoldsTheSolutionsOfGeneralisedMaxPooling) {
  const GraphSet graphs =
      random_graphs({.graphs = 5, .most_nodes = 8, .density = 0.5, .labels = 3, .edge_labels = 2, .attributes = 2}, 3);
  for (int bits = 0; bits < 16; ++bits) {
    SCOPED_TRACE(bits);
    TraceCase of;
    of.pooling = Pooling::gmp;
    of.all_lengths = (bits & 1) != 0;
    of.edge_labels = (bits & 2) != 0;
    of.attributes = (bits & 4) != 0;
    of.feeds_layer = (bits & 8) != 0;
    const Traced traced(graphs, of);
    for (std::size_t i = 0; i < traced.outputs.size(); ++i) {
      expect_plain_kappa(traced, i);
      const DoubleMatrix& xi = traced.trace.pooled[i];
      ASSERT_EQ(xi.rows(), traced.patterns().states[i].count);
      const std::size_t q = xi.cols();
      const DoubleMatrix& a = traced.layer.roots[i].matrix;
      for (std::uint32_t u = 0; u < graphs.num_nodes(); ++u) {
        const std::uint32_t s = (*traced.patterns().colouring[i].of_class)[traced.classes().class_of_node[u]];
        std::vector<double> gradient(xi.row(s), xi.row(s) + q);
        for (double& value : gradient) value *= kGmpLambda;
        for (const std::vector<double>& kappa : traced.plain.paths_from(u, traced.patterns().lengths[i])) {
          std::vector<double> mapped(q);
          double residual = -1;
          for (std::size_t k = 0; k < q; ++k) {
            for (std::size_t j = 0; j < q; ++j) mapped[k] += a(k, j) * kappa[j];
            residual += mapped[k] * xi(s, k);
          }
          for (std::size_t k = 0; k < q; ++k) gradient[k] += residual * mapped[k];
        }
        for (std::size_t k = 0; k < q; ++k) {
          EXPECT_NEAR(gradient[k], 0, 1e-9);
          EXPECT_NEAR(traced.outputs[i].rows(s, k), xi(s, k) * traced.plain.norm(u), 1e-12);
        }
      }
    }
  }
}

}  // namespace
}  // namespace gckn
