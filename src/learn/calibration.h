// SPDX-License-Identifier: BSD-3-Clause
// Platt scaling: probabilities from the scores of a two-class predictor.
//
//   p(f) = 1 / (1 + exp(a f + b)),  minimising over a, b:  - sum_i v_i (t_i log p(f_i) + (1 - t_i) log(1 - p(f_i)))
//
// f_i is a score, v_i a sample weight, and t_i the smoothed truth, (N1 + 1) / (N1 + 2) for positives and 1 / (N0 + 2)
// for negatives, where N1 and N0 are the weights of either (Platt, 1999). The scores should be of graphs that the
// predictor was not trained on.
#pragma once

#include <cstdint>
#include <span>

namespace gckn {

struct PlattScaling {
  double a = 0;  // negative where high scores mean positive
  double b = 0;
  int steps = 0;
  bool converged = false;

  // Strictly between 0 and 1 up to rounding, for any finite score.
  [[nodiscard]] double probability(double score) const;
};

// Newton's method with backtracking in the form that neither overflows nor cancels (Lin, Lin & Weng, 2007). Where there
// is one class only, or nothing at all, a is 0 and every probability (N1 + 1) / (N0 + N1 + 2); where all scores are
// equal, their probability is the mean of t. truth is 0 or 1; scores are finite; weights are positive, and empty means
// 1. Single-threaded.
PlattScaling fit_platt(std::span<const double> scores, std::span<const std::uint8_t> truth,
                       std::span<const double> weights = {});

}  // namespace gckn
