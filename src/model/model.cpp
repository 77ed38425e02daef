// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gckn/error.h"
#include "learn/calibration.h"
#include "learn/linear_model.h"
#include "learn/logistic.h"
#include "linalg/vector_ops.h"
#include "network/assignment.h"
#include "network/embed.h"
#include "network/node_states.h"
#include "util/parallel.h"

namespace gckn {
namespace {

void check_target(const TargetModel& target, std::size_t columns) {
  const std::size_t outputs = num_outputs(target.class_names.size());
  const auto reject = [&](std::string_view what, std::size_t has, std::size_t needs) {
    throw UsageError(fmt::format("{} of '{}' number {}, and {} are needed", what, target.name, has, needs));
  };
  if (target.class_names.size() == 1) reject("the classes", 1, 2);
  if (target.weights.rows() != outputs) reject("the rows of weights", target.weights.rows(), outputs);
  if (target.weights.cols() != columns) reject("the weights", target.weights.cols(), columns);
  if (target.bias.size() != outputs) reject("the biases", target.bias.size(), outputs);
  if (!target.calibration.empty() && target.calibration.size() != outputs) {
    reject("the calibrations", target.calibration.size(), outputs);
  }
}

// Without scores.
Predictions empty_predictions(const std::vector<TargetModel>& targets, std::size_t graphs) {
  Predictions predictions;
  predictions.graphs = graphs;
  for (const TargetModel& target : targets) {
    predictions.targets.push_back(
        {target.name, target.class_names, DoubleMatrix(graphs, num_outputs(target.class_names.size())), {}, {}});
  }
  return predictions;
}

// Probabilities of the classes from the calibrated score of each, or of the second of two.
DoubleMatrix calibrated(const TargetModel& target, const DoubleMatrix& scores) {
  DoubleMatrix result(scores.rows(), target.class_names.size());
  const auto probability = [&](std::size_t output, double score) {
    return PlattScaling{target.calibration[output].a, target.calibration[output].b}.probability(score);
  };
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    if (scores.cols() == 1) {
      result(i, 1) = probability(0, scores(i, 0));
      result(i, 0) = 1 - result(i, 1);
      continue;
    }
    double sum = 0;
    for (std::size_t c = 0; c < scores.cols(); ++c) sum += result(i, c) = probability(c, scores(i, c));
    for (std::size_t c = 0; c < scores.cols(); ++c) {
      result(i, c) = sum > 0 ? result(i, c) / sum : 1.0 / static_cast<double>(scores.cols());
    }
  }
  return result;
}

}  // namespace

Model::Model(Network network, Learner learner, std::vector<double> mean, std::vector<double> scale,
             std::vector<TargetModel> targets, std::uint64_t seed, TrainingRecord record)
    : network_(std::move(network)),
      learner_(learner),
      mean_(std::move(mean)),
      scale_(std::move(scale)),
      targets_(std::move(targets)),
      seed_(seed),
      record_(std::move(record)) {
  const std::size_t columns = network_.vector_size();
  if (network_.config().compare != Compare::vectors) throw UsageError("the model has no columns of states");
  if (mean_.size() != columns || scale_.size() != columns) {
    throw UsageError(fmt::format("the scaler has {} and {} columns, and the network's vectors {}", mean_.size(),
                                 scale_.size(), columns));
  }
  if (!std::ranges::all_of(scale_, [](double value) { return value > 0; })) {
    throw UsageError("a scale of the vectors is not positive");
  }
  check(columns);
}

Model::Model(Network network, std::shared_ptr<const AssignmentColumns> columns, Learner learner,
             std::vector<TargetModel> targets, std::uint64_t seed, TrainingRecord record)
    : network_(std::move(network)),
      columns_(std::move(columns)),
      learner_(learner),
      targets_(std::move(targets)),
      seed_(seed),
      record_(std::move(record)) {
  if (network_.config().compare != Compare::states || !columns_) throw UsageError("the model compares no states");
  check(columns_->size());
}

void Model::check(std::size_t columns) const {
  if (learner_ == Learner::automatic) throw UsageError("the model does not say which learner made it");
  if (targets_.empty()) throw UsageError("the model has no target");
  if (targets_[0].class_names.empty() != (learner_ == Learner::ridge)) {
    throw UsageError(fmt::format("a model of learner {} {}", to_string(learner_),
                                 learner_ == Learner::ridge ? "cannot have classes" : "needs classes"));
  }
  for (const TargetModel& target : targets_) {
    check_target(target, columns);
    if (target.class_names.empty() != targets_[0].class_names.empty() ||
        target.calibration.empty() != targets_[0].calibration.empty()) {
      throw UsageError("some targets have classes or calibrations and others have none");
    }
  }
}

