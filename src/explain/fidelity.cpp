// SPDX-License-Identifier: BSD-3-Clause
// Graphs without their motif, and motifs alone, as the model sees them.
#include <cmath>

#include "explain/model_scores.h"
#include "explain/reduced_graphs.h"
#include "gckn/explain.h"

namespace gckn {

std::vector<std::optional<Fidelity>> fidelity(const Model& model, const GraphSet& graphs,
                                              const std::vector<Explanation>& explanations, std::size_t target,
                                              const RunOptions& run) {
  ReducedGraphs without(graphs), alone(graphs);
  for (const Explanation& explanation : explanations) {
    const Substructure motif = explanation.motif();
    if (!explanation.error.empty() || motif.nodes.empty()) continue;
    std::vector<char> keeps(explanation.node_scores.size(), 0);
    for (const std::uint32_t u : motif.nodes) keeps[u] = 1;
    alone.add(explanation.graph, keeps);
    for (char& keep : keeps) keep = static_cast<char>(keep == 0);
    without.add(explanation.graph, keeps);
  }
  const ModelScores scores(model, target);
  const TargetPredictions of_rest = model.predict(without.take(), run).targets[target];
  const TargetPredictions of_motif = model.predict(alone.take(), run).targets[target];
  std::vector<std::optional<Fidelity>> result(explanations.size());
  std::size_t place = 0;
  for (std::size_t i = 0; i < explanations.size(); ++i) {
    const Explanation& explanation = explanations[i];
    const Substructure motif = explanation.motif();
    if (!explanation.error.empty() || motif.nodes.empty()) continue;
    const auto change = [&](const TargetPredictions& predictions) {
      const std::span<const double> row{predictions.scores.row(place), predictions.scores.cols()};
      return explanation.score - scores.explained(row, explanation.explained_class);
    };
    const auto changes_class = [&](const TargetPredictions& predictions) {
      return scores.num_classes > 0 && predictions.predicted[place] != explanation.explained_class;
    };
    Fidelity& of_graph = result[i].emplace();
    of_graph.sparsity =
        1 - static_cast<double>(motif.nodes.size()) / static_cast<double>(explanation.node_scores.size());
    of_graph.score_without = change(of_rest);
    of_graph.score_alone = change(of_motif);
    of_graph.class_changes_without = changes_class(of_rest);
    of_graph.class_changes_alone = changes_class(of_motif);
    ++place;
  }
  return result;
}

}  // namespace gckn
