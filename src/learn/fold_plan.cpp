// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fold_plan.h"

#include <fmt/format.h>

#include "gckn/error.h"
#include "learn/splits.h"
#include "util/random.h"

namespace gckn {
namespace {

constexpr int kMostRepeats = 10'000;

std::vector<Fold> new_folds(const CrossValidationOptions& cv, const std::vector<TargetColumn>& targets,
                            const std::vector<std::uint32_t>& graphs, int count, std::uint64_t seed) {
  if (cv.groups.of_graph.empty()) return make_folds(targets, graphs, count, seed);
  return make_group_folds(targets, graphs, cv.groups, count, seed);
}

// Folds of the shuffles begin .. end. Shuffles 1 to kMostRepeats are those paper_repeated reports on, so with the same
// seed, and so with the same anchors, they are new to parameters that were chosen by the repeats of another protocol.
std::vector<Fold> shuffled_folds(const GraphSet& graphs, const CrossValidationOptions& cv,
                                 const std::vector<TargetColumn>& targets, int count, int begin, int end) {
  const std::vector<std::uint32_t> with_target = graphs_with_target(targets, graphs.num_graphs());
  std::vector<Fold> folds;
  for (int shuffle = begin; shuffle < end; ++shuffle) {
    const std::vector<Fold> fresh =
        new_folds(cv, targets, with_target, count, seeds::of_shuffle(cv.seed, static_cast<std::uint64_t>(shuffle)));
    folds.insert(folds.end(), fresh.begin(), fresh.end());
  }
  return folds;
}

}  // namespace

FoldPlan plan_folds(const GraphSet& graphs, const CrossValidationOptions& cv,
                    const std::vector<TargetColumn>& targets) {
  if (cv.repeats && (*cv.repeats < 1 || *cv.repeats > kMostRepeats)) {
    throw UsageError(fmt::format("{} repeats: must be 1 to {}", *cv.repeats, kMostRepeats));
  }
  const bool repeated = cv.protocol == Protocol::paper_repeated;
  if (repeated && !cv.given_folds.empty()) {
    throw UsageError("the paper-repeated protocol makes its own folds: do not give any");
  }
  const bool own = cv.given_folds.empty() && cv.use_own_folds && !repeated;
  const std::vector<Fold>& given = own ? graphs.folds() : cv.given_folds;
  FoldPlan plan;
  if (!given.empty()) {
    if (cv.repeats.value_or(1) > 1) throw UsageError("given folds cannot be repeated with other shuffles");
    plan.search = check_folds(given, targets, graphs.num_graphs());
    return plan;
  }
  plan.made = true;
  if (!cv.groups.of_graph.empty() && cv.groups.of_graph.size() != graphs.num_graphs()) {
    throw UsageError(
        fmt::format("groups of {} graphs for a set of {}", cv.groups.of_graph.size(), graphs.num_graphs()));
  }
  plan.repeats = cv.repeats.value_or(repeated ? 10 : 1);
  const int folds = feasible_folds(targets, graphs_with_target(targets, graphs.num_graphs()), cv.folds, &plan.remark);
  plan.search = shuffled_folds(graphs, cv, targets, folds, 0, 1);
  if (repeated) {
    plan.repeated = shuffled_folds(graphs, cv, targets, folds, 1, plan.repeats + 1);
  } else {
    const std::vector<Fold> more =
        shuffled_folds(graphs, cv, targets, folds, kMostRepeats + 1, kMostRepeats + plan.repeats);
    plan.search.insert(plan.search.end(), more.begin(), more.end());
  }
  return plan;
}

std::vector<Fold> inner_folds(const CrossValidationOptions& cv, const std::vector<TargetColumn>& targets,
                              const Fold& fold, std::size_t f) {
  return new_folds(cv, targets, fold.train, feasible_folds(targets, fold.train, cv.inner_folds),
                   seeds::of_inner_folds(cv.seed, f));
}

}  // namespace gckn
