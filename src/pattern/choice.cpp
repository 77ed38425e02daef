// SPDX-License-Identifier: BSD-3-Clause
#include "pattern/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>

#include "gckn/error.h"
#include "util/counted.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// Nanoseconds with 128 filters, from the times that gckn_choice_bench prints; only their ratios matter, and not to the
// last digit: where the two ways cost about the same, either will do. The number of filters is left out of the choice,
// so that networks which differ in it share their patterns.
constexpr double kListed = 3.5;      // a sequence
constexpr double kDistinct = 250;    // a pattern that the graph has not had yet
constexpr double kMultiplied = 20;   // a vertex of a sequence
constexpr double kTabled = 60;       // a class at one position of one length
constexpr double kStateApart = 450;  // a class that the layers above cannot see as one state with others

// Where no vertex has more neighbours, and all together no more on average, listing wins and nothing needs to be
// counted: there are few sequences, and graphs like these, molecules above all, share them with others.
constexpr std::uint64_t kFewNeighbours = 8;
constexpr std::uint64_t kFewOnAverage = 3;

// Walks from each class of a graph, one vertex longer every time.
class GraphWalks {
 public:
  GraphWalks(const ClassGraph& graph, std::size_t g)
      : graph_(graph),
        first_(graph.graph_begin[g]),
        walks_(graph.graph_begin[g + 1] - first_, 1.0),
        longer_(walks_.size()) {}

  // The number of walks of one more vertex, of all classes.
  double grow() {
    double total = 0;
    for (std::uint32_t c = 0; c < walks_.size(); ++c) {
      double sum = 0;
      for (std::uint64_t a = graph_.arc_begin[first_ + c]; a < graph_.arc_begin[first_ + c + 1]; ++a) {
        sum += walks_[graph_.arc_to[a] - first_];
      }
      longer_[c] = sum;
      total += sum;
    }
    walks_.swap(longer_);
    return total;
  }

 private:
  const ClassGraph& graph_;
  const std::uint32_t first_;
  std::vector<double> walks_;
  std::vector<double> longer_;
};

bool is_sparse(const ClassGraph& graph, std::size_t g) {
  const std::uint32_t begin = graph.graph_begin[g];
  const std::uint32_t end = graph.graph_begin[g + 1];
  if (graph.arc_begin[end] - graph.arc_begin[begin] > kFewOnAverage * (end - begin)) return false;
  for (std::uint32_t c = begin; c < end; ++c) {
    if (graph.arc_begin[c + 1] - graph.arc_begin[c] > kFewNeighbours) return false;
  }
  return true;
}

// The colours of a graph's classes, counted. Not thread-safe: one per thread.
class ColourCounts {
 public:
  ColourCounts(const ClassGraph& graph, const Colouring& colours) : graph_(graph), colour_(*colours.of_class) {}

  void count(std::size_t g) {
    sorted_.assign(colour_.begin() + graph_.graph_begin[g], colour_.begin() + graph_.graph_begin[g + 1]);
    std::sort(sorted_.begin(), sorted_.end());
    distinct_ = 0;
    double squares = 0;
    for (std::size_t i = 0; i < sorted_.size();) {
      std::size_t j = i + 1;
      while (j < sorted_.size() && sorted_[j] == sorted_[i]) ++j;
      squares += static_cast<double>(j - i) * static_cast<double>(j - i);
      ++distinct_;
      i = j;
    }
    const auto classes = static_cast<double>(sorted_.size());
    effective_ = squares > 0 ? classes * classes / squares : 0;
  }

  // Whether there are at most half as many colours as classes.
  [[nodiscard]] bool repeat() const { return 2 * distinct_ <= sorted_.size(); }
  // How many equally frequent colours would agree by chance as often as these do.
  [[nodiscard]] double effective() const { return effective_; }

 private:
  const ClassGraph& graph_;
  const std::vector<std::uint32_t>& colour_;
  std::vector<std::uint32_t> sorted_;
  std::size_t distinct_ = 0;
  double effective_ = 0;
};

// Walks stand for paths, which takes too many of them on both sides.
bool cheaper_directly(const ClassGraph& graph, std::size_t g, const ColourCounts& colours,
                      const CompileRequest& request) {
  const double classes = graph.graph_begin[g + 1] - graph.graph_begin[g];
  GraphWalks walks(graph, g);
  double arcs = 0;
  double shorter = 0;  // V_{l-1}, 0 for l = 2: a single step is in the neighbours' sums
  double sequences = 0;
  double patterns = 0;
  double possible = colours.effective();
  double direct = 0;
  for (int length = 2; length <= request.vertices; ++length) {
    sequences = walks.grow();
    possible *= colours.effective();
    patterns += std::min(sequences, possible);
    if (length == 2) arcs = sequences;
    if (request.all_lengths || length == request.vertices) {
      direct += kMultiplied * (arcs + length * shorter) + kTabled * classes * length;
      if (request.states) direct += kStateApart * classes;
    }
    shorter = sequences;
  }
  return direct < kListed * sequences + kDistinct * patterns;
}

