// SPDX-License-Identifier: BSD-3-Clause
// The scores of one target of a model, linear or of a Gaussian head, and the head of every explanation by backward
// passes: what is explained, and where the way to it begins.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "explain/gaussian_scores.h"
#include "explain/model_scores.h"
#include "gckn/explain.h"

namespace gckn {

struct ExplainedScores {
  // The model must outlive this.
  ExplainedScores(const Model& model, std::size_t target);

  // An explanation of the graph whose scores of nodes and edges are 0.
  [[nodiscard]] static Explanation nothing_of(const GraphSet& graphs, std::size_t g, std::size_t edges);
  // Sets class, score and that of the empty graph.
  void explain(std::span<const double> scores, Explanation& explanation) const;

  ModelScores linear;                      // of a Gaussian head: classes and signs alone
  std::optional<GaussianScores> gaussian;  // if the model has such a head
  std::vector<double> of_nothing;          // scores of nothing of a graph
};

}  // namespace gckn
