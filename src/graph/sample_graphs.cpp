// SPDX-License-Identifier: BSD-3-Clause
#include "graph/sample_graphs.h"

#include <algorithm>
#include <bit>

#include "util/flat_map.h"
#include "util/parallel.h"

namespace gckn {
namespace {

std::uint64_t hash_of_graph(const GraphSet& graphs, std::size_t g, std::uint64_t seed) {
  const std::uint32_t begin = graphs.graph_begin(g);
  std::uint64_t hash = mix_bits(seed + 0x9e3779b97f4a7c15ULL);
  const auto add = [&](std::uint64_t value) { hash = mix_bits(hash * 0x9e3779b97f4a7c15ULL + value); };
  const std::size_t columns = graphs.node_attribute_columns();
  for (std::uint32_t u = begin; u < graphs.graph_begin(g + 1); ++u) {
    add(graphs.degree(u));
    if (graphs.has_node_labels()) {
      add(static_cast<std::uint64_t>(graphs.node_label_values()[graphs.node_labels()[u]]));
    }
    for (std::size_t k = 0; k < columns; ++k) {
      add(std::bit_cast<std::uint64_t>(graphs.node_attributes()[u * columns + k] + 0.0));
    }
    for (std::uint64_t a = graphs.arc_begin(u); a < graphs.arc_begin(u + 1); ++a) {
      add(graphs.arcs()[a] - begin);
      if (graphs.has_edge_labels()) {
        add(static_cast<std::uint64_t>(graphs.edge_label_values()[graphs.arc_labels()[a]]));
      }
    }
  }
  return hash;
}

}  // namespace

std::vector<std::uint32_t> sample_graphs(const GraphSet& graphs, std::uint64_t max_nodes, std::uint64_t seed,
                                         std::span<const char> among) {
  std::vector<std::uint32_t> members;
  std::uint64_t all_nodes = 0;
  for (std::uint32_t g = 0; g < graphs.num_graphs(); ++g) {
    if (!among.empty() && among[g] == 0) continue;
    members.push_back(g);
    all_nodes += graphs.graph_begin(g + 1) - graphs.graph_begin(g);
  }
  if (max_nodes == 0 || all_nodes <= max_nodes) return members;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order(members.size());
  parallel_tiles(members.size(), 1024, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) order[i] = {hash_of_graph(graphs, members[i], seed), members[i]};
  });
  std::ranges::sort(order);
  // The n-th copy of a graph has a hash of its own.
  std::uint64_t copies = 0;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint64_t hash = order[i].first;
    copies = i > 0 && hash == before ? copies + 1 : 0;
    before = hash;
    order[i].first = mix_bits(hash + copies * 0x9e3779b97f4a7c15ULL);
  }
  std::ranges::sort(order);
  members.clear();
  std::uint64_t nodes = 0;
  for (std::size_t i = 0; i < order.size() && nodes < max_nodes; ++i) {
    const std::uint32_t g = order[i].second;
    members.push_back(g);
    nodes += graphs.graph_begin(g + 1) - graphs.graph_begin(g);
  }
  std::ranges::sort(members);
  return members;
}

}  // namespace gckn
