// SPDX-License-Identifier: BSD-3-Clause
#include "learn/splits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "gckn/error.h"
#include "util/counted.h"
#include "util/random.h"

namespace gckn {
namespace {

bool has_any(const std::vector<TargetColumn>& targets, std::uint32_t graph) {
  return std::ranges::any_of(targets, [&](const TargetColumn& target) { return target.has(graph); });
}

// Groups to be spread evenly over the folds: the classes, or all graphs as one.
std::vector<std::vector<std::uint32_t>> strata(const std::vector<TargetColumn>& targets,
                                               const std::vector<std::uint32_t>& graphs) {
  const bool by_class = targets.size() == 1 && targets[0].is_classes();
  std::vector<std::vector<std::uint32_t>> groups(by_class ? targets[0].class_names.size() : 1);
  for (const std::uint32_t g : graphs) {
    if (!has_any(targets, g)) continue;
    groups[by_class ? static_cast<std::size_t>(targets[0].class_of_graph[g]) : 0].push_back(g);
  }
  return groups;
}

// Every fold tests its part and learns from all others.
std::vector<Fold> folds_of_test_parts(const std::vector<std::vector<std::uint32_t>>& test,
                                      const std::vector<std::uint32_t>& always_training) {
  std::vector<Fold> result(test.size());
  for (std::size_t f = 0; f < test.size(); ++f) {
    result[f].test = test[f];
    result[f].train = always_training;
    for (std::size_t other = 0; other < test.size(); ++other) {
      if (other != f) result[f].train.insert(result[f].train.end(), test[other].begin(), test[other].end());
    }
    std::ranges::sort(result[f].test);
    std::ranges::sort(result[f].train);
  }
  return result;
}

}  // namespace

std::vector<Fold> make_folds(const std::vector<TargetColumn>& targets, const std::vector<std::uint32_t>& graphs,
                             int folds, std::uint64_t seed) {
  if (folds < 2) throw UsageError(fmt::format("{} folds: must be at least 2", folds));
  const auto count = static_cast<std::size_t>(folds);
  std::vector<std::vector<std::uint32_t>> groups = strata(targets, graphs);
  // Before anything is made for every fold: there may be millions of them.
  for (std::size_t s = 0; s < groups.size(); ++s) {
    if (groups[s].size() >= count || (groups[s].empty() && groups.size() > 1)) continue;
    throw InputError(
        groups.size() > 1
            ? fmt::format("class '{}' has {}, fewer than the {} folds", targets[0].class_names[s],
                          counted(groups[s].size(), "graph"), folds)
            : fmt::format("{} with a target are fewer than the {} folds", counted(groups[s].size(), "graph"), folds));
  }
  Random random(seed);
  std::vector<std::vector<std::uint32_t>> test(count);
  std::size_t next = 0;  // goes on from group to group, so that fold sizes differ by one at most
  for (std::vector<std::uint32_t>& members : groups) {
    for (std::size_t i = members.size(); i > 1; --i) std::swap(members[i - 1], members[random.below(i)]);
    for (const std::uint32_t g : members) test[next++ % count].push_back(g);
  }
  return folds_of_test_parts(test, {});
}

std::vector<Fold> make_group_folds(const std::vector<TargetColumn>& targets, const std::vector<std::uint32_t>& graphs,
                                   const FoldGroups& groups, int folds, std::uint64_t seed) {
  if (folds < 2) throw UsageError(fmt::format("{} folds: must be at least 2", folds));
  const auto count = static_cast<std::size_t>(folds);
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_number;
  std::size_t with_target = 0;
  for (const std::uint32_t g : graphs) {
    if (!has_any(targets, g)) continue;
    by_number[groups.of_graph[g]].push_back(g);
    ++with_target;
  }
  const auto is_large = [&](const auto& group) { return 2 * group.second.size() * count > with_target; };
  const auto large = static_cast<std::size_t>(std::ranges::count_if(by_number, is_large));
  const bool small_ones_only = groups.test_small_ones_only && by_number.size() >= large + count;
  std::vector<std::vector<std::uint32_t>> members;
  std::vector<std::uint32_t> always_training;
  for (auto& group : by_number) {
    std::vector<std::uint32_t>& list = group.second;
    if (small_ones_only && is_large(group)) {
      always_training.insert(always_training.end(), list.begin(), list.end());
    } else {
      members.push_back(std::move(list));
    }
  }
  if (members.size() < count) {
    throw InputError(fmt::format("{} of graphs are fewer than the {} folds", counted(members.size(), "group"), folds));
  }
  Random random(seed);
  for (std::size_t i = members.size(); i > 1; --i) std::swap(members[i - 1], members[random.below(i)]);
  std::ranges::stable_sort(members, std::ranges::greater(), [](const auto& group) { return group.size(); });

  const bool by_class = targets.size() == 1 && targets[0].is_classes();
  const std::size_t classes = by_class ? targets[0].class_names.size() : 1;
  const auto class_of = [&](std::uint32_t g) {
    return by_class ? static_cast<std::size_t>(targets[0].class_of_graph[g]) : std::size_t{0};
  };
  std::vector<std::vector<std::uint32_t>> test(count);
  std::vector<std::vector<std::size_t>> tested(count, std::vector<std::size_t>(classes));  // by fold and class
  for (const std::vector<std::uint32_t>& group : members) {
    std::vector<std::size_t> here(classes);
    for (const std::uint32_t g : group) ++here[class_of(g)];
    const auto most = static_cast<std::size_t>(std::ranges::max_element(here) - here.begin());
    std::size_t best = 0;
    for (std::size_t f = 1; f < count; ++f) {
      if (std::pair(tested[f][most], test[f].size()) < std::pair(tested[best][most], test[best].size())) best = f;
    }
    test[best].insert(test[best].end(), group.begin(), group.end());
    for (std::size_t c = 0; c < classes; ++c) tested[best][c] += here[c];
  }
  return folds_of_test_parts(test, always_training);
}

Fold hold_out(const std::vector<TargetColumn>& targets, const std::vector<std::uint32_t>& graphs, double share,
              std::uint64_t seed) {
  const auto whole = static_cast<double>(graphs.size());
  if (std::lround(share * whole) == 0 || std::lround(share * whole) == std::lround(whole)) {
    throw InputError(
        fmt::format("a part of {} leaves one of the parts of {} empty", share, counted(graphs.size(), "graph")));
  }
  Random random(seed);
  Fold fold;
  for (std::vector<std::uint32_t>& members : strata(targets, graphs)) {
    for (std::size_t i = members.size(); i > 1; --i) std::swap(members[i - 1], members[random.below(i)]);
    auto held = static_cast<std::size_t>(std::lround(share * static_cast<double>(members.size())));
    if (members.size() >= 2) held = std::clamp<std::size_t>(held, 1, members.size() - 1);
    const auto middle = members.begin() + static_cast<std::ptrdiff_t>(held);
    fold.test.insert(fold.test.end(), members.begin(), middle);
    fold.train.insert(fold.train.end(), middle, members.end());
  }
  std::ranges::sort(fold.test);
  std::ranges::sort(fold.train);
  return fold;
}

std::vector<Fold> check_folds(std::vector<Fold> folds, const std::vector<TargetColumn>& targets,
                              std::size_t num_graphs) {
  std::vector<std::size_t> tested_by(num_graphs, 0);  // number of the fold
  for (std::size_t f = 0; f < folds.size(); ++f) {
    std::vector<bool> named(num_graphs);
    for (std::vector<std::uint32_t>* part : {&folds[f].train, &folds[f].test}) {
      for (const std::uint32_t g : *part) {
        if (g >= num_graphs) {
          throw InputError(fmt::format("fold {} names graph {}, and there are {} (counted from 0)", f + 1, g,
                                       counted(num_graphs, "graph")));
        }
        if (named[g]) throw InputError(fmt::format("fold {} names graph {} twice", f + 1, g));
        named[g] = true;
        if (part == &folds[f].train) continue;
        if (tested_by[g] > 0) {
          throw InputError(fmt::format("graph {} is tested by fold {} and by fold {}", g, tested_by[g], f + 1));
        }
        tested_by[g] = f + 1;
      }
      std::erase_if(*part, [&](std::uint32_t g) { return !has_any(targets, g); });
      if (part->empty()) {
        throw InputError(
            fmt::format("fold {} has no {} graph with a target", f + 1, part == &folds[f].train ? "training" : "test"));
      }
    }
    if (targets.size() != 1 || !targets[0].is_classes()) continue;
    const auto class_of = [&](std::uint32_t g) { return targets[0].class_of_graph[g]; };
    const std::int32_t first = class_of(folds[f].train.front());
    if (std::ranges::all_of(folds[f].train, [&](std::uint32_t g) { return class_of(g) == first; })) {
      throw InputError(fmt::format("fold {} learns from graphs of class '{}' only: there is nothing to tell apart",
                                   f + 1, targets[0].class_names[static_cast<std::size_t>(first)]));
    }
  }
  return folds;
}

int feasible_folds(const std::vector<TargetColumn>& targets, const std::vector<std::uint32_t>& graphs, int folds,
                   std::string* remark) {
  if (folds < 2) throw UsageError(fmt::format("{} folds: must be at least 2", folds));
  auto fewest = static_cast<std::size_t>(folds);
  const std::vector<std::vector<std::uint32_t>> groups = strata(targets, graphs);
  for (std::size_t s = 0; s < groups.size(); ++s) {
    if (groups[s].size() == 1) {
      throw InputError(groups.size() > 1
                           ? fmt::format("class '{}' has only one graph to learn from: it cannot be split",
                                         targets[0].class_names[s])
                           : "there is only one graph to learn from: it cannot be split");
    }
    if (groups[s].empty() || groups[s].size() >= fewest) continue;
    fewest = groups[s].size();
    if (remark == nullptr) continue;
    *remark = fmt::format(
        "{} folds instead of {}: {}", fewest, folds,
        groups.size() > 1 ? fmt::format("class '{}' has only {}", targets[0].class_names[s], counted(fewest, "graph"))
                          : fmt::format("there are only {}", counted(fewest, "graph")));
  }
  return static_cast<int>(fewest);
}

std::vector<std::uint32_t> graphs_with_target(const std::vector<TargetColumn>& targets, std::size_t num_graphs) {
  std::vector<std::uint32_t> graphs;
  for (std::uint32_t g = 0; g < num_graphs; ++g) {
    if (has_any(targets, g)) graphs.push_back(g);
  }
  return graphs;
}

}  // namespace gckn
