// SPDX-License-Identifier: BSD-3-Clause
#include "graph/planted.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "gckn/error.h"
#include "util/parallel.h"

namespace gckn::planted {

namespace {

void append(const Graph& graph, bool has_labels, std::uint32_t begin, Random& random, const Checkpoint& checkpoint,
            GraphSetParts& parts) {
  const auto nodes = static_cast<std::uint32_t>(graph.labels.size());
  std::vector<std::uint32_t> number(nodes);
  std::iota(number.begin(), number.end(), begin);
  shuffle(number, random, checkpoint);
  parts.graph_sizes.push_back(nodes);
  if (has_labels) parts.node_labels.resize(begin + nodes);
  for (std::uint32_t u = 0; u < nodes; ++u) {
    if (has_labels) parts.node_labels[number[u]] = graph.labels[u];
    for (const std::uint32_t v : graph.neighbours[u]) {
      if (u > v) continue;
      parts.edge_from.push_back(number[u]);
      parts.edge_to.push_back(number[v]);
    }
  }
  NodeTruth& truth = parts.truth.emplace_back();
  if (graph.planted.empty()) return;
  std::vector<std::uint32_t>& planted = truth.emplace_back();
  for (const std::uint32_t u : graph.planted) planted.push_back(number[u] - begin);
}

}  // namespace

std::uint32_t random_size(std::uint32_t mean, Random& random) {
  const std::uint32_t spread = mean / 4;
  return mean - spread + below(random, 2 * std::size_t{spread} + 1);
}

void check_size(const std::string& name, std::uint32_t graphs, std::uint32_t nodes, std::uint32_t planted) {
  if (graphs == 0) throw UsageError(fmt::format("a {} set needs at least one graph", name));
  if (nodes == 0) throw UsageError(fmt::format("the graphs of a {} set need at least one background node", name));
  const std::uint64_t most_nodes = std::uint64_t{nodes} + nodes / 4 + planted;  // of one graph
  if (most_nodes > std::numeric_limits<std::uint32_t>::max() / graphs) {
    throw UsageError(fmt::format("{} graphs of {} nodes are more than a graph set holds", graphs, nodes));
  }
}

GraphSet make_set(const std::string& name, std::uint32_t graphs, bool has_labels, std::uint64_t seed,
                  const RunOptions& run, const MakeGraph& make_graph) {
  const ThreadScope threads(run);
  std::uint64_t made = 0;
  const Checkpoint checkpoint = [&] { report_progress(run, "making graphs", made, graphs); };
  checkpoint();
  Random random(seed);
  std::vector<std::int32_t> classes(graphs);
  for (std::size_t g = 0; g < classes.size(); ++g) classes[g] = static_cast<std::int32_t>(g % 2);
  shuffle(classes, random, checkpoint);

  GraphSetParts parts;
  parts.name = name;
  std::uint32_t begin = 0;
  for (const std::int32_t class_index : classes) {
    append(make_graph(class_index == 1, random, checkpoint), has_labels, begin, random, checkpoint, parts);
    begin += parts.graph_sizes.back();
    ++made;
  }
  checkpoint();
  parts.targets.kind = Targets::Kind::classes;
  parts.targets.class_names = {"0", "1"};
  parts.targets.class_of_graph = std::move(classes);
  return GraphSet(std::move(parts));
}

}  // namespace gckn::planted
