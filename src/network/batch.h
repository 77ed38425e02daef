// SPDX-License-Identifier: BSD-3-Clause
// Some graphs of a compiled set, laid out for a forward and a backward pass: the input colours, patterns (with their
// prefixes) and states that these graphs use, renumbered, and everything that is summed as sparse rows of weights.
//
// All input blocks of a layer lie one after the other in one trie, so that a layer is evaluated as a whole: a block is
// a run of rows (its slot). A layer's output rows go by output length, then by slot; they are the input rows of the
// next layer. Slots have their blocks' numbers with them, by which graph vectors are ordered.
//
// Graphs are never evaluated directly here: compile with Evaluator::shared. Where nothing repeats, patterns are still
// those of the batch alone, at most.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gckn/network.h"
#include "linalg/sparse_rows.h"
#include "network/compiled_set.h"
#include "util/used_numbers.h"

namespace gckn {

// The output of a layer for one length.
template <typename Real>
struct BatchOutput {
  int length = 1;
  bool identity = false;       // states are the patterns themselves
  bool masked = false;         // weights may change from pass to pass, and with maxima they multiply, too
  std::size_t num_states = 0;  // of all slots; 0 where graphs add up patterns
  SparseRows<Real> states;     // states x patterns of this length: weights of local pooling; empty if identity
  // Where the output is pooled: (slot, graph) x states (or patterns, if there are no states), weights of both poolings.
  SparseRows<Real> graphs;
};

template <typename Real>
struct BatchLayer {
  std::size_t num_colours = 0;  // input rows; the patterns of length 1
  std::vector<std::uint32_t> block_of_slot;
  std::vector<TrieLevel> levels;                  // of lengths 2 .. P: parents and colours as numbered here
  std::vector<std::vector<std::uint32_t>> start;  // of these levels: the first colour of every pattern
  std::vector<BatchOutput<Real>> outputs;
};

template <typename Real>
struct Batch {
  std::size_t num_graphs = 0;
  std::vector<std::uint32_t> input_colours;  // of the input rows, as the set numbers them
  std::vector<BatchLayer<Real>> layers;
};

// Throws UsageError for generalised max pooling, which has no backward pass here.
void require_trainable(const NetworkConfig& config);

// Which layers have masks where these are wanted: those whose paths have more than one vertex. The first one, too, if
// there are no such, or if its own output is part of the graph vectors: so these never depend on anything but masks.
bool has_masks(const NetworkConfig& config, std::size_t layer);

// What all batches of a compiled set have in common. Threads may share it.
class BatchSource {
 public:
  // wanted: what the set was compiled for, graph vectors or masks. Throws as require_trainable does.
  BatchSource(CompiledSet compiled, const NetworkConfig& config, const InputEncoding& encoding,
              Wanted wanted = Wanted::graph_vectors);

  [[nodiscard]] const CompiledSet& compiled() const { return compiled_; }
  [[nodiscard]] const NetworkConfig& config() const { return config_; }
  [[nodiscard]] const LayerPlan& plan(std::size_t layer) const { return plans_[layer]; }
  // Whether the paths of a layer have masks here.
  [[nodiscard]] bool is_masked(std::size_t layer) const {
    return wanted_ == Wanted::masks && has_masks(config_, layer);
  }
  // Rows (graphs x states or patterns) by which an output block is pooled: weights of both poolings.
  [[nodiscard]] const SparseRows<double>& pooling_rows(std::size_t layer, std::size_t block, std::size_t output) const {
    return pooling_[layer][block][output];
  }

 private:
  SparseRows<double> pooled_states(const Patterns& patterns, std::size_t output) const;
  SparseRows<double> pooled_patterns(const Patterns& patterns, std::size_t output, Pooling pooling) const;

  CompiledSet compiled_;
  NetworkConfig config_;
  Wanted wanted_;
  std::vector<LayerPlan> plans_;
  std::vector<std::vector<std::vector<SparseRows<double>>>> pooling_;  // by layer, block and output
};

// Makes batches, always in the same memory. One per thread.
template <typename Real>
class BatchMaker {
 public:
  // The source must outlive this.
  explicit BatchMaker(const BatchSource& source);

  // The graphs at these places of the compiled set, which are distinct. Valid until the next call.
  const Batch<Real>& make(std::span<const std::uint32_t> graphs);

  // Where a class of the graphs is found in the batch made last: its input row in a slot of a layer, and, unless states
  // are the patterns themselves, its row of BatchOutput::states.
  [[nodiscard]] std::uint32_t colour_of_class(std::size_t layer, std::size_t slot, std::uint32_t c) const;
  [[nodiscard]] std::uint32_t state_of_class(std::size_t layer, std::size_t slot, std::size_t output,
                                             std::uint32_t c) const;

  // Memory for batches that are no larger than this one.
  void reserve(const Batch<Real>& largest);

 private:
  // The numbers of one input block of a layer.
  struct BlockNumbers {
    std::vector<UsedNumbers> levels;  // of lengths 2 .. P
    std::vector<UsedNumbers> states;  // by output, but for single nodes
  };
  // Where a block lies: its colours are those of an output of the layer before (or of the input).
  struct Slot {
    std::uint32_t block;
    const UsedNumbers* colours;
    std::uint32_t first_colour;
  };

  void mark_block(std::size_t layer, std::uint32_t block, std::span<const std::uint32_t> graphs);
  void append_levels(std::size_t layer, const Slot& slot);
  void append_outputs(std::size_t layer, std::size_t slot_index, std::span<const std::uint32_t> graphs);
  void set_next_slots(std::size_t layer);
  // The numbers of the states of an output in a slot: single nodes are their colours.
  [[nodiscard]] const UsedNumbers& states_of(std::size_t layer, const Slot& slot, std::size_t output) const;

  const BatchSource& source_;
  UsedNumbers input_;
  std::vector<std::vector<BlockNumbers>> numbers_;  // by layer and block
  std::vector<std::vector<Slot>> slots_;            // by layer
  std::vector<std::uint32_t> first_pattern_;        // by length from 1: of the slot that is being appended
  Batch<Real> batch_;
};

}  // namespace gckn
