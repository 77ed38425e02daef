// SPDX-License-Identifier: BSD-3-Clause
// A trained model: a network and linear models on its vectors, or on the states of nodes, or kernel machines.
//
//   gckn::Model model = gckn::train(graphs, {.networks = {gckn::subtree({.path_length = 4})}}).model;
//   gckn::Predictions predictions = model.predict(gckn::read_graphs("new.jsonl"));
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gckn/cross_validation.h"
#include "gckn/graph_set.h"
#include "gckn/learning.h"
#include "gckn/matrix.h"
#include "gckn/network.h"
#include "gckn/run_options.h"
#include "gckn/supervised.h"

namespace gckn {

// p = 1 / (1 + exp(a score + b)), from scores of graphs that were not trained on (Platt).
struct Calibration {
  double a = 0;
  double b = 0;

  bool operator==(const Calibration&) const = default;
};

// Not for use outside the library:
class AssignmentColumns;  // which columns stand for which states
class SupportGraphs;      // what a kernel machine knows of its training graphs

// The linear model of one target: score = <weights, z> + bias, with z the standardised vector, or the row of states, or
// the Gaussian kernel's values between a graph and the support graphs.
struct TargetModel {
  std::string name;
  std::vector<std::string> class_names;  // empty: numbers
  double C = 0;
  DoubleMatrix weights;                  // outputs x columns; one output for two classes or numbers
  std::vector<double> bias;              // by output
  std::vector<Calibration> calibration;  // by output; empty where scores are log-odds already, or numbers, or unknown
};

struct TargetPredictions {
  std::string name;
  std::vector<std::string> class_names;  // empty: numbers
  DoubleMatrix scores;  // graphs x outputs: of the second of two classes, of each of more, or the number
  std::vector<std::int32_t> predicted;  // class index: the largest score, ties to the lowest class; empty for numbers
  DoubleMatrix probabilities;           // graphs x classes; empty for numbers and where nothing is known of them
};

struct Predictions {
  std::size_t graphs = 0;
  // Graphs that cannot be predicted, ascending: those that alone have more paths than RunOptions::max_paths, or sums
  // over paths beyond what a number can hold. They have NaN for numbers and -1 for a class.
  std::vector<std::uint32_t> unpredicted;
  std::vector<std::string> reasons;  // by unpredicted graph
  // Where states are compared: of all nodes and lengths, and those of them that no training graph has, which count for
  // nothing. None are known to be new where states are hashed.
  std::uint64_t states = 0;
  std::uint64_t unknown_states = 0;
  std::vector<TargetPredictions> targets;
};

// How a model was chosen, for people to read; zeros where it is not known, as in old files.
struct TrainingRecord {
  std::uint64_t graphs = 0;      // that had a target to learn
  std::uint64_t candidates = 0;  // networks to choose from
  std::uint64_t folds = 0;       // by which that and C were chosen; 0: nothing was
  std::optional<Metric> selected_by{};
  std::vector<double> figures{};  // of it, by target, in those folds: optimistic
  // Of end-to-end training; 0 epochs: the model was not trained so.
  std::uint64_t epochs = 0;
  double penalty = 0;
  std::uint64_t validation_graphs = 0;  // held out; by which the epoch was chosen

  bool operator==(const TrainingRecord&) const = default;
};

class Model {
 public:
  // mean, scale: of the vectors, scale positive. Throws UsageError if the parts do not fit together.
  Model(Network network, Learner learner, std::vector<double> mean, std::vector<double> scale,
        std::vector<TargetModel> targets, std::uint64_t seed, TrainingRecord record = {});

  // On the states of nodes: `network` must compare these.
  Model(Network network, std::shared_ptr<const AssignmentColumns> columns, Learner learner,
        std::vector<TargetModel> targets, std::uint64_t seed, TrainingRecord record = {});

  // With the Gaussian head, which `network` must have.
  Model(Network network, std::shared_ptr<const SupportGraphs> support, Learner learner,
        std::vector<TargetModel> targets, std::uint64_t seed, TrainingRecord record = {});

