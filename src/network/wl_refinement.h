// SPDX-License-Identifier: BSD-3-Clause
// Weisfeiler-Lehman colour refinement: a node's next colour names its colour and the multiset of its neighbours' (each
// with the label of the edge to it, where these are used).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/run_options.h"
#include "linalg/sparse_rows.h"

namespace gckn {

// Colours 0 .. count - 1, each of which some node has.
struct NodeColours {
  std::uint32_t count = 0;
  std::vector<std::uint32_t> of_node;
};

// Round 0, from any colours below num_colours.
NodeColours first_colours(std::span<const std::uint32_t> colour_of_node, std::uint32_t num_colours);

// One round. Colours are numbered by what they name and never by the order of nodes or graphs. As many colours as
// before mean that the partition of the nodes is the same as before, and stays so in all further rounds. arc_label: one
// per arc of `graphs`, or empty.
NodeColours refine(const GraphSet& graphs, const NodeColours& colours, std::span<const std::uint32_t> arc_label,
                   const RunOptions& options);

// How many nodes of every graph have each colour: graphs x colours of all rounds, one round after the other.
SparseRows<double> colour_histograms(const GraphSet& graphs, std::span<const NodeColours> rounds,
                                     const RunOptions& options);

}  // namespace gckn