Predictions Model::predict(const GraphSet& graphs, const RunOptions& options) const {
  const ThreadScope threads(options);
  if (columns_) return predict_by_states(graphs, options);
  std::vector<ImpossibleGraph> impossible;
  const Matrix vectors = embed_in_blocks(network_, graphs, {0, graphs.num_graphs()}, options, &impossible);
  Predictions predictions = empty_predictions(targets_, graphs.num_graphs());
  for (ImpossibleGraph& graph : impossible) {
    predictions.unpredicted.push_back(graph.graph);
    predictions.reasons.push_back(std::move(graph.reason));
  }
  std::vector<double> z(vectors.cols());
  for (std::size_t i = 0; i < vectors.rows(); ++i) {
    for (std::size_t k = 0; k < z.size(); ++k) {
      z[k] = (static_cast<double>(vectors(i, k)) - mean_[k]) / scale_[k];
    }
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      for (std::size_t o = 0; o < targets_[t].bias.size(); ++o) {
        predictions.targets[t].scores(i, o) = dot(z.data(), targets_[t].weights.row(o), z.size()) + targets_[t].bias[o];
      }
    }
  }
  complete(predictions);
  return predictions;
}

Predictions Model::predict_by_states(const GraphSet& graphs, const RunOptions& options) const {
  Predictions predictions = empty_predictions(targets_, graphs.num_graphs());
  const int rounds = network_.config().layers.front().path_length;
  RunOptions within = options;
  within.progress = {};
  const auto predict_range = [&](GraphRange range) {
    const StateCounts counts =
        count_states(node_states(StateKind::path, graphs, range, network_.input(), rounds, within), graphs, range);
    const SparseRows<double> rows = columns_->rows(counts, true);
    for (const std::uint64_t name : counts.name) {
      predictions.unknown_states += columns_->knows(name) ? 0 : 1;
    }
    predictions.states += counts.name.size();
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const auto row = rows.row(i);
      for (std::size_t t = 0; t < targets_.size(); ++t) {
        for (std::size_t o = 0; o < targets_[t].bias.size(); ++o) {
          const double* weights = targets_[t].weights.row(o);
          double score = 0;
          for (std::size_t e = 0; e < row.size(); ++e) score += row.weight[e] * weights[row.index[e]];
          predictions.targets[t].scores(range.first + i, o) = score + targets_[t].bias[o];
        }
      }
    }
  };
  // Some graphs at a time, so that memory does not grow with their number; where they have too many paths together, one
  // by one, for the limit is one of single graphs.
  constexpr std::size_t kBlock = 1024;
  for (std::size_t first = 0; first < graphs.num_graphs(); first += kBlock) {
    report_progress(options, "predicting", first, graphs.num_graphs());
    const GraphRange block{first, std::min(first + kBlock, graphs.num_graphs())};
    try {
      predict_range(block);
      continue;
    } catch (const LimitError&) {
      check_cancelled();
    }
    for (std::size_t g = block.first; g < block.last; ++g) {
      try {
        predict_range({g, g + 1});
      } catch (const LimitError& error) {
        predictions.unpredicted.push_back(static_cast<std::uint32_t>(g));
        predictions.reasons.emplace_back(error.what());
        for (TargetPredictions& target : predictions.targets) {
          std::fill_n(target.scores.row(g), target.scores.cols(), NAN);
        }
      }
    }
  }
  complete(predictions);
  return predictions;
}

// Classes and probabilities from the scores.
void Model::complete(Predictions& predictions) const {
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    TargetPredictions& target = predictions.targets[t];
    if (target.class_names.empty()) continue;
    target.predicted = classes_of_scores(target.scores);
    if (learner_ == Learner::logistic) {
      target.probabilities = probabilities(target.scores, static_cast<std::int32_t>(target.class_names.size()));
    } else if (!targets_[t].calibration.empty()) {
      target.probabilities = calibrated(targets_[t], target.scores);
    }
    for (const std::uint32_t g : predictions.unpredicted) {
      target.predicted[g] = -1;
      if (!target.probabilities.empty()) std::fill_n(target.probabilities.row(g), target.class_names.size(), NAN);
    }
  }
}

}  // namespace gckn
