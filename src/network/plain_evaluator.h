// SPDX-License-Identifier: BSD-3-Clause
// The network as its formulas say: every path of every node, one by one, with no sharing between equal ones. The
// yardstick of the other evaluators in tests and of their speed in benchmarks.
#pragma once

#include <vector>

#include "gckn/network.h"
#include "network/encoding.h"
#include "network/layer_operator.h"

namespace gckn {

// One block of node features: a row of `features` for every node.
template <typename Real>
struct PlainBlock {
  std::vector<std::uint32_t> row_of_node;
  ColourFeatures<Real> features;
};

// psi of every node, by input block and then length: nodes x q each. Throws InputError past options.max_paths.
template <typename Real>
std::vector<BasicMatrix<Real>> evaluate_plain(const LayerOperator<Real>& layer, const GraphSet& graphs,
                                              const std::vector<std::uint32_t>& arc_label,
                                              const std::vector<PlainBlock<Real>>& blocks, const RunOptions& options);

// Pools rows of nodes over each graph into columns column .. of `vectors`.
template <typename Real>
void pool_plain(const GraphSet& graphs, const BasicMatrix<Real>& rows, Pooling pooling, double gmp_lambda,
                BasicMatrix<Real>& vectors, std::size_t column);

}  // namespace gckn
