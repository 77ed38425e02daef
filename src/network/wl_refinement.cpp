// SPDX-License-Identifier: BSD-3-Clause
#include "network/wl_refinement.h"

#include <algorithm>
#include <numeric>

#include "util/canonical_numbers.h"
#include "util/flat_map.h"
#include "util/parallel.h"

namespace gckn {

NodeColours first_colours(std::span<const std::uint32_t> colour_of_node, std::uint32_t num_colours) {
  std::vector<std::uint32_t> number(num_colours);
  for (const std::uint32_t c : colour_of_node) number[c] = 1;
  std::exclusive_scan(number.begin(), number.end(), number.begin(), 0U);
  NodeColours first;
  first.of_node.reserve(colour_of_node.size());
  for (const std::uint32_t c : colour_of_node) {
    first.of_node.push_back(number[c]);
    first.count = std::max(first.count, number[c] + 1);
  }
  return first;
}

NodeColours refine(const GraphSet& graphs, const NodeColours& colours, std::span<const std::uint32_t> arc_label,
                   const RunOptions& options) {
  constexpr std::size_t kTile = 4096;  // nodes
  const std::size_t n = graphs.num_nodes();
  // What a colour names, for all nodes in one array: the node's colour, then (edge label, colour) of its neighbours in
  // ascending order. Node u has its part where its arcs begin, moved by one place for every node before it.
  std::vector<std::uint64_t> signature(graphs.num_arcs() + n);
  const auto view = [&](std::size_t u) {
    return std::span<const std::uint64_t>(signature).subspan(graphs.arc_begin(u) + u,
                                                             1 + std::size_t{graphs.degree(u)});
  };
  std::vector<std::uint64_t> hash(n);
  parallel_tiles(n, kTile, options, "reading neighbourhoods", [&](std::size_t first, std::size_t last) {
    for (std::size_t u = first; u < last; ++u) {
      std::uint64_t* const begin = signature.data() + graphs.arc_begin(u) + u;
      std::uint64_t* out = begin;
      *out++ = colours.of_node[u];
      for (std::uint64_t a = graphs.arc_begin(u); a < graphs.arc_begin(u + 1); ++a) {
        const std::uint64_t label = arc_label.empty() ? 0 : arc_label[a];
        *out++ = label << 32 | colours.of_node[graphs.arcs()[a]];
      }
      std::sort(begin + 1, out);
      for (const std::uint64_t part : view(u)) hash[u] = mix_bits(hash[u] * 0x9e3779b97f4a7c15ULL + part + 1);
    }
  });
  NodeColours refined;
  refined.count = number_by_contents(
      hash, [&](std::uint32_t u, std::uint32_t v) { return std::ranges::equal(view(u), view(v)); },
      [&](std::uint32_t u, std::uint32_t v) { return std::ranges::lexicographical_compare(view(u), view(v)); }, options,
      "naming neighbourhoods", refined.of_node);
  return refined;
}

SparseRows<double> colour_histograms(const GraphSet& graphs, std::span<const NodeColours> rounds,
                                     const RunOptions& options) {
  constexpr std::size_t kTile = 64;  // graphs
  const std::size_t n = graphs.num_graphs();
  SparseRows<double> histograms;
  std::vector<std::vector<std::uint32_t>> sorted;  // by round: the colours of every graph's nodes in ascending order
  for (const NodeColours& round : rounds) {
    histograms.columns += round.count;
    sorted.push_back(round.of_node);
  }
  histograms.begin.assign(n + 1, 0);
  parallel_tiles(n, kTile, options, "counting colours", [&](std::size_t first, std::size_t last) {
    for (std::size_t g = first; g < last; ++g) {
      for (std::vector<std::uint32_t>& colour : sorted) {
        const auto nodes =
            std::span(colour).subspan(graphs.graph_begin(g), graphs.graph_begin(g + 1) - graphs.graph_begin(g));
        std::ranges::sort(nodes);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
          histograms.begin[g + 1] += i == 0 || nodes[i] != nodes[i - 1] ? 1 : 0;
        }
      }
    }
  });
  std::partial_sum(histograms.begin.begin(), histograms.begin.end(), histograms.begin.begin());
  histograms.index.resize(histograms.begin.back());
  histograms.weight.resize(histograms.begin.back());
  parallel_tiles(n, kTile, [&](std::size_t first, std::size_t last) {
    for (std::size_t g = first; g < last; ++g) {
      std::uint64_t end = histograms.begin[g];
      std::uint32_t first_column = 0;
      for (std::size_t r = 0; r < rounds.size(); ++r) {
        const std::uint64_t begin = end;
        for (std::uint32_t u = graphs.graph_begin(g); u < graphs.graph_begin(g + 1); ++u) {
          const std::uint32_t column = first_column + sorted[r][u];
          if (end == begin || histograms.index[end - 1] != column) histograms.index[end++] = column;
          histograms.weight[end - 1] += 1;
        }
        first_column += rounds[r].count;
      }
    }
  });
  return histograms;
}

}  // namespace gckn
