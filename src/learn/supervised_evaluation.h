// SPDX-License-Identifier: BSD-3-Clause
// How well end-to-end training predicts on given folds, for every number of epochs, and which number is best.
#pragma once

#include <string>

#include "gckn/supervised.h"
#include "learn/evaluate.h"
#include "network/fit.h"

namespace gckn {

// What is trained, and from what.
struct SupervisedCandidate {
  const GraphSet* graphs = nullptr;
  const NetworkConfig* config = nullptr;
  const CompiledSet* compiled = nullptr;  // for learning the start
  const CompiledSet* batches = nullptr;   // for training
  SupervisedOptions options{};
  double penalty = 0;
  FitOptions fit{};
  bool side_by_side = true;  // folds, each on one thread; otherwise one after the other, each on all threads
};

// The experiment with numbers of epochs, 1 .. options.epochs, in the place of the values of C.
Experiment with_epochs_as_grid(Experiment experiment, const SupervisedOptions& options);

// Trains on the training graphs of every fold of a choice; everything is learnt from them alone. The number of epochs
// is the one with the best mean over the selection folds, and the test graphs of the prediction folds are predicted
// with it: Evaluation::C is that number. experiment: with_epochs_as_grid, or with some of these. A training that
// diverges has the scores of its last good epoch from then on, which a remark says; if it has none, TrainingDiverged is
// thrown. Asks options.progress, from any thread, and reports epochs.
Evaluation evaluate_supervised(const SupervisedCandidate& candidate, const Experiment& experiment,
                               const CChoice& choice, const RunOptions& options);

}  // namespace gckn
