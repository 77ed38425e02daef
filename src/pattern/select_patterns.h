// SPDX-License-Identifier: BSD-3-Clause
// A part of compiled graphs: some of them, in any order, with the colours, patterns (and their prefixes) and states
// that they use. The time follows what these graphs have, not the whole; but for a binary search or two per graph.
//
// New numbers keep the order of the old ones: of colours and states among themselves, and of the patterns of a graph.
// Only the classes of direct graphs follow the new order of graphs, so that patterns are sorted again. The colours of
// different direct graphs never meet in a sum, so every sum goes over the same things in the same order: a graph has
// the same bits in the part as in the whole.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pattern/class_graph.h"
#include "pattern/patterns.h"
#include "util/new_numbers.h"

namespace gckn {

// selected: distinct numbers of graphs. Colours are as they were.
ClassGraph select_graphs(const ClassGraph& whole, std::span<const std::uint32_t> selected);

// Which graphs of `whole` are in `part`.
struct GraphSelection {
  const ClassGraph& whole;
  const ClassGraph& part;
  std::span<const std::uint32_t> graphs;
};

// The colours of the part, and what their numbers were.
struct SelectedColours {
  Colouring colours;
  std::shared_ptr<const NewNumbers> number;
};

// keep_all: colours keep their numbers, those that are not used too. For one-hot ones, whose number is their vector.
SelectedColours select_colours(const Colouring& whole, const GraphSelection& graphs, bool keep_all);

// The patterns of one input block. Appends the colours of its output blocks, where there are states, to `outputs`.
Patterns select_patterns(const Patterns& whole, const GraphSelection& graphs, const SelectedColours& colours,
                         std::vector<SelectedColours>& outputs);

}  // namespace gckn
