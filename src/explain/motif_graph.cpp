// SPDX-License-Identifier: BSD-3-Clause
#include "explain/motif_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <string_view>

#include "util/counted.h"

namespace gckn {

namespace {

bool is_letters(std::string_view name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); });
}

struct Constituent {
  std::int64_t value = 0;
  std::string name;  // empty: only the value
  std::size_t count = 0;
};

// The labels that a motif has.
std::vector<Constituent> constituents(const MotifGraph& motif, const GraphSet& graphs) {
  std::vector<Constituent> all(graphs.node_label_values().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].value = graphs.node_label_values()[i];
    if (!graphs.node_label_names().empty()) all[i].name = graphs.node_label_names()[i];
  }
  for (const std::uint32_t label : motif.node_labels) ++all[label].count;
  std::erase_if(all, [](const Constituent& one) { return one.count == 0; });
  // The values of words mean nothing; values without names are ascending already.
  std::ranges::stable_sort(all, {}, &Constituent::name);
  return all;
}

}  // namespace

MotifNeighbours::MotifNeighbours(const MotifGraph& motif) : begin_(motif.num_nodes() + 1) {
  for (const MotifGraph::Edge& edge : motif.edges) {
    ++begin_[edge.from + 1];
    ++begin_[edge.to + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  arcs_.resize(begin_.back());
  std::vector<std::size_t> at(begin_.begin(), begin_.end() - 1);
  // Edges are sorted: first the arcs to lower nodes, ascending, then those to higher ones.
  for (const MotifGraph::Edge& edge : motif.edges) arcs_[at[edge.to]++] = {edge.from, edge.label};
  for (const MotifGraph::Edge& edge : motif.edges) arcs_[at[edge.from]++] = {edge.to, edge.label};
}

const MotifNeighbours::Arc* MotifNeighbours::find(std::uint32_t u, std::uint32_t v) const {
  const std::span<const Arc> row = (*this)[u];
  const auto found = std::ranges::lower_bound(row, v, {}, &Arc::to);
  return found != row.end() && found->to == v ? &*found : nullptr;
}

std::uint32_t find_pieces(const MotifNeighbours& neighbours, std::size_t nodes, std::vector<std::uint32_t>& piece_of) {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  piece_of.assign(nodes, kNone);
  std::uint32_t pieces = 0;
  std::vector<std::uint32_t> open;
  for (std::uint32_t first = 0; first < nodes; ++first) {
    if (piece_of[first] != kNone) continue;
    piece_of[first] = pieces;
    open.push_back(first);
    while (!open.empty()) {
      const std::uint32_t u = open.back();
      open.pop_back();
      for (const MotifNeighbours::Arc& arc : neighbours[u]) {
        if (piece_of[arc.to] != kNone) continue;
        piece_of[arc.to] = pieces;
        open.push_back(arc.to);
      }
    }
    ++pieces;
  }
  return pieces;
}

MotifGraph cut_out(const GraphSet& graphs, std::size_t g, std::span<const std::uint32_t> nodes,
                   std::optional<std::span<const std::pair<std::uint32_t, std::uint32_t>>> edges) {
  const std::uint32_t begin = graphs.graph_begin(g);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> place_of;  // in the motif, by node of the graph
  std::vector<std::pair<std::uint32_t, std::uint32_t>> listed;
  if (edges) {
    for (const auto& [u, v] : *edges) listed.emplace_back(std::min(u, v), std::max(u, v));
    std::ranges::sort(listed);
  }
  MotifGraph motif;
  for (const std::uint32_t u : nodes) {
    assert(begin + u < graphs.graph_begin(g + 1));
    place_of.emplace_back(u, static_cast<std::uint32_t>(motif.num_nodes()));
    motif.node_labels.push_back(graphs.has_node_labels() ? graphs.node_labels()[begin + u] : 0);
  }
  std::ranges::sort(place_of);
  for (const auto& [u, here] : place_of) {
    for (std::uint64_t a = graphs.arc_begin(begin + u); a < graphs.arc_begin(begin + u + 1); ++a) {
      const std::uint32_t v = graphs.arcs()[a] - begin;
      if (v < u || (edges && !std::ranges::binary_search(listed, std::pair(u, v)))) continue;
      const auto found = std::ranges::lower_bound(place_of, v, {}, &std::pair<std::uint32_t, std::uint32_t>::first);
      if (found == place_of.end() || found->first != v) continue;
      const auto [from, to] = std::minmax(here, found->second);
      motif.edges.push_back({from, to, graphs.has_edge_labels() ? graphs.arc_labels()[a] : 0});
    }
  }
  std::ranges::sort(motif.edges);
  return motif;
}

std::string motif_name(const MotifGraph& motif, const GraphSet& graphs) {
  if (motif.num_nodes() == 0) return "nothing";
  std::string name;
  if (graphs.has_node_labels()) {
    const std::vector<Constituent> parts = constituents(motif, graphs);
    const bool is_formula = std::ranges::all_of(parts, [](const Constituent& part) { return is_letters(part.name); });
    for (const Constituent& part : parts) {
      if (!name.empty()) name += is_formula ? " " : ", ";
      if (is_formula) {
        name += fmt::format("{}{}", part.name, part.count);
      } else if (part.name.empty()) {
        name += fmt::format("{} of label {}", part.count, part.value);
      } else {
        name += fmt::format("{} {}", part.count, part.name);
      }
    }
  } else {
    name = counted(motif.num_nodes(), "node");
  }
  std::vector<std::uint32_t> piece_of;
  const std::uint32_t pieces = find_pieces(MotifNeighbours(motif), motif.num_nodes(), piece_of);
  const std::size_t rings = motif.edges.size() + pieces - motif.num_nodes();
  // In a dense one rings say nothing.
  const bool is_dense = motif.edges.size() > 2 * motif.num_nodes();
  if (is_dense) {
    name += fmt::format(", {}", counted(motif.edges.size(), "edge"));
  } else if (rings > 0) {
    name += fmt::format(", {}", counted(rings, "ring"));
  }
  if (pieces > 1) name += fmt::format(", in {} pieces", pieces);
  return name;
}

}  // namespace gckn
