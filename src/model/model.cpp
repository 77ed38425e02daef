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
#include "network/embed.h"
#include "util/parallel.h"

namespace gckn {
namespace {

void check(const TargetModel& target, std::size_t columns) {
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
  if (mean_.size() != columns || scale_.size() != columns) {
    throw UsageError(fmt::format("the scaler has {} and {} columns, and the network's vectors {}", mean_.size(),
                                 scale_.size(), columns));
  }
  if (!std::ranges::all_of(scale_, [](double value) { return value > 0; })) {
    throw UsageError("a scale of the vectors is not positive");
  }
  if (learner_ == Learner::automatic) throw UsageError("the model does not say which learner made it");
  if (targets_.empty()) throw UsageError("the model has no target");
  if (targets_[0].class_names.empty() != (learner_ == Learner::ridge)) {
    throw UsageError(fmt::format("a model of learner {} {}", to_string(learner_),
                                 learner_ == Learner::ridge ? "cannot have classes" : "needs classes"));
  }
  for (const TargetModel& target : targets_) {
    check(target, columns);
    if (target.class_names.empty() != targets_[0].class_names.empty() ||
        target.calibration.empty() != targets_[0].calibration.empty()) {
      throw UsageError("some targets have classes or calibrations and others have none");
    }
  }
}

Predictions Model::predict(const GraphSet& graphs, const RunOptions& options) const {
  const ThreadScope threads(options);
  Predictions predictions;
  std::vector<ImpossibleGraph> impossible;
  const Matrix vectors = embed_in_blocks(network_, graphs, {0, graphs.num_graphs()}, options, &impossible);
  for (ImpossibleGraph& graph : impossible) {
    predictions.unpredicted.push_back(graph.graph);
    predictions.reasons.push_back(std::move(graph.reason));
  }
  predictions.graphs = graphs.num_graphs();
  for (const TargetModel& target : targets_) {
    predictions.targets.push_back({target.name,
                                   target.class_names,
                                   DoubleMatrix(vectors.rows(), num_outputs(target.class_names.size())),
                                   {},
                                   {}});
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
  return predictions;
}

}  // namespace gckn
