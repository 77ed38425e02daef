// SPDX-License-Identifier: BSD-3-Clause
// What parts of an experiment cost, roughly, in nanoseconds of one core: from counts alone, for progress.
#pragma once

#include <cstddef>

#include "gckn/graph_set.h"
#include "gckn/network.h"
#include "learn/evaluate.h"

namespace gckn {

// Columns of a network's vectors if all of its filters are used.
std::size_t expected_columns(const NetworkConfig& config);

// Learning a network and embedding all graphs.
double cost_of_network(const GraphSet& graphs, const NetworkConfig& config);

// evaluate() on vectors of so many columns.
double cost_of_models(const Experiment& experiment, const CChoice& choice, std::size_t columns);

// Trainings end to end on the folds of a choice, for all epochs.
double cost_of_training(const GraphSet& graphs, const NetworkConfig& config, const SupervisedOptions& options,
                        const CChoice& choice);

// evaluate() on the sparse rows of a configuration that compares states.
double cost_of_states(const GraphSet& graphs, const NetworkConfig& config, const Experiment& experiment,
                      const CChoice& choice);

// The WL kernel, and evaluate_kernel() with it for one choice.
double cost_of_kernel(const GraphSet& graphs);
double cost_of_kernel_models(const Experiment& experiment, const CChoice& choice);

}  // namespace gckn
