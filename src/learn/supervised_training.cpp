// SPDX-License-Identifier: BSD-3-Clause
#include "learn/supervised_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gckn/error.h"
#include "learn/linear_model.h"
#include "linalg/vector_ops.h"
#include "util/parallel.h"
#include "util/random.h"

namespace gckn {
namespace {

LossKind loss_of(Learner learner) {
  switch (learner) {
    case Learner::logistic:
      return LossKind::cross_entropy;
    case Learner::ridge:
      return LossKind::squared_error;
    default:
      return LossKind::squared_hinge;
  }
}

template <typename Real>
bool all_finite(std::span<const Real> values) {
  return std::ranges::all_of(values, [](Real value) { return std::isfinite(value); });
}

// A column that does not vary yet may do so later: it is kept as it is, but for its mean.
Standardiser standardiser_of(const SupervisedOptions& options, const Matrix& vectors,
                             const std::vector<std::uint32_t>& train) {
  if (!options.standardised) return Standardiser::identity(vectors.cols());
  Standardiser standardiser(vectors, train);
  std::ranges::replace(standardiser.scale, 0.0, 1.0);
  return standardiser;
}

}  // namespace

void validate(const SupervisedOptions& options, const std::vector<NetworkConfig>& networks) {
  const auto require = [](bool holds, const char* what, auto value, const char* needs) {
    if (!holds) throw UsageError(fmt::format("{} {}: it must be {}", what, value, needs));
  };
  require(options.epochs >= 1, "epochs", options.epochs, "at least 1");
  require(options.batch_size >= 1, "a batch size of", options.batch_size, "at least 1");
  require(options.learning_rate > 0 && std::isfinite(options.learning_rate), "a learning rate of",
          options.learning_rate, "positive and finite");
  require(options.halve_every >= 1, "halving the learning rate every", options.halve_every, "at least 1 epoch");
  require(options.selection_folds >= 1, "selection folds", options.selection_folds, "at least 1");
  if (options.penalties.empty()) throw UsageError("there is no penalty to train with");
  for (const double penalty : options.penalties) {
    require(penalty > 0 && std::isfinite(penalty), "a penalty of", penalty, "positive and finite");
  }
  for (const NetworkConfig& config : networks) {
    require_trainable(config);
    if (config.compare != Compare::vectors || config.head != Head::linear) {
      throw UsageError("end-to-end training is of networks that compare vectors and have a linear head");
    }
  }
}

TrainingDiverged::TrainingDiverged(int epoch, std::size_t batch)
    : std::runtime_error(
          fmt::format("training has left the numbers in epoch {}, batch {}: the learning rate may be too "
                      "large, or the penalty",
                      epoch, batch)) {}

SupervisedTraining::SupervisedTraining(Setup setup, const FittedNetwork& start, const CompiledSet& compiled)
    : setup_(std::move(setup)),
      experiment_(*setup_.experiment),
      network_(start.network, compiled),
      standardiser_(standardiser_of(setup_.options, start.vectors, setup_.train)),
      place_(compiled.graph().num_graphs()),
      parts_(TrainableNetwork<float>::kParts) {
  validate(setup_.options, {});
  for (std::uint32_t place = 0; place < place_.size(); ++place) place_[compiled.set->order[place]] = place;
  order_ = setup_.train;
  std::erase_if(order_, [&](std::uint32_t g) {
    return std::ranges::none_of(experiment_.targets, [&](const TargetColumn& target) { return target.has(g); });
  });
  std::size_t outputs = 0;
  for (const TargetColumn& column : experiment_.targets) {
    Target target;
    target.first_output = outputs;
    target.outputs = num_outputs(column);
    outputs += target.outputs;
    const std::vector<std::uint32_t> present = column.present(order_);
    const std::vector<double> weights = sample_weights(task_of(experiment_, column), present);
    target.weight.resize(place_.size());
    for (std::size_t i = 0; i < present.size(); ++i) target.weight[present[i]] = weights.empty() ? 1 : weights[i];
    if (!column.is_classes() && !present.empty()) {
      const auto count = static_cast<double>(present.size());
      for (const std::uint32_t g : present) target.mean += column.number_of_graph[g] / count;
      double square = 0;
      for (const std::uint32_t g : present) square += std::pow(column.number_of_graph[g] - target.mean, 2);
      if (square > 0) target.deviation = std::sqrt(square / count);
    }
    targets_.push_back(std::move(target));
  }
  const std::size_t columns = network_.vector_size();
  state_.parameters.weights = DoubleMatrix(outputs, columns);
  state_.parameters.bias.resize(outputs);
  for (const BasicLayer<float>& layer : network_.layers()) state_.parameters.anchors.push_back(layer.anchors);
  for (const BasicLayer<float>& layer : network_.layers()) state_.parameters.anchors.push_back(layer.edge_anchors);
  for (const std::vector<float>& group : state_.parameters.anchors) state_.anchor_moments.emplace_back(group.size());
  state_.weight_moments = AdamMoments<double>(outputs * columns);
  state_.bias_moments = AdamMoments<double>(outputs);
  for (PartGradient& part : parts_) {
    part.d_weights = DoubleMatrix(outputs, columns);
    part.d_bias.resize(outputs);
    part.vector.resize(columns);
    part.scores.resize(outputs);
    part.d_scores.resize(outputs);
  }
  std::vector<std::uint32_t> places(order_.size());
  std::ranges::transform(order_, places.begin(), [&](std::uint32_t g) { return place_[g]; });
  network_.reserve(places, static_cast<std::size_t>(setup_.options.batch_size));
}

void SupervisedTraining::fit_linear_models(const Matrix& vectors, const RunOptions& options) {
  const double c = matching_c();
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    TargetColumn column = experiment_.targets[t];
    for (double& number : column.number_of_graph) number = (number - targets_[t].mean) / targets_[t].deviation;
    const std::vector<std::uint32_t> present = column.present(order_);
    if (present.empty()) continue;
    LearningTask task = task_of(experiment_, column);
    task.vectors = &vectors;
    task.standardiser = &standardiser_;
    const LinearModel model = train_linear(task, present, c, options);
    start_converged_ = start_converged_ && model.converged;
    for (std::size_t o = 0; o < targets_[t].outputs; ++o) {
      const std::size_t row = targets_[t].first_output + o;
      std::copy_n(model.weights.row(o), vectors.cols(), state_.parameters.weights.row(row));
      state_.parameters.bias[row] = model.weights(o, vectors.cols());
    }
  }
}

