// SPDX-License-Identifier: BSD-3-Clause
// Explanations of models that compare states of nodes (Compare::states).
//
// The score is a sum over states, and so over nodes and lengths: with c nodes of a graph in state s of length k, whose
// indicators have the weights w_1 .. w_c (divided by the norm of the row), each of these nodes has the share
// (w_1 + .. + w_c) / c. A state stands for the paths of 0 .. k edges that start at its node, so its share goes in equal
// parts to these. Shares of paths add up to the score minus that of the empty graph. As functions of masks on the paths
// scores are linear, so masks that keep the prediction are those of the paths that speak for it most. What is kept is
// the probability where the model has one for its scores: these are as large as C makes them, and often tiny.
#pragma once

#include <vector>

#include "gckn/explain.h"

namespace gckn {

// One explanation for every graph, by shares (exact, gradient) or masks.
std::vector<Explanation> explain_by_states(const Model& model, const GraphSet& graphs, const ExplainOptions& options,
                                           const RunOptions& run);

}  // namespace gckn
