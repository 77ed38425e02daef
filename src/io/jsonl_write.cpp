// SPDX-License-Identifier: BSD-3-Clause
#include "io/jsonl_write.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "gckn/io.h"
#include "io/atomic_file.h"
#include "util/parallel.h"
#include "util/whole_number.h"

namespace gckn {

namespace {

std::string quote(const std::string& name) {
  return nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// By index: the name, or the number.
std::vector<std::string> label_texts(std::span<const std::int64_t> values, const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    texts.push_back(names.empty() ? fmt::to_string(values[i]) : quote(names[i]));
  }
  return texts;
}

}  // namespace

JsonlText::JsonlText(const GraphSet& graphs) : graphs_(graphs) {
  const std::vector<std::string>& names = graphs.targets().class_names;
  const bool all_whole =
      std::ranges::all_of(names, [](const std::string& name) { return whole_number(name).has_value(); });
  for (const std::string& name : names) class_texts_.push_back(all_whole ? name : quote(name));
  node_label_texts_ = label_texts(graphs.node_label_values(), graphs.node_label_names());
  edge_label_texts_ = label_texts(graphs.edge_label_values(), graphs.edge_label_names());
}

template <typename... Args>
void JsonlText::put(fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
}

// "[a, b, ...]" with count entries, each written by put_entry(i).
template <typename PutEntry>
void JsonlText::put_list(std::size_t count, PutEntry put_entry) {
  put("[");
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) put(", ");
    put_entry(i);
  }
  put("]");
}

void JsonlText::put_row(std::span<const double> values, std::size_t row, std::size_t columns) {
  put_list(columns, [&](std::size_t column) { put("{}", values[row * columns + column]); });
}

std::string_view JsonlText::line(std::size_t g) {
  buffer_.clear();
  const std::uint32_t first = graphs_.graph_begin(g);
  const std::uint32_t last = graphs_.graph_begin(g + 1);
  list_arcs(first, last);
  put("{{");
  if (!graphs_.ids().empty() && !graphs_.ids()[g].empty()) put("\"id\": {}, ", quote(graphs_.ids()[g]));
  put("\"num_nodes\": {}, \"edges\": ", last - first);
  put_list(arcs_.size(),
           [&](std::size_t i) { put("[{}, {}]", arc_from_[i] - first, graphs_.arcs()[arcs_[i]] - first); });
  if (graphs_.has_node_labels()) {
    put(", \"node_labels\": ");
    put_list(last - first, [&](std::size_t i) { put("{}", node_label_texts_[graphs_.node_labels()[first + i]]); });
  }
  if (graphs_.node_attribute_columns() > 0) {
    put(", \"node_attributes\": ");
    put_list(last - first,
             [&](std::size_t i) { put_row(graphs_.node_attributes(), first + i, graphs_.node_attribute_columns()); });
  }
  if (graphs_.has_edge_labels()) {
    put(", \"edge_labels\": ");
    put_list(arcs_.size(), [&](std::size_t i) { put("{}", edge_label_texts_[graphs_.arc_labels()[arcs_[i]]]); });
  }
  if (graphs_.edge_attribute_columns() > 0) {
    put(", \"edge_attributes\": ");
    put_list(arcs_.size(),
             [&](std::size_t i) { put_row(graphs_.arc_attributes(), arcs_[i], graphs_.edge_attribute_columns()); });
  }
  if (graphs_.graph_attribute_columns() > 0) {
    put(", \"graph_attributes\": ");
    put_row(graphs_.graph_attributes(), g, graphs_.graph_attribute_columns());
  }
  put_target(g);
  put_truth(g);
  put("}}\n");
  return {buffer_.data(), buffer_.size()};
}

// Each edge once, from its lower end; in both directions where the attributes of the two differ.
void JsonlText::list_arcs(std::uint32_t first, std::uint32_t last) {
  arcs_.clear();
  arc_from_.clear();
  const std::size_t columns = graphs_.edge_attribute_columns();
  const double* attributes = graphs_.arc_attributes().data();
  for (std::uint32_t u = first; u < last; ++u) {
    for (std::uint64_t arc = graphs_.arc_begin(u); arc < graphs_.arc_begin(u + 1); ++arc) {
      const std::uint32_t v = graphs_.arcs()[arc];
      if (v < u) {
        if (columns == 0) continue;
        const auto row = graphs_.neighbours(v);
        const auto found = std::lower_bound(row.begin(), row.end(), u) - row.begin();
        const std::uint64_t reverse = graphs_.arc_begin(v) + static_cast<std::uint64_t>(found);
        const double* here = attributes + arc * columns;
        if (std::equal(here, here + columns, attributes + reverse * columns)) continue;
      }
      arcs_.push_back(arc);
      arc_from_.push_back(u);
    }
  }
}

void JsonlText::put_target(std::size_t g) {
  const Targets& targets = graphs_.targets();
  if (targets.kind == Targets::Kind::classes) {
    const std::int32_t index = targets.class_of_graph[g];
    put(", \"target\": {}", index < 0 ? "null" : class_texts_[static_cast<std::size_t>(index)]);
  } else if (targets.kind == Targets::Kind::numbers) {
    const auto number = [&](std::size_t column) { return targets.numbers[g * targets.columns + column]; };
    put(", \"target\": ");
    if (!targets.column_names.empty()) {
      put("{{");
      for (std::size_t column = 0; column < targets.columns; ++column) {
        put("{}{}: ", column > 0 ? ", " : "", quote(targets.column_names[column]));
        put_measured(number(column));
      }
      return put("}}");
    }
    // A missing number stands in a list even if alone: null by itself would not say that the targets are numbers.
    if (targets.columns == 1 && !std::isnan(number(0))) {
      put_measured(number(0));
    } else {
      put_list(targets.columns, [&](std::size_t column) { put_measured(number(column)); });
    }
  }
}

void JsonlText::put_truth(std::size_t g) {
  if (graphs_.truth().empty() || graphs_.truth()[g].empty()) return;
  const NodeTruth& truth = graphs_.truth()[g];
  put(", \"truth\": ");
  put_list(truth.size(), [&](std::size_t alternative) {
    const std::vector<std::uint32_t>& nodes = truth[alternative];
    put_list(nodes.size(), [&](std::size_t i) { put("{}", nodes[i]); });
  });
}

// With a point or exponent, so that it reads back as a number and not as a class.
void JsonlText::put_measured(double value) {
  if (std::isnan(value)) return put("null");
  const std::string text = fmt::to_string(value);
  put("{}{}", text, text.find_first_of(".e") == std::string::npos ? ".0" : "");
}

void write_by_graph(const GraphSet& graphs, const std::filesystem::path& path, const RunOptions& options,
                    const std::function<void(std::size_t, std::string&)>& append_graph) {
  constexpr std::size_t kFlushBytes = 1 << 20;
  AtomicFile file(path);
  std::string text;
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    append_graph(g, text);
    if (text.size() < kFlushBytes) continue;
    report_progress(options, "writing", g, graphs.num_graphs());
    file.write(text.data(), text.size());
    text.clear();
  }
  file.write(text.data(), text.size());
  file.commit();
}

void write_graphs_jsonl(const GraphSet& graphs, const std::filesystem::path& path, const RunOptions& options) {
  JsonlText lines(graphs);
  write_by_graph(graphs, path, options, [&](std::size_t g, std::string& text) { text += lines.line(g); });
}

}  // namespace gckn
