// SPDX-License-Identifier: BSD-3-Clause
#include "explain/masked_graph.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "explain/path_listing.h"
#include "network/compiled_set.h"
#include "util/flat_map.h"

namespace gckn {
namespace {

// The vectors of nodes that have a colour each, from those of the colours they had before.
ColourFeatures<double> features_by_node(const ColourFeatures<double>& of_colours,
                                        std::span<const std::uint32_t> colour_of_node) {
  ColourFeatures<double> result;
  result.width = of_colours.width;
  result.unit = DoubleMatrix(colour_of_node.size(), of_colours.width);
  for (std::size_t u = 0; u < colour_of_node.size(); ++u) {
    const std::uint32_t colour = colour_of_node[u];
    if (!of_colours.one_hot) {
      std::copy_n(of_colours.unit.row(colour), result.width, result.unit.row(u));
    } else if (colour < result.width) {
      result.unit(u, colour) = 1;
    }
    if (!of_colours.norm.empty()) result.norm.push_back(of_colours.norm[colour]);
  }
  return result;
}

// Every node with a colour of its own, so that no two paths are equal.
EncodedSet tell_nodes_apart(const GraphSet& graphs, GraphRange range, const EncodedNodes& nodes) {
  const std::size_t count = nodes.colour_of_node.size();
  std::vector<std::uint32_t> own(count);
  std::iota(own.begin(), own.end(), 0U);
  std::vector<std::uint64_t> hash(count);
  for (std::size_t u = 0; u < count; ++u) hash[u] = mix_bits(nodes.colours.hash[nodes.colour_of_node[u]] + u);
  EncodedSet set;
  set.graph = std::make_shared<const ClassGraph>(make_class_graph(graphs, range, own, nodes.arc_label));
  set.colours = {static_cast<std::uint32_t>(count),
                 std::make_shared<const std::vector<std::uint32_t>>(set.graph->colour),
                 std::make_shared<const std::vector<std::uint64_t>>(std::move(hash)), false};
  return set;
}

}  // namespace

MaskedSet::MaskedSet(const GraphSet& graphs, GraphRange range, const BasicNetwork<double>& network,
                     const RunOptions& options, MaskVariables variables)
    : graphs_(graphs), range_(range) {
  const NetworkConfig& config = network.config();
  require_trainable(config);
  for (std::size_t j = 0; j < config.layers.size(); ++j) {
    if (has_masks(config, j)) masked_layers_.push_back(j);
  }
  by_path_ = variables == MaskVariables::paths || (variables == MaskVariables::automatic && masked_layers_.size() > 1);
  EncodedNodes nodes = encode_nodes(graphs, range, network.input());
  input_ = input_features<double>(nodes.colours, network.input());
  std::shared_ptr<const EncodedSet> set;
  if (by_path_) {
    set = std::make_shared<const EncodedSet>(tell_nodes_apart(graphs, range, nodes));
    input_ = features_by_node(input_, nodes.colour_of_node);
  } else {
    set = std::make_shared<const EncodedSet>(encode(graphs, range, network.input()));
  }
  RunOptions shared = options;
  shared.evaluator = Evaluator::shared;
  source_ = std::make_unique<BatchSource>(compile_for_masks(std::move(set), config, network.input(), shared), config,
                                          network.input(), Wanted::masks);
}

std::vector<LayerOperator<double>> operators_for_masks(const BasicNetwork<double>& network) {
  std::vector<LayerOperator<double>> layers;
  for (const BasicLayer<double>& layer : network.layers()) layers.emplace_back(layer, true);
  return layers;
}

MaskedGraph::MaskedGraph(const MaskedSet& set, const std::vector<LayerOperator<double>>& layers)
    : set_(set), layers_(layers), maker_(set.source()), pass_(set.source(), set.input()) {}

void MaskedGraph::load(std::uint32_t g, std::uint64_t most_paths) {
  graph_ = g;
  batch_ = maker_.make({&g, 1});
  is_first_pass_ = true;
  outputs_.clear();
  paths_.clear();
  paths_of_variable_.clear();
  layer_of_variable_.clear();
  for (std::size_t place = 0; place < set_.masked_layers().size(); ++place) list_paths(place, most_paths);
}

void MaskedGraph::list_paths(std::size_t place, std::uint64_t most_paths) {
  const std::size_t j = set_.masked_layers()[place];
  const GraphSet& graphs = set_.graphs();
  const ClassGraph& classes = set_.source().compiled().graph();
  const std::size_t g = set_.range().first + graph_;
  // Classes count nodes from the first of the range.
  const std::span<const std::uint32_t> class_of_node =
      std::span(classes.class_of_node)
          .subspan(graphs.graph_begin(g) - graphs.graph_begin(set_.range().first),
                   graphs.graph_begin(g + 1) - graphs.graph_begin(g));
  std::vector<ListedPaths> listed =
      PathListing(graphs, g, classes, class_of_node, maker_, batch_.layers[j], j, set_.source().config().layers[j].kind)
          .run(most_paths);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    Output& output = outputs_.emplace_back(Output{j, i, {}, {}});
    MaskedPaths& paths = paths_.emplace_back(MaskedPaths{j, listed[i].length, std::move(listed[i].nodes), {}});
    paths.variable.resize(paths.nodes.size() / paths.length);
    if (set_.by_path()) {
      add_path_variables(output, place, paths, listed[i].entry);
    } else {
      add_state_variables(output, place, paths, listed[i].entry);
    }
  }
}

