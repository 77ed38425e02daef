// SPDX-License-Identifier: BSD-3-Clause
// Motifs: small labelled graphs, cut out of the graphs of a set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gckn/graph_set.h"

namespace gckn {

struct MotifGraph {
  struct Edge {
    std::uint32_t from = 0, to = 0;  // from < to
    std::uint32_t label = 0;

    bool operator==(const Edge&) const = default;
    auto operator<=>(const Edge& other) const {
      return std::tie(from, to, label) <=> std::tie(other.from, other.to, other.label);
    }
  };

  // Labels are indices into the values of the set it was cut out of, 0 for all where the set has none.
  std::vector<std::uint32_t> node_labels;
  std::vector<Edge> edges;  // sorted, none twice

  [[nodiscard]] std::size_t num_nodes() const { return node_labels.size(); }
};

// The given nodes of graph g, numbered within the graph, none twice: node i of the motif is nodes[i]. Of the graph's
// edges among them those that are listed, in either direction; without a list all.
MotifGraph cut_out(const GraphSet& graphs, std::size_t g, std::span<const std::uint32_t> nodes,
                   std::optional<std::span<const std::pair<std::uint32_t, std::uint32_t>>> edges = std::nullopt);

// What a motif consists of, for people: "C6, 1 ring"; "C10 N1 O2". Names that are not made of letters alone stand
// behind their number: "5 CH aromatic, 1 N+, 1 ring". Labels come in the order of their names or, without names, of
// their values; rings are those that are independent of each other: edges - nodes + pieces.
std::string motif_name(const MotifGraph& motif, const GraphSet& graphs);

// The neighbours of a motif's nodes.
class MotifNeighbours {
 public:
  struct Arc {
    std::uint32_t to = 0, label = 0;
  };

  explicit MotifNeighbours(const MotifGraph& motif);

  // Ascending.
  [[nodiscard]] std::span<const Arc> operator[](std::size_t u) const {
    return {arcs_.data() + begin_[u], begin_[u + 1] - begin_[u]};
  }
  // The arc from u to v, or null.
  [[nodiscard]] const Arc* find(std::uint32_t u, std::uint32_t v) const;

 private:
  std::vector<std::size_t> begin_;
  std::vector<Arc> arcs_;
};

// By node the number of its piece (connected component); pieces are numbered by their first nodes. Returns how many
// there are.
std::uint32_t find_pieces(const MotifNeighbours& neighbours, std::size_t nodes, std::vector<std::uint32_t>& piece_of);

}  // namespace gckn
