// SPDX-License-Identifier: BSD-3-Clause
// How often every pattern of one length occurs in every graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gckn/run_options.h"
#include "linalg/sparse_rows.h"
#include "pattern/patterns.h"

namespace gckn {

// Patterns of all graphs, those of each counted alone. Exact kernels keep two copies of 12 bytes for each, and
// comparing one graph with all others takes as many steps.
inline constexpr std::uint64_t kMostPatternEntries = std::uint64_t{1} << 26;

// Graphs x patterns of output length number `output`; a count is multiplied by norm_of_pattern, where given. Where
// patterns are shared only. Throws LimitError past most_entries.
SparseRows<double> pattern_histograms(const ClassGraph& graph, const Patterns& patterns, std::size_t output,
                                      std::span<const double> norm_of_pattern, const RunOptions& options,
                                      std::uint64_t most_entries = kMostPatternEntries);

}  // namespace gckn