  [[nodiscard]] const Network& network() const { return network_; }
  // Of the rows of states; null where vectors are compared, and for kernel machines.
  [[nodiscard]] const AssignmentColumns* columns() const { return columns_.get(); }
  // Of kernel machines; otherwise null.
  [[nodiscard]] const SupportGraphs* support() const { return support_.get(); }
  [[nodiscard]] Learner learner() const { return learner_; }
  [[nodiscard]] const std::vector<double>& mean() const { return mean_; }
  [[nodiscard]] const std::vector<double>& scale() const { return scale_; }
  [[nodiscard]] const std::vector<TargetModel>& targets() const { return targets_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] const TrainingRecord& record() const { return record_; }

  // One prediction per graph, in their order; a graph without nodes gets that of the vector (or row) 0. Throws
  // InputError if the graphs lack what the network was fitted on.
  [[nodiscard]] Predictions predict(const GraphSet& graphs, const RunOptions& options = {}) const;

 private:
  void check(std::size_t columns) const;
  [[nodiscard]] Predictions predict_by_states(const GraphSet& graphs, const RunOptions& options) const;
  [[nodiscard]] Predictions predict_by_kernel(const GraphSet& graphs, const RunOptions& options) const;
  void complete(Predictions& predictions) const;

  Network network_;
  std::shared_ptr<const AssignmentColumns> columns_{};
  std::shared_ptr<const SupportGraphs> support_{};
  Learner learner_;
  std::vector<double> mean_;
  std::vector<double> scale_;
  std::vector<TargetModel> targets_;
  std::uint64_t seed_;
  TrainingRecord record_;
};

struct TrainOptions {
  std::vector<NetworkConfig> networks{subtree({})};  // candidates
  LearningOptions learning{};
  int folds = 5;  // on which network and C are chosen and probabilities calibrated; fewer where a class is small
  std::uint64_t seed = 0;
  FitOptions fit{};                 // its seed is replaced by the one above
  std::filesystem::path journal{};  // of the search, as in CrossValidationOptions
  bool resume = false;

  // Train end to end instead. With several networks or penalties these and the number of epochs are chosen by
  // cross-validation, otherwise the training has options.epochs. C has no part in it.
  std::optional<SupervisedOptions> supervised{};
  // For end-to-end training only.
  double validation = 0;  // share of the graphs that is held out: the model is that of the epoch which is best on them
  int patience = 0;       // epochs without a better one after which training stops; 0: never
  // Where the state of the training is written now and then, and when it ends. With `resume` it goes on from there, to
  // the same bits, or for more epochs; without, a checkpoint that exists is an error.
  std::filesystem::path checkpoint{};
  int checkpoint_every = 10;                                  // epochs; also whenever half a minute has passed
  std::function<void(const EpochRecord& record)> on_epoch{};  // from the calling thread, after each
};

struct TrainResult {
  Model model;
  std::size_t network = 0;           // index of the chosen candidate
  bool searched = false;             // there was something to choose, or to calibrate
  CrossValidationResult search;      // what the choice was made by: optimistic, as such figures are
  std::vector<std::string> remarks;  // what was left out, and why
  std::size_t graphs = 0;            // that had a target to learn
  // Of end-to-end training.
  std::vector<EpochRecord> history{};
  bool interrupted = false;  // the progress callback said so, and the model is the best one until then
  std::string diverged{};    // why the training ended before its time; the model is the best one until then
};

// Chooses network and C by cross-validation on the graphs, then learns from all of them. Anchors are learnt from all
// graphs, those without a target included. Equal input gives equal models, to the bit, for any number of threads.
// Throws InputError if there is nothing to learn. End-to-end training that is cancelled after its first epoch does not
// throw.
TrainResult train(const GraphSet& graphs, const TrainOptions& train, const RunOptions& options = {});

}  // namespace gckn
