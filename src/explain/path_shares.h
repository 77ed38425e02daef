// SPDX-License-Identifier: BSD-3-Clause
// Explanations of models that compare vectors of a network, by backward passes: shares of paths and masks.
//
// The vector is homogeneous of degree 1 in the masks of a layer, so the gradient of a linear score by the masks, times
// the masks, adds up to the score minus that of the empty graph. Of a Gaussian head it is the mean gradient by the
// vector (explain/gaussian_scores.h) that is passed back; where states are compared besides, their shares are added.
#pragma once

#include <vector>

#include "gckn/explain.h"

namespace gckn {

// One explanation for every graph, by shares (exact, gradient) or masks.
std::vector<Explanation> explain_by_paths(const Model& model, const GraphSet& graphs, const ExplainOptions& options,
                                          const RunOptions& run);

}  // namespace gckn
