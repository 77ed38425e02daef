// SPDX-License-Identifier: BSD-3-Clause
#include "explain/explained_scores.h"

namespace gckn {

ExplainedScores::ExplainedScores(const Model& model, std::size_t target)
    : linear(model, target), of_nothing(linear.bias) {
  if (model.support() != nullptr) of_nothing = gaussian.emplace(model, target).of_nothing();
}

Explanation ExplainedScores::nothing_of(const GraphSet& graphs, std::size_t g, std::size_t edges) {
  Explanation explanation;
  explanation.node_scores.resize(graphs.graph_begin(g + 1) - graphs.graph_begin(g));
  explanation.edge_scores.resize(edges);
  return explanation;
}

void ExplainedScores::explain(std::span<const double> scores, Explanation& explanation) const {
  explanation.explained_class = linear.predicted(scores);
  explanation.score = linear.explained(scores, explanation.explained_class);
  // A graph without nodes is the empty graph, to which there is no way.
  const std::vector<double>& empty = explanation.node_scores.empty() ? linear.bias : of_nothing;
  explanation.empty_score = linear.explained(empty, explanation.explained_class);
}

}  // namespace gckn
