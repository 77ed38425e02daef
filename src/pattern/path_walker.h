// SPDX-License-Identifier: BSD-3-Clause
// Paths (or walks) over classes one by one, for the places that need whole sequences: sampling and generalised max
// pooling without interned patterns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gckn/network.h"
#include "gckn/run_options.h"
#include "pattern/class_graph.h"
#include "util/parallel.h"

namespace gckn {

// counts[l][c]: walks of l vertices from a node of class c, 1 <= l <= length.
using WalkCounts = std::vector<std::vector<double>>;
WalkCounts count_walks(const ClassGraph& graph, int length);

// A sequence of classes, the arcs between them, and how far it has grown. Not thread-safe: one per thread.
class PathWalker {
 public:
  // `walks` (count_walks of the same graph and length) is needed to count or select walks.
  PathWalker(const ClassGraph& graph, LayerKind kind, int length, const WalkCounts* walks = nullptr)
      : graph_(graph), kind_(kind), length_(length), walks_(walks) {}

  // Calls visit(ways) for every sequence from `start`; classes() and arcs() hold it, `ways` is the number of node
  // sequences from one node of `start` that it stands for. Stops early when visit returns false.
  template <typename Visit>
  void visit_from(std::uint32_t start, Visit&& visit) {
    classes_.assign(1, start);
    arcs_.clear();
    grow(1.0, visit);
  }

  // Number of node sequences from one node of `start`.
  double count_from(std::uint32_t start);

  // Orders the node sequences from one node of `start` by class sequence, and calls found(i) for every i with
  // classes() and arcs() those of the sequence at place places[i]; places ascend and are below count_from(start).
  template <typename Found>
  void select(std::uint32_t start, std::span<const double> places, Found&& found) {
    classes_.assign(1, start);
    arcs_.clear();
    std::size_t next = 0;
    double passed = 0;
    seek(1.0, places, next, passed, found);
  }

  [[nodiscard]] std::span<const std::uint32_t> classes() const { return classes_; }
  [[nodiscard]] std::span<const std::uint64_t> arcs() const { return arcs_; }

 private:
  // Nodes of class `to` that can follow the current sequence.
  [[nodiscard]] std::uint32_t choices(std::uint32_t to) const;
  // Node sequences of full length that begin with the current one. The last step is counted, not taken.
  double completions();

  template <typename Visit>
  bool grow(double ways, Visit& visit) {
    if (static_cast<int>(classes_.size()) == length_) return visit(ways);
    const std::uint32_t at = classes_.back();
    for (std::uint64_t a = graph_.arc_begin[at]; a < graph_.arc_begin[at + 1]; ++a) {
      const std::uint32_t free = choices(graph_.arc_to[a]);
      if (free == 0) continue;
      push(a);
      const bool go_on = grow(ways * free, visit);
      pop();
      if (!go_on) return false;
    }
    return true;
  }

  // As grow, but passes over what lies before the next place where its size is known without going there.
  template <typename Found>
  void seek(double ways, std::span<const double> places, std::size_t& next, double& passed, Found& found) {
    const int left = length_ - static_cast<int>(classes_.size());
    if (left == 0) {
      passed += ways;
      while (next < places.size() && places[next] < passed) found(next++);
      return;
    }
    if (kind_ == LayerKind::walk || left == 1) {
      const double total = ways * completions();
      if (next == places.size() || places[next] >= passed + total) {
        passed += total;
        return;
      }
    }
    const std::uint32_t at = classes_.back();
    for (std::uint64_t a = graph_.arc_begin[at]; a < graph_.arc_begin[at + 1] && next < places.size(); ++a) {
      const std::uint32_t free = choices(graph_.arc_to[a]);
      if (free == 0) continue;
      push(a);
      seek(ways * free, places, next, passed, found);
      pop();
    }
  }

  void push(std::uint64_t arc) {
    if ((++steps_ & 0x3FFFU) == 0) check_cancelled();
    classes_.push_back(graph_.arc_to[arc]);
    arcs_.push_back(arc);
  }
  void pop() {
    classes_.pop_back();
    arcs_.pop_back();
  }

  const ClassGraph& graph_;
  const LayerKind kind_;
  const int length_;
  const WalkCounts* walks_;
  std::vector<std::uint32_t> classes_;
  std::vector<std::uint64_t> arcs_;
  std::uint32_t steps_ = 0;
};

// Picks node sequences of a whole graph set uniformly.
class PathSampler {
 public:
  // Of sequences that start at classes with eligible[c] != 0. Keeps a reference to the graph. Counting and drawing can
  // both take long: they report progress, and can be stopped.
  PathSampler(const ClassGraph& graph, LayerKind kind, int length, const std::vector<char>& eligible,
              RunOptions options = {});

  // `length` vertices each.
  struct Sample {
    std::vector<std::uint32_t> classes;  // sequences x length
    std::vector<std::uint64_t> arcs;     // sequences x (length - 1)
  };

  [[nodiscard]] double total() const;

  // `count` sequences, one from each of `count` equal strata of all of them (so nearly without repetition);
  // the places within the strata come from `seed`.
  [[nodiscard]] Sample sample(std::size_t count, std::uint64_t seed) const;

  // All class sequences with the number of node sequences each stands for, class sizes included.
  [[nodiscard]] Sample all(std::vector<double>& weights) const;

 private:
  const ClassGraph& graph_;
  const LayerKind kind_;
  const int length_;
  const RunOptions options_;
  const WalkCounts walks_;          // of walks
  std::vector<double> paths_from_;  // by class, all its nodes together; 0 where it is not eligible
};

}  // namespace gckn
