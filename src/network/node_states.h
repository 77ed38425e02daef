// SPDX-License-Identifier: BSD-3-Clause
// States of nodes, each named by 64 bits that are the same in whatever set a graph stands, so that graphs of different
// sets can be compared.
//
// - Of paths: s_k(u) names s_{k-1}(u) and the multiset of label sequences (with edge labels, where these are used) of
//   the paths of k edges that start at u. The multiset is the polynomial
//     sum over paths p of  prod_t x_{t, label of p_t},
//   with a variable for every position and label, which no other multiset has; its value at one random point modulo the
//   prime 2^61 - 1 stands for it. Two different multisets have the same value with a probability of (k + 1) / 2^61.
//   A sum of products needs no visit of the last vertex: what it adds is a sum over all neighbours, minus those that
//   are on the path already.
// - Of Weisfeiler and Lehman: s_k(u) names s_{k-1}(u) and the multiset of the neighbours' s_{k-1}.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/network.h"
#include "gckn/run_options.h"
#include "graph/graph_range.h"

namespace gckn {

enum class StateKind { path, wl };

// Nodes of consecutive graphs x (rounds + 1): s_0 .. s_rounds of every node, one node after the other.
struct NodeStates {
  std::size_t rounds = 0;
  std::vector<std::uint64_t> names;

  [[nodiscard]] const std::uint64_t* of_node(std::size_t u) const { return names.data() + u * (rounds + 1); }
};

// encoding: of labels or degrees; throws InputError for attributes, and if the graphs lack what it needs. Throws
// LimitError as soon as more than options.max_paths paths were visited, whose last vertex does not count.
NodeStates node_states(StateKind kind, const GraphSet& graphs, GraphRange range, const InputEncoding& encoding,
                       int rounds, const RunOptions& options);

// How many nodes of every graph have each state: graphs x states of all rounds, names ascending within a graph.
struct StateCounts {
  std::vector<std::uint64_t> begin{0};  // entries of graph i: begin[i] .. begin[i + 1]
  std::vector<std::uint64_t> name;      // by entry
  std::vector<std::uint32_t> count;     // by entry

  [[nodiscard]] std::size_t num_graphs() const { return begin.size() - 1; }
};
StateCounts count_states(const NodeStates& states, const GraphSet& graphs, GraphRange range);

}  // namespace gckn
