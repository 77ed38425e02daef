// SPDX-License-Identifier: BSD-3-Clause
// The protocols: which folds parameters are chosen by, which they are reported on, and what is reported.
#include "gckn/cross_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "gckn/error.h"
#include "gckn/version.h"
#include "graph/fingerprint.h"
#include "learn/baseline_run.h"
#include "learn/cost.h"
#include "learn/evaluate.h"
#include "learn/fold_plan.h"
#include "learn/journal.h"
#include "learn/linear_model.h"
#include "learn/network_search.h"
#include "learn/protocols.h"
#include "learn/run_progress.h"
#include "learn/summary.h"
#include "learn/supervised_evaluation.h"
#include "network/batch.h"
#include "util/counted.h"
#include "util/parallel.h"
#include "util/words.h"

namespace gckn {
namespace {

constexpr Words<Protocol, 3> kProtocols{
    {{Protocol::nested, "nested"}, {Protocol::paper, "paper"}, {Protocol::paper_repeated, "paper-repeated"}}};

// What one experiment works with.
struct ProtocolRun {
  const GraphSet& graphs;
  const CrossValidationOptions& cv;
  const Experiment& experiment;
  const FoldPlan& plan;
  NetworkSearch& search;
  RunProgress& progress;
  ProtocolOutcome& outcome;
};

// Scores by reported fold and target.
using Scores = std::vector<std::vector<DoubleMatrix>>;

// Everything that a journal's results depend on.
nlohmann::ordered_json journal_header(const GraphSet& graphs, const CrossValidationOptions& cv,
                                      const Experiment& experiment, const std::vector<Fold>& folds,
                                      std::uint64_t max_paths) {
  nlohmann::ordered_json splits = nlohmann::ordered_json::array();
  for (const Fold& fold : folds) splits.push_back({{"train", fold.train}, {"test", fold.test}});
  const FitOptions& fit = cv.fit;
  nlohmann::ordered_json supervised;  // null without
  if (cv.supervised) {
    const SupervisedOptions& training = *cv.supervised;
    supervised = {training.epochs,      training.batch_size,      training.learning_rate,
                  training.halve_every, training.selection_folds, training.standardised};
  }
  return {
      {"gckn_journal", 1},
      {"gckn_version", kVersion},
      {"set", graphs.name()},
      {"graphs", graphs.num_graphs()},
      {"fingerprint", fmt::format("{:016x}", fingerprint(graphs))},
      {"protocol", to_string(cv.protocol)},
      {"seed", cv.seed},
      {"folds", std::move(splits)},
      {"groups", cv.groups.of_graph},  // inner folds depend on them
      {"repeats", cv.repeats.value_or(0)},
      {"inner_folds", cv.inner_folds},
      {"learner", to_string(experiment.learner)},
      {"select_by", to_string(experiment.selected_by())},
      {"balanced", cv.learning.balanced},
      {"score_resolution", cv.learning.score_resolution},
      {"linear_lead", cv.learning.linear_lead},
      {"weights", cv.learning.graph_weights},
      {"max_paths", max_paths},  // it decides which networks are left out
      {"fit", {fit.max_iterations, fit.tolerance, fit.seeding_points, fit.max_points, fit.sample_points}},
      {"C", cv.learning.C},
      {"supervised", std::move(supervised)},
  };
}

std::unique_ptr<Journal> open_journal(const GraphSet& graphs, const CrossValidationOptions& cv,
                                      const Experiment& experiment, const FoldPlan& plan, std::uint64_t max_paths) {
  if (cv.journal.empty()) return std::make_unique<Journal>();
  return std::make_unique<Journal>(cv.journal, journal_header(graphs, cv, experiment, plan.search, max_paths),
                                   cv.resume);
}

FoldResult choice_of(const BestNetwork& best, bool supervised) {
  FoldResult fold;
  fold.network = best.chosen.network;
  fold.penalty = best.chosen.penalty;
  if (supervised) fold.epochs = static_cast<int>(best.evaluation.C.front());
  for (const double value : best.evaluation.C) fold.targets.push_back({supervised ? 0 : value, {}, {}, {}});
  return fold;
}

Scores nested(const ProtocolRun& run) {
  const std::vector<Fold>& folds = run.plan.search;
  run.progress.begin("networks and folds");
  std::vector<std::vector<Fold>> inner;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    inner.push_back(inner_folds(run.cv, run.experiment.targets, folds[f], f));
    if (run.cv.supervised) {
      inner[f].resize(std::min(inner[f].size(), static_cast<std::size_t>(run.cv.supervised->selection_folds)));
    }
  }
  run.progress.expect(run.search.cost_on_each(folds, inner));
  Scores scores;
  for (BestNetwork& best : run.search.best_of_each(folds, inner)) {
    run.outcome.result.results.push_back(choice_of(best, run.cv.supervised.has_value()));
    scores.push_back(std::move(best.evaluation.predictions[0]));
  }
  return scores;
}

// The network and C (or penalty and epochs) of the best mean over the search folds, for all reported ones.
BestNetwork choose_parameters(const ProtocolRun& run) {
  run.progress.begin("networks");
  run.progress.expect(run.search.cost_on(run.plan.search));
  CrossValidationResult& result = run.outcome.result;
  BestNetwork best = run.search.best_on(run.plan.search, result.networks);
  result.results.assign(run.plan.reported().size(), choice_of(best, run.cv.supervised.has_value()));
  return best;
}

Scores paper(const ProtocolRun& run) {
  BestNetwork best = choose_parameters(run);
  run.outcome.fitted = std::move(best.fitted);
  return std::move(best.evaluation.predictions);
}

// Parameters as for `paper` on the first split; then they are fixed.
Scores paper_repeated(const ProtocolRun& run) {
  run.progress.expect(run.search.cost_of_scores_on(run.plan.reported()));
  BestNetwork best = choose_parameters(run);
  Scores scores = run.search.scores_on(best, run.plan.reported());
  run.outcome.fitted = std::move(best.fitted);
  return scores;
}

void fill_predictions(const Experiment& experiment, Scores& scores, CrossValidationResult& result) {
  for (std::size_t f = 0; f < result.folds.size(); ++f) {
    for (std::size_t t = 0; t < experiment.targets.size(); ++t) {
      FoldPrediction& prediction = result.results[f].targets[t];
      prediction.graphs = experiment.targets[t].tested(result.folds[f]);
      prediction.scores = std::move(scores[f][t]);
      if (experiment.targets[t].is_classes()) prediction.predicted = classes_of_scores(prediction.scores);
    }
  }
}

}  // namespace

