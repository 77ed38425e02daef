// SPDX-License-Identifier: BSD-3-Clause
// The baselines in the folds of an experiment, tuned as our networks are.
#pragma once

#include <string>
#include <vector>

#include "gckn/cross_validation.h"
#include "learn/evaluate.h"
#include "learn/fold_plan.h"
#include "learn/journal.h"
#include "learn/run_progress.h"
#include "learn/summary.h"

namespace gckn {

// Always naming the largest class (or the mean) first, then those of make_baselines. C is chosen on the plan's search
// folds, or by the folds within each of them if the protocol is nested. What is left out, and why, is added to the
// remarks.
std::vector<MethodPredictions> run_baselines(const GraphSet& graphs, const CrossValidationOptions& cv,
                                             const Experiment& experiment, const FoldPlan& plan, Journal& journal,
                                             RunProgress& progress, std::vector<std::string>& remarks);

// What that is going to cost.
double cost_of_baselines(const GraphSet& graphs, const CrossValidationOptions& cv, const Experiment& experiment,
                         const FoldPlan& plan);

}  // namespace gckn
