// SPDX-License-Identifier: BSD-3-Clause
#include "pattern/enumerate.h"

#include <limits>

namespace gckn {
namespace {

class Enumerator {
 public:
  Enumerator(const ClassGraph& graph, const Colouring& colours, const CompileRequest& request,
             const std::vector<bool>& keep_states, std::uint64_t max_paths, PatternChunk& chunk)
      : graph_(graph),
        colour_(*colours.of_class),
        num_colours_(colours.count),
        request_(request),
        keep_states_(keep_states),
        max_paths_(max_paths),
        chunk_(chunk),
        used_(chunk.last_class - chunk.first_class),
        counts_(chunk.levels.size()),
        touched_(chunk.levels.size()) {}

  void run() {
    for (std::uint32_t c = chunk_.first_class; c < chunk_.last_class && !chunk_.over_limit; ++c) {
      used_[c - chunk_.first_class] = 1;
      if (request_.kind == LayerKind::path) {
        grow<false>(c, 0, colour_[c], 1);
      } else {
        grow<true>(c, 0, colour_[c], 1);
      }
      used_[c - chunk_.first_class] = 0;
      flush();
    }
  }

 private:
  // Extends the pattern `pattern` of length t + 1, at class `at`, that occurs `ways` times.
  template <bool kWalk>
  void grow(std::uint32_t at, std::size_t t, std::uint32_t pattern, std::uint64_t ways) {
    PatternChunk::Level& level = chunk_.levels[t];
    const bool last = t + 1 == chunk_.levels.size();
    for (std::uint64_t a = graph_.arc_begin[at]; a < graph_.arc_begin[at + 1]; ++a) {
      const std::uint32_t to = graph_.arc_to[a];
      std::uint32_t& used = used_[to - chunk_.first_class];
      const std::uint32_t choices = kWalk ? graph_.size[to] - (to == at ? 1U : 0U) : graph_.size[to] - used;
      if (choices == 0) continue;
      ++chunk_.visited;
      const std::uint32_t edge = request_.edge_labels ? graph_.arc_label[a] : 0;
      const std::uint64_t key = std::uint64_t{pattern} << 32 | make_symbol(colour_[to], edge, num_colours_);
      bool inserted = false;
      const std::uint32_t child = level.map.intern(key, inserted);
      if (inserted) {
        level.keys.push_back(key);
        counts_[t].push_back(0);
      }
      const std::uint64_t child_ways = ways * choices;
      std::uint64_t& count = counts_[t][child];
      if (count == 0) touched_[t].push_back(child);
      count += child_ways;
      if (child_ways > kMostWays || count > kMostWays) chunk_.overflow = true;
      if (last || chunk_.overflow || chunk_.over_limit) continue;
      ++used;
      grow<kWalk>(to, t + 1, child, child_ways);
      --used;
    }
    if (chunk_.visited > max_paths_) chunk_.over_limit = true;
  }

  // Moves the counts of one start class to the chunk.
  void flush() {
    for (std::size_t t = 0; t < touched_.size(); ++t) {
      PatternChunk::Level& level = chunk_.levels[t];
      for (const std::uint32_t pattern : touched_[t]) {
        if (keep_states_[t]) {
          level.pattern.push_back(pattern);
          level.multiplicity.push_back(static_cast<std::uint32_t>(counts_[t][pattern]));
        }
        counts_[t][pattern] = 0;
      }
      touched_[t].clear();
      if (keep_states_[t]) level.begin.push_back(level.pattern.size());
    }
  }

  static constexpr std::uint64_t kMostWays = std::numeric_limits<std::uint32_t>::max();

  const ClassGraph& graph_;
  const std::vector<std::uint32_t>& colour_;
  const std::uint32_t num_colours_;
  const CompileRequest& request_;
  const std::vector<bool>& keep_states_;
  const std::uint64_t max_paths_;
  PatternChunk& chunk_;
  std::vector<std::uint32_t> used_;                 // by class of the chunk: nodes on the current path
  std::vector<std::vector<std::uint64_t>> counts_;  // by level and pattern, for the current start
  std::vector<std::vector<std::uint32_t>> touched_;
};

}  // namespace

PatternChunk enumerate_chunk(const ClassGraph& graph, const Colouring& colours, const CompileRequest& request,
                             std::uint32_t first_graph, std::uint32_t last_graph,
                             const std::vector<bool>& keep_states, std::uint64_t max_paths) {
  PatternChunk chunk;
  chunk.first_class = graph.graph_begin[first_graph];
  chunk.last_class = graph.graph_begin[last_graph];
  chunk.levels.resize(static_cast<std::size_t>(request.vertices) - 1);
  Enumerator(graph, colours, request, keep_states, max_paths, chunk).run();
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
