// SPDX-License-Identifier: BSD-3-Clause
// One end-to-end training: a network and linear models of all targets, epoch by epoch.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "gckn/matrix.h"
#include "gckn/network.h"
#include "gckn/supervised.h"
#include "learn/adam.h"
#include "learn/evaluate.h"
#include "learn/losses.h"
#include "learn/standardise.h"
#include "network/fit.h"
#include "network/trainable_network.h"

namespace gckn {

// Everything that is learnt. Scores of a graph are W vector + b, outputs of all targets one after the other. The vector
// is standardised where SupervisedOptions say so.
struct TrainedParameters {
  std::vector<std::vector<float>> anchors;  // by layer, and again by layer those of edges
  DoubleMatrix weights;                     // outputs x vector size
  std::vector<double> bias;                 // by output
};

// ... and what Adam needs to go on.
struct TrainingState {
  int epoch = 0;  // that are done
  std::uint64_t step = 0;
  TrainedParameters parameters;
  std::vector<AdamMoments<float>> anchor_moments;
  AdamMoments<double> weight_moments, bias_moments;
};

// A loss or a parameter that is no number any more. What was learnt in whole epochs before is still good.
class TrainingDiverged : public std::runtime_error {
 public:
  TrainingDiverged(int epoch, std::size_t batch);
};

class SupervisedTraining {
 public:
  struct Setup {
    const Experiment* experiment = nullptr;  // must outlive the training
    SupervisedOptions options{};
    double penalty = 0;
    std::uint64_t seed = 0;            // of the order of the graphs
    std::vector<std::uint32_t> train;  // graphs to learn from; those without any target are left out
  };

  // start: with the vectors of all graphs. compiled: of the set that its network was fitted within; see
  // SharedPatterns::compile_for_training().
  SupervisedTraining(Setup setup, const FittedNetwork& start, const CompiledSet& compiled);

  // The linear models at their optimum for these vectors, which are those of the start.
  void fit_linear_models(const Matrix& vectors, const RunOptions& options);

  // Whether the solver found it.
  [[nodiscard]] bool start_converged() const { return start_converged_; }

  // One pass over the training graphs in a new order. Asks options.progress, with batches as its steps. Throws
  // TrainingDiverged; the state is then that of some batch.
  EpochRecord run_epoch(const RunOptions& options);

  // Scores by target of those of the graphs that have the target, as TargetColumn::present lists them.
  std::vector<DoubleMatrix> scores(const std::vector<std::uint32_t>& graphs);
  // Mean loss of these scores, all graphs with weight 1.
  double loss(const std::vector<std::uint32_t>& graphs, const std::vector<DoubleMatrix>& scores) const;

  [[nodiscard]] const TrainingState& state() const { return state_; }
  void restore(const TrainingState& state);
  void restore(const TrainedParameters& parameters);

  [[nodiscard]] Network network() const { return network_.network(); }
  // Of the vectors; of no effect unless these are standardised. No scale is 0.
  [[nodiscard]] const Standardiser& standardiser() const { return standardiser_; }
  // Weights and biases of a target, for its numbers as they are.
  [[nodiscard]] DoubleMatrix weights(std::size_t target) const;
  [[nodiscard]] std::vector<double> bias(std::size_t target) const;

  // The C with which a learner's objective, 1/2 |w|^2 + C sum of losses, is that of this training, but for the
  // bias, which it does not penalise.
  [[nodiscard]] double matching_c() const;
  // Of a target's numbers among the training graphs; 1 for classes.
  [[nodiscard]] double deviation(std::size_t target) const { return targets_[target].deviation; }

 private:
  struct Target {
    std::size_t first_output = 0;
    std::size_t outputs = 0;
    std::vector<double> weight;      // by graph; 0 where it is missing or not trained on
    double mean = 0, deviation = 1;  // of its numbers
  };
  struct PartGradient {
    DoubleMatrix d_weights;
    std::vector<double> d_bias;
    double loss = 0;
    std::vector<double> vector, scores, d_scores;
  };

  [[nodiscard]] LossTarget loss_target(std::size_t t, std::uint32_t graph) const;
  void scores_of(const float* vector, PartGradient& part) const;
  double step(std::span<const std::uint32_t> graphs, double rate);
  void take_anchors();
  void normalise(BasicLayer<float>& layer) const;

  const Setup setup_;
  const Experiment& experiment_;
  TrainableNetwork<float> network_;
  Standardiser standardiser_;
  std::vector<std::uint32_t> place_;  // by graph: in the compiled set
  std::vector<Target> targets_;
  bool start_converged_ = true;
  TrainingState state_;
  std::vector<PartGradient> parts_;
  std::vector<std::uint32_t> order_, batch_, batch_places_;
};

}  // namespace gckn
