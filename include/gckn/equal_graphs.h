// SPDX-License-Identifier: BSD-3-Clause
// Graphs that are equal: in training and test of one fold they make figures look better than they are.
#pragma once

#include <cstdint>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/run_options.h"

namespace gckn {

// Equal are molecules with the same canonical SMILES, where the set has them; otherwise graphs that 16 rounds of colour
// refinement by node labels, node attributes and edge labels (or degrees, where there are none of these) do not tell
// apart: no network here does.
struct EqualGraphs {
  std::vector<std::uint32_t> first;  // by graph: the first one that is equal to it, which may be itself
  std::uint64_t repeated = 0;        // graphs that have an equal one before them
  std::uint64_t contradictory = 0;   // graphs that have an equal one with another target
};
EqualGraphs find_equal_graphs(const GraphSet& graphs, const RunOptions& options = {});

// Test graphs, in all folds together, that have an equal one among the training graphs of their fold.
std::uint64_t count_seen_test_graphs(const EqualGraphs& equal, const std::vector<Fold>& folds);

// The first of every kind, ascending; none of those whose targets contradict each other, for nobody knows the right
// one.
std::vector<std::uint32_t> without_duplicates(const GraphSet& graphs, const EqualGraphs& equal);

}  // namespace gckn
