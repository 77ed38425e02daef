// SPDX-License-Identifier: BSD-3-Clause
// End-to-end training of a model: the choice of candidates, the validation part, checkpoints, and what is left when it
// is stopped.
#include "model/train_supervised.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "gckn/error.h"
#include "gckn/version.h"
#include "graph/fingerprint.h"
#include "learn/cost.h"
#include "learn/grid_results.h"
#include "learn/splits.h"
#include "learn/supervised_training.h"
#include "linalg/single_threaded_blas.h"
#include "model/checkpoint.h"
#include "network/batch.h"
#include "network/fit.h"
#include "util/counted.h"

namespace gckn {
namespace {

// Network, penalty and epochs of the one training that makes the model.
struct Plan {
  NetworkConfig config;
  double penalty = 0;
  int epochs = 0;
  std::vector<std::uint32_t> train, validation;
};

void check_options(const TrainOptions& train) {
  validate(*train.supervised, train.networks);
  if (!(train.validation >= 0 && train.validation < 1)) {
    throw UsageError(fmt::format("a validation part of {}: it must be a share from 0 to below 1", train.validation));
  }
  if (train.patience < 0) throw UsageError(fmt::format("a patience of {}: it cannot be negative", train.patience));
  if (train.patience > 0 && train.validation == 0) {
    throw UsageError("a training is stopped early by its validation part, and there is none");
  }
  if (std::filesystem::exists(train.checkpoint)) {
    if (!std::filesystem::is_regular_file(train.checkpoint)) {
      throw InputError(
          fmt::format("{}: a checkpoint must be a regular file, which this is not", train.checkpoint.string()));
    }
    if (!train.resume) {
      throw InputError(
          fmt::format("{} exists: resume to go on with it, or remove it to begin anew", train.checkpoint.string()));
    }
  }
  if (train.checkpoint_every < 1) {
    throw UsageError(fmt::format("a checkpoint every {} epochs: it must be at least 1", train.checkpoint_every));
  }
}

// Throws InputError naming a class, or numbers, that one part has and the other has not.
void require_all_classes(const Experiment& experiment, const Plan& plan) {
  for (const TargetColumn& target : experiment.targets) {
    if (target.present(plan.train).empty() || target.present(plan.validation).empty()) {
      throw InputError(fmt::format("no graph of the {} part has {}: choose another share, or train without",
                                   target.present(plan.train).empty() ? "training" : "validation", target.name));
    }
    if (!target.is_classes()) continue;
    std::vector<std::size_t> in_training(target.class_names.size());
    std::vector<std::size_t> in_validation(target.class_names.size());
    for (const std::uint32_t g : target.present(plan.train)) {
      ++in_training[static_cast<std::size_t>(target.class_of_graph[g])];
    }
    for (const std::uint32_t g : target.present(plan.validation)) {
      ++in_validation[static_cast<std::size_t>(target.class_of_graph[g])];
    }
    for (std::size_t c = 0; c < in_training.size(); ++c) {
      if ((in_training[c] > 0) == (in_validation[c] > 0)) continue;  // there may be classes without a graph
      throw InputError(fmt::format("the {} part has no graph of class {}{}: choose another share, or train without",
                                   in_training[c] == 0 ? "training" : "validation", target.class_names[c],
                                   experiment.targets.size() > 1 ? " of " + target.name : ""));
    }
  }
}

void split(const Experiment& experiment, const TrainOptions& train, const std::vector<std::uint32_t>& graphs,
           Plan& plan) {
  plan.train = graphs;
  if (train.validation == 0) return;
  Fold fold = hold_out(experiment.targets, graphs, train.validation, train.seed);
  plan.train = std::move(fold.train);
  plan.validation = std::move(fold.test);
  require_all_classes(experiment, plan);
}

// Everything that a checkpoint's training follows from. More epochs may follow.
nlohmann::ordered_json checkpoint_header(const GraphSet& graphs, const TrainOptions& train,
                                         const Experiment& experiment, const Plan& plan) {
  const SupervisedOptions& options = *train.supervised;
  return {{"gckn_checkpoint", 1},
          {"gckn_version", kVersion},
          {"graphs", graphs.num_graphs()},
          {"fingerprint", fmt::format("{:016x}", fingerprint(graphs))},
          {"seed", train.seed},
          {"network", nlohmann::ordered_json::parse(to_json(plan.config))},
          {"learner", to_string(experiment.learner)},
          {"select_by", to_string(experiment.selected_by())},
          {"balanced", train.learning.balanced},
          {"weights", train.learning.graph_weights},
          {"penalty", plan.penalty},
          {"learning_rate", options.learning_rate},
          {"halve_every", options.halve_every},
          {"batch_size", options.batch_size},
          {"standardised", options.standardised},
          {"validation", train.validation}};
}

class Trainer {
 public:
  Trainer(const GraphSet& graphs, const TrainOptions& train, const Experiment& experiment, Plan plan,
          RunProgress& progress)
      : train_(train), experiment_(experiment), plan_(std::move(plan)), progress_(progress) {
    if (!train.checkpoint.empty()) header_ = checkpoint_header(graphs, train, experiment, plan_);
    FitOptions fit = train.fit;
    fit.seed = train.seed;
    // One training on all graphs, as far as it is not done yet.
    const std::vector<Fold> all{{plan_.train, {}}};
    SupervisedOptions epochs = *train.supervised;
    epochs.epochs = 1;
    epoch_cost_ = cost_of_training(graphs, plan_.config, epochs, {&all, &all});
    SharedPatterns patterns(graphs);
    const CompiledSet compiled = patterns.compile(plan_.config, progress.within());
    std::vector<char> is_training;  // all, those without a target too, but for the validation part
    if (!plan_.validation.empty()) {
      is_training.assign(graphs.num_graphs(), 1);
      for (const std::uint32_t g : plan_.validation) is_training[g] = 0;
    }
    AnchorStore<float> anchors;
    const FittedNetwork start =
        fit_on_and_embed(graphs, plan_.config, is_training, compiled, fit, anchors, progress.within());
    is_sample_ = start.network.learnt_from().is_sample();
    training_.emplace(SupervisedTraining::Setup{&experiment, *train.supervised, plan_.penalty, train.seed, plan_.train},
                      start, patterns.compile_for_training(plan_.config, progress.within()));
    if (!header_.empty() && std::filesystem::exists(train.checkpoint)) {
      now_ = load_checkpoint(train.checkpoint, header_, training_->state());
      if (now_.state.epoch > plan_.epochs) {
        throw InputError(fmt::format("{}: the training has had {} already, and {} are asked for",
                                     train.checkpoint.string(), counted(now_.state.epoch, "epoch"), plan_.epochs));
      }
      training_->restore(now_.state);
    } else {
      training_->fit_linear_models(start.vectors, progress.within());
      now_.state = training_->state();
      save();  // a file that cannot be written is better known now
    }
    progress.expect(epoch_cost_ * std::max(0, plan_.epochs - now_.state.epoch));
  }

