// SPDX-License-Identifier: BSD-3-Clause
// One graph whose paths have masks: weights that multiply the kappa of a path in every input block of its layer.
//
// Masked are the paths of all layers with more than one vertex (and some others, see has_masks in network/batch.h), of
// every length that gives an output block. Variables are either
//   entries of the state tables: equal paths that start at nodes of equal state have equal gradients wherever one layer
//     alone has masks, so they are one variable, with the number of paths it stands for, or
//   single paths, where several layers have masks (there, equal states may be met on different paths of a later layer).
// In both cases the weight of an entry is a sum over variables with fixed factors, 1 for sums and 1 / (paths from the
// node) for means; with maxima it is the largest of them.
//
// All in double: the shares of a score add up to it, and a line search can tell small differences.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gckn/network.h"
#include "network/batch.h"
#include "network/batch_pass.h"
#include "network/encoding.h"
#include "network/layer_operator.h"

namespace gckn {

enum class MaskVariables { automatic, states, paths };

// Some graphs of a set, compiled for masks. Threads may share it.
class MaskedSet {
 public:
  // The graphs must outlive this. Throws LimitError where there are more than options.max_paths paths, InputError if
  // the graphs lack what the network was fitted on, UsageError for generalised max pooling.
  MaskedSet(const GraphSet& graphs, GraphRange range, const BasicNetwork<double>& network, const RunOptions& options,
            MaskVariables variables = MaskVariables::automatic);

  [[nodiscard]] const BatchSource& source() const { return *source_; }
  [[nodiscard]] const ColourFeatures<double>& input() const { return input_; }
  [[nodiscard]] bool by_path() const { return by_path_; }
  [[nodiscard]] std::span<const std::size_t> masked_layers() const { return masked_layers_; }
  [[nodiscard]] const GraphSet& graphs() const { return graphs_; }
  [[nodiscard]] const GraphRange& range() const { return range_; }

 private:
  const GraphSet& graphs_;
  GraphRange range_;
  bool by_path_ = false;
  std::vector<std::size_t> masked_layers_;
  ColourFeatures<double> input_;
  std::unique_ptr<BatchSource> source_;
};

// The layers of a network, as passes need them.
std::vector<LayerOperator<double>> operators_for_masks(const BasicNetwork<double>& network);

// The paths of one masked layer and length, by node.
struct MaskedPaths {
  std::size_t layer = 0;
  std::size_t length = 1;               // vertices
  std::vector<std::uint32_t> nodes;     // paths x length, numbered within the graph
  std::vector<std::uint32_t> variable;  // by path

  [[nodiscard]] std::size_t size() const { return variable.size(); }
  [[nodiscard]] std::span<const std::uint32_t> path(std::size_t i) const { return {&nodes[i * length], length}; }
};

// One graph of a masked set at a time, always in the same memory. One per thread.
class MaskedGraph {
 public:
  // Both must outlive this.
  MaskedGraph(const MaskedSet& set, const std::vector<LayerOperator<double>>& layers);

  // Takes graph g, counted from the first of the set's range. Throws LimitError if it has more than most_paths paths.
  void load(std::uint32_t g, std::uint64_t most_paths = std::uint64_t{1} << 24);

  [[nodiscard]] std::size_t num_variables() const { return paths_of_variable_.size(); }
  // How many paths each variable stands for, and in which place of masked_layers() these are.
  [[nodiscard]] std::span<const double> paths_of_variable() const { return paths_of_variable_; }
  [[nodiscard]] std::span<const std::uint32_t> layer_of_variable() const { return layer_of_variable_; }
  [[nodiscard]] const std::vector<MaskedPaths>& paths() const { return paths_; }

  // The vector of the graph with these masks. Valid until the next call.
  const BasicMatrix<double>& forward(std::span<const double> masks);
  // The gradient of the masks of the last forward pass, from that of the vector.
  void backward(const BasicMatrix<double>& d_vector, std::span<double> d_masks);

 private:
  struct Use {  // of a variable by an entry
    std::uint32_t entry, variable;
    double factor;
  };
  struct Output {  // of a masked layer
    std::size_t layer = 0, output = 0;
    std::vector<Use> uses;
    std::vector<std::uint32_t> winner;  // by entry, with maxima: one more than the use with the largest mask; 0: none
  };

  void list_paths(std::size_t place, std::uint64_t most_paths);
  void add_state_variables(Output& output, std::size_t place, MaskedPaths& paths,
                           std::span<const std::uint32_t> entry_of_path);
  void add_path_variables(Output& output, std::size_t place, MaskedPaths& paths,
                          std::span<const std::uint32_t> entry_of_path);

  const MaskedSet& set_;
  const std::vector<LayerOperator<double>>& layers_;
  BatchMaker<double> maker_;
  BatchPass<double> pass_;
  Batch<double> batch_;
  bool is_first_pass_ = true;
  std::uint32_t graph_ = 0;
  std::vector<Output> outputs_;
  std::vector<MaskedPaths> paths_;
  std::vector<double> paths_of_variable_;
  std::vector<std::uint32_t> layer_of_variable_;
  std::vector<double> masks_;
  std::vector<double> d_weights_;
};

}  // namespace gckn