// The squared hinge of the support vector machine and the error of ridge regression come without the factor 1/2.
double SupervisedTraining::matching_c() const {
  const double c = 1 / (setup_.penalty * static_cast<double>(order_.size()));
  return experiment_.learner == Learner::logistic ? c : c / 2;
}

LossTarget SupervisedTraining::loss_target(std::size_t t, std::uint32_t graph) const {
  const TargetColumn& column = experiment_.targets[t];
  if (column.is_classes()) return {column.class_of_graph[graph], 0};
  return {0, (column.number_of_graph[graph] - targets_[t].mean) / targets_[t].deviation};
}

void SupervisedTraining::scores_of(const float* vector, PartGradient& part) const {
  const DoubleMatrix& weights = state_.parameters.weights;
  for (std::size_t k = 0; k < part.vector.size(); ++k) {
    part.vector[k] = (static_cast<double>(vector[k]) - standardiser_.mean[k]) / standardiser_.scale[k];
  }
  for (std::size_t o = 0; o < weights.rows(); ++o) {
    part.scores[o] = dot(part.vector.data(), weights.row(o), weights.cols()) + state_.parameters.bias[o];
  }
}

EpochRecord SupervisedTraining::run_epoch(const RunOptions& options) {
  const int epoch = state_.epoch + 1;
  const double rate =
      setup_.options.learning_rate * std::pow(0.5, (epoch - 1) / setup_.options.halve_every);  // whole number
  // The order follows from seed and epoch alone, so that a training which is resumed goes on with the same.
  std::ranges::sort(order_);
  Random random(seeds::of_epoch(setup_.seed, static_cast<std::uint64_t>(epoch)));
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);

  EpochRecord record;
  record.epoch = epoch;
  record.learning_rate = rate;
  const auto size = static_cast<std::size_t>(setup_.options.batch_size);
  const std::size_t batches = (order_.size() + size - 1) / size;
  for (std::size_t b = 0; b < batches; ++b) {
    const std::size_t first = b * size;
    const std::size_t count = std::min(size, order_.size() - first);
    const double loss = step(std::span(order_).subspan(first, count), rate);
    if (!std::isfinite(loss)) throw TrainingDiverged(epoch, b + 1);
    record.loss += loss * static_cast<double>(count) / static_cast<double>(order_.size());
    check_cancelled();
    report_progress(options, "training", b + 1, batches);
  }
  state_.epoch = epoch;
  for (const double weight : state_.parameters.weights.values())
    record.penalty += 0.5 * setup_.penalty * weight * weight;
  return record;
}

