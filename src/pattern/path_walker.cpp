// SPDX-License-Identifier: BSD-3-Clause
#include "pattern/path_walker.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "util/parallel.h"
#include "util/random.h"

namespace gckn {

WalkCounts count_walks(const ClassGraph& graph, int length) {
  WalkCounts counts(static_cast<std::size_t>(length) + 1);
  counts[1].assign(graph.num_classes(), 1.0);
  for (std::size_t l = 2; l < counts.size(); ++l) {
    counts[l].assign(graph.num_classes(), 0.0);
    for (std::uint32_t c = 0; c < graph.num_classes(); ++c) {
      for (std::uint64_t a = graph.arc_begin[c]; a < graph.arc_begin[c + 1]; ++a) {
        const std::uint32_t to = graph.arc_to[a];
        counts[l][c] += (graph.size[to] - (to == c ? 1.0 : 0.0)) * counts[l - 1][to];
      }
    }
  }
  return counts;
}

std::uint32_t PathWalker::choices(std::uint32_t to) const {
  if (kind_ == LayerKind::walk) return graph_.size[to] - (classes_.back() == to ? 1U : 0U);
  std::uint32_t used = 0;
  for (const std::uint32_t c : classes_) used += c == to ? 1U : 0U;
  return graph_.size[to] - used;
}

double PathWalker::completions() {
  const int left = length_ - static_cast<int>(classes_.size());
  const std::uint32_t at = classes_.back();
  if (kind_ == LayerKind::walk) return (*walks_)[static_cast<std::size_t>(left) + 1][at];
  if (left == 0) return 1.0;
  if (left == 1) {
    double free = graph_.degree[at];
    for (std::size_t i = 0; i + 1 < classes_.size(); ++i) {
      if (graph_.find_arc(at, classes_[i]) != graph_.arc_begin[at + 1]) free -= 1.0;
    }
    return free;
  }
  double total = 0;
  for (std::uint64_t a = graph_.arc_begin[at]; a < graph_.arc_begin[at + 1]; ++a) {
    const std::uint32_t free = choices(graph_.arc_to[a]);
    if (free == 0) continue;
    push(a);
    total += free * completions();
    pop();
  }
  return total;
}

double PathWalker::count_from(std::uint32_t start) {
  classes_.assign(1, start);
  arcs_.clear();
  return completions();
}

PathSampler::PathSampler(const ClassGraph& graph, LayerKind kind, int length, const std::vector<char>& eligible,
                         RunOptions options)
    : graph_(graph),
      kind_(kind),
      length_(length),
      options_(std::move(options)),
      walks_(kind == LayerKind::walk ? count_walks(graph, length) : WalkCounts()),
      paths_from_(graph.num_classes()) {
  parallel_tiles(graph.num_classes(), 256, options_, "counting paths", [&](std::size_t first, std::size_t last) {
    PathWalker walker(graph_, kind_, length_, &walks_);
    for (auto c = static_cast<std::uint32_t>(first); c < last; ++c) {
      if (eligible[c] != 0) paths_from_[c] = graph_.size[c] * walker.count_from(c);
    }
  });
}

double PathSampler::total() const {
  return std::accumulate(paths_from_.begin(), paths_from_.end(), 0.0);
}

PathSampler::Sample PathSampler::sample(std::size_t count, std::uint64_t seed) const {
  // Where each stratum's place falls: start class and index among its node sequences.
  const double stratum = total() / static_cast<double>(count);
  Random random(seed);
  std::vector<std::uint32_t> start(count);
  std::vector<double> index(count);
  std::uint32_t c = 0;
  std::uint32_t last_used = 0;
  double before = 0;
  const auto skip = [&](std::uint32_t at) { return paths_from_[at] == 0; };
  for (std::size_t i = 0; i < count; ++i) {
    const double place = (static_cast<double>(i) + random.uniform()) * stratum;
    while (c < paths_from_.size() && (skip(c) || before + paths_from_[c] <= place)) {
      if (!skip(c)) {
        before += paths_from_[c];
        last_used = c;
      }
      ++c;
    }
    start[i] = c < paths_from_.size() ? c : last_used;  // the end may be passed by rounding
    const double each = paths_from_[start[i]] / graph_.size[start[i]];
    index[i] = std::fmod(std::floor(std::max(0.0, place - before)), each);
  }
  // Places with the same start are found in one pass.
  std::vector<std::size_t> group_begin;
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0 || start[i] != start[i - 1]) group_begin.push_back(i);
  }
  group_begin.push_back(count);
  const auto vertices = static_cast<std::size_t>(length_);
  Sample sample;
  sample.classes.resize(count * vertices);
  sample.arcs.resize(count * (vertices - 1));
  const std::size_t groups = group_begin.size() - 1;
  parallel_tiles(groups, 256, options_, "drawing paths", [&](std::size_t first, std::size_t last) {
    PathWalker walker(graph_, kind_, length_, &walks_);
    for (std::size_t group = first; group < last; ++group) {
      const std::size_t begin = group_begin[group];
      const std::span<double> places(index.data() + begin, group_begin[group + 1] - begin);
      std::sort(places.begin(), places.end());
      walker.select(start[begin], places, [&](std::size_t i) {
        std::ranges::copy(walker.classes(),
                          sample.classes.begin() + static_cast<std::ptrdiff_t>((begin + i) * vertices));
        std::ranges::copy(walker.arcs(),
                          sample.arcs.begin() + static_cast<std::ptrdiff_t>((begin + i) * (vertices - 1)));
      });
    }
  });
  return sample;
}

PathSampler::Sample PathSampler::all(std::vector<double>& weights) const {
  Sample sample;
  weights.clear();
  PathWalker walker(graph_, kind_, length_, &walks_);
  for (std::uint32_t c = 0; c < paths_from_.size(); ++c) {
    if (paths_from_[c] == 0) continue;
    walker.visit_from(c, [&](double ways) {
      sample.classes.insert(sample.classes.end(), walker.classes().begin(), walker.classes().end());
      sample.arcs.insert(sample.arcs.end(), walker.arcs().begin(), walker.arcs().end());
      weights.push_back(ways * graph_.size[c]);
      return true;
    });
  }
  return sample;
}

}  // namespace gckn
