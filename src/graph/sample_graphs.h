// SPDX-License-Identifier: BSD-3-Clause
// A sample of the graphs of a set that follows from what they contain, not from where they stand.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gckn/graph_set.h"

namespace gckn {

// Graphs with about max_nodes nodes in all, ascending; all graphs if they have no more, or if max_nodes is 0. Graphs
// are taken in order of a hash of their nodes and edges and the seed. Copies of one graph have different hashes, so
// that the sample has its share of them. among: by graph, whether it may be taken; empty if all may.
std::vector<std::uint32_t> sample_graphs(const GraphSet& graphs, std::uint64_t max_nodes, std::uint64_t seed,
                                         std::span<const char> among = {});

}  // namespace gckn
