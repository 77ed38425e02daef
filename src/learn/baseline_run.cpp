// SPDX-License-Identifier: BSD-3-Clause
#include "learn/baseline_run.h"

#include <fmt/format.h>

#include <utility>

#include "learn/baselines.h"

namespace gckn {
namespace {

using FoldScores = std::vector<std::vector<DoubleMatrix>>;  // by fold and target

MethodPredictions constant_method(const Experiment& experiment, const std::vector<Fold>& folds) {
  MethodPredictions constant{experiment.learner == Learner::ridge ? "mean" : "majority class", {}};
  for (const Fold& fold : folds) {
    constant.scores.emplace_back();
    for (const TargetColumn& target : experiment.targets) {
      constant.scores.back().push_back(constant_scores(target, target.present(fold.train), target.tested(fold).size()));
    }
  }
  return constant;
}

// A unit of the journal: the folds that C is chosen by and those that are predicted with it.
struct BaselineUnit {
  std::string name;
  CChoice choice;
};

// By unit, computed where the journal does not have it.
std::vector<FoldScores> scores_of_units(const Baseline& baseline, const std::vector<BaselineUnit>& units,
                                        const Experiment& experiment, Journal& journal, RunProgress& progress) {
  std::vector<FoldScores> scores(units.size());
  std::vector<std::size_t> missing;
  for (std::size_t u = 0; u < units.size(); ++u) {
    if (const Evaluation* known = journal.find(units[u].name)) {
      scores[u] = known->predictions;
    } else {
      missing.push_back(u);
    }
  }
  const auto record = [&](std::size_t u, Evaluation& evaluation) {
    journal.record(units[u].name, evaluation, true);
    scores[u] = std::move(evaluation.predictions);
    progress.advance();
    progress.report();
  };
  if (!baseline.kernel.empty()) {
    std::vector<CChoice> choices;
    for (const std::size_t u : missing) choices.push_back(units[u].choice);
    std::vector<Evaluation> evaluations = evaluate_kernel(baseline.kernel, experiment, choices, progress.within());
    for (std::size_t i = 0; i < missing.size(); ++i) record(missing[i], evaluations[i]);
    return scores;
  }
  for (const std::size_t u : missing) {
    const CChoice& choice = units[u].choice;
    Evaluation evaluation = evaluate(baseline.vectors, experiment, *choice.selection, *choice.prediction,
                                     progress.within(), baseline.standardised);
    record(u, evaluation);
  }
  return scores;
}

}  // namespace

std::vector<MethodPredictions> run_baselines(const GraphSet& graphs, const CrossValidationOptions& cv,
                                             const Experiment& experiment, const FoldPlan& plan, Journal& journal,
                                             RunProgress& progress, std::vector<std::string>& remarks) {
  const std::vector<Fold>& folds = plan.reported();
  std::vector<MethodPredictions> methods{constant_method(experiment, folds)};
  progress.begin("baselines", 0);
  progress.report();
  Experiment coarse = experiment;
  coarse.learning.C = baseline_c_grid();
  const std::vector<Baseline> baselines = make_baselines(graphs, experiment.learner, progress.within(), remarks);
  const bool nested = cv.protocol == Protocol::nested;
  std::vector<std::vector<Fold>> selection;   // of the nested protocol, by fold
  std::vector<std::vector<Fold>> prediction;  // the same: one fold each
  for (std::size_t f = 0; nested && f < folds.size(); ++f) {
    selection.push_back(inner_folds(cv, experiment.targets, folds[f], f));
    prediction.push_back({folds[f]});
  }
  progress.begin("baselines", baselines.size() * (nested ? folds.size() : 1));
  for (const Baseline& baseline : baselines) {
    std::vector<BaselineUnit> units;
    if (!nested) units.push_back({baseline.name, {&plan.search, &folds}});
    for (std::size_t f = 0; f < selection.size(); ++f) {
      units.push_back({fmt::format("{} fold {}", baseline.name, f + 1), {&selection[f], &prediction[f]}});
    }
    MethodPredictions predictions{baseline.name, {}};
    for (FoldScores& of_unit : scores_of_units(baseline, units, coarse, journal, progress)) {
      for (std::vector<DoubleMatrix>& of_fold : of_unit) predictions.scores.push_back(std::move(of_fold));
    }
    methods.push_back(std::move(predictions));
  }
  return methods;
}

}  // namespace gckn
