// SPDX-License-Identifier: BSD-3-Clause
#include "explain/occlusion.h"

#include <algorithm>

#include "explain/model_scores.h"
#include "explain/reduced_graphs.h"
#include "explain/substructures.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// What is predicted together, as graphs and as their nodes and arcs: what bounds the memory.
constexpr std::size_t kMostReduced = std::size_t{1} << 14;
constexpr std::uint64_t kMostWork = std::uint64_t{1} << 22;
constexpr const char* kStage = "leaving out nodes and edges";

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
    for (std::size_t g = 0; g < graphs_.num_graphs(); ++g) {
      report_progress(run_, kStage, g, graphs_.num_graphs());
      leave_out_parts(whole, g);
    }
    predict(graphs_.num_graphs());
    for (std::size_t g = 0; g < graphs_.num_graphs(); ++g) {
      select_by_share(options_.selected_share, graph_edges(graphs_, g), explanations_[g]);
    }
    report_progress(run_, kStage, graphs_.num_graphs(), graphs_.num_graphs());
    return std::move(explanations_);
  }

 private:
  struct Place {
    std::size_t graph;
    bool is_edge;
    std::uint32_t number;
  };

  void leave_out_parts(const Predictions& whole, std::size_t g) {
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
      put_aside({g, false, u}, keeps, ReducedGraphs::kNoEdge);
      keeps[u] = 1;
    }
    for (std::uint32_t e = 0; e < edges.size(); ++e) put_aside({g, true, e}, keeps, edges[e]);
  }

  void put_aside(const Place& place, std::span<const char> keeps, ReducedGraphs::Edge left_out) {
    reduced_.add(place.graph, keeps, left_out);
    places_.push_back(place);
    const std::uint32_t first = graphs_.graph_begin(place.graph);
    const std::uint32_t last = graphs_.graph_begin(place.graph + 1);
    work_ += last - first + graphs_.arc_begin(last) - graphs_.arc_begin(first);
    if (reduced_.size() >= kMostReduced || work_ >= kMostWork) predict(place.graph);
  }

  // What has been put aside. done: graphs of the set before the one at hand.
  void predict(std::size_t done) {
    const Predictions predictions = model_.predict(reduced_.take(), for_step(run_, kStage, done, graphs_.num_graphs()));
    const DoubleMatrix& scores = predictions.targets[options_.target].scores;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      Explanation& explanation = explanations_[places_[i].graph];
      const double score =
          scores_.explained(std::span<const double>{scores.row(i), scores.cols()}, explanation.explained_class);
      (places_[i].is_edge ? explanation.edge_scores : explanation.node_scores)[places_[i].number] =
          explanation.score - score;
    }
    places_.clear();
    work_ = 0;
  }

  const Model& model_;
  const GraphSet& graphs_;
  const ExplainOptions& options_;
  const ModelScores scores_;
  const RunOptions& run_;
  ReducedGraphs reduced_;
  std::vector<Place> places_;  // what each of the reduced graphs is for
  std::uint64_t work_ = 0;     // nodes and arcs of the graphs that they were made of
  std::vector<Explanation> explanations_;
};

}  // namespace

std::vector<Explanation> explain_by_occlusion(const Model& model, const GraphSet& graphs, const ExplainOptions& options,
                                              const RunOptions& run) {
  return Occlusion(model, graphs, options, run).run();
}

}  // namespace gckn
