// SPDX-License-Identifier: BSD-3-Clause
// The evaluators of a layer on one input block. All give, for every output length, one row per state:
//   c(state) = r * pool of kappa over the patterns of the state,  psi(state) = A c(state).
#pragma once

#include <vector>

#include "gckn/matrix.h"
#include "network/encoding.h"
#include "network/layer_operator.h"
#include "pattern/class_graph.h"
#include "pattern/patterns.h"

namespace gckn {

template <typename Real>
struct BlockOutput {
  BasicMatrix<Real> rows;    // states x q
  bool transformed = false;  // psi if true, c (A still to be applied) if false
  // If true, rows are those of single patterns (patterns x q, times r) and pooling is still to be done.
  bool by_pattern = false;
};

// What the caller can do more cheaply than the layer, because it pools the output linearly over graphs.
struct Deferral {
  bool possible = false;
  std::size_t num_graphs = 0;
};

// Evaluates distinct patterns and states; patterns.shared.
template <typename Real>
std::vector<BlockOutput<Real>> evaluate_shared(const LayerOperator<Real>& layer, const Patterns& patterns,
                                               const ColourFeatures<Real>& features, const Deferral& deferral);

// Evaluates paths as products of per-position factors; for patterns that do not repeat.
template <typename Real>
std::vector<BlockOutput<Real>> evaluate_direct(const LayerOperator<Real>& layer, const Patterns& patterns,
                                               const ClassGraph& graph, const Colouring& colours,
                                               const ColourFeatures<Real>& features, const Deferral& deferral,
                                               const RunOptions& options);

// rows = rows A, in place of c.
template <typename Real>
void apply_transform(const PackedMatrix<Real>& transform, BasicMatrix<Real>& rows);

// Similarities of every colour with the anchors of position t: colours x q. For one-hot colours this is the layer's own
// table, which is returned without a copy; otherwise `storage` is filled.
template <typename Real>
const BasicMatrix<Real>& similarity_table(const LayerOperator<Real>& layer, const ColourFeatures<Real>& features,
                                          std::size_t t, BasicMatrix<Real>& storage);

}  // namespace gckn
