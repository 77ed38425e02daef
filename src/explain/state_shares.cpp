// SPDX-License-Identifier: BSD-3-Clause
#include "explain/state_shares.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "explain/mask_search.h"
#include "explain/model_scores.h"
#include "explain/substructures.h"
#include "gckn/error.h"
#include "network/assignment.h"
#include "network/node_states.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::uint64_t kMostPaths = std::uint64_t{1} << 24;  // that are listed of one graph

// The paths of 0 .. `edges` edges of a graph, by length, each a variable of its own.
class AllPaths {
 public:
  AllPaths(const GraphSet& graphs, std::size_t g, std::size_t edges)
      : graphs_(graphs), first_(graphs.graph_begin(g)), paths_(edges + 1) {
    for (std::size_t k = 0; k <= edges; ++k) paths_[k].length = k + 1;
    const std::uint32_t nodes = graphs.graph_begin(g + 1) - first_;
    for (std::uint32_t u = 0; u < nodes; ++u) {
      path_.assign(1, u);
      extend();
    }
  }

  [[nodiscard]] const std::vector<MaskedPaths>& by_length() const { return paths_; }
  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  void extend() {
    MaskedPaths& listed = paths_[path_.size() - 1];
    if (size_ >= kMostPaths) throw LimitError("it has too many paths to list");
    if ((size_ & 0xfff) == 0) check_cancelled();
    listed.nodes.insert(listed.nodes.end(), path_.begin(), path_.end());
    listed.variable.push_back(size_++);
    if (path_.size() == paths_.size()) return;
    for (const std::uint32_t next : graphs_.neighbours(first_ + path_.back())) {
      if (std::ranges::find(path_, next - first_) != path_.end()) continue;
      path_.push_back(next - first_);
      extend();
      path_.pop_back();
    }
  }

  const GraphSet& graphs_;
  const std::uint32_t first_;
  std::vector<MaskedPaths> paths_;
  std::vector<std::uint32_t> path_;
  std::uint32_t size_ = 0;
};

class StateExplainer {
 public:
  StateExplainer(const Model& model, const GraphSet& graphs, const ExplainOptions& options, const RunOptions& run)
      : model_(model),
        graphs_(graphs),
        options_(options),
        scores_(model, options.target),
        columns_(*model.columns()),
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
  void explain_graph(std::size_t g) {
    Explanation& explanation = explanations_[g];
    const EdgeList edges = graph_edges(graphs_, g);
    explanation.node_scores.resize(graphs_.graph_begin(g + 1) - graphs_.graph_begin(g));
    explanation.edge_scores.resize(edges.size());
    const AllPaths paths(graphs_, g, rounds_);
    const DoubleMatrix shares = shares_of_paths(g, paths);  // outputs x paths
    std::vector<double> scores = scores_.bias;
    for (std::size_t o = 0; o < scores.size(); ++o) {
      scores[o] = std::accumulate(shares.row(o), shares.row(o) + shares.cols(), scores[o]);
    }
    explanation.explained_class = scores_.predicted(scores);
    explanation.score = scores_.explained(scores, explanation.explained_class);
    explanation.empty_score = scores_.explained(scores_.bias, explanation.explained_class);
    std::vector<double> values(paths.size(), 1.0);
    if (options_.method == ExplainMethod::masks) {
      minimise_masks(shares, scores, values, explanation);
      gather_masks(paths.by_length(), values, options_.selected_weight, edges, explanation);
    } else {
      std::vector<double> of_outputs(scores.size());
      for (std::size_t p = 0; p < values.size(); ++p) {
        for (std::size_t o = 0; o < of_outputs.size(); ++o) of_outputs[o] = shares(o, p);
        values[p] = scores_.explained(of_outputs, explanation.explained_class);
      }
      spread_shares(paths.by_length(), 0, values, edges, explanation);
      select_by_share(options_.selected_share, edges, explanation);
    }
    if (options_.all_paths) explanation.paths = list_paths(paths.by_length(), values);
  }

