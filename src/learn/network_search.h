// SPDX-License-Identifier: BSD-3-Clause
// The search among candidate networks: every one is learnt, its vectors are evaluated for every C, and the best is
// kept. What networks share (patterns, anchors) is computed once; what a journal has is not computed again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gckn/cross_validation.h"
#include "learn/evaluate.h"
#include "learn/journal.h"
#include "learn/run_progress.h"
#include "network/anchor_store.h"
#include "network/fit.h"

namespace gckn {

// A network or, with end-to-end training, a network and a penalty.
struct Candidate {
  std::size_t network = 0;  // index into CrossValidationOptions::networks
  double penalty = 0;
};

// The best candidate so far: the highest score, the first candidate of equals (LearningOptions::score_resolution).
struct BestNetwork {
  std::size_t candidate = 0;
  Candidate chosen{};
  Evaluation evaluation;
  bool found = false;
  std::optional<FittedNetwork> fitted;  // of best_on(): on all graphs; not with end-to-end training
};

class NetworkSearch {
 public:
  // All arguments must outlive this. experiment: its grid are the values of C or, with end-to-end training, numbers of
  // epochs.
  NetworkSearch(const GraphSet& graphs, const CrossValidationOptions& cv, const Experiment& experiment,
                Journal& journal, RunProgress& progress);

  // What the calls below are going to cost, without what the journal has.
  [[nodiscard]] double cost_on(const std::vector<Fold>& folds) const;
  [[nodiscard]] double cost_on_each(const std::vector<Fold>& folds, const std::vector<std::vector<Fold>>& inner) const;

  // Anchors from all graphs (those of a fold with end-to-end training); network and C, or epochs, with the best mean
  // over the test graphs of the folds. scores: of every candidate. Throws InputError if none suits the graphs.
  BestNetwork best_on(const std::vector<Fold>& folds, std::vector<NetworkScore>& scores);

  // By fold: anchors from its training graphs, network and C by its inner folds; the test graphs are predicted, and
  // nothing is chosen by them. A candidate that one fold cannot learn is none for the others either.
  std::vector<BestNetwork> best_of_each(const std::vector<Fold>& folds, const std::vector<std::vector<Fold>>& inner);

  // Scores by fold and target of what best_on() has chosen, on other folds: linear models on its vectors, each target
  // with its own C, or trained end to end for as many epochs.
  std::vector<std::vector<DoubleMatrix>> scores_on(const BestNetwork& best, const std::vector<Fold>& folds);
  [[nodiscard]] double cost_of_scores_on(const std::vector<Fold>& folds) const;

  // What was left out, and why, and whether anchors were learnt from samples.
  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }
  // Linear models that the solver gave up on, of candidates that were evaluated.
  [[nodiscard]] std::size_t unconverged() const { return unconverged_; }

 private:
  [[nodiscard]] const NetworkConfig& config(std::size_t candidate) const;
  [[nodiscard]] const Experiment& experiment_of(std::size_t candidate) const;
  [[nodiscard]] bool beats(std::size_t candidate, double score, const BestNetwork& best) const;
  [[nodiscard]] std::string unit_of(std::size_t candidate) const;
  [[nodiscard]] std::string unit_of(std::size_t candidate, std::size_t fold) const;
  [[nodiscard]] double unit_cost(std::size_t candidate, const CChoice& choice) const;
  [[nodiscard]] double cost_on(std::size_t candidate, const std::vector<Fold>& folds) const;
  [[nodiscard]] double cost_on_each(std::size_t candidate, const std::vector<Fold>& folds,
                                    const std::vector<std::vector<Fold>>& inner) const;
  // learnt_from: the graphs that the scales of a Gaussian kernel come from.
  Evaluation evaluate_models(const FittedNetwork& fitted, const Experiment& experiment, const CChoice& choice,
                             const std::vector<std::uint32_t>& learnt_from);
  // What all folds of a candidate are trained with.
  struct TrainingPatterns {
    CompiledSet compiled, batches;
    bool side_by_side;
  };
  TrainingPatterns compile_for_training(std::size_t candidate, std::size_t trainings);
  Evaluation evaluate_training(std::size_t candidate, const TrainingPatterns& patterns, const Experiment& experiment,
                               const CChoice& choice);
  std::shared_ptr<const StatesOfGraphs> states_of(const NetworkConfig& config);
  CompiledSet compile(const NetworkConfig& config);
  FittedNetwork fit_on_all(const NetworkConfig& config);
  FittedNetwork fit_on(const NetworkConfig& config, std::span<const char> is_training, const CompiledSet& compiled,
                       AnchorStore<float>& anchors);
  template <typename Body>
  bool try_network(std::size_t candidate, const Body& body);
  void leave_out(const NetworkConfig& network, const std::string& why);
  void require_one(const BestNetwork& best) const;
  void take_notes(const Evaluation& evaluation);
  void add_remark(const std::string& remark);
  Evaluation evaluate_on(std::size_t candidate, const std::vector<Fold>& folds, std::optional<FittedNetwork>& fitted);
  void evaluate_on_each(std::size_t candidate, const std::vector<Fold>& folds,
                        const std::vector<std::vector<Fold>>& inner, std::vector<BestNetwork>& best);
  void evaluate_missing(std::size_t candidate, std::vector<std::size_t> missing, const std::vector<Fold>& folds,
                        const std::vector<std::vector<Fold>>& inner, const std::vector<BestNetwork>& best,
                        std::vector<Evaluation>& evaluations);
  void evaluate_by_shared_kernels(const FittedNetwork& fitted, const std::vector<std::size_t>& missing,
                                  const std::vector<Fold>& folds, const std::vector<std::vector<Fold>>& inner,
                                  std::vector<Evaluation>& evaluations);
  Evaluation evaluate_on_fold(const NetworkConfig& network, const CompiledSet& compiled, const Fold& fold,
                              std::size_t f, const std::vector<Fold>& inner, std::atomic<bool>* large);

  const GraphSet& graphs_;
  const CrossValidationOptions& cv_;
  const Experiment& experiment_;
  const Experiment states_experiment_;    // with the values of C for rows of states
  const Experiment gaussian_experiment_;  // and for Gaussian kernels
  Journal& journal_;
  RunProgress& progress_;
  FitOptions fit_;
  const std::vector<Candidate> candidates_;
  const std::vector<std::size_t> order_;  // candidates that share patterns follow each other
  SharedPatterns patterns_;
  std::string states_key_;  // of those of the last candidate that compared some
  std::shared_ptr<const StatesOfGraphs> states_;
  std::vector<std::uint32_t> all_graphs_;
  AnchorStore<float> anchors_of_all_;
  std::vector<AnchorStore<float>> anchors_;  // of the training graphs, by fold
  std::vector<NetworkConfig> unsuitable_;    // for these graphs
  std::string why_unsuitable_;               // the last of them
  std::vector<std::string> remarks_;
  std::size_t unconverged_ = 0;
};

}  // namespace gckn
