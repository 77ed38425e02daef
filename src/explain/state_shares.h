// SPDX-License-Identifier: BSD-3-Clause
// Explanations of models that compare states of nodes (Compare::states), linear or with a Gaussian head.
//
// Scores are functions of how much of each state of a graph is there (explain/graph_states.h). Linear ones are sums
// over states: with c nodes of a graph in state s, whose indicators have the weights w_1 .. w_c (divided by the norm of
// the row), the state has the share w_1 + .. + w_c. Of a Gaussian head a state has its part in the assignments to the
// support graphs, times the mean gradient by these (explain/gaussian_scores.h). A state's share goes in equal parts to
// the paths it stands for. Shares of paths add up to the score minus that of the empty graph. What masks keep is the
// probability where the model has one for its scores: these are as large as C makes them, and often tiny.
#pragma once

#include <vector>

#include "gckn/explain.h"

namespace gckn {

// One explanation for every graph, by shares (exact, gradient) or masks.
std::vector<Explanation> explain_by_states(const Model& model, const GraphSet& graphs, const ExplainOptions& options,
                                           const RunOptions& run);

}  // namespace gckn
