// SPDX-License-Identifier: BSD-3-Clause
// Embedding in blocks of graphs: the size of a set decides neither how a graph is evaluated nor how much memory that
// takes. Blocks run side by side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gckn/network.h"
#include "graph/graph_range.h"

namespace gckn {

// Validates it; throws UsageError, too, where states are compared and there are no vectors.
void require_vectors(const NetworkConfig& config);

// A graph without a vector, and why.
struct ImpossibleGraph {
  std::uint32_t graph = 0;
  std::string reason;
};

// One row per graph of the range. Graphs that alone have more paths than options.max_paths in a layer, attributes too
// large for the network's scale, or a vector with a number that is not finite, are listed in `impossible`, ascending,
// and have NaN; without it they throw LimitError or InputError.
template <typename Real>
BasicMatrix<Real> embed_in_blocks(const BasicNetwork<Real>& network, const GraphSet& graphs, GraphRange range,
                                  const RunOptions& options, std::vector<ImpossibleGraph>* impossible);

// Throws InputError naming the first graph with a number that is not finite.
template <typename Real>
void require_finite(const BasicMatrix<Real>& vectors, const GraphSet& graphs);

}  // namespace gckn
