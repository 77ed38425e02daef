// SPDX-License-Identifier: BSD-3-Clause
#include "network/batch.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "gckn/error.h"

namespace gckn {
namespace {

template <typename Body>
void for_classes(const ClassGraph& graph, std::span<const std::uint32_t> graphs, const Body& body) {
  for (const std::uint32_t g : graphs) {
    for (std::uint32_t c = graph.graph_begin[g]; c < graph.graph_begin[g + 1]; ++c) body(c);
  }
}

template <typename Real>
void clear(SparseRows<Real>& rows) {
  rows.begin.resize(1);
  rows.index.clear();
  rows.weight.clear();
}

}  // namespace

void require_trainable(const NetworkConfig& config) {
  const auto is_gmp = [](const LayerConfig& layer) { return layer.pooling == Pooling::gmp; };
  if (config.global_pooling == Pooling::gmp || std::ranges::any_of(config.layers, is_gmp)) {
    throw UsageError(
        "generalised max pooling (gmp) cannot be trained end to end: choose sum, mean or max, or train without");
  }
}

bool has_masks(const NetworkConfig& config, std::size_t layer) {
  const auto has_edges = [](const LayerConfig& of) { return of.path_length > 0; };
  if (has_edges(config.layers[layer])) return true;
  return layer == 0 && (config.concat_layers || std::ranges::none_of(config.layers, has_edges));
}

BatchSource::BatchSource(CompiledSet compiled, const NetworkConfig& config, const InputEncoding& encoding,
                         Wanted wanted)
    : compiled_(std::move(compiled)), config_(config), wanted_(wanted) {
  require_trainable(config);
  for (std::size_t j = 0; j < config_.layers.size(); ++j) {
    plans_.push_back(plan_layer(config_, j, encoding, wanted));
    pooling_.emplace_back();
    for (const Patterns& patterns : *compiled_.layers[j]) {
      assert(patterns.direct_graphs.empty());
      std::vector<SparseRows<double>>& outputs = pooling_.back().emplace_back();
      for (std::size_t i = 0; plans_[j].pooled && i < patterns.lengths.size(); ++i) {
        outputs.push_back(plans_[j].by_histogram ? pooled_patterns(patterns, i, config_.layers[j].pooling)
                                                 : pooled_states(patterns, i));
      }
    }
  }
}

SparseRows<double> BatchSource::pooled_states(const Patterns& patterns, std::size_t output) const {
  const ClassGraph& graph = compiled_.graph();
  const std::vector<std::uint32_t>& state_of_class = *patterns.colouring[output].of_class;
  SparseRows<double> rows;
  rows.columns = patterns.colouring[output].count;
  std::vector<std::pair<std::uint32_t, double>> entries;
  for (std::size_t g = 0; g < graph.num_graphs(); ++g) {
    double nodes = 0;
    for (std::uint32_t c = graph.graph_begin[g]; c < graph.graph_begin[g + 1]; ++c) {
      entries.emplace_back(state_of_class[c], graph.size[c]);
      nodes += graph.size[c];
    }
    rows.add_row(entries);
    if (config_.global_pooling != Pooling::mean) continue;
    for (std::uint64_t e = rows.begin[g]; e < rows.begin[g + 1]; ++e) rows.weight[e] /= nodes;
  }
  return rows;
}

SparseRows<double> BatchSource::pooled_patterns(const Patterns& patterns, std::size_t output, Pooling pooling) const {
  const ClassGraph& graph = compiled_.graph();
  SparseRows<double> rows = patterns.histograms[output].paths;
  if (pooling == Pooling::mean) rows.weight = patterns.histograms[output].mean;
  for (std::size_t g = 0; config_.global_pooling == Pooling::mean && g < graph.num_graphs(); ++g) {
    double nodes = 0;
    for (std::uint32_t c = graph.graph_begin[g]; c < graph.graph_begin[g + 1]; ++c) nodes += graph.size[c];
    for (std::uint64_t e = rows.begin[g]; e < rows.begin[g + 1]; ++e) rows.weight[e] /= nodes;
  }
  return rows;
}

template <typename Real>
BatchMaker<Real>::BatchMaker(const BatchSource& source)
    : source_(source), input_(source.compiled().set->colours.count), slots_(source.config().layers.size()) {
  for (std::size_t j = 0; j < slots_.size(); ++j) {
    const LayerPatterns& blocks = *source.compiled().layers[j];
    std::vector<BlockNumbers>& numbers = numbers_.emplace_back(blocks.size());
    BatchLayer<Real>& layer = batch_.layers.emplace_back();
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (std::size_t t = 1; t < blocks[b].levels.size(); ++t)
        numbers[b].levels.emplace_back(blocks[b].levels[t].size());
      for (const StateTable& states : blocks[b].states) {
        numbers[b].states.emplace_back(states.identity ? 0 : states.count);
      }
    }
    layer.levels.resize(static_cast<std::size_t>(blocks.front().vertices) - 1);
    layer.start.resize(layer.levels.size());
    for (const int length : blocks.front().lengths) {
      BatchOutput<Real>& output = layer.outputs.emplace_back();
      output.length = length;
      output.masked = source.is_masked(j);
      output.identity = length == 1 && !source.plan(j).by_histogram && !output.masked;
    }
  }
}

