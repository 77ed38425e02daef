// SPDX-License-Identifier: BSD-3-Clause
// In blocks of consecutive graphs that are compiled together and run side by side.
#include "explain/path_shares.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "explain/explained_scores.h"
#include "explain/graph_states.h"
#include "explain/mask_search.h"
#include "explain/masked_graph.h"
#include "explain/substructures.h"
#include "gckn/error.h"
#include "network/batch.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// Nodes and arcs of a block: enough to share the work of compiling, and little enough to keep all threads busy.
constexpr std::uint64_t kBlockWork = std::uint64_t{1} << 14;

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
      : model_(model),
        graphs_(graphs),
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
      explanations_[block.first] = {};  // what there was before its states had too many paths
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
    explanation = ExplainedScores::nothing_of(graphs_, g, edges.size());
    try {
      graph.load(in_block);
    } catch (const LimitError& limit) {
      explanation = {};
      explanation.error = limit.what();
      return;
    }
    std::vector<double> masks(graph.num_variables(), 1.0);
    const std::span<const double> vector = graph.forward(masks).values();
    std::optional<ComparedStates> states;
    if (compares_states(model_.network().config())) states.emplace(*this, g);
    const GaussianScores::Compared whole{states ? std::span<const double>(states->assignment) : std::span<double>{},
                                         vector};
    const std::vector<double> scores = explanation.node_scores.empty() ? scores_.linear.bias : scores_of(whole);
    if (!std::ranges::all_of(scores, [](double score) { return std::isfinite(score); })) {
      explanation.error = "its score is beyond all bounds: sums over so many paths are too large";
      return;
    }
    scores_.explain(scores, explanation);
    if (options_.method == ExplainMethod::masks) {
      minimise(graph, scores, masks, explanation);
      gather_masks(graph.paths(), masks, options_.selected_weight, edges, explanation);
      if (options_.all_paths) add_paths(graph.paths(), masks, {}, explanation.paths);
      return;
    }
    const std::vector<double> d_scores = scores_.linear.d_explained(explanation.explained_class);
    GaussianScores::Gradient mean;
    if (scores_.gaussian) {
      mean = scores_.gaussian->mean_gradient(whole, d_scores);
    } else {
      mean.vector = scores_.linear.gradient(d_scores);
    }
    const std::vector<double> shares = shares_of_paths(graph, mean.vector);
    const std::size_t layer = graph.paths().empty() ? 0 : graph.paths().front().layer;
    spread_shares(graph.paths(), layer, shares, edges, explanation);
    if (options_.all_paths) add_paths(graph.paths(), shares, layer, explanation.paths);
    if (states) {
      const std::vector<double> of_states = states->shares_of_paths(mean.assignment);
      spread_shares(states->states.paths(), 0, of_states, edges, explanation);
      if (options_.all_paths) add_paths(states->states.paths(), of_states, 0, explanation.paths);
    }
    select_by_share(options_.selected_share, edges, explanation);
  }

  [[nodiscard]] std::vector<double> scores_of(const GaussianScores::Compared& graph) const {
    return scores_.gaussian ? scores_.gaussian->of(graph) : scores_.linear.of(graph.vector);
  }

  // By variable: the share of each of its paths. After a forward pass with masks of 1.
  static std::vector<double> shares_of_paths(MaskedGraph& graph, std::span<const double> gradient) {
    DoubleMatrix d_vector(1, gradient.size());
    std::ranges::copy(gradient, d_vector.data());
    std::vector<double> shares(graph.num_variables());
    graph.backward(d_vector, shares);
    for (std::size_t v = 0; v < shares.size(); ++v) shares[v] /= graph.paths_of_variable()[v];
    return shares;
  }

  void minimise(MaskedGraph& graph, const std::vector<double>& scores, std::vector<double>& masks,
                Explanation& explanation) const {
    DoubleMatrix d_vector(1, model_.network().vector_size());
    std::span<const double> vector;
    std::vector<double> masked;
    const auto forward = [&](std::span<const double> x) -> const std::vector<double>& {
      vector = graph.forward(x).values();
      return masked = scores_of({.vector = vector});
    };
    const auto backward = [&](std::span<const double> d_scores, std::span<double> gradient) {
      std::ranges::copy(scores_.gaussian ? scores_.gaussian->gradient({.vector = vector}, d_scores).vector
                                         : scores_.linear.gradient(d_scores),
                        d_vector.data());
      graph.backward(d_vector, gradient);
    };
    // As in the paper L sees the scores of a linear model, but those of a kernel machine are of no certain size.
    const auto calibration = scores_.gaussian
                                 ? std::span<const Calibration>(model_.targets()[options_.target].calibration)
                                 : std::span<const Calibration>{};
    search_masks(options_, scores_.linear.num_classes, calibration, scores, graph.paths_of_variable(), forward,
                 backward, masks, explanation);
  }

  // Of a graph whose states are compared beside its vector.
  struct ComparedStates {
    ComparedStates(const PathExplainer& explainer, std::size_t g)
        : states(explainer.graphs_, g, explainer.model_.network().input(), explainer.rounds(), explainer.within_),
          assigned(explainer.scores_.gaussian->support(), states.counts()),
          assignment(assigned.of(std::vector<double>(states.size(), 1.0))) {}

    [[nodiscard]] std::vector<double> shares_of_paths(std::span<const double> d_assignment) const {
      std::vector<double> shares(states.num_paths());
      states.backward(assigned.backward(d_assignment), shares);
      return shares;
    }

    GraphStates states;
    StateAssignment assigned;
    std::vector<double> assignment;
  };
  [[nodiscard]] std::size_t rounds() const {
    return static_cast<std::size_t>(model_.network().config().layers.front().path_length);
  }

  const Model& model_;
  const GraphSet& graphs_;
  const ExplainOptions& options_;
  const ExplainedScores scores_;
  const BasicNetwork<double> network_;
  const std::vector<LayerOperator<double>> layers_;
  RunOptions within_;
  std::vector<Explanation> explanations_;
};

}  // namespace

std::vector<Explanation> explain_by_paths(const Model& model, const GraphSet& graphs, const ExplainOptions& options,
                                          const RunOptions& run) {
  return PathExplainer(model, graphs, options, run).run(run);
}

}  // namespace gckn
