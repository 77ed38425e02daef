// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "gckn/cross_validation.h"
#include "gckn/error.h"
#include "util/random.h"

namespace gckn {

std::vector<Fold> stratified_folds(const Targets& targets, int folds, std::uint64_t seed) {
  if (folds < 2) throw UsageError(fmt::format("{} folds: must be at least 2", folds));
  const auto count = static_cast<std::size_t>(folds);
  std::vector<std::vector<std::uint32_t>> of_class(targets.class_names.size());
  for (std::uint32_t g = 0; g < targets.class_of_graph.size(); ++g) {
    if (targets.class_of_graph[g] >= 0) of_class[static_cast<std::size_t>(targets.class_of_graph[g])].push_back(g);
  }
  Random random(seed);
  std::vector<std::vector<std::uint32_t>> test(count);
  std::size_t next = 0;  // goes on from class to class, so that fold sizes differ by one at most
  for (std::size_t c = 0; c < of_class.size(); ++c) {
    std::vector<std::uint32_t>& members = of_class[c];
    if (members.empty()) continue;  // a name that no graph of this selection has
    if (members.size() < count) {
      throw InputError(fmt::format("class '{}' has {} graphs, fewer than the {} folds", targets.class_names[c],
                                   members.size(), folds));
    }
    for (std::size_t i = members.size(); i > 1; --i) std::swap(members[i - 1], members[random.below(i)]);
    for (const std::uint32_t g : members) test[next++ % count].push_back(g);
  }
  std::vector<Fold> result(count);
  for (std::size_t f = 0; f < count; ++f) {
    std::sort(test[f].begin(), test[f].end());
    result[f].test = test[f];
    for (std::size_t other = 0; other < count; ++other) {
      if (other != f) result[f].train.insert(result[f].train.end(), test[other].begin(), test[other].end());
    }
    std::sort(result[f].train.begin(), result[f].train.end());
  }
  return result;
}

}  // namespace gckn
