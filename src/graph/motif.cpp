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
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "gckn/datasets.h"
#include "gckn/error.h"
#include "util/parallel.h"
#include "util/random.h"

namespace gckn {

namespace {

// Called before every graph and now and then within a large one; throws if the work is cancelled.
using Checkpoint = std::function<void()>;
constexpr std::uint32_t kStep = 1 << 14;  // nodes or edges between two calls

constexpr std::uint32_t kRing = 6;
constexpr std::array<std::int64_t, kRing> kMotif = {0, 1, 0, 1, 0, 2};  // cyclic; reads the same in both directions

struct LabelledGraph {
  std::vector<std::int64_t> labels;
  std::vector<std::vector<std::uint32_t>> neighbours;

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

std::uint32_t below(Random& random, std::size_t bound) {
  return static_cast<std::uint32_t>(random.below(bound));
}

template <typename Values>
void shuffle(Values& values, Random& random, const Checkpoint& checkpoint) {
  for (std::size_t i = values.size(); i > 1; --i) {
    if (i % kStep == 0) checkpoint();
    std::swap(values[i - 1], values[random.below(i)]);
  }
}

// Whether `path`, which reads like the motif from place `start` on, can be continued to a whole ring.
bool completes_motif(const LabelledGraph& graph, std::size_t start, std::vector<std::uint32_t>& path) {
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
bool would_close_motif(const LabelledGraph& graph, std::uint32_t u, std::uint32_t v) {
  for (std::size_t start = 0; start < kRing; ++start) {
    if (graph.labels[u] != kMotif[start] || graph.labels[v] != kMotif[(start + 1) % kRing]) continue;
    std::vector<std::uint32_t> path = {u, v};
    if (completes_motif(graph, start, path)) return true;
  }
  return false;
}

// The same for both classes, and never with the motif in it.
LabelledGraph make_background(const MotifOptions& options, Random& random, const Checkpoint& checkpoint) {
  LabelledGraph graph;
  const std::uint32_t spread = options.nodes / 4;
  const std::uint32_t nodes = options.nodes - spread + below(random, 2 * std::size_t{spread} + 1);
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

LabelledGraph make_graph(bool with_motif, const MotifOptions& options, Random& random, const Checkpoint& checkpoint) {
  LabelledGraph graph = make_background(options, random, checkpoint);
  std::array<std::int64_t, kRing> ring_labels = kMotif;
  while (!with_motif && is_motif(ring_labels)) shuffle(ring_labels, random, checkpoint);

  const auto first = static_cast<std::uint32_t>(graph.labels.size());
  for (const std::int64_t label : ring_labels) graph.add_node(label);
  for (std::uint32_t i = 0; i < kRing; ++i) graph.add_edge(first + i, first + (i + 1) % kRing);
  graph.add_edge(below(random, first), first + below(random, kRing));
  return graph;
}

// Appends the graph under new numbers, so that the order of nodes tells nothing.
void append(const LabelledGraph& graph, Random& random, const Checkpoint& checkpoint, GraphSetParts& parts) {
  const auto nodes = static_cast<std::uint32_t>(graph.labels.size());
  const auto begin = static_cast<std::uint32_t>(parts.node_labels.size());
  std::vector<std::uint32_t> number(nodes);
  std::iota(number.begin(), number.end(), begin);
  shuffle(number, random, checkpoint);
  parts.graph_sizes.push_back(nodes);
  parts.node_labels.resize(begin + nodes);
  for (std::uint32_t u = 0; u < nodes; ++u) {
    parts.node_labels[number[u]] = graph.labels[u];
    for (const std::uint32_t v : graph.neighbours[u]) {
      if (u > v) continue;
      parts.edge_from.push_back(number[u]);
      parts.edge_to.push_back(number[v]);
    }
  }
}

void check(const MotifOptions& options) {
  if (options.graphs == 0) throw UsageError("a motif set needs at least one graph");
  if (options.nodes == 0) throw UsageError("the graphs of a motif set need at least one background node");
  if (options.labels < 3) {
    throw UsageError(fmt::format("a motif set needs at least 3 labels, not {}", options.labels));
  }
  const std::uint64_t most_nodes = std::uint64_t{options.nodes} + options.nodes / 4 + kRing;  // of one graph
  if (most_nodes > std::numeric_limits<std::uint32_t>::max() / options.graphs) {
    throw UsageError(
        fmt::format("{} graphs of {} nodes are more than a graph set holds", options.graphs, options.nodes));
  }
}

}  // namespace

GraphSet make_motif_set(const MotifOptions& options, const RunOptions& run) {
  check(options);
  const ThreadScope threads(run);
  std::uint64_t made = 0;
  const Checkpoint checkpoint = [&] { report_progress(run, "making graphs", made, options.graphs); };
  checkpoint();
  Random random(options.seed);
  std::vector<std::int32_t> classes(options.graphs);
  for (std::size_t g = 0; g < classes.size(); ++g) classes[g] = static_cast<std::int32_t>(g % 2);
  shuffle(classes, random, checkpoint);

  GraphSetParts parts;
  parts.name = "motif";
  for (const std::int32_t class_index : classes) {
    append(make_graph(class_index == 1, options, random, checkpoint), random, checkpoint, parts);
    ++made;
  }
  checkpoint();
  parts.targets.kind = Targets::Kind::classes;
  parts.targets.class_names = {"0", "1"};
  parts.targets.class_of_graph = std::move(classes);
  return GraphSet(std::move(parts));
}

}  // namespace gckn
