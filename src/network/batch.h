// SPDX-License-Identifier: BSD-3-Clause
// A mini-batch: a part of a compiled set that is a compiled set itself, so that whoever evaluates it does not know the
// difference, and gets the same bits for the same graphs.
#pragma once

#include <cstdint>
#include <span>

#include "network/compiled_set.h"

namespace gckn {

// The graphs with these numbers, in this order, with only the input colours, patterns (and their prefixes) and states
// that they use. Input labels and degrees stay as many as the network knows, since their numbers are the places of its
// tables. The time follows the graphs selected, not the set. Throws UsageError for a number that is not one of a graph
// or stands twice. Touches nothing but its arguments: several threads may select from one set.
CompiledSet select_graphs(const CompiledSet& whole, std::span<const std::uint32_t> selected);

}  // namespace gckn
