// SPDX-License-Identifier: BSD-3-Clause
#include "network/compiled_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "util/canonical_numbers.h"
#include "util/flat_map.h"
#include "util/parallel.h"

namespace gckn {
namespace {

std::string layer_key(const LayerConfig& layer) {
  return fmt::format("{}:{}:{:03};", to_string(layer.kind), layer.all_lengths, layer.path_length);
}

CompiledSet compile(std::shared_ptr<const EncodedSet> set, const NetworkConfig& config, std::size_t num_layers,
                    Wanted wanted, const InputEncoding& encoding, const RunOptions& options, PatternStore* store,
                    std::uint64_t most_entries) {
  CompiledSet compiled{std::move(set), {}};
  std::vector<Colouring> blocks{compiled.set->colours};
  std::string key;
  for (std::size_t j = 0; j < num_layers; ++j) {
    const bool is_between = wanted == Wanted::node_rows && j + 1 < num_layers;
    const LayerPlan plan = plan_layer(config, j, encoding, is_between ? Wanted::graph_vectors : wanted);
    CompileRequest request = compile_request(config.layers[j], plan, encoding);
    request.most_entries = most_entries;
    const auto compile_blocks = [&] {
      const RunOptions layer_options = with_prefix(options, fmt::format("layer {}: ", j + 1));
      report_progress(layer_options, "reading patterns", 0, 1);
      auto fresh = std::make_shared<LayerPatterns>();
      for (const Colouring& block : blocks) {
        fresh->push_back(compile_patterns(compiled.graph(), block, request, layer_options));
      }
      return fresh;
    };
    if (store == nullptr) {
      compiled.layers.push_back(compile_blocks());
    } else {
      key += layer_key(config.layers[j]);
      compiled.layers.push_back(
          store->get(first_layer_key(config), key + (plan.by_histogram ? "graphs" : "states"), compile_blocks));
    }
    blocks.clear();
    for (const Patterns& block : *compiled.layers.back()) {
      blocks.insert(blocks.end(), block.colouring.begin(), block.colouring.end());
    }
  }
  return compiled;
}

// What a network sees of each graph, to be told apart and put in order.
class GraphContents {
 public:
  explicit GraphContents(const EncodedSet& set) : graph_(*set.graph), colour_hash_(*set.colours.hash) {}

  [[nodiscard]] std::uint64_t hash(std::size_t g) const {
    std::uint64_t hash = 0;
    const auto add = [&](std::uint64_t value) { hash = mix_bits(hash * 0x9e3779b97f4a7c15ULL + value); };
    const std::uint32_t begin = graph_.graph_begin[g];
    for (std::uint32_t c = begin; c < graph_.graph_begin[g + 1]; ++c) {
      add(graph_.size[c]);
      add(colour_hash_[graph_.colour[c]]);
      add(graph_.arc_begin[c + 1] - graph_.arc_begin[c]);
      for (std::uint64_t a = graph_.arc_begin[c]; a < graph_.arc_begin[c + 1]; ++a) {
        add(graph_.arc_to[a] - begin);
        if (!graph_.arc_label.empty()) add(graph_.arc_label[a]);
      }
    }
    return hash;
  }

  // Negative, zero or positive, as for numbers g and h of graphs that stand in order.
  [[nodiscard]] int compare(std::uint32_t g, std::uint32_t h) const {
    const std::uint32_t g_begin = graph_.graph_begin[g];
    const std::uint32_t h_begin = graph_.graph_begin[h];
    const std::uint32_t count = graph_.graph_begin[g + 1] - g_begin;
    const std::uint32_t h_count = graph_.graph_begin[h + 1] - h_begin;
    if (count != h_count) return count < h_count ? -1 : 1;
    for (std::uint32_t c = 0; c < count; ++c) {
      const int result = compare_classes(g_begin + c, g_begin, h_begin + c, h_begin);
      if (result != 0) return result;
    }
    return 0;
  }

 private:
  static int sign(std::uint64_t x, std::uint64_t y) { return x == y ? 0 : x < y ? -1 : 1; }

