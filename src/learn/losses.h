// SPDX-License-Identifier: BSD-3-Clause
// Losses of the scores of one graph, with their gradients.
//
//   squared hinge    1/2 sum_o max(0, 1 - y_o s_o)^2, y_o = 1 for the graph's class and -1 for all others
//   cross-entropy    log sum_o exp(s_o) - s_y
//   squared error    1/2 (s - y)^2
//
// Two classes have one score, of the second one: y = 1 or -1, and the log-odds of it.
#pragma once

#include <cstdint>
#include <span>

namespace gckn {

// Each is that of the learner of the same row.
enum class LossKind {
  squared_hinge,  // svm
  cross_entropy,  // logistic
  squared_error,  // ridge
};

// What a graph is trained for: the index of its class, or a number.
struct LossTarget {
  std::int32_t class_index = 0;
  double number = 0;
};

// Returns the loss and fills d_scores.
double loss_with_gradient(LossKind loss, std::span<const double> scores, const LossTarget& target,
                          std::span<double> d_scores);

}  // namespace gckn
