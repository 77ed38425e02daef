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

// One unit of the journal, computed if that does not have it.
FoldScores scores_of_unit(const std::string& unit, const Baseline& baseline, const Experiment& experiment,
                          const std::vector<Fold>& selection, const std::vector<Fold>& prediction, Journal& journal,
                          const RunOptions& options) {
  if (const Evaluation* known = journal.find(unit)) return known->predictions;
  Evaluation evaluation = evaluate(baseline.vectors, experiment, selection, prediction, options, baseline.standardised);
  journal.record(unit, evaluation, true);
  return std::move(evaluation.predictions);
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
  const std::vector<Baseline> baselines = make_baselines(graphs, progress.within(), remarks);
  progress.begin("baselines", baselines.size() * folds.size());
  for (const Baseline& baseline : baselines) {
    MethodPredictions predictions{baseline.name, {}};
    const auto scores = [&](const std::string& which, const std::vector<Fold>& selection,
                            const std::vector<Fold>& prediction) {
      return scores_of_unit(baseline.name + which, baseline, coarse, selection, prediction, journal, progress.within());
    };
    if (cv.protocol != Protocol::nested) {
      predictions.scores = scores("", plan.search, folds);
      progress.advance(folds.size());
      progress.report();
    } else {
      for (std::size_t f = 0; f < folds.size(); ++f) {
        progress.report();
        predictions.scores.push_back(std::move(
            scores(fmt::format(" fold {}", f + 1), inner_folds(cv, experiment.targets, folds[f], f), {folds[f]})[0]));
        progress.advance();
      }
    }
    methods.push_back(std::move(predictions));
  }
  return methods;
}

}  // namespace gckn
