// SPDX-License-Identifier: BSD-3-Clause
// How well linear models on given vectors predict on given folds, for every C, and which C is best.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gckn/cross_validation.h"
#include "gckn/learning.h"
#include "gckn/run_options.h"
#include "learn/linear_model.h"
#include "learn/target_column.h"

namespace gckn {

// Everything that is the same for all networks of an experiment.
struct Experiment {
  std::vector<TargetColumn> targets;
  Learner learner = Learner::svm;  // not automatic
  LearningOptions learning;

  [[nodiscard]] Metric selected_by() const;
};

// Reads the targets and checks the options. Throws UsageError for a C that is not positive or a metric that does not go
// with the learner, InputError for graphs with nothing to learn.
Experiment make_experiment(const GraphSet& graphs, const LearningOptions& learning);

// What a target has to learn, without vectors.
LearningTask task_of(const Experiment& experiment, const TargetColumn& target);

// The best of the grid for one set of vectors.
struct Evaluation {
  double score = 0;                   // mean over targets of the mean over the selection folds; more is better
  std::vector<double> C;              // by target: the best, ties to the smallest
  std::vector<double> score_by_c;     // of the first target; with end-to-end training by epoch, mean over targets
  std::vector<double> loss_by_epoch;  // of end-to-end training, mean over the selection folds
  std::size_t unconverged = 0;        // linear models, of all folds and C, that the solver gave up on
  std::vector<std::string> remarks;   // anchors learnt from a sample, training that diverged
  // Scores of the tested graphs (TargetColumn::tested), by prediction fold and target, with the model of that C.
  std::vector<std::vector<DoubleMatrix>> predictions;
};

// C is chosen by the test graphs of the selection folds, and those of the prediction folds are predicted with it: the
// same folds (the same object) for the optimistic protocols, the outer fold for a nested search.
struct CChoice {
  const std::vector<Fold>* selection;
  const std::vector<Fold>* prediction;
};

// Makes one choice. Runs folds in parallel; asks options.progress, from any thread, often enough to be stopped at once,
// and reports the folds done. standardised: false for vectors that are to be used as they are.
Evaluation evaluate(const Matrix& vectors, const Experiment& experiment, const std::vector<Fold>& selection,
                    const std::vector<Fold>& prediction, const RunOptions& options, bool standardised = true);

// The same on sparse rows, which are used as they are.
Evaluation evaluate(const SparseRows<double>& rows, const Experiment& experiment, const CChoice& choice,
                    const RunOptions& options);

// Scores whose order is a matter of rounding, and so of the order of graphs in their file, are made equal: the row's
// largest, or 0 where one score stands for two classes. Ties then go to the lowest class.
void settle_ties(DoubleMatrix& scores, double tie);

// Scores of no graph, for every C.
std::vector<DoubleMatrix> no_scores(const Experiment& experiment, const TargetColumn& target);

// The values of all metrics that suit the target and learner, in the order of metrics_of(). scores: of `graphs`.
std::vector<double> metric_values(const Experiment& experiment, const TargetColumn& target,
                                  const std::vector<std::uint32_t>& graphs, const DoubleMatrix& scores);
std::vector<Metric> metrics_of(const Experiment& experiment, const TargetColumn& target);

}  // namespace gckn
