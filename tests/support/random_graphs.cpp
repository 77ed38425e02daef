// SPDX-License-Identifier: BSD-3-Clause
#include "support/random_graphs.h"

#include <numeric>

#include "util/random.h"

namespace gckn {

GraphSetParts random_parts(const RandomGraphs& shape, std::uint64_t seed) {
  Random random(seed);
  GraphSetParts parts;
  parts.name = "random";
  std::uint32_t first = 0;
  for (std::uint32_t g = 0; g < shape.graphs; ++g) {
    const auto n = static_cast<std::uint32_t>(random.below(shape.most_nodes + std::uint64_t{1}));
    parts.graph_sizes.push_back(n);
    for (std::uint32_t u = 0; u < n; ++u) {
      if (shape.labels > 0) parts.node_labels.push_back(static_cast<std::int64_t>(random.below(shape.labels)));
      for (std::uint32_t k = 0; k < shape.attributes; ++k) {
        parts.node_attributes.push_back(2.0 * random.uniform() - 1.0);
      }
      for (std::uint32_t v = u + 1; v < n; ++v) {
        if (random.uniform() >= shape.density) continue;
        parts.edge_from.push_back(first + u);
        parts.edge_to.push_back(first + v);
        if (shape.edge_labels > 0) {
          parts.edge_labels.push_back(static_cast<std::int64_t>(random.below(shape.edge_labels)));
        }
      }
    }
    first += n;
  }
  parts.node_attribute_columns = shape.attributes;
  return parts;
}

GraphSet random_graphs(const RandomGraphs& shape, std::uint64_t seed) {
  return GraphSet(random_parts(shape, seed));
}

std::vector<std::uint32_t> shuffled_numbers(std::size_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  Random random(seed);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

GraphSetParts renumber_nodes(GraphSetParts parts, std::uint64_t seed) {
  Random random(seed);
  const std::uint32_t n = std::accumulate(parts.graph_sizes.begin(), parts.graph_sizes.end(), std::uint32_t{0});
  std::vector<std::uint32_t> to(n);
  std::iota(to.begin(), to.end(), 0U);
  std::uint32_t first = 0;
  for (const std::uint32_t size : parts.graph_sizes) {
    for (std::uint32_t i = size; i > 1; --i) std::swap(to[first + i - 1], to[first + random.below(i)]);
    first += size;
  }
  GraphSetParts renumbered = parts;
  for (std::uint32_t& u : renumbered.edge_from) u = to[u];
  for (std::uint32_t& u : renumbered.edge_to) u = to[u];
  for (std::uint32_t u = 0; u < n; ++u) {
    if (!parts.node_labels.empty()) renumbered.node_labels[to[u]] = parts.node_labels[u];
    for (std::size_t k = 0; k < parts.node_attribute_columns; ++k) {
      renumbered.node_attributes[to[u] * parts.node_attribute_columns + k] =
          parts.node_attributes[u * parts.node_attribute_columns + k];
    }
  }
  return renumbered;
}

GraphSet complete_graphs(const std::vector<std::uint32_t>& sizes) {
  GraphSetParts parts;
  parts.name = "complete";
  std::uint32_t first = 0;
  for (const std::uint32_t nodes : sizes) {
    parts.graph_sizes.push_back(nodes);
    for (std::uint32_t u = 0; u < nodes; ++u) {
      parts.node_labels.push_back(u % 2);
      for (std::uint32_t v = u + 1; v < nodes; ++v) {
        parts.edge_from.push_back(first + u);
        parts.edge_to.push_back(first + v);
      }
    }
    first += nodes;
  }
  return GraphSet(std::move(parts));
}

}  // namespace gckn
