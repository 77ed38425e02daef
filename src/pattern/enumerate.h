// SPDX-License-Identifier: BSD-3-Clause
// First half of compilation: walks through all paths (or walks) of a run of graphs and collects, for every class and
// length, the multiset of patterns that start there, in a trie of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "pattern/patterns.h"
#include "util/flat_map.h"

namespace gckn {

// Finds the pattern that extends a parent by a symbol: an array where symbols are few, a hash map otherwise.
class ChildTable {
 public:
  explicit ChildTable(std::uint32_t num_symbols = 0) : stride_(num_symbols <= kFewSymbols ? num_symbols : 0) {}

  // A parent was added; they are numbered from 0.
  void add_parents(std::size_t count) { array_.resize(array_.size() + count * stride_, kNone); }

  // The child's number; where it is new it gets the next one, and `inserted` is set.
  std::uint32_t intern(std::uint32_t parent, std::uint32_t symbol, bool& inserted) {
    if (stride_ == 0) return map_.intern(std::uint64_t{parent} << 32 | symbol, inserted);
    std::uint32_t& child = array_[std::size_t{parent} * stride_ + symbol];
    inserted = child == kNone;
    if (inserted) child = size_++;
    return child;
  }

  // The children of a parent by symbol, kNone where there is none; null where there is no array.
  [[nodiscard]] const std::uint32_t* row(std::uint32_t parent) const {
    return stride_ == 0 ? nullptr : array_.data() + std::size_t{parent} * stride_;
  }
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

 private:
  static constexpr std::uint32_t kFewSymbols = 64;
  std::size_t stride_;
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> array_;
  FlatMap map_;
};

// One run of graphs. Pattern numbers are local to the run until they are merged.
struct PatternChunk {
  struct Level {
    std::vector<std::uint64_t> keys;  // by local pattern: parent << 32 | symbol
    ChildTable children;              // of the patterns one shorter
    // Multisets of all classes of the run, one after the other, where states are wanted.
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> pattern;
    std::vector<std::uint32_t> multiplicity;
    // Histograms of all graphs of the run, where they are wanted.
    std::vector<std::uint64_t> graph_begin{0};
    std::vector<std::uint32_t> graph_pattern;
    std::vector<double> graph_paths;
    std::vector<double> graph_mean;
  };
  std::uint32_t first_graph = 0;
  std::uint32_t last_graph = 0;
  std::uint32_t first_class = 0;
  std::uint32_t last_class = 0;
  std::uint64_t visited = 0;
  std::vector<std::uint32_t> overflowed;  // graphs with a multiplicity beyond 32 bits: nothing is listed of them
  std::vector<Level> levels;              // of lengths 2 .. P
};

// The symbol that extends a pattern: colour and edge label in 32 bits.
inline std::uint32_t make_symbol(std::uint32_t colour, std::uint32_t edge, std::uint32_t num_colours) {
  return edge * num_colours + colour;
}

// What is kept of each length: is_output[t] is for t + 2 vertices.
struct KeptPatterns {
  std::vector<bool> is_output;
  bool states = true;
  bool histograms = false;
};

// direct: by graph; nothing is listed of those. entries: of all chunks together; throws LimitError once there are more
// than the request allows. Can be cancelled.
PatternChunk enumerate_chunk(const ClassGraph& graph, const Colouring& colours, const CompileRequest& request,
                             std::uint32_t first_graph, std::uint32_t last_graph, const std::vector<char>& direct,
                             const KeptPatterns& kept, std::atomic<std::uint64_t>& entries);

}  // namespace gckn
