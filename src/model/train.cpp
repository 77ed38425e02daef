// SPDX-License-Identifier: BSD-3-Clause
// Training: a search by cross-validation, then a fit to all graphs with what it chose.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gckn/error.h"
#include "gckn/model.h"
#include "learn/calibration.h"
#include "learn/cost.h"
#include "learn/evaluate.h"
#include "learn/linear_model.h"
#include "learn/splits.h"
#include "model/train_supervised.h"
#include "network/fit.h"
#include "util/parallel.h"

namespace gckn {

std::vector<Calibration> calibrate(const Experiment& experiment, std::size_t t,
                                   const std::vector<FoldPrediction>& unseen) {
  const TargetColumn& target = experiment.targets[t];
  std::vector<Calibration> result;
  for (std::size_t o = 0; o < num_outputs(target); ++o) {
    const std::int32_t positive = num_outputs(target) == 1 ? 1 : static_cast<std::int32_t>(o);
    std::vector<double> scores;
    std::vector<std::uint8_t> truth;
    std::vector<double> weights;
    for (const FoldPrediction& prediction : unseen) {
      for (std::size_t i = 0; i < prediction.graphs.size(); ++i) {
        const std::uint32_t g = prediction.graphs[i];
        scores.push_back(prediction.scores(i, o));
        truth.push_back(target.class_of_graph[g] == positive ? 1 : 0);
        if (!experiment.learning.graph_weights.empty()) weights.push_back(experiment.learning.graph_weights[g]);
      }
    }
    const PlattScaling scaling = fit_platt(scores, truth, weights);
    result.push_back({scaling.a, scaling.b});
  }
  return result;
}

std::vector<FoldPrediction> predictions_of(const CrossValidationResult& search, std::size_t t) {
  std::vector<FoldPrediction> predictions;
  for (const FoldResult& fold : search.results) predictions.push_back(fold.targets[t]);
  return predictions;
}

ProtocolOutcome search_for_training(const GraphSet& graphs, const TrainOptions& train, RunProgress& progress) {
  CrossValidationOptions cv;
  cv.protocol = Protocol::paper;
  cv.networks = train.networks;
  cv.learning = train.learning;
  cv.supervised = train.supervised;
  cv.use_own_folds = false;
  cv.folds = train.folds;
  cv.seed = train.seed;
  cv.fit = train.fit;
  cv.baselines = false;
  cv.journal = train.journal;
  cv.resume = train.resume;
  return run_protocol(graphs, cv, progress);
}

TrainingRecord record_of(const TrainOptions& train, const CrossValidationResult& searched, std::size_t graphs) {
  TrainingRecord record;
  record.graphs = graphs;
  record.candidates = train.networks.size();
  record.folds = searched.folds.size();
  for (const TargetResult& target : searched.targets) {
    record.selected_by = target.selected_by;
    for (const MetricSummary& summary : target.methods.front().metrics) {
      if (summary.metric == target.selected_by) record.figures.push_back(summary.mean);
    }
  }
  return record;
}

namespace {

FittedNetwork fit_only_candidate(const GraphSet& graphs, const TrainOptions& train, const RunOptions& options) {
  FitOptions fit = train.fit;
  fit.seed = train.seed;
  const NetworkConfig& config = train.networks.front();
  if (config.compare == Compare::states) return fit_states(graphs, config, fit, options);
  auto [network, vectors] = fit_and_embed(graphs, config, fit, options);
  return {std::move(network), std::move(vectors), {}, {}};
}

// All columns, those that the standardiser leaves out with weight 0.
TargetModel expand(const TargetColumn& target, double c, const LinearModel& linear) {
  const std::vector<double>& scale = linear.standardiser.scale;
  TargetModel model{target.name, target.class_names, c, DoubleMatrix(linear.weights.rows(), scale.size()), {}, {}};
  for (std::size_t o = 0; o < linear.weights.rows(); ++o) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < scale.size(); ++k) {
      if (scale[k] > 0) model.weights(o, k) = linear.weights(o, kept++);
    }
    model.bias.push_back(linear.weights(o, kept));
  }
  return model;
}

// The linear models of all graphs, with the chosen C.
double cost_of_last_models(const Experiment& experiment, const std::vector<std::uint32_t>& learnt_from,
                           std::size_t columns) {
  Experiment one = experiment;
  one.learning.C.resize(1);
  const std::vector<Fold> all{{learnt_from, {}}};
  return cost_of_models(one, {&all, &all}, columns);
}

