// SPDX-License-Identifier: BSD-3-Clause
// From values of paths to scores of nodes and edges, and from these to the parts of a graph that stand out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "explain/masked_graph.h"
#include "gckn/explain.h"

namespace gckn {

using EdgeList = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Every share goes in equal parts to the nodes of its path, and in equal parts to its edges. of_variable: the share of
// one path of each variable; only paths of `layer` count.
void spread_shares(const std::vector<MaskedPaths>& paths, std::size_t layer, std::span<const double> of_variable,
                   const EdgeList& edges, Explanation& to);

// Nodes and edges have the sum of the weights of the selected paths through them, those with more than `selected`; the
// parts are what these paths connect, the one with the most nodes first.
void gather_masks(const std::vector<MaskedPaths>& paths, std::span<const double> of_variable, double selected,
                  const EdgeList& edges, Explanation& to);

// Parts of nodes whose score (Explanation::carrying_scores) is above `share` of the largest or, without it, above the
// natural break of the scores, if the largest is positive, with the edges between them; the one with the largest sum
// first.
void select_by_share(std::optional<double> share, const EdgeList& edges, Explanation& to);

// Adds the paths of a graph (or of one layer) whose values are not 0, and puts the largest in size first.
void add_paths(const std::vector<MaskedPaths>& paths, std::span<const double> of_variable,
               std::optional<std::size_t> only_layer, std::vector<ExplainedPath>& to);

}  // namespace gckn
