// SPDX-License-Identifier: BSD-3-Clause
// What a method has to beat: simple predictors in the same folds, trained and tuned by the same linear learner.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/learning.h"
#include "gckn/matrix.h"
#include "gckn/run_options.h"
#include "learn/target_column.h"

namespace gckn {

// Vectors that need no learning, or a kernel.
struct Baseline {
  std::string name;
  Matrix vectors;            // one row per graph
  bool standardised = true;  // as ours are; a kernel's are used as they are
  DoubleMatrix kernel{};     // graphs x graphs, instead of vectors, where the learner takes that
};

// Counts of node labels (of degrees, or means of attributes, where there are none), and vectors whose inner products
// are the normalised optimal assignment kernel on WL colours of kWlRounds rounds, the best form of that baseline in the
// literature (for support vector machines: that kernel plus 1, for the bias). What is left out, and why, is added to
// the remarks.
std::vector<Baseline> make_baselines(const GraphSet& graphs, Learner learner, const RunOptions& options,
                                     std::vector<std::string>& remarks);
inline constexpr int kWlRounds = 4;
// A histogram of more numbers (graphs times distinct labels) is left out: it would take gigabytes.
inline constexpr std::size_t kMostHistogramNumbers = 20'000'000;

// The values of C that baselines try: 1e-4, 1e-3 .. 1e4; with a normalised kernel up to 100, above which little changes
// and much time goes.
std::vector<double> baseline_c_grid(bool of_kernel);

// Scores of always naming the largest class of the training graphs (the lowest of equals; as probabilities the classes'
// shares), or their mean.
DoubleMatrix constant_scores(const TargetColumn& target, const std::vector<std::uint32_t>& train, std::size_t tested);

}  // namespace gckn
