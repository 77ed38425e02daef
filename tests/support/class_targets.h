// SPDX-License-Identifier: BSD-3-Clause
// Targets of given class sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gckn/graph_set.h"
#include "learn/target_column.h"

namespace gckn::test {

// As many graphs of each class as said, one class after the other; their names are their numbers.
inline Targets classes_of_sizes(const std::vector<int>& sizes) {
  Targets targets;
  targets.kind = Targets::Kind::classes;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    targets.class_names.push_back(std::to_string(c));
    targets.class_of_graph.insert(targets.class_of_graph.end(), static_cast<std::size_t>(sizes[c]),
                                  static_cast<std::int32_t>(c));
  }
  return targets;
}

inline std::vector<TargetColumn> column_of_sizes(const std::vector<int>& sizes) {
  const Targets targets = classes_of_sizes(sizes);
  return {{"target", targets.class_names, targets.class_of_graph, {}}};
}

}  // namespace gckn::test
