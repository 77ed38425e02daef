// SPDX-License-Identifier: BSD-3-Clause
// How a graph is evaluated, and whether it may be: estimates of the work, from each graph alone.
//
// Shared evaluation lists all class sequences and works on q numbers for every distinct pattern; direct evaluation
// multiplies q numbers at each sequence but goes no further than the last vertex but one, once for every length, and
// needs tables of every class. With V_l sequences of l classes and D_l distinct patterns,
//   shared: kListed V_P + kDistinct sum over l of D_l
//   direct: sum over output lengths l of kMultiplied (V_2 + l V_{l-1}) + kTabled l (classes) (+ kStateApart (classes))
// D_l is at most V_l, and about c^l if the graph has c equally frequent colours. So sharing wins in molecules, whose
// patterns are few, and loses in dense graphs of many labels; where neighbours are few it is not even estimated.
// It also pays in the layers above, which see every state once; but only where colours repeat. Labels do, across
// graphs; attributes and states of later layers must do so in the graph itself, since nothing else is known of its
// company.
#pragma once

#include <cstdint>
#include <vector>

#include "gckn/network.h"
#include "gckn/run_options.h"
#include "pattern/class_graph.h"
#include "pattern/patterns.h"

namespace gckn {

// By graph: 1 where it is evaluated directly.
std::vector<char> choose_direct(const ClassGraph& graph, const Colouring& colours, const CompileRequest& request,
                                Evaluator evaluator);

// Steps of searches through all paths (or walks) of depth[g] classes in every graph g (below 2: none), each counted up
// to `limit` + 1 and the last vertex of a path not gone to. Reports progress and can be stopped. total: stop counting
// as soon as all graphs together are past the limit.
struct VisitCount {
  std::vector<std::uint64_t> by_graph;
  std::uint64_t total = 0;  // at most limit + 1
};
VisitCount count_visits(const ClassGraph& graph, LayerKind kind, const std::vector<int>& depth, std::uint64_t limit,
                        bool total, const RunOptions& options);

// Throws LimitError: more than `limit` paths or walks of so many vertices.
[[noreturn]] void throw_too_many(LayerKind kind, int vertices, std::uint64_t limit);

}  // namespace gckn