std::string_view to_string(Protocol protocol) {
  return word_of(kProtocols, protocol);
}

Protocol parse_protocol(std::string_view word) {
  return value_of(kProtocols, "protocol", word);
}

ProtocolOutcome run_protocol(const GraphSet& graphs, const CrossValidationOptions& cv, RunProgress& progress) {
  if (cv.networks.empty()) throw UsageError("there is no network to cross-validate");
  for (const NetworkConfig& config : cv.networks) validate(config);
  if (cv.supervised) {
    validate(*cv.supervised, cv.networks);
    if (cv.supervised->selection_folds > cv.inner_folds) {
      throw UsageError(fmt::format("selection folds {}: there are only {} inner folds to choose by",
                                   cv.supervised->selection_folds, cv.inner_folds));
    }
  }
  const Experiment experiment = make_experiment(graphs, cv.learning);
  const Experiment searched = cv.supervised ? with_epochs_as_grid(experiment, *cv.supervised) : experiment;
  const FoldPlan plan = plan_folds(graphs, cv, experiment.targets);
  const std::unique_ptr<Journal> journal = open_journal(graphs, cv, experiment, plan, progress.within().max_paths);
  NetworkSearch search(graphs, cv, searched, *journal, progress);
  ProtocolOutcome outcome;
  const ProtocolRun run{graphs, cv, experiment, plan, search, progress, outcome};

  CrossValidationResult& result = outcome.result;
  result.optimistic = cv.protocol != Protocol::nested;
  result.made_folds = plan.made;
  result.repeats = plan.repeats;
  result.folds = plan.reported();
  if (cv.baselines) progress.expect(cost_of_baselines(graphs, cv, experiment, plan));
  std::vector<MethodPredictions> methods{{"gckn", cv.protocol == Protocol::nested  ? nested(run)
                                                  : cv.protocol == Protocol::paper ? paper(run)
                                                                                   : paper_repeated(run)}};
  if (!plan.remark.empty()) result.remarks.push_back(plan.remark);
  std::ranges::copy(search.remarks(), std::back_inserter(result.remarks));
  const std::size_t unconverged = search.unconverged();
  if (cv.baselines) {
    std::vector<MethodPredictions> baselines =
        run_baselines(graphs, cv, experiment, plan, *journal, progress, result.remarks);
    methods.insert(methods.end(), std::make_move_iterator(baselines.begin()), std::make_move_iterator(baselines.end()));
  }
  if (unconverged > 0) {
    result.remarks.push_back(
        fmt::format("{} did not converge: C may be too large", counted(unconverged, "linear model")));
  }
  result.targets = summarise(experiment, result.folds, result.repeats, methods, cv.seed);
  fill_predictions(experiment, methods[0].scores, result);
  return outcome;
}

CrossValidationResult cross_validate(const GraphSet& graphs, const CrossValidationOptions& cv,
                                     const RunOptions& options) {
  RunProgress progress(options);
  CrossValidationResult result;
  progress.run([&] {
    const ThreadScope threads(options);
    result = run_protocol(graphs, cv, progress).result;
  });
  return result;
}

}  // namespace gckn
