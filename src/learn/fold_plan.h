// SPDX-License-Identifier: BSD-3-Clause
// Which folds an experiment uses: those given, the set's own, or new ones, as the protocol asks for.
#pragma once

#include <string>
#include <vector>

#include "gckn/cross_validation.h"
#include "learn/target_column.h"

namespace gckn {

struct FoldPlan {
  std::vector<Fold> search;    // by which parameters are chosen
  std::vector<Fold> repeated;  // of paper_repeated, which reports on others than it chooses by; otherwise empty
  bool made = false;           // here, not given
  std::string remark;          // why there are fewer folds than asked for, or empty
  int repeats = 1;             // consecutive groups of the reported folds that repeat one another

  [[nodiscard]] const std::vector<Fold>& reported() const { return repeated.empty() ? search : repeated; }
};

// Throws UsageError for options that contradict each other, InputError for folds that cannot be. New folds are as many
// as the smallest class has graphs, if that is fewer than asked for.
FoldPlan plan_folds(const GraphSet& graphs, const CrossValidationOptions& cv, const std::vector<TargetColumn>& targets);

// Folds among the training graphs of fold number f, by which a nested search chooses.
std::vector<Fold> inner_folds(const CrossValidationOptions& cv, const std::vector<TargetColumn>& targets,
                              const Fold& fold, std::size_t f);

}  // namespace gckn
