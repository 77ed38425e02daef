// SPDX-License-Identifier: BSD-3-Clause
#include "pattern/class_graph.h"

#include <algorithm>
#include <numeric>

#include "util/flat_map.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// Looking for twins pays for itself where a graph has this many paths of three vertices per node: dense graphs, and
// sparse ones with a hub.
constexpr std::uint64_t kManyPaths = 32;

// Finds the twins of one graph at a time.
struct TwinFinder {
  const GraphSet& graphs;
  std::uint32_t first_node;  // from which colours are counted
  std::uint64_t first_arc;   // from which labels are counted
  std::span<const std::uint32_t> colours;
  std::span<const std::uint32_t> labels;  // by arc, or empty

  [[nodiscard]] std::uint32_t colour(std::uint32_t u) const { return colours[u - first_node]; }
  [[nodiscard]] std::uint32_t label(std::uint64_t a) const { return labels[a - first_arc]; }

  [[nodiscard]] std::uint64_t arc_hash(std::uint64_t arc) const {
    const std::uint64_t to = graphs.arcs()[arc];
    return mix_bits(to + 1);
  }

  // Whether u and v may be exchanged: same colour, and the same labelled neighbours apart from each other.
  [[nodiscard]] bool twins(std::uint32_t u, std::uint32_t v) const {
    if (colour(u) != colour(v) || graphs.degree(u) != graphs.degree(v)) return false;
    std::uint64_t i = graphs.arc_begin(u);
    std::uint64_t j = graphs.arc_begin(v);
    const std::uint64_t i_end = graphs.arc_begin(u + 1);
    const std::uint64_t j_end = graphs.arc_begin(v + 1);
    while (true) {
      if (i < i_end && graphs.arcs()[i] == v) ++i;
      if (j < j_end && graphs.arcs()[j] == u) ++j;
      if (i == i_end || j == j_end) return i == i_end && j == j_end;
      if (graphs.arcs()[i] != graphs.arcs()[j]) return false;
      if (!labels.empty() && label(i) != label(j)) return false;
      ++i;
      ++j;
    }
  }

  // Maps every node of the graph to the first node of its class; open twins first, closed twins among the rest.
  // (A node cannot have both kinds: an open twin of u that is adjacent to a closed twin of u is adjacent to u.)
  void find(std::uint32_t begin, std::uint32_t end, std::vector<std::uint32_t>& leader) const {
    const std::uint32_t n = end - begin;
    leader.resize(n);
    std::iota(leader.begin(), leader.end(), begin);
    std::vector<std::uint64_t> open(n);
    for (std::uint32_t u = begin; u < end; ++u) {
      std::uint64_t hash = mix_bits(colour(u) + 0x9e3779b97f4a7c15ULL);
      for (std::uint64_t a = graphs.arc_begin(u); a < graphs.arc_begin(u + 1); ++a) hash += arc_hash(a);
      open[u - begin] = hash;
    }
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
    order.reserve(n);
    for (const bool closed : {false, true}) {
      order.clear();
      for (std::uint32_t u = begin; u < end; ++u) {
        order.emplace_back(open[u - begin] + (closed ? mix_bits(std::uint64_t{u} + 1) : 0), u);
      }
      std::sort(order.begin(), order.end());
      for (std::size_t i = 0; i < order.size();) {
        std::size_t j = i + 1;
        while (j < order.size() && order[j].first == order[i].first) ++j;
        // Hashes may collide, so every node is compared with the leaders of its run.
        for (std::size_t b = i + 1; b < j; ++b) {
          const std::uint32_t v = order[b].second;
          if (leader[v - begin] != v) continue;
          for (std::size_t a = i; a < b; ++a) {
            const std::uint32_t u = order[a].second;
            if (leader[u - begin] == u && twins(u, v)) {
              leader[v - begin] = u;
              break;
            }
          }
        }
        i = j;
      }
    }
  }
};

}  // namespace

std::vector<std::uint32_t> ClassGraph::chunks() const {
  constexpr std::uint64_t kWork = std::uint64_t{1} << 13;  // classes and arcs per chunk, at least
  constexpr std::uint64_t kMost = 64;
  const std::uint64_t total = num_classes() + arc_to.size();
  const std::uint64_t per_chunk = std::max(kWork, (total + kMost - 1) / kMost);
  std::vector<std::uint32_t> ends{0};
  std::uint64_t begin_work = 0;
  for (std::size_t g = 0; g < num_graphs(); ++g) {
    const std::uint64_t work = graph_begin[g + 1] + arc_begin[graph_begin[g + 1]];
    if (work - begin_work >= per_chunk || g + 1 == num_graphs()) {
      ends.push_back(static_cast<std::uint32_t>(g + 1));
      begin_work = work;
    }
  }
  return ends;
}

