// SPDX-License-Identifier: BSD-3-Clause
// What cross-validation, search and training have in common: linear models on standardised graph vectors.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace gckn {

enum class Learner {
  automatic,  // svm for classes, ridge for numbers
  svm,        // squared hinge, one class against the rest
  logistic,   // multinomial; its scores are log-odds, so it gives probabilities
  ridge,      // least squares, for numbers
};

enum class Metric { accuracy, balanced_accuracy, roc_auc, pr_auc, mcc, log_loss, rmse, mae, r2 };

struct LearningOptions {
  Learner learner = Learner::automatic;
  // Weights of the loss against 1/2 |w|^2, positive and ascending; the best is chosen. A large C fits the training
  // graphs more closely.
  std::vector<double> C = default_c_grid();
  bool balanced = false;                // every class weighs the same, however many graphs it has
  std::vector<double> graph_weights{};  // by graph, positive; empty: 1 each
  // What C and the network are chosen by; accuracy, or RMSE for numbers, if not given.
  std::optional<Metric> select_by{};
  // Networks whose scores (errors: in units of the target's deviation) are equal when rounded to this are equally good,
  // and the first of them is chosen. 0: nothing but rounding errors is disregarded.
  double score_resolution = 0;
  // What a linear model has to be ahead of a Gaussian head to be chosen in its place, in standard errors of a share of
  // as many graphs: it has more values of C to look good with.
  double linear_lead = 0;

  // 60 values from 1e-4 to 1e4, evenly spaced in their logarithms.
  static std::vector<double> default_c_grid();
  // Every fourth of them up to 100: where methods are compared, more would favour the one that has the most to choose
  // from.
  static std::vector<double> short_c_grid();
};

// The words of the command line and of model files; parsing throws UsageError listing the possible words.
std::string_view to_string(Learner learner);
std::string_view to_string(Metric metric);
Learner parse_learner(std::string_view word);
Metric parse_metric(std::string_view word);

// Whether more of it is better.
bool larger_is_better(Metric metric);

}  // namespace gckn
