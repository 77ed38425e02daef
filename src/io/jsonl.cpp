// SPDX-License-Identifier: BSD-3-Clause
#include "io/jsonl.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gckn/error.h"
#include "graph/limits.h"
#include "io/jsonl_record.h"
#include "io/line_runs.h"
#include "io/targets.h"
#include "util/counted.h"
#include "util/parallel.h"

namespace gckn {

namespace {

// A line may claim any number of nodes without describing them. More than these, and one per byte of the file, are
// taken for a mistake before memory is asked for.
constexpr std::uint64_t kUndescribedNodes = 1 << 24;

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Puts the graphs of all runs together and checks what concerns several lines.
class JsonlJoiner {
 public:
  JsonlJoiner(const SourceFile& file, const std::vector<JsonlRun>& runs) : file_(file), runs_(runs) {
    for (const JsonlRun& run : runs) {
      for (const JsonlGraph& graph : run.graphs) graphs_.push_back(&graph);
    }
  }

  GraphSetParts join() {
    if (graphs_.empty()) fail_at(file_, 0, "the file holds no graph");
    join_nodes_and_edges();
    const auto has_nodes = [](const JsonlGraph& graph) { return graph.num_nodes > 0; };
    const auto has_edges = [](const JsonlGraph& graph) { return graph.edges.rows > 0; };
    const auto always = [](const JsonlGraph&) { return true; };
    check_list("node_labels", &JsonlGraph::node_labels, has_nodes);
    check_list("edge_labels", &JsonlGraph::edge_labels, has_edges);
    parts_.node_attribute_columns = check_list("node_attributes", &JsonlGraph::node_attributes, has_nodes);
    parts_.edge_attribute_columns = check_list("edge_attributes", &JsonlGraph::edge_attributes, has_edges);
    parts_.graph_attribute_columns = check_list("graph_attributes", &JsonlGraph::graph_attributes, always);
    for (const JsonlRun& run : runs_) {
      append(parts_.node_labels, run.node_labels);
      append(parts_.node_attributes, run.node_attributes);
      append(parts_.edge_labels, run.edge_labels);
      append(parts_.edge_attributes, run.edge_attributes);
      append(parts_.graph_attributes, run.graph_attributes);
      parts_.node_label_names.insert(run.node_label_names.begin(), run.node_label_names.end());
      parts_.edge_label_names.insert(run.edge_label_names.begin(), run.edge_label_names.end());
    }
    join_targets();
    if (std::ranges::any_of(graphs_, [](const JsonlGraph* graph) { return !graph->id.empty(); })) {
      for (const JsonlGraph* graph : graphs_) parts_.ids.push_back(graph->id);
    }
    if (std::ranges::any_of(graphs_, [](const JsonlGraph* graph) { return !graph->truth_nodes.empty(); })) {
      for (const JsonlGraph* graph : graphs_) parts_.truth.push_back(graph->truth_nodes);
    }
    set_locator();
    return std::move(parts_);
  }

 private:
  void join_nodes_and_edges() {
    std::uint64_t nodes = 0;
    for (const JsonlRun& run : runs_) {
      auto ends = run.edge_ends.begin();
      for (const JsonlGraph& graph : run.graphs) {
        const auto first = static_cast<std::uint32_t>(nodes);
        nodes += graph.num_nodes;
        if (nodes > std::min(kMaxNodes, kUndescribedNodes + file_.text.size())) {
          fail_at(file_, graph.offset,
                  fmt::format("num_nodes: {} makes {} nodes in all, more than a file of this size can describe",
                              graph.num_nodes, nodes));
        }
        parts_.graph_sizes.push_back(graph.num_nodes);
        for (std::size_t edge = 0; edge < graph.edges.rows; ++edge) {
          parts_.edge_from.push_back(first + *ends++);
          parts_.edge_to.push_back(first + *ends++);
        }
      }
    }
  }

  // A list that one graph has, all must have, with as many columns, but for graphs without anything to list.
  // Returns the number of columns.
  template <typename HasSomething>
  std::size_t check_list(std::string_view name, JsonlList JsonlGraph::*list, HasSomething has_something) const {
    const JsonlGraph* first = nullptr;
    for (const JsonlGraph* graph : graphs_) {
      if (!has_something(*graph)) continue;
      if (first == nullptr) first = graph;
      const JsonlList& here = graph->*list;
      const JsonlList& there = first->*list;
      if (here.present != there.present) {
        fail_at(file_, graph->offset,
                fmt::format("{}: the key is {} here but {} at {}", name, here.present ? "there" : "missing",
                            there.present ? "there" : "missing", place_in(file_, first->offset)));
      }
      if (here.columns != there.columns) {
        fail_at(file_, graph->offset,
                fmt::format("{}: {} here but {} at {}", name, counted(here.columns, "column"), there.columns,
                            place_in(file_, first->offset)));
      }
    }
    return first == nullptr ? 0 : (first->*list).columns;
  }

