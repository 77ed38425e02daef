// SPDX-License-Identifier: BSD-3-Clause
// Which motifs are equal, and which graphs contain them.
//
// Both questions are answered exactly, by search: colours (hashes of what is around a node) only tell the search what
// not to try. As both take exponential time in the worst case, searches end after so many steps, which motifs of
// molecules do not come near to. Results are the same for any number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "explain/motif_graph.h"
#include "gckn/graph_set.h"
#include "gckn/run_options.h"

namespace gckn {

// By motif the number of its kind; kinds are numbered in the order of their first motifs. Motifs are of one kind if
// they are isomorphic with the labels of nodes and edges. Two for which the search gave up (large and very regular
// ones, which are equal to every local look) are taken for different: a kind never has unequal motifs, but might then
// be listed twice.
std::vector<std::uint32_t> group_isomorphic(const std::vector<MotifGraph>& motifs, const RunOptions& run);

struct Containment {
  std::vector<char> contains;  // by graph; 0 where it is not known
  std::uint64_t unknown = 0;   // graphs for which the search gave up
};

// Which graphs have the motif as a subgraph: with its labels and edges, and perhaps more edges between the same nodes.
// The motif must have been cut out of a graph of this set. That of no nodes is in every graph.
Containment graphs_that_contain(const GraphSet& graphs, const MotifGraph& motif, const RunOptions& run);

}  // namespace gckn
