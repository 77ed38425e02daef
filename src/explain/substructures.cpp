// SPDX-License-Identifier: BSD-3-Clause
#include "explain/substructures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gckn {
namespace {

// The place of edge (u, v) in a sorted list that has it.
std::size_t edge_number(const EdgeList& edges, std::uint32_t u, std::uint32_t v) {
  const std::pair<std::uint32_t, std::uint32_t> edge = std::minmax(u, v);
  return static_cast<std::size_t>(std::ranges::lower_bound(edges, edge) - edges.begin());
}

// Where scores, of which one is positive, part best (Otsu 1979): in the middle of the gap with the largest variance
// between its sides. Scores below 0 count as 0, and so does a node that is not there, against which scores that are
// equal but for rounding are on one side.
double natural_break(std::span<const double> scores) {
  std::vector<double> sorted{0.0};
  for (const double score : scores) sorted.push_back(std::max(score, 0.0));
  std::ranges::sort(sorted);
  const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  double below = 0;
  double most = 0;
  double best = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    below += sorted[i - 1];
    if (sorted[i] == sorted[i - 1]) continue;
    const auto lower = static_cast<double>(i);
    const auto upper = static_cast<double>(sorted.size() - i);
    const double apart = (sum - below) / upper - below / lower;
    const double between = lower * upper * apart * apart;
    if (between > most) {
      most = between;
      best = std::midpoint(sorted[i - 1], sorted[i]);
    }
  }
  return best;
}

// Connected parts of the selected nodes, joined by the selected edges (both ends of which are selected), in the order
// of their lowest nodes.
std::vector<Substructure> connected_parts(const std::vector<char>& has_node, const std::vector<char>& has_edge,
                                          const EdgeList& edges) {
  std::vector<std::uint32_t> root(has_node.size());
  std::iota(root.begin(), root.end(), 0U);
  const auto find = [&](std::uint32_t u) {
    while (root[u] != u) u = root[u] = root[root[u]];
    return u;
  };
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (has_edge[e] == 0) continue;
    const std::uint32_t u = find(edges[e].first);
    const std::uint32_t v = find(edges[e].second);
    root[std::max(u, v)] = std::min(u, v);
  }
  std::vector<Substructure> parts;
  std::vector<std::size_t> part_of_root(has_node.size());
  for (std::uint32_t u = 0; u < has_node.size(); ++u) {
    if (has_node[u] == 0) continue;
    if (find(u) == u) {
      part_of_root[u] = parts.size();
      parts.emplace_back();
    }
    parts[part_of_root[find(u)]].nodes.push_back(u);
  }
  for (std::uint32_t e = 0; e < edges.size(); ++e) {
    if (has_edge[e] != 0) parts[part_of_root[find(edges[e].first)]].edges.push_back(e);
  }
  return parts;
}

double sum_of_scores(const Substructure& part, const std::vector<double>& node_scores) {
  double sum = 0;
  for (const std::uint32_t u : part.nodes) sum += node_scores[u];
  return sum;
}

}  // namespace

void spread_shares(const std::vector<MaskedPaths>& paths, std::size_t layer, std::span<const double> of_variable,
                   const EdgeList& edges, Explanation& to) {
  for (const MaskedPaths& listed : paths) {
    if (listed.layer != layer) continue;
    for (std::size_t p = 0; p < listed.size(); ++p) {
      const auto path = listed.path(p);
      const double share = of_variable[listed.variable[p]];
      for (const std::uint32_t u : path) to.node_scores[u] += share / static_cast<double>(path.size());
      for (std::size_t t = 1; t < path.size(); ++t) {
        to.edge_scores[edge_number(edges, path[t - 1], path[t])] += share / static_cast<double>(path.size() - 1);
      }
    }
  }
}

void gather_masks(const std::vector<MaskedPaths>& paths, std::span<const double> of_variable, double selected,
                  const EdgeList& edges, Explanation& to) {
  std::vector<char> has_node(to.node_scores.size()), has_edge(edges.size());
  for (const MaskedPaths& listed : paths) {
    for (std::size_t p = 0; p < listed.size(); ++p) {
      const double weight = of_variable[listed.variable[p]];
      if (weight <= selected) continue;
      const auto path = listed.path(p);
      for (const std::uint32_t u : path) {
        to.node_scores[u] += weight;
        has_node[u] = 1;
      }
      for (std::size_t t = 1; t < path.size(); ++t) {
        const std::size_t e = edge_number(edges, path[t - 1], path[t]);
        to.edge_scores[e] += weight;
        has_edge[e] = 1;
      }
    }
  }
  to.parts = connected_parts(has_node, has_edge, edges);
  std::ranges::stable_sort(to.parts, [&](const Substructure& x, const Substructure& y) {
    if (x.nodes.size() != y.nodes.size()) return x.nodes.size() > y.nodes.size();
    return sum_of_scores(x, to.node_scores) > sum_of_scores(y, to.node_scores);
  });
}

void select_by_share(std::optional<double> share, const EdgeList& edges, Explanation& to) {
  const std::vector<double> carried = to.carrying_scores();
  const double largest = carried.empty() ? 0.0 : std::ranges::max(carried);
  to.parts.clear();
  if (!(largest > 0)) return;
  const double least = share ? *share * largest : natural_break(carried);
  std::vector<char> has_node(carried.size()), has_edge(edges.size());
  for (std::size_t u = 0; u < has_node.size(); ++u) has_node[u] = static_cast<char>(carried[u] > least);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    has_edge[e] = static_cast<char>(has_node[edges[e].first] != 0 && has_node[edges[e].second] != 0);
  }
  to.parts = connected_parts(has_node, has_edge, edges);
  std::ranges::stable_sort(to.parts, [&](const Substructure& x, const Substructure& y) {
    return sum_of_scores(x, carried) > sum_of_scores(y, carried);
  });
}

void add_paths(const std::vector<MaskedPaths>& paths, std::span<const double> of_variable,
               std::optional<std::size_t> only_layer, std::vector<ExplainedPath>& to) {
  for (const MaskedPaths& of_length : paths) {
    if (only_layer && of_length.layer != *only_layer) continue;
    for (std::size_t p = 0; p < of_length.size(); ++p) {
      const double value = of_variable[of_length.variable[p]];
      const auto path = of_length.path(p);
      if (value != 0) {
        to.push_back({static_cast<std::uint32_t>(of_length.layer), {path.begin(), path.end()}, value});
      }
    }
  }
  std::ranges::stable_sort(to, std::ranges::greater{}, [](const auto& path) { return std::abs(path.value); });
}

}  // namespace gckn
