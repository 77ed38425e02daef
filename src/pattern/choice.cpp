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

// Nanoseconds with 128 filters, estimated; only their ratios matter, and not to the last digit: where the two ways cost
// about the same, either will do. The number of filters is left out of the choice, so that networks which differ in it
// share their patterns.
constexpr double kListed = 3.5;
constexpr double kMultiplied = 9;
constexpr double kLookedUp = 8;

// Below this many neighbours everywhere listing always wins, and nothing needs to be counted.
constexpr std::uint32_t kSparse = 8;

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

std::uint64_t most_neighbours(const ClassGraph& graph, std::size_t g) {
  std::uint64_t most = 0;
  for (std::uint32_t c = graph.graph_begin[g]; c < graph.graph_begin[g + 1]; ++c) {
    most = std::max(most, graph.arc_begin[c + 1] - graph.arc_begin[c]);
  }
  return most;
}

// Whether a graph has at most half as many colours as classes. `seen` is scratch.
bool colours_repeat(const ClassGraph& graph, const std::vector<std::uint32_t>& colour, std::size_t g,
                    std::vector<std::uint32_t>& seen) {
  seen.assign(colour.begin() + graph.graph_begin[g], colour.begin() + graph.graph_begin[g + 1]);
  std::sort(seen.begin(), seen.end());
  const auto distinct = static_cast<std::size_t>(std::unique(seen.begin(), seen.end()) - seen.begin());
  return 2 * distinct <= seen.size();
}

bool too_dense_to_list(const ClassGraph& graph, std::size_t g, const CompileRequest& request) {
  if (most_neighbours(graph, g) <= kSparse) return false;
  GraphWalks walks(graph, g);
  double arcs = 0;
  double shorter = 0;  // V_{l-1}, 0 for l = 2: a single step is in the neighbours' sums
  double direct = 0;
  for (int length = 2; length <= request.vertices; ++length) {
    const double longer = walks.grow();
    if (length == 2) arcs = longer;
    if (request.all_lengths || length == request.vertices) {
      direct += kMultiplied * arcs + (kMultiplied + kLookedUp * length) * shorter;
    }
    if (length == request.vertices) return kListed * longer > direct;
    shorter = longer;
  }
  return false;
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
    std::vector<std::uint32_t> seen;
    for (std::size_t g = first; g < last; ++g) {
      const bool repeats = colours.labels || colours_repeat(graph, *colours.of_class, g, seen);
      direct[g] = !repeats || too_dense_to_list(graph, g, request) ? 1 : 0;
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
