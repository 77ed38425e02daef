// SPDX-License-Identifier: BSD-3-Clause
#include "pattern/enumerate.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "gckn/error.h"
#include "util/counted.h"
#include "util/parallel.h"

namespace gckn {
namespace {

class Enumerator {
 public:
  Enumerator(const ClassGraph& graph, const Colouring& colours, const CompileRequest& request, const KeptPatterns& kept,
             std::atomic<std::uint64_t>& entries, PatternChunk& chunk)
      : graph_(graph),
        request_(request),
        entries_(entries),
        first_arc_(graph.arc_begin[chunk.first_class]),
        arc_begin_(graph.arc_begin.data() + chunk.first_class),
        kept_(kept),
        chunk_(chunk),
        free_(graph.size.begin() + chunk.first_class, graph.size.begin() + chunk.last_class),
        counts_(chunk.levels.size()),
        touched_(chunk.levels.size(), std::vector<std::uint32_t>(1)),
        num_touched_(chunk.levels.size()),
        in_graph_(chunk.levels.size()) {
    arcs_.reserve(graph.arc_begin[chunk.last_class] - first_arc_);
    for (std::uint64_t a = first_arc_; a < graph.arc_begin[chunk.last_class]; ++a) {
      const std::uint32_t to = graph.arc_to[a];
      const std::uint32_t edge = request.edge_labels ? graph.arc_label[a] : 0;
      arcs_.push_back({to - chunk.first_class, make_symbol((*colours.of_class)[to], edge, colours.count)});
    }
  }

  // kWalk: nodes may repeat, but a step leads to another node.
  template <bool kWalk>
  void run(const std::vector<std::uint32_t>& colour_of_class, const std::vector<char>& direct) {
    for (std::uint32_t g = chunk_.first_graph; g < chunk_.last_graph; ++g) {
      const std::uint32_t first = graph_.graph_begin[g] - chunk_.first_class;
      const std::uint32_t last = graph_.graph_begin[g + 1] - chunk_.first_class;
      overflow_ = false;
      for (std::uint32_t c = first; direct[g] == 0 && c < last && !overflow_; ++c) {
        --free_[c];
        grow<kWalk>(c, 0, colour_of_class[chunk_.first_class + c], 1);
        ++free_[c];
        flush(graph_.size[chunk_.first_class + c]);
      }
      end_graph(last);
      if (overflow_) chunk_.overflowed.push_back(g);
    }
  }

 private:
  struct Arc {
    std::uint32_t to;      // class, counted from the chunk's first
    std::uint32_t symbol;  // what it adds to a pattern
  };

  // What the classes of the current graph have added up to, by pattern of one length.
  struct GraphCounts {
    std::vector<double> paths;
    std::vector<double> mean;
    std::vector<std::uint32_t> touched;
  };

  // Extends the pattern `pattern` of length t + 1, at class `at`, that occurs `ways` times. free_ holds the number of
  // nodes of each class that can be stepped on: those not on the path, or for walks those that are not this very node.
  template <bool kWalk>
  void grow(std::uint32_t at, std::size_t t, std::uint32_t pattern, std::uint64_t ways) {
    const Arc* const begin = arcs_.data() + (arc_begin_[at] - first_arc_);
    const Arc* const end = arcs_.data() + (arc_begin_[at + 1] - first_arc_);
    chunk_.visited += static_cast<std::uint64_t>(end - begin);
    if ((++steps_ & 0xFFFFU) == 0) check_cancelled();
    if (t + 1 == chunk_.levels.size()) return finish(begin, end, pattern, ways);
    for (const Arc* arc = begin; arc != end; ++arc) {
      const std::uint32_t choices = free_[arc->to];
      if (choices == 0) continue;
      const std::uint64_t child_ways = ways * choices;
      const std::uint32_t child = number_of(t, pattern, arc->symbol);
      count(t, child, child_ways);
      overflow_ |= child_ways > kMostWays;
      if (overflow_) continue;
      if constexpr (kWalk) ++free_[at];
      --free_[arc->to];
      grow<kWalk>(arc->to, t + 1, child, child_ways);
      ++free_[arc->to];
      if constexpr (kWalk) --free_[at];
    }
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

  // Moves the counts of one start class to the chunk, and adds them up for its graph.
  void flush(std::uint32_t nodes) {
    for (std::size_t t = 0; t < touched_.size(); ++t) {
      const std::uint32_t* const patterns = touched_[t].data();
      std::uint64_t* const ways = counts_[t].data();
      const std::size_t n = num_touched_[t];
      num_touched_[t] = 0;
      if (!kept_.is_output[t]) {
        for (std::size_t i = 0; i < n; ++i) ways[patterns[i]] = 0;
        continue;
      }
      if (kept_.histograms) add_to_graph(in_graph_[t], patterns, n, ways, nodes, counts_[t].size());
      PatternChunk::Level& level = chunk_.levels[t];
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t count = std::exchange(ways[patterns[i]], 0);
        overflow_ |= count > kMostWays;
        if (!kept_.states) continue;
        level.pattern.push_back(patterns[i]);
        level.multiplicity.push_back(static_cast<std::uint32_t>(count));
      }
      if (kept_.states) {
        level.begin.push_back(level.pattern.size());
        count_entries(n);
      }
    }
  }

