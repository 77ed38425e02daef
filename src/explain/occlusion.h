// SPDX-License-Identifier: BSD-3-Clause
// Explanations by leaving out: scores of nodes and edges are the change of the score when they are taken out of the
// graph.
#pragma once

#include <vector>

#include "gckn/explain.h"

namespace gckn {

// One explanation for every graph.
std::vector<Explanation> explain_by_occlusion(const Model& model, const GraphSet& graphs, const ExplainOptions& options,
                                              const RunOptions& run);

}  // namespace gckn
