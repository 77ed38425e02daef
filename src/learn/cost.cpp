// SPDX-License-Identifier: BSD-3-Clause
#include "learn/cost.h"

#include <algorithm>

#include "learn/linear_model.h"

namespace gckn {
namespace {

// Measured on NCI1; only their ratios matter.
constexpr double kPerEmbedded = 4;         // node and column
constexpr double kPerTrained = 8;          // node and column, and epoch
constexpr double kPerFactored = 0.02;      // cube of the size of the system, and C
constexpr double kPerProduct = 2.6;        // training graph and column, and C
constexpr double kPerSparseEntry = 60;     // entry of a training row, and C
constexpr double kPerKernelEntry = 100;    // pair of graphs
constexpr double kPerKernelFactor = 5e-3;  // cube of the training graphs, and C

// Sum over the folds of a choice of the cost of one linear model with so many training graphs, times the models.
template <typename Cost>
double sum_over_folds(const Experiment& experiment, const CChoice& choice, const Cost& cost) {
  double outputs = 0;
  for (const TargetColumn& target : experiment.targets) outputs += static_cast<double>(num_outputs(target));
  double sum = 0;
  for (const Fold& fold : *choice.selection) sum += cost(static_cast<double>(fold.train.size()));
  if (choice.prediction != choice.selection) {
    for (const Fold& fold : *choice.prediction) sum += cost(static_cast<double>(fold.train.size()));
  }
  return sum * outputs * static_cast<double>(experiment.learning.C.size());
}

}  // namespace

std::size_t expected_columns(const NetworkConfig& config) {
  std::size_t blocks = 1;
  std::size_t columns = 0;
  for (const LayerConfig& layer : config.layers) {
    blocks *= layer.all_lengths ? static_cast<std::size_t>(layer.path_length) + 1 : 1;
    const std::size_t of_layer = blocks * static_cast<std::size_t>(layer.filters);
    columns = config.concat_layers ? columns + of_layer : of_layer;
  }
  return columns;
}

double cost_of_network(const GraphSet& graphs, const NetworkConfig& config) {
  return kPerEmbedded * static_cast<double>(graphs.num_nodes()) * static_cast<double>(expected_columns(config));
}

double cost_of_models(const Experiment& experiment, const CChoice& choice, std::size_t columns) {
  const auto d = static_cast<double>(columns);
  return sum_over_folds(experiment, choice, [&](double train) {
    const double size = std::min(train, d);
    return kPerFactored * size * size * size + kPerProduct * train * d;
  });
}

double cost_of_training(const GraphSet& graphs, const NetworkConfig& config, const SupervisedOptions& options,
                        const CChoice& choice) {
  double share = 0;  // of the graphs, summed over trainings
  const auto add = [&](const std::vector<Fold>& folds) {
    for (const Fold& fold : folds) {
      share += static_cast<double>(fold.train.size()) / static_cast<double>(graphs.num_graphs());
    }
  };
  add(*choice.selection);
  if (choice.prediction != choice.selection) add(*choice.prediction);
  return kPerTrained * share * options.epochs * static_cast<double>(graphs.num_nodes()) *
         static_cast<double>(expected_columns(config));
}

double cost_of_states(const GraphSet& graphs, const NetworkConfig& config, const Experiment& experiment,
                      const CChoice& choice) {
  const double entries = (config.layers.front().path_length + 1.0) * static_cast<double>(graphs.num_nodes()) /
                         static_cast<double>(std::max<std::size_t>(graphs.num_graphs(), 1));
  return sum_over_folds(experiment, choice, [&](double train) { return kPerSparseEntry * train * entries; });
}

double cost_of_kernel(const GraphSet& graphs) {
  return kPerKernelEntry * static_cast<double>(graphs.num_graphs()) * static_cast<double>(graphs.num_graphs());
}

double cost_of_kernel_models(const Experiment& experiment, const CChoice& choice) {
  return sum_over_folds(experiment, choice, [](double train) { return kPerKernelFactor * train * train * train; });
}

}  // namespace gckn
