// SPDX-License-Identifier: BSD-3-Clause
// The results of one choice among the values of a grid (of C; of numbers of epochs) as they come, fold by fold.
#pragma once

#include <cstddef>
#include <vector>

#include "gckn/matrix.h"
#include "learn/evaluate.h"

namespace gckn {

class GridResults {
 public:
  // The grid is experiment.learning.C. common: one value is chosen for all targets, by their mean, not one for each.
  GridResults(const Experiment& experiment, const CChoice& choice, bool common = false);

  // Those of the selection first, then those of the prediction unless they are the same.
  [[nodiscard]] std::size_t num_folds() const;
  [[nodiscard]] const Fold& fold(std::size_t f) const;

  // Whether values are chosen by a fold, and how good scores of its test graphs that have target t are.
  [[nodiscard]] bool selects(std::size_t f) const { return f < choice_.selection->size(); }
  [[nodiscard]] double score_of(std::size_t t, const std::vector<std::uint32_t>& test,
                                const DoubleMatrix& scores) const;

  // For every value of the grid the scores of the fold's test graphs that have target t. From any thread, once for each
  // t and f.
  void take(std::size_t t, std::size_t f, std::vector<DoubleMatrix> scores);

  // When all are taken.
  Evaluation finish();

 private:
  [[nodiscard]] bool is_same() const { return choice_.selection == choice_.prediction; }
  [[nodiscard]] std::size_t best_of(const std::vector<double>& means) const;

  const Experiment& experiment_;
  const CChoice choice_;
  const bool common_;
  std::vector<double> deviation_;                               // by target
  std::vector<std::vector<std::vector<DoubleMatrix>>> scores_;  // by target, fold and value; of predicted folds
  std::vector<std::vector<std::vector<double>>> values_;        // by target, value and selection fold
};

// The metric that is selected by, turned so that more is better, for the scores of some graphs. Errors are in units of
// `deviation`, so that targets can be averaged.
double selection_score(const Experiment& experiment, const TargetColumn& target, double deviation,
                       const std::vector<std::uint32_t>& graphs, const DoubleMatrix& scores);

}  // namespace gckn