ClassGraph make_class_graph(const GraphSet& graphs, GraphRange range, std::span<const std::uint32_t> colour_of_node,
                            std::span<const std::uint32_t> arc_label) {
  const std::uint32_t first_node = graphs.graph_begin(range.first);
  const std::uint32_t last_node = graphs.graph_begin(range.last);
  const std::uint64_t first_arc = graphs.arc_begin(first_node);
  ClassGraph result;
  result.graph_begin.assign(range.size() + 1, 0);
  result.class_of_node.resize(last_node - first_node);

  // Leader of every node: the first node of its class.
  std::vector<std::uint32_t> leader(last_node - first_node);
  const TwinFinder finder{graphs, first_node, first_arc, colour_of_node, arc_label};
  parallel_tiles(range.size(), 64, [&](std::size_t first, std::size_t last) {
    std::vector<std::uint32_t> local;
    for (std::size_t g = range.first + first; g < range.first + last; ++g) {
      const std::uint32_t begin = graphs.graph_begin(g);
      const std::uint32_t end = graphs.graph_begin(g + 1);
      std::uint64_t paths = 0;  // walks, to be exact
      for (std::uint32_t u = begin; u < end; ++u) paths += std::uint64_t{graphs.degree(u)} * graphs.degree(u);
      const auto leader_of_first = leader.begin() + (begin - first_node);
      if (paths > kManyPaths * (end - begin)) {
        finder.find(begin, end, local);
        std::copy(local.begin(), local.end(), leader_of_first);
      } else {
        std::iota(leader_of_first, leader_of_first + (end - begin), begin);
      }
    }
  });

  std::uint32_t classes = 0;
  for (std::size_t g = range.first; g < range.last; ++g) {
    for (std::uint32_t u = graphs.graph_begin(g); u < graphs.graph_begin(g + 1); ++u) {
      const std::uint32_t i = u - first_node;
      if (leader[i] == u) {
        result.class_of_node[i] = classes++;
        result.size.push_back(1);
        result.degree.push_back(graphs.degree(u));
        result.colour.push_back(colour_of_node[i]);
      } else {
        result.class_of_node[i] = result.class_of_node[leader[i] - first_node];
        ++result.size[result.class_of_node[i]];
      }
    }
    result.graph_begin[g - range.first + 1] = classes;
  }

  // Arcs of a class: those of its leader, to the first node met of every class.
  result.arc_begin.reserve(classes + std::size_t{1});
  result.arc_begin.push_back(0);
  result.arc_to.reserve(graphs.arc_begin(last_node) - first_arc);
  if (!arc_label.empty()) result.arc_label.reserve(arc_label.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> row;  // class, arc label
  for (std::uint32_t u = first_node; u < last_node; ++u) {
    if (leader[u - first_node] != u) continue;
    row.clear();
    for (std::uint64_t a = graphs.arc_begin(u); a < graphs.arc_begin(u + 1); ++a) {
      row.emplace_back(result.class_of_node[graphs.arcs()[a] - first_node],
                       arc_label.empty() ? 0 : arc_label[a - first_arc]);
    }
    if (!std::is_sorted(row.begin(), row.end())) std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const auto& [to, edge] : row) {
      result.arc_to.push_back(to);
      if (!arc_label.empty()) result.arc_label.push_back(edge);
    }
    result.arc_begin.push_back(result.arc_to.size());
  }
  return result;
}

ClassGraph select_graphs(const ClassGraph& whole, std::span<const std::uint32_t> selected) {
  ClassGraph part;
  part.graph_begin.reserve(selected.size() + 1);
  part.graph_begin.push_back(0);
  part.arc_begin.push_back(0);
  const auto append = [](auto& to, const auto& from, std::uint64_t begin, std::uint64_t end) {
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
              from.begin() + static_cast<std::ptrdiff_t>(end));
  };
  for (const std::uint32_t g : selected) {
    const std::uint32_t begin = whole.graph_begin[g];
    const std::uint32_t end = whole.graph_begin[g + 1];
    const std::uint32_t shift = part.graph_begin.back() - begin;  // modulo 2^32
    append(part.size, whole.size, begin, end);
    append(part.degree, whole.degree, begin, end);
    append(part.colour, whole.colour, begin, end);
    const std::uint64_t first_arc = whole.arc_begin[begin];
    const std::uint64_t last_arc = whole.arc_begin[end];
    for (std::uint32_t c = begin; c < end; ++c) {
      part.arc_begin.push_back(part.arc_to.size() + (whole.arc_begin[c + 1] - first_arc));
    }
    for (std::uint64_t a = first_arc; a < last_arc; ++a) part.arc_to.push_back(whole.arc_to[a] + shift);
    if (!whole.arc_label.empty()) append(part.arc_label, whole.arc_label, first_arc, last_arc);
    // The nodes of a graph are those up to the first with a class of a later one.
    const auto first_node = std::ranges::partition_point(whole.class_of_node, [&](auto c) { return c < begin; });
    const auto last_node = std::partition_point(first_node, whole.class_of_node.end(), [&](auto c) { return c < end; });
    for (auto node = first_node; node != last_node; ++node) part.class_of_node.push_back(*node + shift);
    part.graph_begin.push_back(end + shift);
  }
  return part;
}

}  // namespace gckn
