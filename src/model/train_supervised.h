// SPDX-License-Identifier: BSD-3-Clause
// What the two ways of training have in common, and the end-to-end one.
#pragma once

#include <cstddef>
#include <vector>

#include "gckn/model.h"
#include "learn/evaluate.h"
#include "learn/protocols.h"
#include "learn/run_progress.h"

namespace gckn {

// The choice by cross-validation, as the optimistic protocol makes it: what is wanted is the best, not an estimate.
ProtocolOutcome search_for_training(const GraphSet& graphs, const TrainOptions& train, RunProgress& progress);

// Platt scaling of every output of target t, from scores of graphs that were not trained on.
std::vector<Calibration> calibrate(const Experiment& experiment, std::size_t t,
                                   const std::vector<FoldPrediction>& unseen);

// The predictions of target t by the folds of a search.
std::vector<FoldPrediction> predictions_of(const CrossValidationResult& search, std::size_t t);

TrainingRecord record_of(const TrainOptions& train, const CrossValidationResult& searched, std::size_t graphs);

// gckn::train with TrainOptions::supervised.
TrainResult train_supervised(const GraphSet& graphs, const TrainOptions& train, RunProgress& progress);

}  // namespace gckn
