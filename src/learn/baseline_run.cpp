// SPDX-License-Identifier: BSD-3-Clause
#include "learn/baseline_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "learn/baselines.h"
#include "learn/cost.h"
#include "learn/evaluate_kernel.h"
#include "learn/linear_model.h"
#include "linalg/sparse_rows.h"

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

// Vectors that are used as they are and mostly 0, fingerprints above all, are quicker learnt from as sparse rows where
// graphs are many: the same objective, so the same scores up to rounding. Nothing where they are not, or the learner
// needs vectors.
std::optional<SparseRows<double>> rows_of_zeros(const Baseline& baseline, const Experiment& experiment) {
  constexpr std::size_t kMostlyZero = 8;  // one number in so many, at most, is not
  constexpr std::size_t kManyRows = 2;    // for each column
  const Matrix& vectors = baseline.vectors;
  const bool needs_vectors =
      experiment.learner == Learner::logistic &&
      std::ranges::any_of(experiment.targets, [](const TargetColumn& target) { return num_outputs(target) > 1; });
  const bool is_small = vectors.rows() <= kManyRows * vectors.cols();  // measured on BBBP and one target of tox21
  if (baseline.standardised || vectors.empty() || is_small || needs_vectors) return std::nullopt;
  SparseRows<double> rows;
  rows.columns = vectors.cols();
  for (std::size_t i = 0; i < vectors.rows(); ++i) {
    for (std::uint32_t k = 0; k < vectors.cols(); ++k) {
      if (vectors(i, k) == 0) continue;
      rows.index.push_back(k);
      rows.weight.push_back(vectors(i, k));
    }
    rows.begin.push_back(rows.index.size());
    if (rows.index.size() * kMostlyZero > vectors.size()) return std::nullopt;
  }
  return rows;
}

// A unit of the journal: the folds that C is chosen by and those that are predicted with it.
struct BaselineUnit {
  std::string name;
  CChoice choice;
};

// By unit, computed where the journal does not have it.
std::vector<FoldScores> scores_of_units(const Baseline& baseline, const std::vector<BaselineUnit>& units,
                                        const Experiment& experiment, Journal& journal, RunProgress& progress) {
  const auto cost_of_unit = [&](const CChoice& choice) {
    return baseline.kernel.empty() ? cost_of_models(experiment, choice, baseline.vectors.cols())
                                   : cost_of_kernel_models(experiment, choice);
  };
  std::vector<FoldScores> scores(units.size());
  std::vector<std::size_t> missing;
  for (std::size_t u = 0; u < units.size(); ++u) {
    if (const Evaluation* known = journal.find(units[u].name, experiment, *units[u].choice.prediction, true)) {
      scores[u] = known->predictions;
      progress.advance(cost_of_unit(units[u].choice));
    } else {
      missing.push_back(u);
    }
  }
  const auto record = [&](std::size_t u, Evaluation& evaluation) {
    journal.record(units[u].name, evaluation, true);
    scores[u] = std::move(evaluation.predictions);
  };
  if (!baseline.kernel.empty()) {
    std::vector<CChoice> choices;
    double cost = 0;
    for (const std::size_t u : missing) {
      choices.push_back(units[u].choice);
      cost += cost_of_unit(units[u].choice);
    }
    std::vector<Evaluation> evaluations = evaluate_kernel(baseline.kernel, experiment, choices, progress.within(cost));
    for (std::size_t i = 0; i < missing.size(); ++i) record(missing[i], evaluations[i]);
    return scores;
  }
  const std::optional<SparseRows<double>> rows = rows_of_zeros(baseline, experiment);
  for (const std::size_t u : missing) {
    const CChoice& choice = units[u].choice;
    const RunOptions options = progress.within(cost_of_unit(choice));
    Evaluation evaluation = rows ? evaluate(*rows, experiment, choice, options)
                                 : evaluate(baseline.vectors, experiment, *choice.selection, *choice.prediction,
                                            options, baseline.standardised);
    record(u, evaluation);
  }
  return scores;
}

