// SPDX-License-Identifier: BSD-3-Clause
#include "io/jsonl_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "graph/limits.h"
#include "io/json_events.h"
#include "io/targets.h"
#include "util/counted.h"

namespace gckn {

namespace {

enum class Field {
  edges,
  num_nodes,
  node_labels,
  node_attributes,
  edge_labels,
  edge_attributes,
  graph_attributes,
  target,
  truth,
  id,
  name,
};
constexpr std::array<std::string_view, 11> kFieldNames = {"edges",
                                                          "num_nodes",
                                                          "node_labels",
                                                          "node_attributes",
                                                          "edge_labels",
                                                          "edge_attributes",
                                                          "graph_attributes",
                                                          "target",
                                                          "truth",
                                                          "id",
                                                          "name"};

// Lists within lists that a field may have: 1 for [1, 2], 2 for [[1, 2], [3, 4]].
int allowed_depth(Field field) {
  switch (field) {
    case Field::edges:
    case Field::node_attributes:
    case Field::edge_attributes:
    case Field::truth:
      return 2;
    case Field::node_labels:
    case Field::edge_labels:
    case Field::graph_attributes:
    case Field::target:
      return 1;
    default:
      return 0;
  }
}

// Takes the events of one line into the run.
class LineHandler {
 public:
  LineHandler(const SourceFile& file, std::size_t offset, JsonlRun& run)
      : file_(file), run_(run), graph_(run.graphs.emplace_back()) {
    graph_.offset = offset;
  }

  // What the parser finds, in order.
  void null() {
    if (depth_ == 2 && field_ == Field::target) {  // in a list of targets, or an object
      ++row_length_;
      graph_.target_numbers.push_back(std::numeric_limits<double>::quiet_NaN());
    } else if (depth_ != 1 || (field_ != Field::target && field_ != Field::truth && !is_free())) {
      fail_value("null");
    }
  }
  void boolean(bool value) {
    if (depth_ != 1 || !is_free()) fail_value(value ? "true" : "false");
    take_id(value ? "true" : "false");
  }
  void integer(std::int64_t value) {
    if (depth_ == 3 && field_ == Field::edges) {
      run_.edge_ends.push_back(node_number(value, "node"));
      ++row_length_;
    } else if (depth_ == 3 && field_ == Field::truth) {
      graph_.truth_nodes.back().push_back(node_number(value, "node"));
      ++row_length_;
    } else if (depth_ == 2 && field_ == Field::node_labels) {
      run_.node_labels.push_back(value);
      ++graph_.node_labels.rows;
    } else if (depth_ == 2 && field_ == Field::edge_labels) {
      run_.edge_labels.push_back(value);
      ++graph_.edge_labels.rows;
    } else if (depth_ == 1 && field_ == Field::num_nodes) {
      graph_.num_nodes = node_number(value, "num_nodes");
    } else if (depth_ == 1 && field_ == Field::target) {
      graph_.target = JsonlGraph::Target::integer;
      graph_.target_integer = value;
    } else if (depth_ > 1) {
      // Each number of a list may stand for a class, which must not become another.
      if (field_ == Field::target && !fits_double(value)) too_large(fmt::to_string(value));
      number(static_cast<double>(value), {});
    } else if (depth_ == 0 || !is_free()) {
      fail_value(fmt::to_string(value));
    } else {
      take_id(fmt::to_string(value));
    }
  }
  // `text` is how it was written; empty for whole numbers.
  void number(double value, std::string_view text) {
    std::vector<double>* numbers = nullptr;
    if (depth_ == 3 && field_ == Field::node_attributes) numbers = &run_.node_attributes;
    if (depth_ == 3 && field_ == Field::edge_attributes) numbers = &run_.edge_attributes;
    if (depth_ == 2 && field_ == Field::graph_attributes) numbers = &run_.graph_attributes;
    if (depth_ == 2 && field_ == Field::target) numbers = &graph_.target_numbers;
    if (numbers != nullptr) {
      numbers->push_back(value);
      ++row_length_;
    } else if (depth_ == 1 && field_ == Field::target) {
      graph_.target = JsonlGraph::Target::real;
      graph_.target_numbers = {value};
    } else if (depth_ != 1 || !is_free()) {
      fail_value(text.empty() ? fmt::to_string(value) : in_quotes(text));
    } else {
      take_id(std::string(text));
    }
  }
  void string(std::string value) {
    if (depth_ == 1 && is_free()) return take_id(std::move(value));
    if (depth_ == 2 && field_ == Field::node_labels) {
      run_.node_labels.push_back(take_word(value, run_.node_label_names));
      ++graph_.node_labels.rows;
      return;
    }
    if (depth_ == 2 && field_ == Field::edge_labels) {
      run_.edge_labels.push_back(take_word(value, run_.edge_label_names));
      ++graph_.edge_labels.rows;
      return;
    }
    if (depth_ != 1 || field_ != Field::target) fail_value(in_quotes(value));
    graph_.target = JsonlGraph::Target::text;
    graph_.target_text = std::move(value);
  }
  void start_object() {
    if (depth_ == 1 && field_ == Field::target) {
      graph_.target = JsonlGraph::Target::numbers;
      row_length_ = 0;
    } else if (depth_ > 0) {
      fail_value("an object");
    }
    ++depth_;
  }
  void key(const std::string& name) {
    if (depth_ == 2) return take_target_name(name);
    const auto found = std::find(kFieldNames.begin(), kFieldNames.end(), name);
    if (found == kFieldNames.end()) {
      fail_line(fmt::format("unknown key {} (known: {})", in_quotes(name), fmt::join(kFieldNames, ", ")));
    }
    const auto index = static_cast<std::size_t>(found - kFieldNames.begin());
    field_ = static_cast<Field>(index);
    if (seen_[index]) fail_line(fmt::format("{}: the key is there twice", name));
    seen_[index] = true;
  }
  void end_object() {
    if (depth_ == 2 && row_length_ == 0) fail_value("an empty object");
    --depth_;
  }
  void start_array() {
    if (depth_ > allowed_depth(field_) || depth_ == 0) fail_value("a list");
    ++depth_;
    if (depth_ == 2 && field_ == Field::target) graph_.target = JsonlGraph::Target::numbers;
    if (depth_ == 2 && field_ != Field::target) list().present = true;
    if (depth_ == 3 && field_ == Field::truth) graph_.truth_nodes.emplace_back();
    row_length_ = 0;
  }
  void end_array() {
    --depth_;
    if (depth_ == 2) {
      end_row();
    } else if (field_ == Field::target && row_length_ == 0) {
      fail_value("an empty list");
    } else if (field_ == Field::graph_attributes) {
      graph_.graph_attributes.columns = row_length_;
    }
  }
  [[noreturn]] void too_large(std::string_view text) const { fail(fmt::format("{} is too large", in_quotes(text))); }
  [[noreturn]] void syntax_error(std::size_t column, std::string_view rest) const {
    // Most often a file laid out for people, with a graph over several lines.
    fail_line(rest.empty()
                  ? fmt::format("not valid JSON: the line ends too early, at column {} (one graph per line)", column)
                  : fmt::format("not valid JSON at column {}: {}", column, in_quotes(rest)));
  }

