// SPDX-License-Identifier: BSD-3-Clause
// Linear models of one target on graph vectors: standardised with the training graphs alone, trained by one of the
// learners, for one C or along a whole grid. Or on sparse rows, as they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gckn/learning.h"
#include "gckn/matrix.h"
#include "gckn/run_options.h"
#include "learn/fold_moments.h"
#include "learn/standardise.h"
#include "learn/target_column.h"
#include "linalg/sparse_rows.h"
#include "util/function_ref.h"

namespace gckn {

struct LearningTask {
  const Matrix* vectors = nullptr;  // one row per graph
  const TargetColumn* target = nullptr;
  Learner learner = Learner::svm;              // not automatic
  bool balanced = false;                       // classes of the training graphs weigh the same
  std::span<const double> graph_weights;       // by graph; empty: 1 each
  bool standardised = true;                    // false: vectors are used as they are
  const Standardiser* standardiser = nullptr;  // used instead of one fitted on the training graphs, if given
  const FoldMoments* moments = nullptr;        // of rows that other tasks train on too, if given
  const SparseRows<double>* rows = nullptr;    // instead of vectors, used as they are: one row per graph
};

// Weights of the training graphs' losses: those of the graphs, balanced if that is asked for. Empty if all are 1.
std::vector<double> sample_weights(const LearningTask& task, const std::vector<std::uint32_t>& train);

// How many scores a graph gets: one with two classes (of the second) and for numbers (no classes), otherwise one per
// class.
inline std::size_t num_outputs(std::size_t num_classes) {
  return num_classes > 2 ? num_classes : 1;
}
inline std::size_t num_outputs(const TargetColumn& target) {
  return num_outputs(target.class_names.size());
}

// Labels of a support vector machine for one output: 1 for graphs of its class, -1 for all others.
std::vector<double> one_against_rest(const TargetColumn& target, const std::vector<std::uint32_t>& train,
                                     std::size_t output);

struct LinearModel {
  Standardiser standardiser;
  DoubleMatrix weights;  // outputs x (columns kept by the standardiser, and the bias)
  bool converged = true;
};

// train: graphs that have the target. Throws UnsuitableNetwork for logistic regression of more than two classes on
// sparse rows, which is not there. Single-threaded, as is what follows: callers run folds side by side. Asks
// options.progress now and then.
LinearModel train_linear(const LearningTask& task, const std::vector<std::uint32_t>& train, double c,
                         const RunOptions& options = {});

// With more training graphs than this on sparse rows, no more is computed than a choice of C needs: models are rough
// (sparse_linear.h), and no further C is tried once two in succession are clearly worse than the best one.
inline constexpr std::size_t kManyTrainingGraphs = 20'000;
inline constexpr double kClearlyWorse = 0.005;  // of what JudgeScores returns

// How good scores of the test graphs are, more being better.
using JudgeScores = FunctionRef<double(const DoubleMatrix& scores)>;

// For every C of an ascending grid, the scores of the test graphs (test x outputs).
struct ScoredGrid {
  std::vector<DoubleMatrix> scores;
  std::size_t unconverged = 0;  // values of C whose model the solver gave up on
};

// judge: null where all of the grid is needed. Of many training graphs with one output, values of C that are not tried
// have the scores of the last one that was.
ScoredGrid train_and_score(const LearningTask& task, const std::vector<std::uint32_t>& train,
                           std::span<const std::uint32_t> test, std::span<const double> grid,
                           const RunOptions& options = {}, const JudgeScores* judge = nullptr);

// The class of the largest score, ties to the lowest class. Where there is one score, a positive one means class 1.
std::vector<std::int32_t> classes_of_scores(const DoubleMatrix& scores);

}  // namespace gckn