template <typename Real>
const Batch<Real>& BatchMaker<Real>::make(std::span<const std::uint32_t> graphs) {
  const EncodedSet& set = *source_.compiled().set;
  batch_.num_graphs = graphs.size();
  for_classes(*set.graph, graphs, [&](std::uint32_t c) { input_.use((*set.colours.of_class)[c]); });
  input_.number();
  batch_.input_colours.assign(input_.old().begin(), input_.old().end());
  slots_[0].assign(1, {0, &input_, 0});
  std::size_t num_colours = input_.size();
  for (std::size_t j = 0; j < slots_.size(); ++j) {
    BatchLayer<Real>& layer = batch_.layers[j];
    layer.num_colours = num_colours;
    layer.block_of_slot.clear();
    for (std::size_t t = 0; t < layer.levels.size(); ++t) {
      layer.levels[t].parent.clear();
      layer.levels[t].colour.clear();
      layer.levels[t].edge.clear();
      layer.start[t].clear();
    }
    for (BatchOutput<Real>& output : layer.outputs) {
      output.num_states = 0;
      clear(output.states);
      clear(output.graphs);
    }
    for (std::size_t s = 0; s < slots_[j].size(); ++s) {
      layer.block_of_slot.push_back(slots_[j][s].block);
      mark_block(j, slots_[j][s].block, graphs);
      append_levels(j, slots_[j][s]);
      append_outputs(j, s, graphs);
    }
    num_colours = 0;
    for (BatchOutput<Real>& output : layer.outputs) {
      num_colours += output.num_states;
      output.states.columns =
          output.length == 1 ? layer.num_colours : layer.levels[static_cast<std::size_t>(output.length) - 2].size();
      output.graphs.columns = source_.plan(j).by_histogram ? output.states.columns : output.num_states;
    }
    if (j + 1 < slots_.size()) set_next_slots(j);
  }
  return batch_;
}

template <typename Real>
void BatchMaker<Real>::reserve(const Batch<Real>& largest) {
  const auto reserve_rows = [](SparseRows<Real>& rows, const SparseRows<Real>& most) {
    rows.begin.reserve(most.begin.size());
    rows.index.reserve(most.index.size());
    rows.weight.reserve(most.weight.size());
  };
  input_.reserve(largest.input_colours.size());
  batch_.input_colours.reserve(largest.input_colours.size());
  for (std::size_t j = 0; j < batch_.layers.size(); ++j) {
    BatchLayer<Real>& layer = batch_.layers[j];
    const BatchLayer<Real>& most = largest.layers[j];
    for (std::size_t t = 0; t < layer.levels.size(); ++t) {
      const std::size_t patterns = most.levels[t].size();
      for (std::vector<std::uint32_t>* list : {&layer.levels[t].parent, &layer.levels[t].colour, &layer.start[t]}) {
        list->reserve(patterns);
      }
      layer.levels[t].edge.reserve(most.levels[t].edge.size());
      for (BlockNumbers& block : numbers_[j]) block.levels[t].reserve(patterns);
    }
    for (std::size_t i = 0; i < layer.outputs.size(); ++i) {
      reserve_rows(layer.outputs[i].states, most.outputs[i].states);
      reserve_rows(layer.outputs[i].graphs, most.outputs[i].graphs);
      for (BlockNumbers& block : numbers_[j]) {
        if (!block.states.empty()) block.states[i].reserve(most.outputs[i].num_states);
      }
    }
  }
}