// Returns the mean loss before the step, or NaN if what it leads to are no numbers.
double SupervisedTraining::step(std::span<const std::uint32_t> graphs, double rate) {
  const LossKind loss = loss_of(experiment_.learner);
  const auto count = static_cast<double>(graphs.size());
  batch_.assign(graphs.begin(), graphs.end());
  batch_places_.resize(batch_.size());
  std::ranges::transform(batch_, batch_places_.begin(), [&](std::uint32_t g) { return place_[g]; });
  for (PartGradient& part : parts_) {
    part.d_weights.fill(0);
    std::ranges::fill(part.d_bias, 0.0);
    part.loss = 0;
  }
  const DoubleMatrix& weights = state_.parameters.weights;
  network_.forward_and_backward(batch_places_, [&](const TrainableNetwork<float>::Part& in) {
    PartGradient& part = parts_[in.index];
    for (std::size_t i = 0; i < in.vectors.rows(); ++i) {
      const std::uint32_t g = batch_[in.first + i];
      scores_of(in.vectors.row(i), part);
      for (std::size_t t = 0; t < targets_.size(); ++t) {
        const Target& target = targets_[t];
        const std::span<double> d_scores(part.d_scores.data() + target.first_output, target.outputs);
        if (target.weight[g] == 0) {
          std::ranges::fill(d_scores, 0.0);
          continue;
        }
        const std::span<const double> scores(part.scores.data() + target.first_output, target.outputs);
        part.loss += target.weight[g] * loss_with_gradient(loss, scores, loss_target(t, g), d_scores);
        for (double& d : d_scores) d *= target.weight[g] / count;
      }
      std::vector<double>& d_vector = part.vector;  // the vector itself is needed until its place is taken
      for (std::size_t o = 0; o < weights.rows(); ++o) {
        add_scaled(part.d_weights.row(o), part.vector.data(), part.d_scores[o], weights.cols());
        part.d_bias[o] += part.d_scores[o];
      }
      std::ranges::fill(d_vector, 0.0);
      for (std::size_t o = 0; o < weights.rows(); ++o) {
        add_scaled(d_vector.data(), weights.row(o), part.d_scores[o], weights.cols());
      }
      std::ranges::transform(d_vector, standardiser_.scale, in.d_vectors->row(i),
                             [](double d, double scale) { return static_cast<float>(d / scale); });
    }
  });
  double sum = parts_[0].loss;
  PartGradient& total = parts_[0];
  for (std::size_t k = 1; k < parts_.size(); ++k) {
    sum += parts_[k].loss;
    add_scaled(total.d_weights.data(), parts_[k].d_weights.data(), 1.0, total.d_weights.size());
    add_scaled(total.d_bias.data(), parts_[k].d_bias.data(), 1.0, total.d_bias.size());
  }
  add_scaled(total.d_weights.data(), weights.data(), setup_.penalty, weights.size());

  const AdamStep adam{rate, ++state_.step};
  adam.update<double>(total.d_weights.values(), state_.weight_moments,
                      {state_.parameters.weights.data(), weights.size()});
  adam.update<double>(total.d_bias, state_.bias_moments, state_.parameters.bias);
  std::vector<BasicLayer<float>>& layers = network_.layers();
  // Squares that overflow bring all steps to a halt, which is no training either.
  bool is_finite = all_finite(weights.values()) && all_finite<double>(state_.parameters.bias) &&
                   all_finite<double>(state_.weight_moments.second);
  for (std::size_t j = 0; j < layers.size(); ++j) {
    const AnchorGradient<float>& gradient = network_.anchor_gradients()[j];
    adam.update<float>(gradient.d_anchors, state_.anchor_moments[j], layers[j].anchors);
    adam.update<float>(gradient.d_edge_anchors, state_.anchor_moments[layers.size() + j], layers[j].edge_anchors);
    normalise(layers[j]);
    for (const std::vector<float>* values :
         {&layers[j].anchors, &layers[j].edge_anchors, &state_.anchor_moments[j].second,
          &state_.anchor_moments[layers.size() + j].second}) {
      is_finite = is_finite && all_finite<float>(*values);
    }
    std::ranges::copy(layers[j].anchors, state_.parameters.anchors[j].begin());
    std::ranges::copy(layers[j].edge_anchors, state_.parameters.anchors[layers.size() + j].begin());
  }
  if (!is_finite) return NAN;  // before eigenvectors of it are sought
  network_.anchors_changed();
  return sum / count;
}