// Counts the steps of a depth-first search through paths (or walks) over classes.
class VisitCounter {
 public:
  VisitCounter(const ClassGraph& graph, LayerKind kind, std::uint64_t limit)
      : graph_(graph), kind_(kind), limit_(limit), free_(graph.size) {}

  std::uint64_t count(std::size_t g, int depth) {
    visits_ = 0;
    for (std::uint32_t c = graph_.graph_begin[g]; c < graph_.graph_begin[g + 1] && visits_ <= limit_; ++c) {
      --free_[c];
      grow(c, depth - 1);
      ++free_[c];
    }
    return std::min(visits_, limit_ + 1);
  }

 private:
  void grow(std::uint32_t at, int left) {
    const std::uint64_t end = graph_.arc_begin[at + 1];
    visits_ += end - graph_.arc_begin[at];
    if (left == 1) return;
    if ((++steps_ & 0xFFFFU) == 0) check_cancelled();
    for (std::uint64_t a = graph_.arc_begin[at]; a < end && visits_ <= limit_; ++a) {
      const std::uint32_t to = graph_.arc_to[a];
      if (free_[to] == 0) continue;
      if (kind_ == LayerKind::walk) ++free_[at];
      --free_[to];
      grow(to, left - 1);
      ++free_[to];
      if (kind_ == LayerKind::walk) --free_[at];
    }
  }

  const ClassGraph& graph_;
  const LayerKind kind_;
  const std::uint64_t limit_;
  std::vector<std::uint32_t> free_;
  std::uint64_t visits_ = 0;
  std::uint32_t steps_ = 0;
};

}  // namespace

std::vector<char> choose_direct(const ClassGraph& graph, const Colouring& colours, const CompileRequest& request,
                                Evaluator evaluator) {
  std::vector<char> direct(graph.num_graphs(), evaluator == Evaluator::direct ? 1 : 0);
  if (evaluator != Evaluator::automatic) return direct;
  parallel_tiles(graph.num_graphs(), 256, [&](std::size_t first, std::size_t last) {
    ColourCounts counts(graph, colours);
    for (std::size_t g = first; g < last; ++g) {
      const bool sparse = is_sparse(graph, g);
      if (sparse && colours.labels) continue;
      counts.count(g);
      const bool repeats = colours.labels || counts.repeat();
      direct[g] = !repeats || (!sparse && cheaper_directly(graph, g, counts, request)) ? 1 : 0;
    }
  });
  return direct;
}

VisitCount count_visits(const ClassGraph& graph, LayerKind kind, const std::vector<int>& depth, std::uint64_t limit,
                        bool total, const RunOptions& options) {
  limit = std::min(limit, std::numeric_limits<std::uint64_t>::max() / 4);  // room to count past it
  VisitCount count;
  count.by_graph.assign(graph.num_graphs(), 0);
  std::vector<double> bound(graph.num_graphs(), 0.0);
  parallel_tiles(graph.num_graphs(), 256, [&](std::size_t first, std::size_t last) {
    for (std::size_t g = first; g < last; ++g) {
      if (depth[g] < 2) continue;
      GraphWalks walks(graph, g);
      for (int length = 2; length <= depth[g]; ++length) bound[g] += walks.grow();
    }
  });
  double all = 0;
  for (const double value : bound) all += value;
  const auto most = static_cast<double>(limit);
  std::atomic<std::uint64_t> sum{0};
  if (all <= most) {  // nothing can pass the limit, so nothing needs to be walked through
    for (std::size_t g = 0; g < bound.size(); ++g) count.by_graph[g] = static_cast<std::uint64_t>(bound[g]);
    sum = static_cast<std::uint64_t>(all);
  } else {
    parallel_tiles(graph.num_graphs(), 16, options, "counting paths", [&](std::size_t first, std::size_t last) {
      std::optional<VisitCounter> counter;
      for (std::size_t g = first; g < last; ++g) {
        if (depth[g] < 2 || (total && sum > limit)) continue;
        if (!total && bound[g] <= most) {
          count.by_graph[g] = static_cast<std::uint64_t>(bound[g]);
        } else {
          if (!counter) counter.emplace(graph, kind, limit);
          count.by_graph[g] = counter->count(g, depth[g]);
        }
        const std::uint64_t before = sum.load();
        if (before <= limit) sum += std::min(count.by_graph[g], limit + 1);
      }
    });
  }
  count.total = std::min(sum.load(), limit + 1);
  return count;
}

void throw_too_many(LayerKind kind, int vertices, std::uint64_t limit) {
  throw LimitError(fmt::format("more than {} {}s of {}: shorten them or raise the limit of paths to visit", limit,
                               to_string(kind), counted(static_cast<std::uint64_t>(vertices - 1), "edge")));
}

}  // namespace gckn