  // Trains to the end, or until it is stopped or diverges, and leaves the model in training().
  void run();

  [[nodiscard]] const SupervisedTraining& training() const { return *training_; }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] bool is_sample() const { return is_sample_; }
  [[nodiscard]] bool interrupted() const { return interrupted_; }
  [[nodiscard]] const std::string& diverged() const { return diverged_; }
  // Why a checkpoint could not be written, or empty.
  [[nodiscard]] const std::string& unsaved() const { return unsaved_; }
  [[nodiscard]] const std::vector<EpochRecord>& history() const { return now_.history; }
  // The epoch of the model.
  [[nodiscard]] int epoch() const { return now_.best ? now_.best->epoch : now_.state.epoch; }
  // Predictions of the validation part by the model, by target.
  std::vector<FoldPrediction> validation_predictions();

 private:
  void validate_epoch(EpochRecord& record);
  [[nodiscard]] bool is_out_of_patience() const {
    return train_.patience > 0 && now_.best && now_.state.epoch - now_.best->epoch >= train_.patience;
  }
  void save();
  void try_to_save();
  void say(const EpochRecord& record);

  const TrainOptions& train_;
  const Experiment& experiment_;
  const Plan plan_;
  RunProgress& progress_;
  nlohmann::ordered_json header_;
  std::optional<SupervisedTraining> training_;
  TrainingCheckpoint now_;  // after the last whole epoch
  bool is_sample_ = false;
  bool interrupted_ = false;
  std::string diverged_;
  std::string unsaved_;
  double epoch_cost_ = 0;
  std::chrono::steady_clock::time_point last_saved_ = std::chrono::steady_clock::now();
};

void Trainer::validate_epoch(EpochRecord& record) {
  const std::vector<DoubleMatrix> scores = training_->scores(plan_.validation);
  record.validation_loss = training_->loss(plan_.validation, scores);
  // Means over the targets that define the figure there: ROC-AUC needs two classes.
  double score = 0;
  double figure = 0;
  double defined = 0;
  for (std::size_t t = 0; t < scores.size(); ++t) {
    const TargetColumn& target = experiment_.targets[t];
    const std::vector<std::uint32_t> present = target.present(plan_.validation);
    const double value = selection_score(experiment_, target, 1, present, scores[t]);
    if (!std::isfinite(value)) continue;
    const Metric metric = experiment_.selected_by();
    const bool is_error = metric == Metric::rmse || metric == Metric::mae;
    figure += larger_is_better(metric) ? value : -value;
    score += is_error ? value / training_->deviation(t) : value;
    defined += 1;
  }
  figure /= defined;
  score = defined > 0 ? score / defined : -std::numeric_limits<double>::infinity();
  record.validation_figure = figure;
  // Equal figures are common in small parts: the smaller loss decides.
  const bool is_better = !now_.best || score > now_.best->score ||
                         (score == now_.best->score && *record.validation_loss < now_.best->loss);
  if (is_better) now_.best = BestEpoch{record.epoch, score, *record.validation_loss, training_->state().parameters};
}

void Trainer::save() {
  if (header_.empty()) return;
  save_checkpoint(now_, header_, train_.checkpoint);
  last_saved_ = std::chrono::steady_clock::now();
}

// A disk that is full costs no model.
void Trainer::try_to_save() {
  try {
    save();
  } catch (const std::exception& error) {
    unsaved_ = error.what();
  }
}

void Trainer::say(const EpochRecord& record) {
  std::string stage = fmt::format("epoch {}, loss {:.4f}", record.epoch, record.loss);
  if (record.validation_figure) {
    stage += fmt::format(", validation {:.3f} (best {:.3f})", *record.validation_figure,
                         *now_.history[static_cast<std::size_t>(now_.best->epoch) - 1].validation_figure);
  }
  progress_.begin(std::move(stage));
  // By the caller's thread, perhaps when this is gone already; the options are the caller's.
  if (train_.on_epoch) progress_.tell([&on_epoch = train_.on_epoch, record] { on_epoch(record); });
}

void Trainer::run() {
  const SingleThreadedBlas one_thread;
  if (now_.state.epoch > 0) progress_.keep_result();
  constexpr auto kSaveAfter = std::chrono::seconds(30);
  try {
    while (now_.state.epoch < plan_.epochs && !is_out_of_patience()) {
      EpochRecord record = training_->run_epoch(progress_.within());
      if (!plan_.validation.empty()) validate_epoch(record);
      now_.state = training_->state();
      now_.history.push_back(record);
      progress_.advance(epoch_cost_);
      progress_.keep_result();
      say(record);
      if (record.epoch % train_.checkpoint_every == 0 || std::chrono::steady_clock::now() - last_saved_ > kSaveAfter) {
        try_to_save();
      }
    }
  } catch (const Cancelled&) {
    if (now_.state.epoch == 0) throw;
    interrupted_ = true;
  } catch (const TrainingDiverged& error) {
    diverged_ = error.what();
    if (now_.state.epoch == 0) diverged_ += " (so the model is the one that training began with)";
  }
  try_to_save();
  if (now_.best) {
    training_->restore(now_.best->parameters);
  } else {
    training_->restore(now_.state);
  }
}

std::vector<FoldPrediction> Trainer::validation_predictions() {
  std::vector<FoldPrediction> predictions;
  for (DoubleMatrix& scores : training_->scores(plan_.validation)) {
    FoldPrediction& prediction = predictions.emplace_back();
    prediction.graphs = experiment_.targets[predictions.size() - 1].present(plan_.validation);
    prediction.scores = std::move(scores);
  }
  return predictions;
}

}  // namespace

