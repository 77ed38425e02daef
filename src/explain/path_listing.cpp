// SPDX-License-Identifier: BSD-3-Clause
#include "explain/path_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "gckn/error.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::uint32_t kNoChild = ~std::uint32_t{0};

// Where the children of every pattern begin in the level after it: they are contiguous.
std::vector<std::uint32_t> first_children(const TrieLevel& level, std::size_t parents) {
  std::vector<std::uint32_t> first(parents + 1);
  for (const std::uint32_t parent : level.parent) ++first[parent + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

}  // namespace

PathListing::PathListing(const GraphSet& graphs, std::size_t graph, const ClassGraph& classes,
                         std::span<const std::uint32_t> class_of_node, const BatchMaker<double>& maker,
                         const BatchLayer<double>& batch, std::size_t layer, LayerKind kind)
    : graphs_(graphs),
      classes_(classes),
      class_of_node_(class_of_node),
      maker_(maker),
      batch_(batch),
      layer_(layer),
      kind_(kind),
      first_node_(graphs.graph_begin(graph)),
      num_nodes_(graphs.graph_begin(graph + 1) - first_node_),
      slots_(batch.block_of_slot.size()),
      vertices_(batch.levels.size() + 1),
      output_of_length_(vertices_ + 1, batch.outputs.size()),
      colour_(slots_ * num_nodes_),
      state_(batch.outputs.size() * slots_),
      pattern_(vertices_ * slots_),
      times_used_(num_nodes_),
      listed_(batch.outputs.size()) {
  for (std::size_t t = 0; t < batch.levels.size(); ++t) {
    first_child_.push_back(first_children(batch.levels[t], t == 0 ? batch.num_colours : batch.levels[t - 1].size()));
  }
  for (std::size_t i = 0; i < batch.outputs.size(); ++i) {
    listed_[i].length = static_cast<std::size_t>(batch.outputs[i].length);
    output_of_length_[listed_[i].length] = i;
  }
  for (std::size_t s = 0; s < slots_; ++s) {
    for (std::uint32_t u = 0; u < num_nodes_; ++u) {
      colour_[s * num_nodes_ + u] = maker.colour_of_class(layer, s, class_of_node[u]);
    }
  }
}

std::vector<ListedPaths> PathListing::run(std::uint64_t most_paths) {
  most_paths_ = most_paths;
  for (std::uint32_t u = 0; u < num_nodes_; ++u) {
    path_.assign(1, u);
    for (std::size_t s = 0; s < slots_; ++s) {
      pattern_[s] = colour_[s * num_nodes_ + u];
      for (std::size_t i = 0; i < listed_.size(); ++i) {
        state_[i * slots_ + s] = maker_.state_of_class(layer_, s, i, class_of_node_[u]);
      }
    }
    times_used_[u] = 1;
    grow();
    times_used_[u] = 0;
  }
  return std::move(listed_);
}

void PathListing::grow() {
  if (++visited_ > most_paths_) throw LimitError(fmt::format("it has more than {} paths to be listed", most_paths_));
  if ((visited_ & 0xFFF) == 0) check_cancelled();
  keep();
  if (path_.size() == vertices_) return;
  const std::size_t level = path_.size() - 1;
  const std::uint32_t at = path_.back();
  for (const std::uint32_t neighbour : graphs_.neighbours(first_node_ + at)) {
    const std::uint32_t v = neighbour - first_node_;
    if (kind_ == LayerKind::path && times_used_[v] > 0) continue;
    if (!step(level, edge_label(at, v), v)) continue;
    path_.push_back(v);
    ++times_used_[v];
    grow();
    --times_used_[v];
    path_.pop_back();
  }
}

// Lists the path that has been reached, if its length gives an output.
void PathListing::keep() {
  const std::size_t i = output_of_length_[path_.size()];
  if (i == listed_.size()) return;
  ListedPaths& listed = listed_[i];
  listed.nodes.insert(listed.nodes.end(), path_.begin(), path_.end());
  const SparseRows<double>& rows = batch_.outputs[i].states;
  for (std::size_t s = 0; s < slots_; ++s) {
    const std::uint32_t row = state_[i * slots_ + s];
    const std::uint32_t pattern = pattern_[(path_.size() - 1) * slots_ + s];
    const auto begin = rows.index.begin() + static_cast<std::ptrdiff_t>(rows.begin[row]);
    const auto end = rows.index.begin() + static_cast<std::ptrdiff_t>(rows.begin[row + 1]);
    const auto found = std::lower_bound(begin, end, pattern);
    assert(found != end && *found == pattern);
    listed.entry.push_back(static_cast<std::uint32_t>(found - rows.index.begin()));
  }
}

// Finds the patterns that go on to node v. False if there are none: with one length the beginnings of paths that end
// before it have none.
bool PathListing::step(std::size_t level, std::uint32_t edge, std::uint32_t v) {
  for (std::size_t s = 0; s < slots_; ++s) {
    const std::uint32_t next = child(level, pattern_[level * slots_ + s], edge, colour_[s * num_nodes_ + v]);
    if (next == kNoChild) return false;
    pattern_[(level + 1) * slots_ + s] = next;
  }
  return true;
}

// The pattern that goes on from `parent` with this edge and colour, or kNoChild. Children go by edge, then by colour.
std::uint32_t PathListing::child(std::size_t level, std::uint32_t parent, std::uint32_t edge,
                                 std::uint32_t colour) const {
  const TrieLevel& patterns = batch_.levels[level];
  std::uint32_t low = first_child_[level][parent];
  std::uint32_t high = first_child_[level][parent + 1];
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    const std::uint32_t its_edge = patterns.edge.empty() ? edge : patterns.edge[middle];
    if (std::pair(its_edge, patterns.colour[middle]) < std::pair(edge, colour)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const bool is_there = low < first_child_[level][parent + 1] && patterns.colour[low] == colour &&
                        (patterns.edge.empty() || patterns.edge[low] == edge);
  return is_there ? low : kNoChild;
}

std::uint32_t PathListing::edge_label(std::uint32_t from, std::uint32_t to) const {
  if (classes_.arc_label.empty()) return 0;
  return classes_.arc_label[classes_.find_arc(class_of_node_[from], class_of_node_[to])];
}

}  // namespace gckn
