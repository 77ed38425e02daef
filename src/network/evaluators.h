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

// What a backward pass needs of a forward pass besides its input and output. By output length.
//
// Similarities are not among it: with kappa = r exp(slope s + offset), d_s = slope kappa d_kappa. Nor is the pattern
// that won with max pooling: a maximum has the bits of the entry it was taken from, so that is the first pattern of the
// state whose kappa equals c. Nothing is kept of the paths of direct graphs, which are not stored in a forward pass
// either: going through them again is what their gradient consists of.
template <typename Real>
struct BlockTrace {
  // patterns x q: exp(slope s + offset), times the norm r of their start but for generalised max pooling, which keeps
  // the norm outside. For d_s; for d_r, the sum of d_kappa kappa / r over the patterns of a start; and for d_A where A
  // went to the patterns.
  std::vector<BasicMatrix<Real>> kappa;

  // By pattern: the colour of its first vertex, whose norm that is.
  std::vector<std::vector<std::uint32_t>> start;

  // The rows that A was applied to, other than patterns: c of the states and, behind them, of the classes of direct
  // graphs, as the output's rows are numbered. For d_A and for the winners of max pooling.
  //   A at the patterns: of the classes of direct graphs alone, since c of a state was not needed.
  //   A at the graphs: none, since the output is c itself.
  //   Generalised max pooling: xi of the states, which the norm of their start is still to multiply. For d_r, and since
  //   the gradient of the least squares problem is taken at its solution.
  std::vector<BasicMatrix<Real>> pooled;
};

// By output length. Opens no ThreadScope.
template <typename Real>
std::vector<BlockOutput<Real>> evaluate_block(const LayerOperator<Real>& layer, const LayerPlan& plan,
                                              const Patterns& patterns, const ClassGraph& graph,
                                              const Colouring& colours, const ColourFeatures<Real>& features,
                                              const RunOptions& options, BlockTrace<Real>* trace = nullptr);

// Evaluates the classes of direct graphs as products of per-position factors: c (psi with generalised max pooling) of
// each class, for every output length but the first, to rows first_row[i] .. of outputs[i]. Throws LimitError where
// more than options.max_paths paths would have to be visited.
template <typename Real>
void evaluate_direct(const LayerOperator<Real>& layer, const Patterns& patterns, const ClassGraph& graph,
                     const Colouring& colours, const ColourFeatures<Real>& features, const RunOptions& options,
                     const std::vector<std::size_t>& first_row, std::vector<BlockOutput<Real>>& outputs);

}  // namespace gckn
