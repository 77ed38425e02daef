// SPDX-License-Identifier: BSD-3-Clause
#include "explain/occlusion.h"

#include <algorithm>

#include "explain/model_scores.h"
#include "explain/reduced_graphs.h"
#include "explain/substructures.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::size_t kMostReduced = 1 << 14;  // graphs that are predicted together: what bounds the memory

// Of a graph that could not be predicted, or an empty text.
std::string reason_of(const Predictions& predictions, std::size_t g) {
  const auto found = std::ranges::lower_bound(predictions.unpredicted, g);
  if (found == predictions.unpredicted.end() || *found != g) return "";
  return predictions.reasons[static_cast<std::size_t>(found - predictions.unpredicted.begin())];
}

class Occlusion {
 public:
  Occlusion(const Model& model, const GraphSet& graphs, const ExplainOptions& options, const RunOptions& run)
      : model_(model),
        graphs_(graphs),
        options_(options),
        scores_(model, options.target),
        run_(run),
        reduced_(graphs) {}

  std::vector<Explanation> run() {
    const Predictions whole = model_.predict(graphs_, run_);
    RunOptions within = run_;
    within.progress = nullptr;
    for (std::size_t g = 0; g < graphs_.num_graphs(); ++g) {
      report_progress(run_, "leaving out nodes and edges", g, graphs_.num_graphs());
      begin(whole, g);
      if (reduced_.size() >= kMostReduced) predict(within);
    }
    predict(within);
    for (std::size_t g = 0; g < graphs_.num_graphs(); ++g) {
      select_by_share(options_.selected_share, graph_edges(graphs_, g), explanations_[g]);
    }
    report_progress(run_, "leaving out nodes and edges", graphs_.num_graphs(), graphs_.num_graphs());
    return std::move(explanations_);
  }

 private:
  void begin(const Predictions& whole, std::size_t g) {
    Explanation& explanation = explanations_.emplace_back();
    explanation.error = reason_of(whole, g);
    if (!explanation.error.empty()) return;
    const DoubleMatrix& scores = whole.targets[options_.target].scores;
    const std::span<const double> row{scores.row(g), scores.cols()};
    explanation.explained_class = scores_.num_classes == 0 ? -1 : whole.targets[options_.target].predicted[g];
    explanation.score = scores_.explained(row, explanation.explained_class);
    explanation.empty_score = scores_.explained(scores_.bias, explanation.explained_class);
    const EdgeList edges = graph_edges(graphs_, g);
    explanation.node_scores.resize(graphs_.graph_begin(g + 1) - graphs_.graph_begin(g));
    explanation.edge_scores.resize(edges.size());
    std::vector<char> keeps(explanation.node_scores.size(), 1);
    for (std::uint32_t u = 0; u < keeps.size(); ++u) {
      keeps[u] = 0;
      reduced_.add(g, keeps);
      keeps[u] = 1;
      places_.push_back({g, false, u});
    }
    for (std::uint32_t e = 0; e < edges.size(); ++e) {
      reduced_.add(g, keeps, edges[e]);
      places_.push_back({g, true, e});
    }
  }

  // What has been put aside.
  void predict(const RunOptions& within) {
    const Predictions predictions = model_.predict(reduced_.take(), within);
    const DoubleMatrix& scores = predictions.targets[options_.target].scores;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      Explanation& explanation = explanations_[places_[i].graph];
      const double score =
          scores_.explained(std::span<const double>{scores.row(i), scores.cols()}, explanation.explained_class);
      (places_[i].is_edge ? explanation.edge_scores : explanation.node_scores)[places_[i].number] =
          explanation.score - score;
    }
    places_.clear();
  }

  struct Place {
    std::size_t graph;
    bool is_edge;
    std::uint32_t number;
  };

  const Model& model_;
  const GraphSet& graphs_;
  const ExplainOptions& options_;
  const ModelScores scores_;
  const RunOptions& run_;
  ReducedGraphs reduced_;
  std::vector<Place> places_;  // what each of the reduced graphs is for
  std::vector<Explanation> explanations_;
};

}  // namespace

std::vector<Explanation> explain_by_occlusion(const Model& model, const GraphSet& graphs, const ExplainOptions& options,
                                              const RunOptions& run) {
  return Occlusion(model, graphs, options, run).run();
}

}  // namespace gckn