  // Checks that the lists fit each other.
  void finish() {
    if (!seen_[static_cast<std::size_t>(Field::edges)]) fail_line("edges: the key is missing");
    if (!seen_[static_cast<std::size_t>(Field::num_nodes)]) fail_line("num_nodes: the key is missing");
    const std::size_t nodes = graph_.num_nodes;
    const std::size_t first_end = run_.edge_ends.size() - 2 * graph_.edges.rows;
    for (std::size_t i = first_end; i < run_.edge_ends.size(); ++i) {
      if (run_.edge_ends[i] < nodes) continue;
      const std::size_t at = i - first_end;
      fail_line(fmt::format("edges[{}][{}]: node {} is out of range (num_nodes is {}, numbered from 0)", at / 2, at % 2,
                            run_.edge_ends[i], nodes));
    }
    for (std::size_t i = 0; i < graph_.truth_nodes.size(); ++i) {
      const std::vector<std::uint32_t>& row = graph_.truth_nodes[i];
      const auto bad = std::ranges::find_if(row, [&](std::uint32_t node) { return node >= nodes; });
      if (bad == row.end()) continue;
      fail_line(fmt::format("truth[{}][{}]: node {} is out of range (num_nodes is {}, numbered from 0)", i,
                            bad - row.begin(), *bad, nodes));
    }
    require_rows(graph_.node_labels, "node_labels", nodes, "node");
    require_rows(graph_.node_attributes, "node_attributes", nodes, "node");
    require_rows(graph_.edge_labels, "edge_labels", graph_.edges.rows, "edge");
    require_rows(graph_.edge_attributes, "edge_attributes", graph_.edges.rows, "edge");
  }

 private:
  // Keys for the user's own use.
  void take_id(std::string text) {
    if (field_ == Field::id) graph_.id = std::move(text);
  }
  void take_target_name(const std::string& name) {
    if (name.empty()) fail("a target has no name");
    if (std::ranges::find(graph_.target_names, name) != graph_.target_names.end()) {
      fail(fmt::format("the target {} is there twice", in_quotes(name)));
    }
    graph_.target_names.push_back(name);
  }
  std::int64_t take_word(const std::string& word, LabelNames& names) const {
    if (word.empty()) fail("a label is an empty text");
    const std::int64_t label = label_of_word(word);
    const auto [known, is_new] = names.try_emplace(label, word);
    if (!is_new && known->second != word) {  // as good as impossible, but they would be one label
      fail(fmt::format("the labels {} and {} cannot be told apart", in_quotes(known->second), in_quotes(word)));
    }
    return label;
  }
  [[nodiscard]] bool is_free() const { return field_ == Field::id || field_ == Field::name; }