  void count_entries(std::size_t count) {
    if ((entries_ += count) <= request_.most_entries) return;
    throw LimitError(
        fmt::format("the graphs have more than {} different {}s of {}, those of each counted alone: shorten them or "
                    "take fewer graphs",
                    request_.most_entries, to_string(request_.kind),
                    counted(static_cast<std::uint64_t>(request_.vertices - 1), "edge")));
  }

  static void add_to_graph(GraphCounts& graph, const std::uint32_t* patterns, std::size_t n, const std::uint64_t* ways,
                           double nodes, std::size_t num_patterns) {
    if (graph.paths.size() < num_patterns) {
      graph.paths.resize(2 * num_patterns, 0.0);
      graph.mean.resize(2 * num_patterns, 0.0);
    }
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) total += static_cast<double>(ways[patterns[i]]);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t p = patterns[i];
      if (graph.paths[p] == 0) graph.touched.push_back(p);
      const double count = nodes * static_cast<double>(ways[p]);
      graph.paths[p] += count;
      graph.mean[p] += count / total;
    }
  }

  // Ends the rows of a graph; if something in it overflowed, they are empty. end: one past its last class.
  void end_graph(std::uint32_t end) {
    for (std::size_t t = 0; t < touched_.size(); ++t) {
      PatternChunk::Level& level = chunk_.levels[t];
      if (kept_.states && kept_.is_output[t]) {
        if (overflow_) {
          level.begin.resize(graph_first_row_ + std::size_t{1});
          level.pattern.resize(level.begin.back());
          level.multiplicity.resize(level.begin.back());
        }
        level.begin.resize(end + std::size_t{1}, level.begin.back());
      }
      if (!kept_.histograms || !kept_.is_output[t]) continue;
      GraphCounts& graph = in_graph_[t];
      count_entries(graph.touched.size());
      for (const std::uint32_t p : graph.touched) {
        if (!overflow_) {
          level.graph_pattern.push_back(p);
          level.graph_paths.push_back(graph.paths[p]);
          level.graph_mean.push_back(graph.mean[p]);
        }
        graph.paths[p] = graph.mean[p] = 0;
      }
      graph.touched.clear();
      level.graph_begin.push_back(level.graph_pattern.size());
    }
    graph_first_row_ = end;
  }

  static constexpr std::uint64_t kMostWays = std::numeric_limits<std::uint32_t>::max();

  const ClassGraph& graph_;
  const CompileRequest& request_;
  std::atomic<std::uint64_t>& entries_;
  const std::uint64_t first_arc_;
  const std::uint64_t* arc_begin_;  // by class of the chunk
  const KeptPatterns& kept_;
  PatternChunk& chunk_;
  std::vector<Arc> arcs_;
  std::vector<std::uint32_t> free_;
  std::vector<std::vector<std::uint64_t>> counts_;   // by level and pattern, for the current start
  std::vector<std::vector<std::uint32_t>> touched_;  // by level: the patterns with a count, and room for all of them
  std::vector<std::size_t> num_touched_;
  std::vector<GraphCounts> in_graph_;  // by level
  std::uint32_t graph_first_row_ = 0;  // class of the chunk at which the current graph begins
  bool overflow_ = false;              // of the current graph
  std::uint32_t steps_ = 0;
};

}  // namespace

PatternChunk enumerate_chunk(const ClassGraph& graph, const Colouring& colours, const CompileRequest& request,
                             std::uint32_t first_graph, std::uint32_t last_graph, const std::vector<char>& direct,
                             const KeptPatterns& kept, std::atomic<std::uint64_t>& entries) {
  PatternChunk chunk;
  chunk.first_graph = first_graph;
  chunk.last_graph = last_graph;
  chunk.first_class = graph.graph_begin[first_graph];
  chunk.last_class = graph.graph_begin[last_graph];
  const std::uint32_t num_symbols = colours.count * (request.edge_labels ? request.num_edge_labels : 1);
  chunk.levels.resize(static_cast<std::size_t>(request.vertices) - 1);
  for (PatternChunk::Level& level : chunk.levels) level.children = ChildTable(num_symbols);
  chunk.levels[0].children.add_parents(colours.count);
  Enumerator enumerator(graph, colours, request, kept, entries, chunk);
  if (request.kind == LayerKind::path) {
    enumerator.run<false>(*colours.of_class, direct);
  } else {
    enumerator.run<true>(*colours.of_class, direct);
  }
  for (PatternChunk::Level& level : chunk.levels) level.children = ChildTable();  // done with, and large
  return chunk;
}

}  // namespace gckn
