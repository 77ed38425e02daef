// SPDX-License-Identifier: BSD-3-Clause
#include "pattern/enumerate.h"

#include <limits>

namespace gckn {
namespace {

class Enumerator {
 public:
  Enumerator(const ClassGraph& graph, const Colouring& colours, const CompileRequest& request,
             const std::vector<bool>& keep_states, std::uint64_t max_paths, PatternChunk& chunk)
      : first_arc_(graph.arc_begin[chunk.first_class]),
        arc_begin_(graph.arc_begin.data() + chunk.first_class),
        keep_states_(keep_states),
        max_paths_(max_paths),
        chunk_(chunk),
        free_(graph.size.begin() + chunk.first_class, graph.size.begin() + chunk.last_class),
        counts_(chunk.levels.size()),
        touched_(chunk.levels.size(), std::vector<std::uint32_t>(1)),
        num_touched_(chunk.levels.size()) {
    arcs_.reserve(graph.arc_begin[chunk.last_class] - first_arc_);
    for (std::uint64_t a = first_arc_; a < graph.arc_begin[chunk.last_class]; ++a) {
      const std::uint32_t to = graph.arc_to[a];
      const std::uint32_t edge = request.edge_labels ? graph.arc_label[a] : 0;
      arcs_.push_back({to - chunk.first_class, make_symbol((*colours.of_class)[to], edge, colours.count)});
    }
  }

  // kWalk: nodes may repeat, but a step leads to another node.
  template <bool kWalk>
  void run(const std::vector<std::uint32_t>& colour_of_class) {
    const std::uint32_t n = chunk_.last_class - chunk_.first_class;
    for (std::uint32_t c = 0; c < n && !chunk_.over_limit; ++c) {
      --free_[c];
      grow<kWalk>(c, 0, colour_of_class[chunk_.first_class + c], 1);
      ++free_[c];
      flush();
    }
  }

 private:
  struct Arc {
    std::uint32_t to;      // class, counted from the chunk's first
    std::uint32_t symbol;  // what it adds to a pattern
  };

  // Extends the pattern `pattern` of length t + 1, at class `at`, that occurs `ways` times. free_ holds the number of
  // nodes of each class that can be stepped on: those not on the path, or for walks those that are not this very node.
  template <bool kWalk>
  void grow(std::uint32_t at, std::size_t t, std::uint32_t pattern, std::uint64_t ways) {
    const Arc* const begin = arcs_.data() + (arc_begin_[at] - first_arc_);
    const Arc* const end = arcs_.data() + (arc_begin_[at + 1] - first_arc_);
    chunk_.visited += static_cast<std::uint64_t>(end - begin);
    if (t + 1 == chunk_.levels.size()) return finish(begin, end, pattern, ways);
    for (const Arc* arc = begin; arc != end; ++arc) {
      const std::uint32_t choices = free_[arc->to];
      if (choices == 0) continue;
      const std::uint64_t child_ways = ways * choices;
      const std::uint32_t child = number_of(t, pattern, arc->symbol);
      count(t, child, child_ways);
      if (child_ways > kMostWays) chunk_.overflow = true;
      if (chunk_.overflow || chunk_.over_limit) continue;
      if constexpr (kWalk) ++free_[at];
      --free_[arc->to];
      grow<kWalk>(arc->to, t + 1, child, child_ways);
      ++free_[arc->to];
      if constexpr (kWalk) --free_[at];
    }
    if (chunk_.visited > max_paths_) chunk_.over_limit = true;
  }

  // The last step, where most of the time goes: counts every extension and goes no further.
  void finish(const Arc* begin, const Arc* end, std::uint32_t pattern, std::uint64_t ways) {
    const std::size_t t = chunk_.levels.size() - 1;
    const std::uint32_t* const known = chunk_.levels[t].children.row(pattern);
    for (const Arc* arc = begin; arc != end; ++arc) {
      const std::uint32_t choices = free_[arc->to];
      std::uint32_t child = known == nullptr ? ChildTable::kNone : known[arc->symbol];
      if (child == ChildTable::kNone) {
        if (choices == 0) continue;
        child = number_of(t, pattern, arc->symbol);
      }
      count(t, child, ways * choices);  // of nothing, where there is no choice: cheaper than a branch
    }
  }

