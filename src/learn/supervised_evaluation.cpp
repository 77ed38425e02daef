// SPDX-License-Identifier: BSD-3-Clause
#include "learn/supervised_evaluation.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <utility>

#include "learn/grid_results.h"
#include "learn/supervised_training.h"
#include "linalg/single_threaded_blas.h"
#include "util/counted.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// What comes of the training on one fold.
struct FoldTraining {
  std::vector<std::vector<DoubleMatrix>> scores;  // by target and value of the grid, of the test graphs
  std::vector<double> losses;                     // by epoch
  std::string remark;                             // if it diverged
};

// after_epoch: called after each.
template <typename Body>
FoldTraining train_on_fold(const SupervisedCandidate& candidate, const Experiment& experiment, const Fold& fold,
                           const RunOptions& options, const Body& after_epoch) {
  std::vector<char> is_training(candidate.graphs->num_graphs());
  for (const std::uint32_t g : fold.train) is_training[g] = 1;
  AnchorStore<float> anchors;
  const FittedNetwork start = fit_on_and_embed(*candidate.graphs, *candidate.config, is_training, *candidate.compiled,
                                               candidate.fit, anchors, options);
  SupervisedTraining training({&experiment, candidate.options, candidate.penalty, candidate.fit.seed, fold.train},
                              start, *candidate.batches);
  training.fit_linear_models(start.vectors, options);

  const std::vector<double>& grid = experiment.learning.C;
  const auto epochs = static_cast<std::size_t>(grid.back());
  FoldTraining result;
  result.scores.resize(experiment.targets.size());
  // Where no training graph has a target nothing is tested.
  const auto add_scores = [&](const std::vector<DoubleMatrix>& scores) {
    for (std::size_t t = 0; t < scores.size(); ++t) {
      const bool is_tested = !experiment.targets[t].tested(fold).empty();
      result.scores[t].push_back(is_tested ? scores[t] : DoubleMatrix(0, scores[t].cols()));
    }
  };
  TrainedParameters last;  // of the last whole epoch
  for (std::size_t epoch = 1; epoch <= epochs; ++epoch) {
    try {
      result.losses.push_back(training.run_epoch(options).loss);
    } catch (const TrainingDiverged& error) {
      if (epoch == 1) throw;  // there is nothing good
      result.remark = error.what();
      training.restore(last);
      break;
    }
    if (epoch < epochs) last = training.state().parameters;
    after_epoch();
    if (grid[result.scores.front().size()] == static_cast<double>(epoch)) add_scores(training.scores(fold.test));
  }
  if (!result.remark.empty()) {  // with what was learnt until then
    const std::vector<DoubleMatrix> scores = training.scores(fold.test);
    while (result.scores.front().size() < grid.size()) add_scores(scores);
  }
  result.losses.resize(epochs, std::nan(""));
  return result;
}

// Mean over the first `folds`; not a number where one of them is none.
std::vector<double> mean_losses(const std::vector<std::vector<double>>& losses, std::size_t folds) {
  std::vector<double> means(losses.front().size());
  for (std::size_t f = 0; f < folds; ++f) {
    for (std::size_t e = 0; e < means.size(); ++e) means[e] += losses[f][e] / static_cast<double>(folds);
  }
  return means;
}

}  // namespace

Experiment with_epochs_as_grid(Experiment experiment, const SupervisedOptions& options) {
  experiment.learning.C.clear();
  for (int epoch = 1; epoch <= options.epochs; ++epoch) experiment.learning.C.push_back(epoch);
  return experiment;
}

Evaluation evaluate_supervised(const SupervisedCandidate& candidate, const Experiment& experiment,
                               const CChoice& choice, const RunOptions& options) {
  GridResults results(experiment, choice, true);
  const std::size_t num_folds = results.num_folds();
  const auto epochs = static_cast<std::size_t>(experiment.learning.C.back());
  std::atomic<std::size_t> done{0};
  std::vector<std::vector<double>> losses(num_folds);
  std::size_t diverged = 0;
  std::string why;  // the first of its words, whichever training ended first
  std::mutex mutex;
  RunOptions within = options;  // progress is that of the epochs; a call within hears of a cancellation
  if (options.progress) {
    within.progress = [&](const Progress&) { return options.progress({"training", done, num_folds * epochs}); };
  }
  const SingleThreadedBlas one_blas_thread;
  const auto run_fold = [&](std::size_t f) {
    FoldTraining trained = train_on_fold(candidate, experiment, results.fold(f), within,
                                         [&] { report_progress(options, "training", ++done, num_folds * epochs); });
    for (std::size_t t = 0; t < trained.scores.size(); ++t) results.take(t, f, std::move(trained.scores[t]));
    losses[f] = std::move(trained.losses);
    const std::lock_guard lock(mutex);
    if (trained.remark.empty()) return;
    ++diverged;
    if (why.empty() || trained.remark < why) why = std::move(trained.remark);
  };
  if (candidate.side_by_side) {
    parallel_for_first_error(num_folds, [&](std::size_t f) {
      const OneThread alone;
      run_fold(f);
    });
  } else {
    for (std::size_t f = 0; f < num_folds; ++f) run_fold(f);
  }
  Evaluation evaluation = results.finish();
  if (diverged > 0) {
    evaluation.remarks.push_back(
        fmt::format("{} of {} with penalty {:.3g} ended before their time, and count as they were then: {}", diverged,
                    counted(num_folds, "training"), candidate.penalty, why));
  }
  evaluation.loss_by_epoch = mean_losses(losses, choice.selection->size());
  return evaluation;
}

}  // namespace gckn
