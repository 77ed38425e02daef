// SPDX-License-Identifier: BSD-3-Clause
// Explanations of many graphs, in blocks of consecutive graphs that are compiled together and run side by side.
#include "gckn/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "explain/mask_search.h"
#include "explain/masked_graph.h"
#include "explain/model_scores.h"
#include "explain/occlusion.h"
#include "explain/state_shares.h"
#include "explain/substructures.h"
#include "gckn/error.h"
#include "network/batch.h"
#include "util/parallel.h"
#include "util/words.h"

namespace gckn {
namespace {

constexpr Words<ExplainMethod, 5> kMethodWords{{{ExplainMethod::automatic, "auto"},
                                                {ExplainMethod::exact, "exact"},
                                                {ExplainMethod::gradient, "gradient"},
                                                {ExplainMethod::masks, "masks"},
                                                {ExplainMethod::occlusion, "occlusion"}}};

// Nodes and arcs of a block: enough to share the work of compiling, and little enough to keep all threads busy.
constexpr std::uint64_t kBlockWork = std::uint64_t{1} << 14;

bool has_gmp(const NetworkConfig& config) {
  const auto is_gmp = [](const LayerConfig& layer) { return layer.pooling == Pooling::gmp; };
  return config.global_pooling == Pooling::gmp || std::ranges::any_of(config.layers, is_gmp);
}

std::vector<GraphRange> blocks_of(const GraphSet& graphs) {
  std::vector<GraphRange> blocks;
  std::uint64_t work = kBlockWork;
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    if (work >= kBlockWork) {
      blocks.push_back({g, g});
      work = 0;
    }
    blocks.back().last = g + 1;
    work += graphs.graph_begin(g + 1) - graphs.graph_begin(g) + graphs.arc_begin(graphs.graph_begin(g + 1)) -
            graphs.arc_begin(graphs.graph_begin(g));
  }
  return blocks;
}

// By backward passes: shares and masks.
class PathExplainer {
 public:
  PathExplainer(const Model& model, const GraphSet& graphs, const ExplainOptions& options, const RunOptions& run)
      : graphs_(graphs),
        options_(options),
        scores_(model, options.target),
        network_(in_double(model.network())),
        layers_(operators_for_masks(network_)),
        within_(run),
        explanations_(graphs.num_graphs()) {
    within_.progress = nullptr;  // that of the blocks is shown
  }

  std::vector<Explanation> run(const RunOptions& run) {
    const std::vector<GraphRange> blocks = blocks_of(graphs_);
    parallel_for(blocks.size(), run, "explaining", [&](std::size_t b) {
      const OneThread alone;
      explain_block(blocks[b]);
    });
    return std::move(explanations_);
  }

 private:
  // A block that has too many paths, or a graph of impossible attributes, is halved: what counts are single graphs.
  void explain_block(GraphRange block) {
    std::string error;
    try {
      const MaskedSet set(graphs_, block, network_, within_);
      MaskedGraph graph(set, layers_);
      for (std::size_t g = block.first; g < block.last; ++g) {
        check_cancelled();
        explain_graph(graph, g, static_cast<std::uint32_t>(g - block.first));
      }
      return;
    } catch (const LimitError& limit) {
      error = limit.what();
    } catch (const AttributesTooLarge& too_large) {
      error = too_large.of_node();
    }
    if (block.size() == 1) {
      explanations_[block.first].error = error;
      return;
    }
    const std::size_t middle = block.first + block.size() / 2;
    explain_block({block.first, middle});
    explain_block({middle, block.last});
  }

  void explain_graph(MaskedGraph& graph, std::size_t g, std::uint32_t in_block) {
    Explanation& explanation = explanations_[g];
    const EdgeList edges = graph_edges(graphs_, g);
    explanation = {};
    explanation.node_scores.resize(graphs_.graph_begin(g + 1) - graphs_.graph_begin(g));
    explanation.edge_scores.resize(edges.size());
    try {
      graph.load(in_block);
    } catch (const LimitError& limit) {
      explanation = {};
      explanation.error = limit.what();
      return;
    }
    std::vector<double> masks(graph.num_variables(), 1.0);
    const std::vector<double> scores = scores_.of(graph.forward(masks).values());
    if (!std::ranges::all_of(scores, [](double score) { return std::isfinite(score); })) {
      explanation.error = "its score is beyond all bounds: sums over so many paths are too large";
      return;
    }
    explanation.explained_class = scores_.predicted(scores);
    explanation.score = scores_.explained(scores, explanation.explained_class);
    explanation.empty_score = scores_.explained(scores_.bias, explanation.explained_class);
    if (options_.method == ExplainMethod::masks) {
      minimise(graph, scores, masks, explanation);
      gather_masks(graph.paths(), masks, options_.selected_weight, edges, explanation);
      if (options_.all_paths) explanation.paths = list_paths(graph.paths(), masks);
    } else {
      const std::vector<double> shares = shares_of_paths(graph, explanation.explained_class);
      const std::size_t layer = graph.paths().empty() ? 0 : graph.paths().front().layer;
      spread_shares(graph.paths(), layer, shares, edges, explanation);
      select_by_share(options_.selected_share, edges, explanation);
      if (options_.all_paths) explanation.paths = list_paths(graph.paths(), shares, layer);
    }
  }

