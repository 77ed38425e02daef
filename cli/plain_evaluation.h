// SPDX-License-Identifier: BSD-3-Clause
// A quick look at how well vectors tell classes apart: cross-validated accuracy of a ridge classifier.
//
//   min over W, b of (1/n) sum_i |y_i - W x_i - b|^2 + lambda |W|^2,   y_i the indicator of the class of graph i,
//
// x standardised with the mean and deviation of the training folds, prediction: the class of the largest score. Nothing
// is tuned, so that the number needs no third set of graphs to be honest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/matrix.h"
#include "gckn/run_options.h"

namespace gckn::cli {

struct PlainEvaluation {
  static constexpr double kLambda = 0.01;

  std::size_t graphs = 0;          // those that have a class
  std::vector<double> accuracies;  // one per fold, in [0, 1]
  double mean = 0;                 // of the accuracies
  double deviation = 0;            // between the folds
  double majority = 0;             // accuracy of always naming the training graphs' largest class
};

// Throws InputError where there are no two classes to tell apart.
void require_classes(const Targets& targets);

// Ten stratified folds (fewer for fewer graphs). The targets have passed require_classes.
PlainEvaluation evaluate_plainly(const Matrix& vectors, const Targets& targets, std::uint64_t seed,
                                 const RunOptions& options);

}  // namespace gckn::cli
