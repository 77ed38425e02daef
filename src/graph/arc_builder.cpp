// SPDX-License-Identifier: BSD-3-Clause
#include "graph/arc_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "gckn/error.h"
#include "util/counted.h"
#include "util/parallel.h"

namespace gckn {

namespace {

// Nodes plus listed edges per task: large enough to hide the cost of a task, small enough to share the work.
constexpr std::uint64_t kTileSize = 1 << 16;

}  // namespace

ArcBuilder::ArcBuilder(GraphSetParts& parts, std::span<const std::uint32_t> graph_begin)
    : parts_(parts), graph_begin_(graph_begin), num_nodes_(graph_begin.back()) {}

void ArcBuilder::build() {
  group_by_source();
  cut_into_tiles();
  row_length_.assign(num_nodes_, 0);
  missing_count_.assign(num_nodes_, 0);
  parallel_for_first_error(tiles_.size(), [&](std::size_t i) { merge_rows(tiles_[i]); });
  parallel_for_first_error(tiles_.size(), [&](std::size_t i) { find_missing(tiles_[i]); });

  arc_begin.resize(num_nodes_ + 1);
  arc_begin[0] = 0;
  for (std::size_t u = 0; u < num_nodes_; ++u) arc_begin[u + 1] = arc_begin[u] + row_length_[u] + missing_count_[u];
  const std::uint64_t arcs = arc_begin.back();
  neighbours.resize(arcs);
  if (has_labels()) arc_labels.resize(arcs);
  if (has_attributes()) arc_attributes.resize(arcs * parts_.edge_attribute_columns);
  parallel_for(tiles_.size(), [&](std::size_t i) { fill(tiles_[i]); });

  for (const Tile& tile : tiles_) {
    merge_counts.duplicate_edges += tile.counts.duplicate_edges;
    merge_counts.self_loops += tile.counts.self_loops;
    merge_counts.one_way_edges += tile.counts.one_way_edges;
  }
}

void ArcBuilder::group_by_source() {
  const std::vector<std::uint32_t> from = std::move(parts_.edge_from);
  std::vector<std::uint32_t> to = std::move(parts_.edge_to);
  row_begin_.assign(num_nodes_ + 1, 0);
  bool grouped = true;
  std::uint32_t previous = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::uint32_t u = from[i];
    if (u >= num_nodes_) {
      throw InputError(
          fmt::format("{}: node {} is out of range (the set has {})", place_of(i), u, counted(num_nodes_, "node")));
    }
    grouped = grouped && previous <= u;
    previous = u;
    ++row_begin_[u + 1];
  }
  std::partial_sum(row_begin_.begin(), row_begin_.end(), row_begin_.begin());

  if (grouped) {
    row_to_ = std::move(to);
    if (needs_origin()) {
      row_origin_.resize(row_to_.size());
      std::iota(row_origin_.begin(), row_origin_.end(), std::uint64_t{0});
    }
    return;
  }
  row_to_.resize(to.size());
  if (needs_origin()) row_origin_.resize(to.size());
  std::vector<std::uint64_t> cursor(row_begin_.begin(), row_begin_.end() - 1);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::uint64_t at = cursor[from[i]]++;
    row_to_[at] = to[i];
    if (needs_origin()) row_origin_[at] = i;
  }
}

void ArcBuilder::cut_into_tiles() {
  const std::size_t num_graphs = graph_begin_.size() - 1;
  std::size_t first = 0;
  for (std::size_t g = 0; g < num_graphs; ++g) {
    const std::uint32_t first_node = graph_begin_[first];
    const std::uint32_t last_node = graph_begin_[g + 1];
    const std::uint64_t size = last_node - first_node + row_begin_[last_node] - row_begin_[first_node];
    if (size < kTileSize && g + 1 < num_graphs) continue;
    Tile& tile = tiles_.emplace_back();
    tile.first_graph = first;
    tile.last_graph = g + 1;
    tile.first_node = first_node;
    tile.last_node = last_node;
    first = g + 1;
  }
}

// Drops self-loops, sorts each row and merges repetitions, all in place.
void ArcBuilder::merge_rows(Tile& tile) {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> scratch;
  for (std::size_t g = tile.first_graph; g < tile.last_graph; ++g) {
    const std::uint32_t low = graph_begin_[g];
    const std::uint32_t high = graph_begin_[g + 1];
    for (std::uint32_t u = low; u < high; ++u) {
      const std::uint64_t begin = row_begin_[u];
      const std::uint64_t end = row_begin_[u + 1];
      std::uint64_t kept = begin;
      bool sorted = true;
      for (std::uint64_t arc = begin; arc < end; ++arc) {
        const std::uint32_t v = row_to_[arc];
        if (v < low || v >= high) {
          throw InputError(fmt::format("an edge leads from node {} to node {} of another graph", u, v));
        }
        if (v == u) {
          ++tile.counts.self_loops;
          continue;
        }
        sorted = sorted && (kept == begin || row_to_[kept - 1] <= v);
        row_to_[kept] = v;
        if (needs_origin()) row_origin_[kept] = row_origin_[arc];
        ++kept;
      }
      if (!sorted && !needs_origin()) {
        std::sort(row_to_.begin() + static_cast<std::ptrdiff_t>(begin),
                  row_to_.begin() + static_cast<std::ptrdiff_t>(kept));
      } else if (!sorted) {
        scratch.clear();
        for (std::uint64_t arc = begin; arc < kept; ++arc) scratch.emplace_back(row_to_[arc], row_origin_[arc]);
        std::sort(scratch.begin(), scratch.end());
        for (std::uint64_t arc = begin; arc < kept; ++arc) {
          std::tie(row_to_[arc], row_origin_[arc]) = scratch[arc - begin];
        }
      }
      std::uint64_t unique = begin;
      for (std::uint64_t arc = begin; arc < kept; ++arc) {
        if (unique > begin && row_to_[unique - 1] == row_to_[arc]) {
          ++tile.counts.duplicate_edges;
          if (has_labels()) require_same_label(row_origin_[arc], row_origin_[unique - 1]);
          if (has_attributes()) require_same_attributes(row_origin_[arc], row_origin_[unique - 1]);
          continue;
        }
        row_to_[unique] = row_to_[arc];
        if (needs_origin()) row_origin_[unique] = row_origin_[arc];
        ++unique;
      }
      row_length_[u] = static_cast<std::uint32_t>(unique - begin);
    }
  }
}