  // By variable: the share of each of its paths. After a forward pass with masks of 1.
  std::vector<double> shares_of_paths(MaskedGraph& graph, std::int32_t of_class) const {
    DoubleMatrix d_vector(1, scores_.weights.cols());
    scores_.explained_gradient(of_class, {d_vector.data(), d_vector.size()});
    std::vector<double> shares(graph.num_variables());
    graph.backward(d_vector, shares);
    for (std::size_t v = 0; v < shares.size(); ++v) shares[v] /= graph.paths_of_variable()[v];
    return shares;
  }

  void minimise(MaskedGraph& graph, const std::vector<double>& scores, std::vector<double>& masks,
                Explanation& explanation) const {
    DoubleMatrix d_vector(1, scores_.weights.cols());
    std::vector<double> masked;
    const auto forward = [&](std::span<const double> x) -> const std::vector<double>& {
      return masked = scores_.of(graph.forward(x).values());
    };
    const auto backward = [&](std::span<const double> d_scores, std::span<double> gradient) {
      d_vector.fill(0);
      for (std::size_t o = 0; o < d_scores.size(); ++o) {
        for (std::size_t k = 0; k < d_vector.size(); ++k) d_vector(0, k) += d_scores[o] * scores_.weights(o, k);
      }
      graph.backward(d_vector, gradient);
    };
    search_masks(options_, scores_.num_classes, scores, graph.paths_of_variable(), forward, backward, masks,
                 explanation);
  }

  const GraphSet& graphs_;
  const ExplainOptions& options_;
  const ModelScores scores_;
  const BasicNetwork<double> network_;
  const std::vector<LayerOperator<double>> layers_;
  RunOptions within_;
  std::vector<Explanation> explanations_;
};

void check(const Model& model, const ExplainOptions& options) {
  if (options.target >= model.targets().size()) {
    throw UsageError(fmt::format("the model has no target {}: there are {}", options.target, model.targets().size()));
  }
  if (!(options.mu >= 0) || !std::isfinite(options.mu)) throw UsageError("mu must not be negative");
  if (options.most_steps < 1) throw UsageError("masks need one step at the least");
  if (!(options.tolerance > 0)) throw UsageError("the tolerance of masks must be positive");
  for (const double part : {options.selected_weight, options.selected_share.value_or(0.0)}) {
    if (!(part >= 0 && part < 1)) throw UsageError("what is selected lies above a part of at least 0 and below 1");
  }
}

}  // namespace

std::string_view to_string(ExplainMethod method) {
  return word_of(kMethodWords, method);
}

ExplainMethod parse_explain_method(std::string_view word) {
  return value_of(kMethodWords, "method", word);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> graph_edges(const GraphSet& graphs, std::size_t g) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  const std::uint32_t first = graphs.graph_begin(g);
  for (std::uint32_t u = first; u < graphs.graph_begin(g + 1); ++u) {
    for (const std::uint32_t v : graphs.neighbours(u)) {
      if (u < v) edges.emplace_back(u - first, v - first);
    }
  }
  return edges;
}

ExplainMethod method_for(const Model& model, ExplainMethod method) {
  const NetworkConfig& config = model.network().config();
  if (config.head == Head::gaussian) {
    if (method == ExplainMethod::automatic || method == ExplainMethod::occlusion) return ExplainMethod::occlusion;
    throw UsageError(
        fmt::format("method {}: a model with a Gaussian head can be explained by occlusion only; train with --head "
                    "linear for others",
                    to_string(method)));
  }
  if (config.compare == Compare::states) {
    return method == ExplainMethod::automatic ? ExplainMethod::exact : method;  // all are possible
  }
  const bool adds_nodes = config.global_pooling == Pooling::sum || config.global_pooling == Pooling::mean;
  const bool is_gmp = has_gmp(config);
  if (method == ExplainMethod::automatic) {
    if (is_gmp) return ExplainMethod::occlusion;
    return adds_nodes ? ExplainMethod::exact : ExplainMethod::gradient;
  }
  if (is_gmp && method != ExplainMethod::occlusion) {
    throw UsageError(
        fmt::format("method {}: generalised max pooling (gmp) can be explained by occlusion only", to_string(method)));
  }
  if (method == ExplainMethod::exact && !adds_nodes) {
    throw UsageError(
        fmt::format("method exact: the score is a sum over nodes only with sum or mean over the nodes of a graph, and "
                    "this model has {}; take gradient",
                    to_string(config.global_pooling)));
  }
  return method;
}

std::vector<Explanation> explain(const Model& model, const GraphSet& graphs, const ExplainOptions& options,
                                 const std::vector<std::uint32_t>& selected, const RunOptions& run) {
  check(model, options);
  if (!selected.empty()) {
    std::vector<Explanation> explanations = explain(model, select_graphs(graphs, selected), options, {}, run);
    for (std::size_t i = 0; i < selected.size(); ++i) explanations[i].graph = selected[i];
    return explanations;
  }
  const ThreadScope threads(run);
  ExplainOptions concrete = options;
  concrete.method = method_for(model, options.method);
  std::vector<Explanation> explanations;
  if (concrete.method == ExplainMethod::occlusion) {
    explanations = explain_by_occlusion(model, graphs, concrete, run);
  } else if (model.columns() != nullptr) {
    explanations = explain_by_states(model, graphs, concrete, run);
  } else {
    explanations = PathExplainer(model, graphs, concrete, run).run(run);
  }
  for (std::uint32_t g = 0; g < explanations.size(); ++g) explanations[g].graph = g;
  return explanations;
}

}  // namespace gckn
