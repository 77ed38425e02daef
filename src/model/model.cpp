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
#include "model/support_graphs.h"
#include "network/assignment.h"
#include "network/embed.h"
#include "network/fit.h"
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

StateCounts states_in(const Network& network, const GraphSet& graphs, GraphRange range, const RunOptions& options) {
  const int rounds = network.config().layers.front().path_length;
  return count_states(node_states(StateKind::path, graphs, range, encoding_of_states(network.input()), rounds, options),
                      graphs, range);
}

void count_unknown(const AssignmentColumns& columns, const StateCounts& counts, Predictions& predictions) {
  for (const std::uint64_t name : counts.name) {
    predictions.unknown_states += columns.knows(name) ? 0 : 1;
  }
  predictions.states += counts.name.size();
}

// Calls predict_range(range, options) for ranges that cover all graphs: some graphs at a time, so that memory does not
// grow with their number; where they have too many paths together, or one of them has no vector, one by one, for limits
// are those of single graphs, and what cannot be predicted is said of these.
template <typename PredictRange>
void predict_ranges(const GraphSet& graphs, const RunOptions& options, Predictions& predictions,
                    const PredictRange& predict_range) {
  constexpr std::size_t kBlock = 1024;
  RunOptions within = options;
  within.progress = {};
  const auto leave_out = [&](std::size_t g, const char* reason) {
    predictions.unpredicted.push_back(static_cast<std::uint32_t>(g));
    predictions.reasons.emplace_back(reason);
    for (TargetPredictions& target : predictions.targets) {
      std::fill_n(target.scores.row(g), target.scores.cols(), NAN);
    }
  };
  for (std::size_t first = 0; first < graphs.num_graphs(); first += kBlock) {
    report_progress(options, "predicting", first, graphs.num_graphs());
    const GraphRange block{first, std::min(first + kBlock, graphs.num_graphs())};
    try {
      predict_range(block, within);
      continue;
    } catch (const LimitError&) {
      check_cancelled();
    }
    for (std::size_t g = block.first; g < block.last; ++g) {
      try {
        predict_range({g, g + 1}, within);
      } catch (const LimitError& error) {
        leave_out(g, error.what());
      }
    }
  }
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
  if (network_.config().head != Head::linear) throw UsageError("the model has no support graphs");
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
  if (network_.config().head != Head::linear) throw UsageError("the model has no support graphs");
  check(columns_->size());
}

Model::Model(Network network, std::shared_ptr<const SupportGraphs> support, Learner learner,
             std::vector<TargetModel> targets, std::uint64_t seed, TrainingRecord record)
    : network_(std::move(network)),
      support_(std::move(support)),
      learner_(learner),
      targets_(std::move(targets)),
      seed_(seed),
      record_(std::move(record)) {
  const NetworkConfig& config = network_.config();
  if (config.head != Head::gaussian || !support_) throw UsageError("the model has no Gaussian head");
  if (learner_ == Learner::logistic) throw UsageError("a model with a Gaussian head has no logistic regression");
  const SupportGraphs::Parts& parts = support_->parts();
  if (compares_states(config) != (parts.columns != nullptr) || parts.vectors.cols() != network_.vector_size()) {
    throw UsageError("the support graphs do not have what is compared");
  }
  check(support_->size());
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
  if (support_) return predict_by_kernel(graphs, options);
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
  predict_ranges(graphs, options, predictions, [&](GraphRange range, const RunOptions& within) {
    const StateCounts counts = states_in(network_, graphs, range, within);
    const SparseRows<double> rows = columns_->rows(counts, true);
    count_unknown(*columns_, counts, predictions);
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
  });
  complete(predictions);
  return predictions;
}

Predictions Model::predict_by_kernel(const GraphSet& graphs, const RunOptions& options) const {
  Predictions predictions = empty_predictions(targets_, graphs.num_graphs());
  const AssignmentColumns* columns = support_->parts().columns.get();
  predict_ranges(graphs, options, predictions, [&](GraphRange range, const RunOptions& within) {
    StateCounts counts;
    if (columns != nullptr) {
      counts = states_in(network_, graphs, range, within);
      count_unknown(*columns, counts, predictions);
    }
    Matrix vectors;
    if (compares_vectors(network_.config())) {
      std::vector<ImpossibleGraph> impossible;
      vectors = embed_in_blocks(network_, graphs, range, within, &impossible);
      if (!impossible.empty()) throw LimitError(impossible.front().reason);
    }
    const DoubleMatrix kernel = support_->kernel(counts, vectors);
    for (std::size_t i = 0; i < kernel.rows(); ++i) {
      for (std::size_t t = 0; t < targets_.size(); ++t) {
        for (std::size_t o = 0; o < targets_[t].bias.size(); ++o) {
          predictions.targets[t].scores(range.first + i, o) =
              dot(kernel.row(i), targets_[t].weights.row(o), kernel.cols()) + targets_[t].bias[o];
        }
      }
    }
  });
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
