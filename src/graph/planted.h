// SPDX-License-Identifier: BSD-3-Clause
// What graph sets with something planted in one class of two have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/run_options.h"
#include "util/random.h"

namespace gckn::planted {

// Called before every graph and now and then within a large one; throws if the work is cancelled.
using Checkpoint = std::function<void()>;
constexpr std::uint32_t kStep = 1 << 14;  // nodes or edges between two calls

// A graph in the making.
struct Graph {
  std::vector<std::int64_t> labels;  // by node; in a set without labels they go nowhere
  std::vector<std::vector<std::uint32_t>> neighbours;
  std::vector<std::uint32_t> planted;  // the nodes that make it what it is; none in class "0"

  std::uint32_t add_node(std::int64_t label) {
    labels.push_back(label);
    neighbours.emplace_back();
    return static_cast<std::uint32_t>(labels.size() - 1);
  }
  void add_edge(std::uint32_t u, std::uint32_t v) {
    neighbours[u].push_back(v);
    neighbours[v].push_back(u);
  }
};

inline std::uint32_t below(Random& random, std::size_t bound) {
  return static_cast<std::uint32_t>(random.below(bound));
}

template <typename Values>
void shuffle(Values& values, Random& random, const Checkpoint& checkpoint) {
  for (std::size_t i = values.size(); i > 1; --i) {
    if (i % kStep == 0) checkpoint();
    std::swap(values[i - 1], values[random.below(i)]);
  }
}

// A number of nodes around `mean`, at most a quarter away from it.
std::uint32_t random_size(std::uint32_t mean, Random& random);

// Throws UsageError if graphs of `nodes` random and `planted` other nodes are none, or more than a graph set holds.
void check_size(const std::string& name, std::uint32_t graphs, std::uint32_t nodes, std::uint32_t planted);

// Graphs of the classes "0" and "1", as many of either, in random order and under random numbers of nodes, so that no
// order tells anything. make_graph: a graph of class "1" (true) or "0" (false).
using MakeGraph = std::function<Graph(bool planted, Random& random, const Checkpoint& checkpoint)>;
GraphSet make_set(const std::string& name, std::uint32_t graphs, bool has_labels, std::uint64_t seed,
                  const RunOptions& run, const MakeGraph& make_graph);

}  // namespace gckn::planted