// Looks for the reverse of every arc u -> v. As u ascends, so do the places in row v where u can stand: one cursor per
// row moves forward only, and no transposed copy is needed.
void ArcBuilder::find_missing(Tile& tile) {
  std::vector<std::uint64_t> cursor(row_begin_.begin() + tile.first_node, row_begin_.begin() + tile.last_node);
  for (std::uint32_t u = tile.first_node; u < tile.last_node; ++u) {
    for (std::uint64_t arc = row_begin_[u]; arc < row_begin_[u] + row_length_[u]; ++arc) {
      const std::uint32_t v = row_to_[arc];
      std::uint64_t& at = cursor[v - tile.first_node];
      const std::uint64_t end = row_begin_[v] + row_length_[v];
      while (at < end && row_to_[at] < u) ++at;
      if (at < end && row_to_[at] == u) {
        if (has_labels() && u < v) require_same_label(row_origin_[arc], row_origin_[at]);
        continue;
      }
      ++tile.counts.one_way_edges;
      ++missing_count_[v];
      tile.missing_row.push_back(v);
      tile.missing_to.push_back(u);
      if (needs_origin()) tile.missing_origin.push_back(row_origin_[arc]);
    }
  }
}

// Merges listed and missing arcs of each row into their final place.
void ArcBuilder::fill(const Tile& tile) {
  // Missing arcs by row; within a row they stay ascending.
  const std::size_t nodes = tile.last_node - tile.first_node;
  std::vector<std::size_t> begin(nodes + 1, 0);
  for (std::size_t i = 0; i < nodes; ++i) begin[i + 1] = begin[i] + missing_count_[tile.first_node + i];
  std::vector<std::size_t> by_row(tile.missing_to.size());
  std::vector<std::size_t> cursor(begin.begin(), begin.end() - 1);
  for (std::size_t i = 0; i < by_row.size(); ++i) by_row[cursor[tile.missing_row[i] - tile.first_node]++] = i;

  const auto origin_of = [](const std::vector<std::uint64_t>& origins, std::size_t i) {
    return origins.empty() ? 0 : origins[i];
  };
  for (std::uint32_t u = tile.first_node; u < tile.last_node; ++u) {
    std::uint64_t listed = row_begin_[u];
    const std::uint64_t listed_end = listed + row_length_[u];
    std::size_t missing = begin[u - tile.first_node];
    const std::size_t missing_end = begin[u - tile.first_node + 1];
    for (std::uint64_t arc = arc_begin[u]; arc < arc_begin[u + 1]; ++arc) {
      const bool take_listed =
          missing == missing_end || (listed < listed_end && row_to_[listed] < tile.missing_to[by_row[missing]]);
      if (take_listed) {
        set_arc(arc, row_to_[listed], origin_of(row_origin_, listed));
        ++listed;
      } else {
        const std::size_t i = by_row[missing++];
        set_arc(arc, tile.missing_to[i], origin_of(tile.missing_origin, i));
      }
    }
  }
}

void ArcBuilder::set_arc(std::uint64_t arc, std::uint32_t to, std::uint64_t origin) {
  neighbours[arc] = to;
  if (has_labels()) arc_labels[arc] = parts_.edge_labels[origin];
  if (has_attributes()) {
    const std::size_t columns = parts_.edge_attribute_columns;
    std::copy_n(parts_.edge_attributes.data() + origin * columns, columns, arc_attributes.data() + arc * columns);
  }
}

std::string ArcBuilder::place_of(std::uint64_t listing) const {
  return parts_.locate_edge ? parts_.locate_edge(listing) : fmt::format("edge {} of the list", listing);
}

void ArcBuilder::require_same_label(std::uint64_t listing, std::uint64_t other) const {
  if (parts_.edge_labels[listing] == parts_.edge_labels[other]) return;
  const auto [first, second] = std::minmax(listing, other);
  const auto name = [&](std::int64_t label) {
    const auto found = parts_.edge_label_names.find(label);
    return found == parts_.edge_label_names.end() ? fmt::to_string(label) : found->second;
  };
  throw InputError(fmt::format("{}: edge label {} contradicts label {} of the same edge at {}", place_of(second),
                               name(parts_.edge_labels[second]), name(parts_.edge_labels[first]), place_of(first)));
}

void ArcBuilder::require_same_attributes(std::uint64_t listing, std::uint64_t other) const {
  const std::size_t columns = parts_.edge_attribute_columns;
  const auto [first, second] = std::minmax(listing, other);
  for (std::size_t column = 0; column < columns; ++column) {
    const double a = parts_.edge_attributes[first * columns + column];
    const double b = parts_.edge_attributes[second * columns + column];
    if (a == b) continue;
    throw InputError(fmt::format("{}: edge attribute {} (column {}) contradicts attribute {} of the same edge at {}",
                                 place_of(second), b, column + 1, a, place_of(first)));
  }
}

}  // namespace gckn