// One variable for every entry. Only one layer is masked, which has one slot.
void MaskedGraph::add_state_variables(Output& output, std::size_t place, MaskedPaths& paths,
                                      std::span<const std::uint32_t> entry_of_path) {
  const SparseRows<double>& rows = batch_.layers[output.layer].outputs[output.output].states;
  const bool is_max = set_.source().config().layers[output.layer].pooling == Pooling::max;
  const auto first = static_cast<std::uint32_t>(num_variables());
  for (std::uint32_t e = 0; e < rows.entries(); ++e) {
    output.uses.push_back({e, first + e, is_max ? 1.0 : rows.weight[e]});
  }
  paths_of_variable_.resize(first + rows.entries());
  layer_of_variable_.resize(first + rows.entries(), static_cast<std::uint32_t>(place));
  for (std::size_t p = 0; p < paths.size(); ++p) {
    paths.variable[p] = first + entry_of_path[p];
    ++paths_of_variable_[paths.variable[p]];
  }
}

// One variable for every path, used in every slot.
void MaskedGraph::add_path_variables(Output& output, std::size_t place, MaskedPaths& paths,
                                     std::span<const std::uint32_t> entry_of_path) {
  const std::size_t slots = batch_.layers[output.layer].block_of_slot.size();
  const bool is_mean = set_.source().config().layers[output.layer].pooling == Pooling::mean;
  const auto first = static_cast<std::uint32_t>(num_variables());
  for (std::size_t p = 0, run = 0; p < paths.size(); ++p) {
    // Paths from one node follow each other.
    if (p == 0 || paths.path(p)[0] != paths.path(p - 1)[0]) {
      run = 1;
      while (p + run < paths.size() && paths.path(p + run)[0] == paths.path(p)[0]) ++run;
    }
    paths.variable[p] = first + static_cast<std::uint32_t>(p);
    for (std::size_t s = 0; s < slots; ++s) {
      output.uses.push_back(
          {entry_of_path[p * slots + s], paths.variable[p], is_mean ? 1 / static_cast<double>(run) : 1.0});
    }
  }
  paths_of_variable_.resize(first + paths.size(), 1.0);
  layer_of_variable_.resize(first + paths.size(), static_cast<std::uint32_t>(place));
}

const BasicMatrix<double>& MaskedGraph::forward(std::span<const double> masks) {
  assert(masks.size() == num_variables());
  for (Output& output : outputs_) {
    std::vector<double>& weight = batch_.layers[output.layer].outputs[output.output].states.weight;
    std::ranges::fill(weight, 0.0);
    if (set_.source().config().layers[output.layer].pooling != Pooling::max) {
      for (const Use& use : output.uses) weight[use.entry] += use.factor * masks[use.variable];
      continue;
    }
    output.winner.assign(weight.size(), 0);
    for (std::uint32_t k = 0; k < output.uses.size(); ++k) {
      const Use& use = output.uses[k];
      if (masks[use.variable] <= weight[use.entry]) continue;
      weight[use.entry] = masks[use.variable];
      output.winner[use.entry] = k + 1;
    }
  }
  if (!std::exchange(is_first_pass_, false)) {
    return pass_.forward_with_masks(batch_, layers_, set_.masked_layers().front());
  }
  return pass_.forward(batch_, layers_);
}

void MaskedGraph::backward(const BasicMatrix<double>& d_vector, std::span<double> d_masks) {
  pass_.backward_to_masks(batch_, layers_, d_vector, set_.masked_layers().front());
  std::ranges::fill(d_masks, 0.0);
  for (const Output& output : outputs_) {
    pass_.mask_gradient(batch_, output.layer, output.output, d_weights_);
    if (set_.source().config().layers[output.layer].pooling != Pooling::max) {
      for (const Use& use : output.uses) d_masks[use.variable] += use.factor * d_weights_[use.entry];
      continue;
    }
    for (std::size_t e = 0; e < output.winner.size(); ++e) {
      if (output.winner[e] > 0) d_masks[output.uses[output.winner[e] - 1].variable] += d_weights_[e];
    }
  }
}

}  // namespace gckn