  // Classes c and d, arcs counted from the classes that their graphs begin with.
  [[nodiscard]] int compare_classes(std::uint32_t c, std::uint32_t c_begin, std::uint32_t d,
                                    std::uint32_t d_begin) const {
    if (const int result = sign(graph_.size[c], graph_.size[d]); result != 0) return result;
    if (const int result = sign(graph_.colour[c], graph_.colour[d]); result != 0) return result;
    std::uint64_t a = graph_.arc_begin[c];
    std::uint64_t b = graph_.arc_begin[d];
    const std::uint64_t arcs = graph_.arc_begin[c + 1] - a;
    if (const int result = sign(arcs, graph_.arc_begin[d + 1] - b); result != 0) return result;
    for (std::uint64_t i = 0; i < arcs; ++i, ++a, ++b) {
      if (const int result = sign(graph_.arc_to[a] - c_begin, graph_.arc_to[b] - d_begin); result != 0) return result;
      if (graph_.arc_label.empty()) continue;
      if (const int result = sign(graph_.arc_label[a], graph_.arc_label[b]); result != 0) return result;
    }
    return 0;
  }

  const ClassGraph& graph_;
  const std::vector<std::uint64_t>& colour_hash_;
};

std::vector<std::uint32_t> order_by_contents(const EncodedSet& set) {
  const std::size_t n = set.graph->num_graphs();
  const GraphContents contents(set);
  std::vector<std::uint64_t> hash(n);
  parallel_tiles(n, 256, [&](std::size_t first, std::size_t last) {
    for (std::size_t g = first; g < last; ++g) hash[g] = contents.hash(g);
  });
  std::vector<std::uint32_t> number;
  number_by_contents(
      hash, [&](std::uint32_t g, std::uint32_t h) { return contents.compare(g, h) == 0; },
      [&](std::uint32_t g, std::uint32_t h) { return contents.compare(g, h) < 0; }, RunOptions{}, "", number);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t g) { return number[g]; });
  return order;
}

}  // namespace

EncodedSet encode_by_contents(const GraphSet& graphs, const InputEncoding& encoding) {
  EncodedSet set = encode(graphs, {0, graphs.num_graphs()}, encoding);
  set.order = order_by_contents(set);
  set.graph = std::make_shared<const ClassGraph>(select_graphs(*set.graph, set.order));
  set.colours.of_class = std::make_shared<const std::vector<std::uint32_t>>(set.graph->colour);
  return set;
}

EncodedSet encode(const GraphSet& graphs, GraphRange range, const InputEncoding& encoding) {
  EncodedNodes nodes = encode_nodes(graphs, range, encoding);
  EncodedSet set;
  set.graph =
      std::make_shared<const ClassGraph>(make_class_graph(graphs, range, nodes.colour_of_node, nodes.arc_label));
  set.colours = {nodes.colours.count, std::make_shared<const std::vector<std::uint32_t>>(set.graph->colour),
                 std::make_shared<const std::vector<std::uint64_t>>(nodes.colours.hash), nodes.colours.one_hot};
  set.input = std::move(nodes.colours);
  return set;
}

CompileRequest compile_request(const LayerConfig& layer, const LayerPlan& plan, const InputEncoding& encoding) {
  CompileRequest request;
  request.kind = layer.kind;
  request.vertices = layer.path_length + 1;
  request.all_lengths = layer.all_lengths;
  request.edge_labels = encoding.uses_edge_labels && layer.path_length > 0;
  request.num_edge_labels = static_cast<std::uint32_t>(encoding.edge_labels.size() + 1);
  request.states = !plan.by_histogram;
  request.histograms = plan.by_histogram;
  return request;
}

CompiledSet compile_layers(std::shared_ptr<const EncodedSet> set, const NetworkConfig& config,
                           const InputEncoding& encoding, const RunOptions& options, PatternStore* store,
                           std::uint64_t most_entries) {
  return compile(std::move(set), config, config.layers.size(), Wanted::graph_vectors, encoding, options, store,
                 most_entries);
}

CompiledSet compile_for_masks(std::shared_ptr<const EncodedSet> set, const NetworkConfig& config,
                              const InputEncoding& encoding, const RunOptions& options) {
  return compile(std::move(set), config, config.layers.size(), Wanted::masks, encoding, options, nullptr,
                 CompileRequest{}.most_entries);
}

CompiledSet compile_up_to(std::shared_ptr<const EncodedSet> set, const NetworkConfig& config, std::size_t last,
                          const InputEncoding& encoding, const RunOptions& options) {
  return compile(std::move(set), config, last + 1, Wanted::node_rows, encoding, options, nullptr,
                 CompileRequest{}.most_entries);
}

std::string input_key(const NetworkConfig& config) {
  return fmt::format("{}:{}:{};", features_word(config.features, config.attributes), config.unit_attributes,
                     static_cast<int>(config.edge_labels));
}

std::string first_layer_key(const NetworkConfig& config) {
  return input_key(config) + (config.layers.empty() ? "" : layer_key(config.layers.front()));
}

}  // namespace gckn
