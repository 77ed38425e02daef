// SPDX-License-Identifier: BSD-3-Clause
// From listed edges, in any order and any direction, to sorted symmetric neighbour lists.
//
// Listings are grouped by source (counting sort), each row is sorted where it is not sorted already and freed of
// self-loops and repetitions, and arcs whose reverse was not listed get one. No edge leaves its graph, so all but the
// grouping runs in parallel over runs of graphs. Labels and attributes stay with the listings; an arc only remembers
// the listing it came from (`origin`), and that only where there are any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gckn/graph_set.h"

namespace gckn {

class ArcBuilder {
 public:
  // Takes edge_from and edge_to out of `parts` and reads the rest of it; both arguments must outlive the builder.
  ArcBuilder(GraphSetParts& parts, std::span<const std::uint32_t> graph_begin);

  // Throws InputError for an edge that leaves its graph or is listed twice with different labels or attributes.
  void build();

  MergeCounts merge_counts;
  std::vector<std::uint64_t> arc_begin;
  std::vector<std::uint32_t> neighbours;
  std::vector<std::int64_t> arc_labels;  // values, one per arc, where the listings have labels
  std::vector<double> arc_attributes;    // arcs x columns

 private:
  // A run of graphs handled by one task, and what the task found.
  struct Tile {
    std::size_t first_graph = 0;
    std::size_t last_graph = 0;  // one past
    std::uint32_t first_node = 0;
    std::uint32_t last_node = 0;  // one past
    MergeCounts counts;
    std::vector<std::uint32_t> missing_row;  // arcs to add: row -> to, in ascending order of `to`
    std::vector<std::uint32_t> missing_to;
    std::vector<std::uint64_t> missing_origin;  // parallel to missing_to, where needed
  };

  void group_by_source();
  void cut_into_tiles();
  void merge_rows(Tile& tile);
  void find_missing(Tile& tile);
  void fill(const Tile& tile);

  [[nodiscard]] bool has_labels() const { return !parts_.edge_labels.empty(); }
  [[nodiscard]] bool has_attributes() const { return !parts_.edge_attributes.empty(); }
  [[nodiscard]] bool needs_origin() const { return has_labels() || has_attributes(); }
  [[nodiscard]] std::string place_of(std::uint64_t listing) const;
  void require_same_label(std::uint64_t listing, std::uint64_t other) const;
  void require_same_attributes(std::uint64_t listing, std::uint64_t other) const;
  void set_arc(std::uint64_t arc, std::uint32_t to, std::uint64_t origin);

  GraphSetParts& parts_;
  std::span<const std::uint32_t> graph_begin_;
  std::size_t num_nodes_;
  std::vector<Tile> tiles_;

  // Row u is row_to_[row_begin_[u]] and on: all its listings at first, row_length_[u] merged ones later.
  std::vector<std::uint64_t> row_begin_;
  std::vector<std::uint32_t> row_length_;
  std::vector<std::uint32_t> missing_count_;
  std::vector<std::uint32_t> row_to_;
  std::vector<std::uint64_t> row_origin_;
};

}  // namespace gckn
