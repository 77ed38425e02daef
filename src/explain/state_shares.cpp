// SPDX-License-Identifier: BSD-3-Clause
#include "explain/state_shares.h"

#include <memory>
#include <span>

#include "explain/explained_scores.h"
#include "explain/graph_states.h"
#include "explain/mask_search.h"
#include "explain/substructures.h"
#include "gckn/error.h"
#include "linalg/vector_ops.h"
#include "network/assignment.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// The scores of one graph by how much of each of its states is there.
class ScoresByState {
 public:
  virtual ~ScoresByState() = default;
  [[nodiscard]] virtual std::vector<double> of(std::span<const double> present) const = 0;
  // Of the sum of the scores times d_scores, by state.
  [[nodiscard]] virtual std::vector<double> gradient(std::span<const double> present,
                                                     std::span<const double> d_scores) const = 0;
  // Its mean along the way from the empty graph to the whole.
  [[nodiscard]] virtual std::vector<double> mean_gradient(std::span<const double> d_scores) const = 0;
};

class LinearScores : public ScoresByState {
 public:
  LinearScores(const ModelScores& scores, const AssignmentColumns& columns, const StateCounts& counts)
      : bias_(scores.bias), weights_(scores.bias.size(), counts.name.size()) {
    const double norm = assignment_norm(counts, 0);
    for (std::size_t o = 0; o < weights_.rows(); ++o) {
      for (std::size_t s = 0; s < weights_.cols(); ++s) {
        double sum = 0;  // 0 for a state that no training graph has
        columns.for_columns(counts.name[s], counts.count[s],
                            [&](std::uint32_t column, double value) { sum += value * scores.weights(o, column); });
        weights_(o, s) = sum / norm;
      }
    }
  }

  [[nodiscard]] std::vector<double> of(std::span<const double> present) const override {
    std::vector<double> result = bias_;
    for (std::size_t o = 0; o < result.size(); ++o) result[o] += dot(weights_.row(o), present.data(), present.size());
    return result;
  }
  [[nodiscard]] std::vector<double> gradient(std::span<const double>, std::span<const double> d_scores) const override {
    return mean_gradient(d_scores);
  }
  [[nodiscard]] std::vector<double> mean_gradient(std::span<const double> d_scores) const override {
    std::vector<double> result(weights_.cols());
    for (std::size_t o = 0; o < d_scores.size(); ++o) {
      for (std::size_t s = 0; s < result.size(); ++s) result[s] += d_scores[o] * weights_(o, s);
    }
    return result;
  }

 private:
  const std::vector<double>& bias_;
  DoubleMatrix weights_;  // outputs x states
};

class GaussianScoresByState : public ScoresByState {
 public:
  GaussianScoresByState(const GaussianScores& scores, const StateCounts& counts)
      : scores_(scores), assignment_(scores.support(), counts), states_(counts.name.size()) {}

  [[nodiscard]] std::vector<double> of(std::span<const double> present) const override {
    return scores_.of({.assignment = assignment_.of(present)});
  }
  [[nodiscard]] std::vector<double> gradient(std::span<const double> present,
                                             std::span<const double> d_scores) const override {
    return assignment_.backward(scores_.gradient({.assignment = assignment_.of(present)}, d_scores).assignment);
  }
  [[nodiscard]] std::vector<double> mean_gradient(std::span<const double> d_scores) const override {
    const std::vector<double> whole = assignment_.of(std::vector<double>(states_, 1.0));
    return assignment_.backward(scores_.mean_gradient({.assignment = whole}, d_scores).assignment);
  }

 private:
  const GaussianScores& scores_;
  const StateAssignment assignment_;
  const std::size_t states_;
};

class StateExplainer {
 public:
  StateExplainer(const Model& model, const GraphSet& graphs, const ExplainOptions& options, const RunOptions& run)
      : model_(model),
        graphs_(graphs),
        options_(options),
        scores_(model, options.target),
        rounds_(static_cast<std::size_t>(model.network().config().layers.front().path_length)),
        within_(run),
        explanations_(graphs.num_graphs()) {
    within_.progress = nullptr;  // that of the graphs is shown
  }

  std::vector<Explanation> run(const RunOptions& run) {
    parallel_for(graphs_.num_graphs(), run, "explaining", [&](std::size_t g) {
      const OneThread alone;
      try {
        explain_graph(g);
      } catch (const LimitError& limit) {
        explanations_[g] = {};
        explanations_[g].error = limit.what();
      }
    });
    return std::move(explanations_);
  }

 private:
  [[nodiscard]] std::unique_ptr<ScoresByState> scores_of(const StateCounts& counts) const {
    if (scores_.gaussian) return std::make_unique<GaussianScoresByState>(*scores_.gaussian, counts);
    return std::make_unique<LinearScores>(scores_.linear, *model_.columns(), counts);
  }

  void explain_graph(std::size_t g) {
    Explanation& explanation = explanations_[g];
    const EdgeList edges = graph_edges(graphs_, g);
    explanation = ExplainedScores::nothing_of(graphs_, g, edges.size());
    const GraphStates states(graphs_, g, model_.network().input(), rounds_, within_);
    const std::unique_ptr<ScoresByState> by_state = scores_of(states.counts());
    const std::vector<double> scores =
        states.size() == 0 ? scores_.linear.bias : by_state->of(std::vector<double>(states.size(), 1.0));
    scores_.explain(scores, explanation);
    std::vector<double> values(states.num_paths(), 1.0);
    if (options_.method == ExplainMethod::masks) {
      minimise_masks(states, *by_state, scores, values, explanation);
      gather_masks(states.paths(), values, options_.selected_weight, edges, explanation);
    } else {
      states.backward(by_state->mean_gradient(scores_.linear.d_explained(explanation.explained_class)), values);
      spread_shares(states.paths(), 0, values, edges, explanation);
      select_by_share(options_.selected_share, edges, explanation);
    }
    if (options_.all_paths) add_paths(states.paths(), values, 0, explanation.paths);
  }

  void minimise_masks(const GraphStates& states, const ScoresByState& by_state, const std::vector<double>& scores,
                      std::vector<double>& masks, Explanation& explanation) const {
    std::vector<double> present, masked;
    const auto forward = [&](std::span<const double> x) -> const std::vector<double>& {
      present = states.present(x);
      return masked = by_state.of(present);
    };
    const auto backward = [&](std::span<const double> d_scores, std::span<double> gradient) {
      states.backward(by_state.gradient(present, d_scores), gradient);
    };
    search_masks(options_, scores_.linear.num_classes, model_.targets()[options_.target].calibration, scores,
                 std::vector<double>(masks.size(), 1.0), forward, backward, masks, explanation);
  }

  const Model& model_;
  const GraphSet& graphs_;
  const ExplainOptions& options_;
  const ExplainedScores scores_;
  const std::size_t rounds_;
  RunOptions within_;
  std::vector<Explanation> explanations_;
};

}  // namespace

std::vector<Explanation> explain_by_states(const Model& model, const GraphSet& graphs, const ExplainOptions& options,
                                           const RunOptions& run) {
  return StateExplainer(model, graphs, options, run).run(run);
}

}  // namespace gckn
