// SPDX-License-Identifier: BSD-3-Clause
// From predictions on folds to figures: metrics with intervals, and comparisons of methods.
#pragma once

#include <string>
#include <vector>

#include "gckn/cross_validation.h"
#include "learn/evaluate.h"

namespace gckn {

// One method's scores of every fold's test graphs that have the target.
struct MethodPredictions {
  std::string name;
  std::vector<std::vector<DoubleMatrix>> scores;  // by fold and target
};

// methods: the first is ours. `repeats` consecutive groups of folds are repetitions of one another.
std::vector<TargetResult> summarise(const Experiment& experiment, const std::vector<Fold>& folds, int repeats,
                                    const std::vector<MethodPredictions>& methods, std::uint64_t seed);

}  // namespace gckn