TrainResult train_with(const GraphSet& graphs, const TrainOptions& train, RunProgress& progress) {
  const Experiment experiment = make_experiment(graphs, train.learning);
  const bool choice = train.networks.size() > 1 || train.learning.C.size() > 1;
  const std::vector<std::uint32_t> learnt_from = graphs_with_target(experiment.targets, graphs.num_graphs());
  progress.expect(cost_of_last_models(experiment, learnt_from, expected_columns(train.networks.front())));

  ProtocolOutcome chosen;
  CrossValidationResult& searched = chosen.result;
  std::vector<std::string> remarks;
  std::size_t network_index = 0;
  std::vector<double> c(experiment.targets.size(), train.learning.C.front());
  bool calibrates = experiment.learner == Learner::svm;
  if (choice || calibrates) {
    bool can_split = true;
    try {
      feasible_folds(experiment.targets, learnt_from, train.folds);
    } catch (const InputError& error) {
      // Without a choice the folds are for probabilities only, and a model without these is better than none.
      if (choice) throw;
      remarks.push_back(fmt::format("there are no probabilities: {}", error.what()));
      calibrates = can_split = false;
    }
    if (can_split) chosen = search_for_training(graphs, train, progress);
  }
  if (!searched.results.empty()) {
    network_index = searched.results.front().network;
    for (std::size_t t = 0; t < c.size(); ++t) c[t] = searched.results.front().targets[t].C;
    remarks.insert(remarks.end(), searched.remarks.begin(), searched.remarks.end());
  }

  // The search has fitted it; without a choice there was none.
  progress.begin("training");
  if (!chosen.fitted) {
    progress.expect(cost_of_network(graphs, train.networks.front()));
    chosen.fitted = fit_only_candidate(graphs, train, progress.within());
    progress.advance(cost_of_network(graphs, train.networks.front()));
    if (chosen.fitted->network.learnt_from().is_sample()) remarks.push_back(sampling_remark(train.fit));
  }
  const FittedNetwork& fitted = *chosen.fitted;
  const bool of_states = fitted.network.config().compare == Compare::states;
  const Matrix& vectors = fitted.vectors;
  const Standardiser standardiser =
      of_states ? Standardiser::identity(fitted.rows.columns) : Standardiser(vectors, learnt_from);
  std::vector<TargetModel> targets(experiment.targets.size());
  std::vector<char> converged(targets.size());
  parallel_for(targets.size(), [&](std::size_t t) {
    const TargetColumn& target = experiment.targets[t];
    LearningTask task{&vectors, &target, experiment.learner, train.learning.balanced, train.learning.graph_weights};
    task.standardiser = &standardiser;  // one for all targets, so that the model has one
    if (of_states) task.rows = &fitted.rows;
    const LinearModel linear = train_linear(task, target.present(learnt_from), c[t], progress.within());
    converged[t] = linear.converged ? 1 : 0;
    targets[t] = expand(target, c[t], linear);
    if (calibrates) targets[t].calibration = calibrate(experiment, t, predictions_of(searched, t));
  });
  for (std::size_t t = 0; t < targets.size(); ++t) {
    if (converged[t] == 0) {
      remarks.push_back(fmt::format("the model of {} did not converge: C may be too large", targets[t].name));
    }
  }
  std::vector<double> scale = standardiser.scale;
  std::ranges::replace(scale, 0.0, 1.0);
  const bool has_search = !searched.results.empty();
  TrainingRecord record = record_of(train, searched, learnt_from.size());
  Network network = std::move(chosen.fitted->network);
  return {of_states ? Model(std::move(network), fitted.columns, experiment.learner, std::move(targets), train.seed,
                            std::move(record))
                    : Model(std::move(network), experiment.learner, standardiser.mean, std::move(scale),
                            std::move(targets), train.seed, std::move(record)),
          network_index,
          has_search,
          std::move(searched),
          std::move(remarks),
          learnt_from.size()};
}

}  // namespace

TrainResult train(const GraphSet& graphs, const TrainOptions& train, const RunOptions& options) {
  RunProgress progress(options);
  std::optional<TrainResult> result;
  progress.run([&] {
    const ThreadScope threads(options);
    if (train.networks.empty()) throw UsageError("there is no network to train");
    for (const NetworkConfig& config : train.networks) validate(config);
    result = train.supervised ? train_supervised(graphs, train, progress) : train_with(graphs, train, progress);
  });
  return std::move(*result);
}

}  // namespace gckn