// The choices of C that a baseline makes: one for each fold of the nested protocol, otherwise one for all.
class BaselineChoices {
 public:
  BaselineChoices(const CrossValidationOptions& cv, const Experiment& experiment, const FoldPlan& plan) {
    const std::vector<Fold>& folds = plan.reported();
    if (cv.protocol != Protocol::nested) {
      choices_.push_back({&plan.search, &folds});
      return;
    }
    for (std::size_t f = 0; f < folds.size(); ++f) {
      selection_.push_back(inner_folds(cv, experiment.targets, folds[f], f));
      prediction_.push_back({folds[f]});
    }
    for (std::size_t f = 0; f < folds.size(); ++f) choices_.push_back({&selection_[f], &prediction_[f]});
  }
  BaselineChoices(const BaselineChoices&) = delete;
  BaselineChoices& operator=(const BaselineChoices&) = delete;

  [[nodiscard]] const std::vector<CChoice>& all() const { return choices_; }

  [[nodiscard]] std::vector<BaselineUnit> units(const std::string& baseline) const {
    if (selection_.empty()) return {{baseline, choices_.front()}};
    std::vector<BaselineUnit> units;
    for (std::size_t f = 0; f < choices_.size(); ++f) {
      units.push_back({fmt::format("{} fold {}", baseline, f + 1), choices_[f]});
    }
    return units;
  }

 private:
  std::vector<std::vector<Fold>> selection_;   // by fold
  std::vector<std::vector<Fold>> prediction_;  // one fold each
  std::vector<CChoice> choices_;
};

Experiment with_baseline_grid(Experiment experiment, bool of_kernel) {
  experiment.learning.C = baseline_c_grid(of_kernel);
  return experiment;
}

}  // namespace

double cost_of_baselines(const GraphSet& graphs, const CrossValidationOptions& cv, const Experiment& experiment,
                         const FoldPlan& plan) {
  const BaselineChoices choices(cv, experiment, plan);
  const Experiment coarse = with_baseline_grid(experiment, false);
  const Experiment of_kernel = with_baseline_grid(experiment, true);
  const bool has_kernel = graphs.num_graphs() <= kMostKernelGraphs;
  double sum = has_kernel ? cost_of_kernel(graphs) : 0;
  for (const CChoice& choice : choices.all()) {
    sum += cost_of_models(coarse, choice, graphs.node_label_values().size());
    if (has_kernel) sum += cost_of_kernel_models(of_kernel, choice);
    for (const GivenBaseline& given : cv.given_baselines) sum += cost_of_models(coarse, choice, given.vectors.cols());
  }
  return sum;
}

std::vector<MethodPredictions> run_baselines(const GraphSet& graphs, const CrossValidationOptions& cv,
                                             const Experiment& experiment, const FoldPlan& plan, Journal& journal,
                                             RunProgress& progress, std::vector<std::string>& remarks) {
  const std::vector<Fold>& folds = plan.reported();
  std::vector<MethodPredictions> methods{constant_method(experiment, folds)};
  progress.begin("baselines");
  const Experiment coarse = with_baseline_grid(experiment, false);
  const Experiment of_kernel = with_baseline_grid(experiment, true);
  std::vector<Baseline> baselines = make_baselines(graphs, experiment.learner, progress.within(), remarks);
  for (const GivenBaseline& given : cv.given_baselines) {
    baselines.push_back({given.name, given.vectors, given.standardised});
  }
  if (graphs.num_graphs() <= kMostKernelGraphs) progress.advance(cost_of_kernel(graphs));
  const BaselineChoices choices(cv, experiment, plan);
  for (const Baseline& baseline : baselines) {
    MethodPredictions predictions{baseline.name, {}};
    const Experiment& tried = baseline.kernel.empty() ? coarse : of_kernel;
    for (FoldScores& of_unit : scores_of_units(baseline, choices.units(baseline.name), tried, journal, progress)) {
      for (std::vector<DoubleMatrix>& of_fold : of_unit) predictions.scores.push_back(std::move(of_fold));
    }
    methods.push_back(std::move(predictions));
  }
  return methods;
}

}  // namespace gckn
