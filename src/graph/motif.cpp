// SPDX-License-Identifier: BSD-3-Clause
// The motif set: a task that no count of labels or degrees solves, and that labelled paths do.
//
// Every graph is a random background (a random recursive tree and a few more edges, labels uniform) with a ring of six
// nodes hung onto it by one edge at a random place. The ring's labels are 0 1 0 1 0 2 in this cyclic order in class
// "1"; in class "0" they are the same labels in another cyclic order. So nodes, edges, degrees, labels and the degrees
// of each label have the same distribution in both classes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "gckn/datasets.h"
#include "gckn/error.h"
#include "graph/planted.h"
#include "util/random.h"

namespace gckn {

namespace {

using planted::below;
using planted::Checkpoint;
using planted::Graph;
using planted::kStep;
using planted::shuffle;

constexpr std::uint32_t kRing = 6;
constexpr std::array<std::int64_t, kRing> kMotif = {0, 1, 0, 1, 0, 2};  // cyclic; reads the same in both directions

// Whether `path`, which reads like the motif from place `start` on, can be continued to a whole ring.
bool completes_motif(const Graph& graph, std::size_t start, std::vector<std::uint32_t>& path) {
  const std::vector<std::uint32_t>& next = graph.neighbours[path.back()];
  if (path.size() == kRing) return std::ranges::find(next, path.front()) != next.end();
  for (const std::uint32_t v : next) {
    if (graph.labels[v] != kMotif[(start + path.size()) % kRing] || std::ranges::find(path, v) != path.end()) continue;
    path.push_back(v);
    if (completes_motif(graph, start, path)) return true;
    path.pop_back();
  }
  return false;
}

// Whether an edge between u and v would be one of a motif.
bool would_close_motif(const Graph& graph, std::uint32_t u, std::uint32_t v) {
  for (std::size_t start = 0; start < kRing; ++start) {
    if (graph.labels[u] != kMotif[start] || graph.labels[v] != kMotif[(start + 1) % kRing]) continue;
    std::vector<std::uint32_t> path = {u, v};
    if (completes_motif(graph, start, path)) return true;
  }
  return false;
}

// The same for both classes, and never with the motif in it.
Graph make_background(const MotifOptions& options, Random& random, const Checkpoint& checkpoint) {
  Graph graph;
  const std::uint32_t nodes = planted::random_size(options.nodes, random);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    if (i % kStep == 0) checkpoint();
    const std::uint32_t u = graph.add_node(below(random, options.labels));
    if (u > 0) graph.add_edge(below(random, u), u);
  }
  for (std::uint32_t extra = 0; extra < nodes / 4; ++extra) {
    if (extra % kStep == 0) checkpoint();
    const std::uint32_t u = below(random, nodes);
    const std::uint32_t v = below(random, nodes);
    const bool present = std::ranges::find(graph.neighbours[u], v) != graph.neighbours[u].end();
    if (u != v && !present && !would_close_motif(graph, u, v)) graph.add_edge(u, v);
  }
  return graph;
}

bool is_motif(const std::array<std::int64_t, kRing>& ring_labels) {
  std::array<std::int64_t, kRing> turned = ring_labels;
  for (std::size_t turn = 0; turn < kRing; ++turn) {
    if (turned == kMotif) return true;
    std::rotate(turned.begin(), turned.begin() + 1, turned.end());
  }
  return false;
}

Graph make_graph(bool with_motif, const MotifOptions& options, Random& random, const Checkpoint& checkpoint) {
  Graph graph = make_background(options, random, checkpoint);
  std::array<std::int64_t, kRing> ring_labels = kMotif;
  while (!with_motif && is_motif(ring_labels)) shuffle(ring_labels, random, checkpoint);

  const auto first = static_cast<std::uint32_t>(graph.labels.size());
  for (const std::int64_t label : ring_labels) {
    const std::uint32_t u = graph.add_node(label);
    if (with_motif) graph.planted.push_back(u);
  }
  for (std::uint32_t i = 0; i < kRing; ++i) graph.add_edge(first + i, first + (i + 1) % kRing);
  graph.add_edge(below(random, first), first + below(random, kRing));
  return graph;
}

}  // namespace

GraphSet make_motif_set(const MotifOptions& options, const RunOptions& run) {
  planted::check_size("motif", options.graphs, options.nodes, kRing);
  if (options.labels < 3) {
    throw UsageError(fmt::format("a motif set needs at least 3 labels, not {}", options.labels));
  }
  return planted::make_set("motif", options.graphs, true, options.seed, run,
                           [&](bool with_motif, Random& random, const Checkpoint& checkpoint) {
                             return make_graph(with_motif, options, random, checkpoint);
                           });
}

}  // namespace gckn