// The states and patterns of a block that the graphs use.
template <typename Real>
void BatchMaker<Real>::mark_block(std::size_t layer, std::uint32_t block, std::span<const std::uint32_t> graphs) {
  const Patterns& patterns = (*source_.compiled().layers[layer])[block];
  BlockNumbers& numbers = numbers_[layer][block];
  for (std::size_t i = 0; i < patterns.lengths.size(); ++i) {
    const int length = patterns.lengths[i];
    if (length == 1) continue;
    UsedNumbers& level = numbers.levels[static_cast<std::size_t>(length) - 2];
    if (!patterns.states.empty()) {
      const std::vector<std::uint32_t>& state_of_class = *patterns.colouring[i].of_class;
      for_classes(source_.compiled().graph(), graphs,
                  [&](std::uint32_t c) { numbers.states[i].use(state_of_class[c]); });
      numbers.states[i].number();
      for (const std::uint32_t state : numbers.states[i].old()) {
        for (const std::uint32_t pattern : patterns.states[i].patterns.row(state).index) level.use(pattern);
      }
    } else {
      for (const std::uint32_t g : graphs) {
        for (const std::uint32_t pattern : patterns.histograms[i].paths.row(g).index) level.use(pattern);
      }
    }
  }
  for (std::size_t t = numbers.levels.size(); t-- > 0;) {
    numbers.levels[t].number();
    if (t == 0) break;  // the parents are colours
    for (const std::uint32_t pattern : numbers.levels[t].old()) {
      numbers.levels[t - 1].use(patterns.levels[t + 1].parent[pattern]);
    }
  }
}

template <typename Real>
void BatchMaker<Real>::append_levels(std::size_t layer, const Slot& slot) {
  const Patterns& patterns = (*source_.compiled().layers[layer])[slot.block];
  const BlockNumbers& numbers = numbers_[layer][slot.block];
  BatchLayer<Real>& to = batch_.layers[layer];
  first_pattern_.assign(1, slot.first_colour);
  for (std::size_t t = 0; t < to.levels.size(); ++t) {
    const TrieLevel& whole = patterns.levels[t + 1];
    TrieLevel& level = to.levels[t];
    const UsedNumbers& parents = t == 0 ? *slot.colours : numbers.levels[t - 1];
    first_pattern_.push_back(static_cast<std::uint32_t>(level.size()));
    for (const std::uint32_t old : numbers.levels[t].old()) {
      const std::uint32_t parent = first_pattern_[t] + parents(whole.parent[old]);
      level.parent.push_back(parent);
      level.colour.push_back(slot.first_colour + (*slot.colours)(whole.colour[old]));
      if (!whole.edge.empty()) level.edge.push_back(whole.edge[old]);
      to.start[t].push_back(t == 0 ? parent : to.start[t - 1][parent]);
    }
  }
}

