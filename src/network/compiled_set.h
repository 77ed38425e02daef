// SPDX-License-Identifier: BSD-3-Clause
// Graphs ready to be evaluated: encoded as a network's input, and the patterns of all its layers. Neither depends on
// sigma, the number of filters, anchors or poolings of the same sort, nor on which graphs are learnt from, so that a
// search shares them (PatternStore). The graph set itself is not needed any more.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gckn/network.h"
#include "graph/graph_range.h"
#include "network/encoding.h"
#include "network/layer_plan.h"
#include "pattern/class_graph.h"
#include "pattern/patterns.h"

namespace gckn {

// Some consecutive graphs of a set, as they come or in another order.
struct EncodedSet {
  std::shared_ptr<const ClassGraph> graph;
  Colouring colours;                 // of the classes
  InputColours input;                // what they stand for
  std::vector<std::uint32_t> order;  // the graph at every place, counted from the first; empty: as they come
};
EncodedSet encode(const GraphSet& graphs, GraphRange range, const InputEncoding& encoding);

// All graphs of a set in the order of what they contain, which is the same wherever they stand in a file. All that is
// drawn from them, added up or numbered then is the same, too, to the bit: what fitting needs. Which of two equal
// graphs comes first is of no consequence.
EncodedSet encode_by_contents(const GraphSet& graphs, const InputEncoding& encoding);

// The patterns of a layer, by input block.
using LayerPatterns = std::vector<Patterns>;

struct CompiledSet {
  std::shared_ptr<const EncodedSet> set;
  std::vector<std::shared_ptr<const LayerPatterns>> layers;

  [[nodiscard]] const ClassGraph& graph() const { return *set->graph; }
};

// Keeps the patterns of networks that begin with the same layer, and forgets them when another comes: order a search so
// that equal first layers follow each other. For one EncodedSet; not for several threads at once.
class PatternStore {
 public:
  // The patterns that `key` stands for, from `compile` if they are not there yet.
  template <typename Compile>
  const std::shared_ptr<const LayerPatterns>& get(const std::string& first_layer, const std::string& key,
                                                  const Compile& compile) {
    if (first_layer_ != first_layer) {
      first_layer_ = first_layer;
      patterns_.clear();
    }
    std::shared_ptr<const LayerPatterns>& stored = patterns_[key];
    if (!stored) stored = compile();
    return stored;
  }

 private:
  std::string first_layer_;
  std::map<std::string, std::shared_ptr<const LayerPatterns>> patterns_;
};

// How a layer's patterns are read.
CompileRequest compile_request(const LayerConfig& layer, const LayerPlan& plan, const InputEncoding& encoding);

// Compiles all layers, for graph vectors with masks or without, or those up to `last` whose rows by node are wanted.
// Throws LimitError before the work where a layer has more than options.max_paths paths.
CompiledSet compile_layers(std::shared_ptr<const EncodedSet> set, const NetworkConfig& config,
                           const InputEncoding& encoding, const RunOptions& options, PatternStore* store = nullptr,
                           std::uint64_t most_entries = CompileRequest{}.most_entries);
CompiledSet compile_for_masks(std::shared_ptr<const EncodedSet> set, const NetworkConfig& config,
                              const InputEncoding& encoding, const RunOptions& options);
CompiledSet compile_up_to(std::shared_ptr<const EncodedSet> set, const NetworkConfig& config, std::size_t last,
                          const InputEncoding& encoding, const RunOptions& options);

// What two networks must have in common to share the input's encoding, and the patterns of their first layer.
std::string input_key(const NetworkConfig& config);
std::string first_layer_key(const NetworkConfig& config);

}  // namespace gckn