  [[nodiscard]] DoubleMatrix shares_of_paths(std::size_t g, const AllPaths& paths) const {
    const std::size_t outputs = scores_.bias.size();
    const GraphRange only{g, g + 1};
    const NodeStates states =
        node_states(StateKind::path, graphs_, only, model_.network().input(), static_cast<int>(rounds_), within_);
    const StateCounts counts = count_states(states, graphs_, only);
    const double norm = assignment_norm(counts, 0);
    DoubleMatrix shares(outputs, paths.size());
    const std::size_t nodes = graphs_.graph_begin(g + 1) - graphs_.graph_begin(g);
    // By node: how many paths of each length start there.
    std::vector<std::vector<std::size_t>> starting(rounds_ + 1, std::vector<std::size_t>(nodes));
    for (std::size_t j = 0; j <= rounds_; ++j) {
      const MaskedPaths& listed = paths.by_length()[j];
      for (std::size_t p = 0; p < listed.size(); ++p) ++starting[j][listed.path(p).front()];
    }
    for (std::size_t o = 0; o < outputs; ++o) {
      // By length and node: what one path of at most so many edges gets from the state, then from all that it is in.
      DoubleMatrix each(rounds_ + 1, nodes);
      for (std::size_t u = 0; u < nodes; ++u) {
        std::size_t of_state = 0;  // paths
        for (std::size_t k = 0; k <= rounds_; ++k) {
          of_state += starting[k][u];
          each(k, u) = share_of_state(states.of_node(u)[k], counts, o) / norm / static_cast<double>(of_state);
        }
        for (std::size_t k = rounds_; k-- > 0;) each(k, u) += each(k + 1, u);
      }
      for (std::size_t j = 0; j <= rounds_; ++j) {
        const MaskedPaths& listed = paths.by_length()[j];
        for (std::size_t p = 0; p < listed.size(); ++p) {
          shares(o, listed.variable[p]) = each(j, listed.path(p).front());
        }
      }
    }
    return shares;
  }

  // Of one of the nodes that have it; 0 for a state that no training graph has.
  [[nodiscard]] double share_of_state(std::uint64_t name, const StateCounts& counts, std::size_t output) const {
    const auto entry = static_cast<std::size_t>(std::ranges::lower_bound(counts.name, name) - counts.name.begin());
    double sum = 0;
    columns_.for_columns(name, counts.count[entry],
                         [&](std::uint32_t column, double value) { sum += value * scores_.weights(output, column); });
    return sum / counts.count[entry];
  }

  void minimise_masks(DoubleMatrix shares, std::vector<double> scores, std::vector<double>& masks,
                      Explanation& explanation) const {
    std::vector<double> empty = scores_.bias;
    const std::vector<Calibration>& calibration = model_.targets()[options_.target].calibration;
    for (std::size_t o = 0; o < calibration.size(); ++o) {  // to log-odds
      for (std::size_t p = 0; p < shares.cols(); ++p) shares(o, p) *= -calibration[o].a;
      scores[o] = -calibration[o].a * scores[o] - calibration[o].b;
      empty[o] = -calibration[o].a * empty[o] - calibration[o].b;
    }
    const std::vector<double> paths_of_variable(masks.size(), 1.0);
    std::vector<double> masked(scores.size());
    const auto forward = [&](std::span<const double> x) -> const std::vector<double>& {
      for (std::size_t o = 0; o < masked.size(); ++o) {
        masked[o] = std::inner_product(x.begin(), x.end(), shares.row(o), empty[o]);
      }
      return masked;
    };
    const auto backward = [&](std::span<const double> d_scores, std::span<double> gradient) {
      std::ranges::fill(gradient, 0.0);
      for (std::size_t o = 0; o < d_scores.size(); ++o) {
        for (std::size_t p = 0; p < gradient.size(); ++p) gradient[p] += d_scores[o] * shares(o, p);
      }
    };
    search_masks(options_, scores_.num_classes, scores, paths_of_variable, forward, backward, masks, explanation);
  }

  const Model& model_;
  const GraphSet& graphs_;
  const ExplainOptions& options_;
  const ModelScores scores_;
  const AssignmentColumns& columns_;
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