  // The number of a pattern's extension by a symbol.
  std::uint32_t number_of(std::size_t t, std::uint32_t pattern, std::uint32_t symbol) {
    PatternChunk::Level& level = chunk_.levels[t];
    bool inserted = false;
    const std::uint32_t child = level.children.intern(pattern, symbol, inserted);
    if (inserted) {
      level.keys.push_back(std::uint64_t{pattern} << 32 | symbol);
      counts_[t].push_back(0);
      touched_[t].push_back(0);
      if (t + 1 < chunk_.levels.size()) chunk_.levels[t + 1].children.add_parents(1);
    }
    return child;
  }

  void count(std::size_t t, std::uint32_t pattern, std::uint64_t ways) {
    std::uint64_t& total = counts_[t][pattern];
    // Remembers the pattern the first time, without a branch: whether it is the first is hard to predict.
    touched_[t][num_touched_[t]] = pattern;
    num_touched_[t] += static_cast<std::size_t>(total == 0) & static_cast<std::size_t>(ways != 0);
    total += ways;
  }

  // Moves the counts of one start class to the chunk.
  void flush() {
    for (std::size_t t = 0; t < touched_.size(); ++t) {
      PatternChunk::Level& level = chunk_.levels[t];
      for (std::size_t i = 0; i < num_touched_[t]; ++i) {
        const std::uint32_t pattern = touched_[t][i];
        const std::uint64_t ways = counts_[t][pattern];
        chunk_.overflow |= ways > kMostWays;
        if (keep_states_[t]) {
          level.pattern.push_back(pattern);
          level.multiplicity.push_back(static_cast<std::uint32_t>(ways));
        }
        counts_[t][pattern] = 0;
      }
      num_touched_[t] = 0;
      if (keep_states_[t]) level.begin.push_back(level.pattern.size());
    }
  }

  static constexpr std::uint64_t kMostWays = std::numeric_limits<std::uint32_t>::max();

  const std::uint64_t first_arc_;
  const std::uint64_t* arc_begin_;  // by class of the chunk
  const std::vector<bool>& keep_states_;
  const std::uint64_t max_paths_;
  PatternChunk& chunk_;
  std::vector<Arc> arcs_;
  std::vector<std::uint32_t> free_;
  std::vector<std::vector<std::uint64_t>> counts_;   // by level and pattern, for the current start
  std::vector<std::vector<std::uint32_t>> touched_;  // by level: the patterns with a count, and room for all of them
  std::vector<std::size_t> num_touched_;
};

}  // namespace

PatternChunk enumerate_chunk(const ClassGraph& graph, const Colouring& colours, const CompileRequest& request,
                             std::uint32_t first_graph, std::uint32_t last_graph, const std::vector<bool>& keep_states,
                             std::uint64_t max_paths) {
  PatternChunk chunk;
  chunk.first_class = graph.graph_begin[first_graph];
  chunk.last_class = graph.graph_begin[last_graph];
  const std::uint32_t num_symbols = colours.count * (request.edge_labels ? request.num_edge_labels : 1);
  chunk.levels.resize(static_cast<std::size_t>(request.vertices) - 1);
  for (PatternChunk::Level& level : chunk.levels) level.children = ChildTable(num_symbols);
  chunk.levels[0].children.add_parents(colours.count);
  Enumerator enumerator(graph, colours, request, keep_states, max_paths, chunk);
  if (request.kind == LayerKind::path) {
    enumerator.run<false>(*colours.of_class);
  } else {
    enumerator.run<true>(*colours.of_class);
  }
  return chunk;
}

double enumeration_bound(const ClassGraph& graph, int vertices) {
  // walks[c]: walks of the current length from class c, counting every class once.
  std::vector<double> walks(graph.num_classes(), 1.0);
  std::vector<double> longer(graph.num_classes());
  double visits = 0;
  for (int length = 2; length <= vertices; ++length) {
    double total = 0;
    for (std::size_t c = 0; c < graph.num_classes(); ++c) {
      double sum = 0;
      for (std::uint64_t a = graph.arc_begin[c]; a < graph.arc_begin[c + 1]; ++a) sum += walks[graph.arc_to[a]];
      longer[c] = sum;
      total += sum;
    }
    visits += total;
    walks.swap(longer);
  }
  return visits;
}

}  // namespace gckn
