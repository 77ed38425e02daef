// SPDX-License-Identifier: BSD-3-Clause
// Training: a search by cross-validation, then a fit to all graphs with what it chose.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

#include "gckn/error.h"
#include "gckn/model.h"
#include "learn/calibration.h"
#include "learn/cost.h"
#include "learn/evaluate.h"
#include "learn/evaluate_kernel.h"
#include "learn/gaussian_kernel.h"
#include "learn/linear_model.h"
#include "learn/splits.h"
#include "model/support_graphs.h"
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
  std::shared_ptr<const StatesOfGraphs> states;
  if (compares_states(config)) states = states_of_graphs(graphs, config, fit, options);
  if (!compares_vectors(config)) return fitted_states(graphs, config, fit, std::move(states));
  auto [network, vectors] = fit_and_embed(graphs, config, fit, options);
  return {std::move(network), std::move(vectors), std::move(states)};
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

// What is trained in the end: on all graphs with a target, with the chosen network and C.
struct LastTraining {
  const Experiment& experiment;
  const TrainOptions& train;
  const std::vector<std::uint32_t>& learnt_from;
  const std::vector<double>& c;           // by target
  const CrossValidationResult& searched;  // whose predictions probabilities are calibrated by, if there are any
  RunProgress& progress;
  std::vector<std::string>& remarks;

  // The models of all targets: train_one(t, converged) makes that of one, without its calibration.
  template <typename TrainOne>
  [[nodiscard]] std::vector<TargetModel> targets(const TrainOne& train_one) const {
    std::vector<TargetModel> models(experiment.targets.size());
    std::vector<char> converged(models.size());
    const bool calibrates = experiment.learner == Learner::svm && !searched.results.empty();
    parallel_for(models.size(), [&](std::size_t t) {
      models[t] = train_one(t, converged[t]);
      if (calibrates) models[t].calibration = calibrate(experiment, t, predictions_of(searched, t));
    });
    for (std::size_t t = 0; t < models.size(); ++t) {
      if (converged[t] == 0) {
        remarks.push_back(fmt::format("the model of {} did not converge: C may be too large", models[t].name));
      }
    }
    return models;
  }
};

Model train_linear_models(const LastTraining& last, FittedNetwork fitted, TrainingRecord record) {
  const bool of_states = fitted.network.config().compare == Compare::states;
  const Standardiser standardiser =
      of_states ? Standardiser::identity(fitted.states->rows.columns) : Standardiser(fitted.vectors, last.learnt_from);
  std::vector<TargetModel> targets = last.targets([&](std::size_t t, char& converged) {
    const TargetColumn& target = last.experiment.targets[t];
    LearningTask task = task_of(last.experiment, target);
    task.vectors = &fitted.vectors;
    task.standardiser = &standardiser;  // one for all targets, so that the model has one
    if (of_states) task.rows = &fitted.states->rows;
    const LinearModel linear = train_linear(task, target.present(last.learnt_from), last.c[t], last.progress.within());
    converged = linear.converged ? 1 : 0;
    return expand(target, last.c[t], linear);
  });
  if (of_states) {
    return {std::move(fitted.network), fitted.states->columns, last.experiment.learner,
            std::move(targets),        last.train.seed,        std::move(record)};
  }
  std::vector<double> scale = standardiser.scale;
  std::ranges::replace(scale, 0.0, 1.0);
  return {std::move(fitted.network), last.experiment.learner, standardiser.mean, std::move(scale),
          std::move(targets),        last.train.seed,         std::move(record)};
}

// Those that some machine needs, with the columns that they use.
std::shared_ptr<const SupportGraphs> support_graphs(const FittedNetwork& fitted, const GaussianKernel& kernel,
                                                    const std::vector<std::uint32_t>& graphs) {
  SupportGraphs::Parts parts;
  parts.scales = kernel.scales();
  if (fitted.states) {
    parts.columns = fitted.states->columns;
    parts.rows.columns = fitted.states->rows.columns;
    for (const std::uint32_t g : graphs) {
      const auto row = fitted.states->rows.row(g);
      parts.rows.index.insert(parts.rows.index.end(), row.index.begin(), row.index.end());
      parts.rows.begin.push_back(parts.rows.index.size());
    }
    parts.rows.weight.assign(parts.rows.index.size(), 1.0);
  }
  if (kernel.standardiser()) {
    parts.mean = kernel.standardiser()->mean;
    parts.scale = kernel.standardiser()->scale;
    parts.vectors = Matrix(graphs.size(), fitted.vectors.cols());
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      std::copy_n(fitted.vectors.row(graphs[i]), fitted.vectors.cols(), parts.vectors.row(i));
    }
  }
  return std::make_shared<const SupportGraphs>(std::move(parts));
}

Model train_kernel_machines(const LastTraining& last, FittedNetwork fitted, TrainingRecord record) {
  const GaussianKernel kernel(fitted, last.learnt_from);
  const DoubleMatrix matrix = kernel.with_constant();
  const std::size_t n = matrix.rows();
  std::vector<char> is_support(n);
  std::mutex mutex;
  std::vector<TargetModel> targets = last.targets([&](std::size_t t, char& converged) {
    const TargetColumn& target = last.experiment.targets[t];
    const std::vector<std::uint32_t> train = target.present(last.learnt_from);
    const KernelModel machine =
        train_on_kernel(matrix, last.experiment, target, train, last.c[t], last.progress.within());
    converged = machine.converged ? 1 : 0;
    TargetModel model{target.name, target.class_names, last.c[t], DoubleMatrix(machine.coefficients.rows(), n), {}, {}};
    const std::lock_guard lock(mutex);
    for (std::size_t o = 0; o < model.weights.rows(); ++o) {
      double bias = machine.offset;
      for (std::size_t i = 0; i < train.size(); ++i) {
        const double a = machine.coefficients(o, i);
        model.weights(o, train[i]) = a;
        bias += a;  // of the constant
        if (a != 0) is_support[train[i]] = 1;
      }
      model.bias.push_back(bias);
    }
    return model;
  });
  std::vector<std::uint32_t> support;
  for (std::uint32_t g = 0; g < n; ++g) {
    if (is_support[g] != 0) support.push_back(g);
  }
  if (support.empty()) support.push_back(last.learnt_from.front());  // a model of nothing but its bias
  for (TargetModel& model : targets) {
    DoubleMatrix weights(model.weights.rows(), support.size());
    for (std::size_t o = 0; o < weights.rows(); ++o) {
      for (std::size_t i = 0; i < support.size(); ++i) weights(o, i) = model.weights(o, support[i]);
    }
    model.weights = std::move(weights);
  }
  return {std::move(fitted.network), support_graphs(fitted, kernel, support),
          last.experiment.learner,   std::move(targets),
          last.train.seed,           std::move(record)};
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
  if (choice || experiment.learner == Learner::svm) {
    bool can_split = true;
    try {
      feasible_folds(experiment.targets, learnt_from, train.folds);
    } catch (const InputError& error) {
      // Without a choice the folds are for probabilities only, and a model without these is better than none.
      if (choice) throw;
      remarks.push_back(fmt::format("there are no probabilities: {}", error.what()));
      can_split = false;
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
  const bool has_search = !searched.results.empty();
  const bool is_gaussian = chosen.fitted->network.config().head == Head::gaussian;
  const LastTraining last{experiment, train, learnt_from, c, searched, progress, remarks};
  const auto train_last = is_gaussian ? train_kernel_machines : train_linear_models;
  return {train_last(last, std::move(*chosen.fitted), record_of(train, searched, learnt_from.size())),
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
