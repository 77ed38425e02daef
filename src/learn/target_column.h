// SPDX-License-Identifier: BSD-3-Clause
// One thing to be learnt about graphs: a class or a number for every graph that has it.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/learning.h"

namespace gckn {

struct TargetColumn {
  std::string name;
  std::vector<std::string> class_names;      // empty: numbers
  std::vector<std::int32_t> class_of_graph;  // -1: missing
  std::vector<double> number_of_graph;       // NaN: missing

  [[nodiscard]] bool is_classes() const { return !class_names.empty(); }
  [[nodiscard]] std::int32_t num_classes() const { return static_cast<std::int32_t>(class_names.size()); }
  [[nodiscard]] bool has(std::uint32_t graph) const {
    return is_classes() ? class_of_graph[graph] >= 0 : !std::isnan(number_of_graph[graph]);
  }
  // The given graphs that have it.
  [[nodiscard]] std::vector<std::uint32_t> present(const std::vector<std::uint32_t>& graphs) const;
  // All graphs of a fold that have it.
  [[nodiscard]] std::vector<std::uint32_t> present(const Fold& fold) const;
  // The test graphs of a fold that have it; none if no training graph has it, for then nothing can be predicted.
  [[nodiscard]] std::vector<std::uint32_t> tested(const Fold& fold) const;
};

// What a set is to be learnt for, with this learner: its classes, or its columns of numbers. svm and logistic take
// every distinct whole number of a column as a class; ridge takes class names that are whole numbers as numbers. Throws
// InputError if the set has no targets, or a column has only one class or value, or does not suit the learner.
std::vector<TargetColumn> target_columns(const GraphSet& graphs, Learner learner);

// Learner::automatic made concrete.
Learner learner_for(const GraphSet& graphs, Learner learner);

}  // namespace gckn