TrainResult train_supervised(const GraphSet& graphs, const TrainOptions& train, RunProgress& progress) {
  check_options(train);
  const Experiment experiment = make_experiment(graphs, train.learning);
  const std::vector<std::uint32_t> learnt_from = graphs_with_target(experiment.targets, graphs.num_graphs());
  const SupervisedOptions& options = *train.supervised;
  Plan plan{train.networks.front(), options.penalties.front(), options.epochs, {}, {}};
  split(experiment, train, learnt_from, plan);  // which may be impossible: before the search
  std::vector<std::string> remarks;
  CrossValidationResult searched;
  std::size_t network_index = 0;
  if (train.networks.size() > 1 || options.penalties.size() > 1) {
    searched = search_for_training(graphs, train, progress).result;
    const FoldResult& chosen = searched.results.front();
    network_index = chosen.network;
    plan.config = train.networks[network_index];
    plan.penalty = chosen.penalty;
    if (plan.validation.empty()) plan.epochs = chosen.epochs;
    remarks = searched.remarks;
  }

  progress.begin("training");
  Trainer trainer(graphs, train, experiment, std::move(plan), progress);
  trainer.run();
  if (trainer.is_sample()) remarks.push_back(sampling_remark(train.fit));
  if (!trainer.unsaved().empty()) remarks.push_back("the checkpoint was not written: " + trainer.unsaved());
  if (!trainer.training().start_converged()) {
    remarks.push_back("the linear model that training began with did not converge: the penalty may be too small");
  }
  const SupervisedTraining& training = trainer.training();
  std::vector<TargetModel> targets;
  const bool has_validation = !trainer.plan().validation.empty();
  const std::vector<FoldPrediction> held_out = trainer.validation_predictions();
  for (std::size_t t = 0; t < experiment.targets.size(); ++t) {
    const TargetColumn& target = experiment.targets[t];
    targets.push_back(
        {target.name, target.class_names, training.matching_c(), training.weights(t), training.bias(t), {}});
    if (experiment.learner != Learner::svm) continue;
    if (has_validation) targets[t].calibration = calibrate(experiment, t, {held_out[t]});
    if (!has_validation && !searched.results.empty()) {
      targets[t].calibration = calibrate(experiment, t, predictions_of(searched, t));
    }
  }
  if (experiment.learner == Learner::svm && targets.front().calibration.empty()) {
    remarks.push_back(
        "there are no probabilities: they need scores of graphs that were not trained on, so a validation part or "
        "several candidates, or the learner logistic");
  }
  TrainingRecord record = record_of(train, searched, learnt_from.size());
  record.candidates = train.networks.size() * options.penalties.size();
  record.epochs = static_cast<std::uint64_t>(trainer.epoch());
  record.penalty = trainer.plan().penalty;
  record.validation_graphs = trainer.plan().validation.size();
  Network network = training.network();
  const bool has_search = !searched.results.empty();
  TrainResult result{Model(std::move(network), experiment.learner, training.standardiser().mean,
                           training.standardiser().scale, std::move(targets), train.seed, std::move(record)),
                     network_index,
                     has_search,
                     std::move(searched),
                     std::move(remarks),
                     learnt_from.size()};
  result.history = trainer.history();
  result.interrupted = trainer.interrupted();
  result.diverged = trainer.diverged();
  return result;
}

}  // namespace gckn