template <typename Real>
void BatchMaker<Real>::append_outputs(std::size_t layer, std::size_t slot_index,
                                      std::span<const std::uint32_t> graphs) {
  const Slot& slot = slots_[layer][slot_index];
  const Patterns& patterns = (*source_.compiled().layers[layer])[slot.block];
  const BlockNumbers& numbers = numbers_[layer][slot.block];
  const LayerPlan& plan = source_.plan(layer);
  const bool mean = source_.config().layers[layer].pooling == Pooling::mean;
  for (std::size_t i = 0; i < patterns.lengths.size(); ++i) {
    BatchOutput<Real>& output = batch_.layers[layer].outputs[i];
    const auto length = static_cast<std::size_t>(output.length);
    const UsedNumbers& pattern_numbers = length == 1 ? *slot.colours : numbers.levels[length - 2];
    const std::uint32_t first_pattern = first_pattern_[length - 1];
    const auto first_state = static_cast<std::uint32_t>(output.identity ? slot.first_colour : output.num_states);
    const UsedNumbers& states = plan.by_histogram ? pattern_numbers : states_of(layer, slot, i);
    if (!plan.by_histogram) output.num_states += states.size();
    if (output.masked && length == 1) {  // single nodes, which have masks of their own
      for (std::uint32_t state = 0; state < states.size(); ++state) {
        output.states.index.push_back(first_pattern + state);
        output.states.weight.push_back(Real{1});
        output.states.begin.push_back(output.states.index.size());
      }
    } else if (!plan.by_histogram && !output.identity) {
      for (const std::uint32_t state : states.old()) {
        const auto row = patterns.states[i].patterns.row(state);
        double total = 1;
        if (mean && row.size() > 0) {
          total = 0;
          for (const std::uint32_t multiplicity : row.weight) total += multiplicity;
        }
        for (std::size_t e = 0; e < row.size(); ++e) {
          output.states.index.push_back(first_pattern + pattern_numbers(row.index[e]));
          output.states.weight.push_back(static_cast<Real>(row.weight[e] / total));
        }
        output.states.begin.push_back(output.states.index.size());
      }
    }
    if (!plan.pooled) continue;
    const std::uint32_t first = plan.by_histogram ? first_pattern : first_state;
    const SparseRows<double>& pooling = source_.pooling_rows(layer, slot.block, i);
    for (const std::uint32_t g : graphs) {
      const auto row = pooling.row(g);
      for (std::size_t e = 0; e < row.size(); ++e) {
        output.graphs.index.push_back(first + states(row.index[e]));
        output.graphs.weight.push_back(static_cast<Real>(row.weight[e]));
      }
      output.graphs.begin.push_back(output.graphs.index.size());
    }
  }
}

// The slots of the layer after this one: its outputs, by length and then by slot.
template <typename Real>
void BatchMaker<Real>::set_next_slots(std::size_t layer) {
  std::vector<Slot>& next = slots_[layer + 1];
  next.clear();
  std::uint32_t first_colour = 0;
  const std::vector<BatchOutput<Real>>& outputs = batch_.layers[layer].outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const Slot& slot : slots_[layer]) {
      const UsedNumbers& colours = states_of(layer, slot, i);
      next.push_back({static_cast<std::uint32_t>(slot.block * outputs.size() + i), &colours, first_colour});
      first_colour += static_cast<std::uint32_t>(colours.size());
    }
  }
}

template <typename Real>
const UsedNumbers& BatchMaker<Real>::states_of(std::size_t layer, const Slot& slot, std::size_t output) const {
  return batch_.layers[layer].outputs[output].length == 1 ? *slot.colours : numbers_[layer][slot.block].states[output];
}

template <typename Real>
std::uint32_t BatchMaker<Real>::colour_of_class(std::size_t layer, std::size_t slot, std::uint32_t c) const {
  const CompiledSet& compiled = source_.compiled();
  const Slot& of = slots_[layer][slot];
  const Colouring* colouring = &compiled.set->colours;
  if (layer > 0) {
    const std::size_t outputs = batch_.layers[layer - 1].outputs.size();
    colouring = &(*compiled.layers[layer - 1])[of.block / outputs].colouring[of.block % outputs];
  }
  return of.first_colour + (*of.colours)((*colouring->of_class)[c]);
}

template <typename Real>
std::uint32_t BatchMaker<Real>::state_of_class(std::size_t layer, std::size_t slot, std::size_t output,
                                               std::uint32_t c) const {
  std::size_t first = 0;
  for (std::size_t s = 0; s < slot; ++s) first += states_of(layer, slots_[layer][s], output).size();
  const Slot& of = slots_[layer][slot];
  const Patterns& patterns = (*source_.compiled().layers[layer])[of.block];
  const std::uint32_t state = (*patterns.colouring[output].of_class)[c];
  return static_cast<std::uint32_t>(first) + states_of(layer, of, output)(state);
}

template class BatchMaker<float>;
template class BatchMaker<double>;

}  // namespace gckn
