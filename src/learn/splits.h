// SPDX-License-Identifier: BSD-3-Clause
// Splits into training and test graphs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gckn/cross_validation.h"
#include "gckn/graph_set.h"
#include "learn/target_column.h"

namespace gckn {

// `folds` splits whose test parts are disjoint, of nearly equal size and cover all graphs that have a target, shuffled
// by the seed. With one target of classes they are stratified: each has nearly the same share of every class. Throws
// InputError if a class has fewer graphs than there are folds, or there are fewer graphs.
std::vector<Fold> make_folds(const std::vector<TargetColumn>& targets, const std::vector<std::uint32_t>& graphs,
                             int folds, std::uint64_t seed);

// The same with groups that stay together, dealt out from the largest one to the fold that has the fewest graphs of
// their most frequent class, and among these the fewest graphs. Throws InputError if a fold would have no test graph.
std::vector<Fold> make_group_folds(const std::vector<TargetColumn>& targets, const std::vector<std::uint32_t>& graphs,
                                   const FoldGroups& groups, int folds, std::uint64_t seed);

// One split that holds out this share of the graphs with a target, and of every class if there is one target of
// classes: what is closest to it, but of two graphs or more at least one in either part. Throws InputError if a part is
// empty.
Fold hold_out(const std::vector<TargetColumn>& targets, const std::vector<std::uint32_t>& graphs, double share,
              std::uint64_t seed);

// Given splits, without the graphs that have no target. Throws InputError if one names a graph twice (in training and
// test, say) or one that is not there, or has no graph to train on or to test, if two test the same graph, or if one
// has training graphs of one class only.
std::vector<Fold> check_folds(std::vector<Fold> folds, const std::vector<TargetColumn>& targets,
                              std::size_t num_graphs);

// As many as asked for, at least two; fewer where a class among these graphs is small, which is said in the remark.
// Throws InputError if one has a single graph.
int feasible_folds(const std::vector<TargetColumn>& targets, const std::vector<std::uint32_t>& graphs, int folds,
                   std::string* remark = nullptr);

// Graphs that have at least one of the targets.
std::vector<std::uint32_t> graphs_with_target(const std::vector<TargetColumn>& targets, std::size_t num_graphs);

}  // namespace gckn