// Every z_{t,i} to unit length, but for those next to zero.
void SupervisedTraining::normalise(BasicLayer<float>& layer) const {
  const auto rows = [](std::vector<float>& anchors, std::size_t width) {
    for (std::size_t k = 0; width > 0 && k < anchors.size(); k += width) {
      const float norm = std::sqrt(dot(anchors.data() + k, anchors.data() + k, width));
      scale(anchors.data() + k, 1 / std::max(norm, static_cast<float>(kTinyNorm)), width);
    }
  };
  rows(layer.anchors, layer.input_width);
  rows(layer.edge_anchors, layer.edge_width);
}

std::vector<DoubleMatrix> SupervisedTraining::scores(const std::vector<std::uint32_t>& graphs) {
  batch_places_.resize(graphs.size());
  std::ranges::transform(graphs, batch_places_.begin(), [&](std::uint32_t g) { return place_[g]; });
  DoubleMatrix all(graphs.size(), state_.parameters.bias.size());
  network_.forward(batch_places_, [&](const TrainableNetwork<float>::Part& in) {
    PartGradient& part = parts_[in.index];
    for (std::size_t i = 0; i < in.vectors.rows(); ++i) {
      scores_of(in.vectors.row(i), part);
      std::ranges::copy(part.scores, all.row(in.first + i));
    }
  });
  std::vector<DoubleMatrix> by_target;
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    const Target& target = targets_[t];
    DoubleMatrix scores(experiment_.targets[t].present(graphs).size(), target.outputs);
    std::size_t row = 0;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      if (!experiment_.targets[t].has(graphs[i])) continue;
      for (std::size_t o = 0; o < target.outputs; ++o) {
        scores(row, o) = target.mean + target.deviation * all(i, target.first_output + o);
      }
      ++row;
    }
    by_target.push_back(std::move(scores));
  }
  return by_target;
}

double SupervisedTraining::loss(const std::vector<std::uint32_t>& graphs,
                                const std::vector<DoubleMatrix>& scores) const {
  const LossKind loss = loss_of(experiment_.learner);
  double sum = 0;
  std::vector<double> row;
  std::vector<double> d_row;
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    const std::vector<std::uint32_t> present = experiment_.targets[t].present(graphs);
    for (std::size_t i = 0; i < present.size(); ++i) {
      row.assign(scores[t].row(i), scores[t].row(i) + targets_[t].outputs);
      for (double& score : row) score = (score - targets_[t].mean) / targets_[t].deviation;
      d_row.resize(row.size());
      sum += loss_with_gradient(loss, row, loss_target(t, present[i]), d_row);
    }
  }
  return graphs.empty() ? 0 : sum / static_cast<double>(graphs.size());
}

void SupervisedTraining::restore(const TrainingState& state) {
  state_ = state;
  take_anchors();
}

void SupervisedTraining::restore(const TrainedParameters& parameters) {
  state_.parameters = parameters;
  take_anchors();
}

void SupervisedTraining::take_anchors() {
  std::vector<BasicLayer<float>>& layers = network_.layers();
  for (std::size_t j = 0; j < layers.size(); ++j) {
    layers[j].anchors = state_.parameters.anchors[j];
    layers[j].edge_anchors = state_.parameters.anchors[layers.size() + j];
  }
  network_.anchors_changed();
}

DoubleMatrix SupervisedTraining::weights(std::size_t target) const {
  const Target& t = targets_[target];
  DoubleMatrix weights(t.outputs, state_.parameters.weights.cols());
  for (std::size_t o = 0; o < t.outputs; ++o) {
    add_scaled(weights.row(o), state_.parameters.weights.row(t.first_output + o), t.deviation, weights.cols());
  }
  return weights;
}

std::vector<double> SupervisedTraining::bias(std::size_t target) const {
  const Target& t = targets_[target];
  std::vector<double> bias;
  for (std::size_t o = 0; o < t.outputs; ++o) {
    bias.push_back(t.mean + t.deviation * state_.parameters.bias[t.first_output + o]);
  }
  return bias;
}

}  // namespace gckn
