// SPDX-License-Identifier: BSD-3-Clause
// A layer on one input block: the rows that its output blocks are made of, from distinct patterns (shared) and from
// the graphs that are evaluated directly.
#pragma once

#include <vector>

#include "gckn/matrix.h"
#include "network/encoding.h"
#include "network/layer_operator.h"
#include "network/layer_plan.h"
#include "pattern/class_graph.h"
#include "pattern/patterns.h"

namespace gckn {

// The rows of one output length.
//   by_histogram: kappa of every pattern, patterns x q, and c of the classes of direct graphs behind them;
//   otherwise: c, or psi where `transformed`, of every state as Patterns::colouring numbers them.
template <typename Real>
struct BlockOutput {
  BasicMatrix<Real> rows;
  bool transformed = false;  // A has been applied
};

// By output length. Opens no ThreadScope.
template <typename Real>
std::vector<BlockOutput<Real>> evaluate_block(const LayerOperator<Real>& layer, const LayerPlan& plan,
                                              const Patterns& patterns, const ClassGraph& graph,
                                              const Colouring& colours, const ColourFeatures<Real>& features,
                                              const RunOptions& options);

// Evaluates the classes of direct graphs as products of per-position factors: c (psi with generalised max pooling) of
// each class, for every output length but the first, to rows first_row[i] .. of outputs[i]. Throws LimitError where
// more than options.max_paths paths would have to be visited.
template <typename Real>
void evaluate_direct(const LayerOperator<Real>& layer, const Patterns& patterns, const ClassGraph& graph,
                     const Colouring& colours, const ColourFeatures<Real>& features, const RunOptions& options,
                     const std::vector<std::size_t>& first_row, std::vector<BlockOutput<Real>>& outputs);

}  // namespace gckn
