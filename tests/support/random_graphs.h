// SPDX-License-Identifier: BSD-3-Clause
// Graph sets for property tests: small random ones, and complete graphs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/run_options.h"

namespace gckn {

inline constexpr std::array kAllEvaluators{Evaluator::automatic, Evaluator::shared, Evaluator::direct,
                                           Evaluator::plain};

struct RandomGraphs {
  std::uint32_t graphs = 12;
  std::uint32_t most_nodes = 12;  // 0 .. most_nodes nodes each
  double density = 0.3;           // probability of an edge
  std::uint32_t labels = 3;
  std::uint32_t edge_labels = 0;  // 0: none
  std::uint32_t attributes = 0;   // columns
};

GraphSetParts random_parts(const RandomGraphs& shape, std::uint64_t seed);
GraphSet random_graphs(const RandomGraphs& shape, std::uint64_t seed);

// 0 .. count - 1 in some order.
std::vector<std::uint32_t> shuffled_numbers(std::size_t count, std::uint64_t seed);

// The same graphs with the nodes of each numbered differently.
GraphSetParts renumber_nodes(GraphSetParts parts, std::uint64_t seed);

// Complete graphs of so many nodes, with two labels in turn: full of twins, and of paths.
GraphSet complete_graphs(const std::vector<std::uint32_t>& sizes);

}  // namespace gckn
