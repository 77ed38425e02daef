// SPDX-License-Identifier: BSD-3-Clause
// Graph sets made on the spot.
#pragma once

#include <cstdint>

#include "gckn/graph_set.h"
#include "gckn/run_options.h"

namespace gckn {

// Labelled random graphs of which one class contains a planted motif and the other does not: a ring of six
// nodes with labels 0 1 0 1 0 2 hung onto a random sparse background. Class "1" has it, class "0" has a decoy of the
// same labels and edges count that is wired differently. The nodes of the ring are the known answer
// (GraphSet::truth) of class "1".
struct MotifOptions {
  std::uint32_t graphs = 400;
  std::uint32_t nodes = 24;  // background nodes per graph, on average
  std::uint32_t labels = 4;  // node labels of the background, at least 3
  std::uint64_t seed = 0;
};
GraphSet make_motif_set(const MotifOptions& options, const RunOptions& run = {});

// Random trees without labels. In class "1" a house (a square with a roof) is hung on by one edge, whose nodes are the
// known answer; in class "0" the tree has five more nodes, and two more edges anywhere. So both have as many nodes,
// edges and rings, and class "0" has nothing that speaks for it but the want of a house.
struct HouseOptions {
  std::uint32_t graphs = 400;
  std::uint32_t nodes = 24;  // of the tree, on average
  std::uint64_t seed = 0;
};
GraphSet make_house_set(const HouseOptions& options, const RunOptions& run = {});

}  // namespace gckn