  [[nodiscard]] JsonlList& list() const {
    switch (field_) {
      case Field::edges:
        return graph_.edges;
      case Field::node_labels:
        return graph_.node_labels;
      case Field::node_attributes:
        return graph_.node_attributes;
      case Field::edge_labels:
        return graph_.edge_labels;
      case Field::edge_attributes:
        return graph_.edge_attributes;
      case Field::truth:
        return graph_.truth;
      default:
        return graph_.graph_attributes;
    }
  }

  void end_row() {
    JsonlList& rows = list();
    if (field_ == Field::edges && row_length_ != 2) fail(fmt::format("an edge has 2 ends, not {}", row_length_));
    if (row_length_ == 0) fail("the row is empty");
    if (rows.rows > 0 && rows.columns != row_length_ && field_ != Field::truth) {
      fail(fmt::format("{} where the rows before have {}", counted(row_length_, "number"), rows.columns));
    }
    rows.columns = row_length_;
    ++rows.rows;
  }

  std::uint32_t node_number(std::int64_t value, std::string_view what) const {
    if (value < 0 || static_cast<std::uint64_t>(value) > kMaxNodes) {
      fail(fmt::format("{} {} is out of range (0 to {})", what, value, kMaxNodes));
    }
    return static_cast<std::uint32_t>(value);
  }

  void require_rows(const JsonlList& rows, std::string_view name, std::size_t expected, std::string_view thing) {
    if (!rows.present || rows.rows == expected) return;
    fail_line(fmt::format("{}: {}, but the graph has {}", name, counted(rows.rows, "value"), counted(expected, thing)));
  }

  [[nodiscard]] std::string_view expected() const {
    switch (field_) {
      case Field::edges:
        return "a list of [node, node], whole numbers";
      case Field::num_nodes:
        return "a whole number";
      case Field::node_labels:
      case Field::edge_labels:
        return "a list of words or whole numbers";
      case Field::node_attributes:
      case Field::edge_attributes:
        return "a list of lists of numbers";
      case Field::graph_attributes:
        return "a list of numbers";
      case Field::target:
        return "a number, a text, null, or a list or object of numbers and nulls";
      case Field::truth:
        return "null or a list of lists of nodes, whole numbers";
      default:
        return "a text or a number";
    }
  }

  // Where in the line: "edges[3][1]".
  [[nodiscard]] std::string path() const {
    std::string path(kFieldNames[static_cast<std::size_t>(field_)]);
    if (depth_ == 2 && field_ == Field::target && !graph_.target_names.empty()) {
      return fmt::format("{}.{}", path, graph_.target_names.back());
    }
    if (field_ == Field::target || field_ == Field::graph_attributes) {
      if (depth_ == 2) path += fmt::format("[{}]", row_length_);
      return path;
    }
    if (depth_ >= 2) path += fmt::format("[{}]", list().rows);
    if (depth_ >= 3) path += fmt::format("[{}]", row_length_);
    return path;
  }

  [[noreturn]] void fail_value(std::string_view found) const {
    if (depth_ == 0) fail_line(fmt::format("each line must be one JSON object, one graph per line; found {}", found));
    fail(fmt::format("expected {}, found {}", expected(), found));
  }
  [[noreturn]] void fail(const std::string& message) const {
    if (depth_ == 0) fail_line(message);
    fail_line(fmt::format("{}: {}", path(), message));
  }
  [[noreturn]] void fail_line(const std::string& message) const { fail_at(file_, graph_.offset, message); }

  const SourceFile& file_;
  JsonlRun& run_;
  JsonlGraph& graph_;
  Field field_ = Field::edges;
  std::array<bool, kFieldNames.size()> seen_{};
  int depth_ = 0;  // 1 inside the object, 2 in a list, 3 in a list in a list
  std::size_t row_length_ = 0;
};

}  // namespace

JsonlRun read_jsonl_run(const SourceFile& file, std::size_t begin, std::size_t end) {
  JsonlRun run;
  const std::string_view text = file.text;
  while (begin < end) {
    const std::size_t line_end = std::min(text.find('\n', begin), end);
    const std::string_view line = text.substr(begin, line_end - begin);
    if (line.find_first_not_of(" \t\r") != line.npos) {
      LineHandler handler(file, begin, run);
      JsonEvents(line, handler).parse();
      handler.finish();
    }
    begin = line_end + 1;
  }
  return run;
}

}  // namespace gckn
