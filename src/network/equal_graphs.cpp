// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/equal_graphs.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "network/wl_refinement.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr int kRounds = 16;

template <typename Value>
void append_bytes(std::string& key, std::span<const Value> values) {
  if (!values.empty()) key.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

// Numbers for keys in the order of their first appearance.
class Numbers {
 public:
  std::uint32_t of(std::string key) {
    return numbers_.emplace(std::move(key), static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(numbers_.size()); }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

// What a network can be told of a node before it looks around.
NodeColours colours_of_nodes(const GraphSet& graphs) {
  const std::size_t columns = graphs.node_attribute_columns();
  Numbers numbers;
  std::vector<std::uint32_t> colour(graphs.num_nodes());
  for (std::size_t u = 0; u < graphs.num_nodes(); ++u) {
    std::string key;
    if (graphs.has_node_labels()) append_bytes(key, graphs.node_labels().subspan(u, 1));
    append_bytes(key, graphs.node_attributes().subspan(u * columns, columns));
    colour[u] = numbers.of(std::move(key));
  }
  return first_colours(colour, std::max(numbers.count(), 1U));
}

// A number for every graph, the same for equal ones.
std::vector<std::uint32_t> kinds_by_refinement(const GraphSet& graphs, const RunOptions& options) {
  NodeColours colours = colours_of_nodes(graphs);
  for (int round = 0; round < kRounds; ++round) {
    NodeColours next = refine(graphs, colours, graphs.arc_labels(), options);
    const bool settled = next.count == colours.count;
    colours = std::move(next);
    if (settled) break;
  }
  Numbers numbers;
  std::vector<std::uint32_t> kinds(graphs.num_graphs());
  std::vector<std::uint32_t> of_graph;
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    of_graph.assign(colours.of_node.begin() + graphs.graph_begin(g),
                    colours.of_node.begin() + graphs.graph_begin(g + 1));
    std::ranges::sort(of_graph);
    std::string key;
    append_bytes(key, std::span<const std::uint32_t>(of_graph));
    kinds[g] = numbers.of(std::move(key));
  }
  return kinds;
}

std::vector<std::uint32_t> kinds_by_smiles(const std::vector<std::string>& smiles) {
  Numbers numbers;
  std::vector<std::uint32_t> kinds;
  for (const std::string& text : smiles) kinds.push_back(numbers.of(text));
  return kinds;
}

// By graph: whether it is of a kind of which two have different values of a target.
std::vector<bool> contradicted(const GraphSet& graphs, const std::vector<std::uint32_t>& first) {
  const Targets& targets = graphs.targets();
  const bool classes = targets.kind == Targets::Kind::classes;
  const std::size_t columns = classes ? 1 : targets.columns;
  const auto value_of = [&](std::size_t g, std::size_t c) {  // NaN: missing
    if (!classes) return targets.numbers[g * columns + c];
    return targets.class_of_graph[g] < 0 ? std::nan("") : static_cast<double>(targets.class_of_graph[g]);
  };
  std::vector<bool> of_kind(first.size());                // by the first graph of it
  std::vector<double> seen(first.size() * columns, NAN);  // the first value of every kind
  for (std::size_t g = 0; g < first.size(); ++g) {
    for (std::size_t c = 0; c < columns; ++c) {
      double& known = seen[first[g] * columns + c];
      const double value = value_of(g, c);
      if (std::isnan(value)) continue;
      if (std::isnan(known)) known = value;
      if (value != known) of_kind[first[g]] = true;
    }
  }
  std::vector<bool> result(first.size());
  for (std::size_t g = 0; g < first.size(); ++g) result[g] = of_kind[first[g]];
  return result;
}

}  // namespace

EqualGraphs find_equal_graphs(const GraphSet& graphs, const RunOptions& options) {
  const ThreadScope threads(options);
  const std::vector<std::uint32_t> kinds =
      graphs.smiles().empty() ? kinds_by_refinement(graphs, options) : kinds_by_smiles(graphs.smiles());
  EqualGraphs equal;
  std::vector<std::uint32_t> first_of_kind(graphs.num_graphs(), ~0U);
  for (std::uint32_t g = 0; g < kinds.size(); ++g) {
    std::uint32_t& first = first_of_kind[kinds[g]];
    if (first == ~0U) first = g;
    equal.first.push_back(first);
    equal.repeated += first == g ? 0 : 1;
  }
  const std::vector<bool> wrong = contradicted(graphs, equal.first);
  equal.contradictory = static_cast<std::uint64_t>(std::ranges::count(wrong, true));
  return equal;
}

std::uint64_t count_seen_test_graphs(const EqualGraphs& equal, const std::vector<Fold>& folds) {
  std::uint64_t seen = 0;
  for (const Fold& fold : folds) {
    std::vector<bool> trained(equal.first.size());
    for (const std::uint32_t g : fold.train) trained[equal.first[g]] = true;
    seen += static_cast<std::uint64_t>(
        std::ranges::count_if(fold.test, [&](std::uint32_t g) { return trained[equal.first[g]]; }));
  }
  return seen;
}

std::vector<std::uint32_t> without_duplicates(const GraphSet& graphs, const EqualGraphs& equal) {
  const std::vector<bool> wrong = contradicted(graphs, equal.first);
  std::vector<std::uint32_t> kept;
  for (std::uint32_t g = 0; g < equal.first.size(); ++g) {
    if (equal.first[g] == g && !wrong[g]) kept.push_back(g);
  }
  return kept;
}

}  // namespace gckn