  void join_targets() {
    using Target = JsonlGraph::Target;
    const JsonlGraph* text = nullptr;
    const JsonlGraph* number = nullptr;
    const JsonlGraph* measured = nullptr;  // a number that makes the targets numbers, not classes
    for (const JsonlGraph* graph : graphs_) {
      if (graph->target == Target::none) continue;
      if (graph->target == Target::text) {
        text = graph;
      } else {
        number = graph;
        if (graph->target != Target::integer) measured = graph;
      }
      if (text != nullptr && number != nullptr) {
        const JsonlGraph* other = graph == text ? number : text;
        fail_at(file_, graph->offset,
                fmt::format("target: a {} here but a {} at {}", graph == text ? "text" : "number",
                            graph == text ? "number" : "text", place_in(file_, other->offset)));
      }
    }
    if (text != nullptr) {
      std::vector<std::optional<std::string>> names;
      for (const JsonlGraph* graph : graphs_) {
        names.push_back(graph->target == Target::text ? std::optional(graph->target_text) : std::nullopt);
      }
      parts_.targets = targets_of_classes(names);
    } else if (std::ranges::any_of(graphs_, has_named_targets)) {
      join_named_targets();
    } else if (measured != nullptr) {
      join_number_targets();
    } else if (number != nullptr) {
      std::vector<std::optional<std::int64_t>> numbers;
      for (const JsonlGraph* graph : graphs_) {
        numbers.push_back(graph->target == Target::integer ? std::optional(graph->target_integer) : std::nullopt);
      }
      parts_.targets = targets_of_classes(numbers);
    }
  }

  static bool has_named_targets(const JsonlGraph* graph) { return !graph->target_names.empty(); }

  // Objects of named targets. One that a graph does not name is missing.
  void join_named_targets() {
    const JsonlGraph& first = **std::ranges::find_if(graphs_, has_named_targets);
    std::map<std::string_view, std::size_t> column_of;
    Targets& targets = parts_.targets;
    targets.kind = Targets::Kind::numbers;
    for (const JsonlGraph* graph : graphs_) {
      if (graph->target != JsonlGraph::Target::none && !has_named_targets(graph)) {
        fail_at(file_, graph->offset,
                fmt::format("target: without names here but with names at {}", place_in(file_, first.offset)));
      }
      for (const std::string& name : graph->target_names) {
        if (column_of.emplace(name, column_of.size()).second) targets.column_names.push_back(name);
      }
    }
    targets.columns = targets.column_names.size();
    targets.numbers.assign(graphs_.size() * targets.columns, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      for (std::size_t i = 0; i < graphs_[g]->target_names.size(); ++i) {
        const std::size_t column = column_of.at(graphs_[g]->target_names[i]);
        targets.numbers[g * targets.columns + column] = graphs_[g]->target_numbers[i];
      }
    }
  }

  void join_number_targets() {
    using Target = JsonlGraph::Target;
    Targets& targets = parts_.targets;
    targets.kind = Targets::Kind::numbers;
    const auto has_target = [](const JsonlGraph* graph) { return graph->target != Target::none; };
    const auto columns_of = [](const JsonlGraph& graph) {
      return graph.target == Target::integer ? std::size_t{1} : graph.target_numbers.size();
    };
    const JsonlGraph& first = **std::find_if(graphs_.begin(), graphs_.end(), has_target);
    targets.columns = columns_of(first);
    for (const JsonlGraph* graph : graphs_) {
      if (graph->target == Target::none) {
        targets.numbers.insert(targets.numbers.end(), targets.columns, std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      if (columns_of(*graph) != targets.columns) {
        fail_at(file_, graph->offset,
                fmt::format("target: {} here but {} at {}", counted(columns_of(*graph), "number"), targets.columns,
                            place_in(file_, first.offset)));
      }
      if (graph->target == Target::integer) {
        targets.numbers.push_back(static_cast<double>(graph->target_integer));
      } else {
        append(targets.numbers, graph->target_numbers);
      }
    }
  }

  void set_locator() {
    // Only labels and attributes can contradict each other.
    if (parts_.edge_labels.empty() && parts_.edge_attributes.empty()) return;
    std::vector<std::size_t> lines;
    std::vector<std::size_t> edge_end;
    std::size_t line = file_.first_line;
    std::size_t offset = 0;
    std::size_t edges = 0;
    for (const JsonlGraph* graph : graphs_) {
      const char* text = file_.text.data();
      line += static_cast<std::size_t>(std::count(text + offset, text + graph->offset, '\n'));
      offset = graph->offset;
      edges += graph->edges.rows;
      lines.push_back(line);
      edge_end.push_back(edges);
    }
    parts_.locate_edge = [name = file_.name, lines = std::move(lines), edge_end = std::move(edge_end)](std::size_t i) {
      const auto found = std::upper_bound(edge_end.begin(), edge_end.end(), i) - edge_end.begin();
      const auto graph = static_cast<std::size_t>(found);
      const std::size_t first = graph == 0 ? 0 : edge_end[graph - 1];
      return fmt::format("{}:{}: edges[{}]", name, lines[graph], i - first);
    };
  }

  const SourceFile& file_;
  const std::vector<JsonlRun>& runs_;
  std::vector<const JsonlGraph*> graphs_;
  GraphSetParts parts_;
};

}  // namespace

bool has_jsonl_suffix(std::string_view path) {
  return path.ends_with(".jsonl") || path.ends_with(".ndjson") || path.ends_with(".json");
}

std::size_t num_jsonl_graphs(const SourceFile& file) {
  std::size_t count = 0;
  const std::string_view text = file.text;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    count += text.substr(begin, end - begin).find_first_not_of(" \t\r") == std::string_view::npos ? 0 : 1;
    begin = end + 1;
  }
  return count;
}

GraphSetParts read_jsonl(const SourceFile& file) {
  const auto pieces = line_runs(file.text);
  std::vector<JsonlRun> runs(pieces.size());
  parallel_for_first_error(pieces.size(),
                           [&](std::size_t i) { runs[i] = read_jsonl_run(file, pieces[i].first, pieces[i].second); });
  GraphSetParts parts = JsonlJoiner(file, runs).join();
  parts.name = file.name.substr(0, file.name.rfind('.'));
  return parts;
}

}  // namespace gckn
