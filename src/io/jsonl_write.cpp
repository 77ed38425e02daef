// SPDX-License-Identifier: BSD-3-Clause
// Writes JSON lines that read back to the same graph set.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gckn/io.h"
#include "io/atomic_file.h"
#include "io/targets.h"
#include "util/parallel.h"

namespace gckn {

namespace {

constexpr std::size_t kJsonlFlushBytes = 1 << 20;

class JsonlWriter {
 public:
  JsonlWriter(const GraphSet& graphs, const std::filesystem::path& path) : graphs_(graphs), file_(path) {
    const std::vector<std::string>& names = graphs.targets().class_names;
    const bool all_whole =
        std::all_of(names.begin(), names.end(), [](const std::string& name) { return whole_number(name).has_value(); });
    for (const std::string& name : names) class_texts_.push_back(all_whole ? name : quote(name));
  }

  void write(const RunOptions& options) {
    for (std::size_t g = 0; g < graphs_.num_graphs(); ++g) {
      write_graph(g);
      if (buffer_.size() < kJsonlFlushBytes) continue;
      report_progress(options, "writing", g, graphs_.num_graphs());
      flush();
    }
    flush();
    file_.commit();
  }

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
  }

  // "[a, b, ...]" with count entries, each written by put_entry(i).
  template <typename PutEntry>
  void put_list(std::size_t count, PutEntry put_entry) {
    put("[");
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) put(", ");
      put_entry(i);
    }
    put("]");
  }

  void put_row(std::span<const double> values, std::size_t row, std::size_t columns) {
    put_list(columns, [&](std::size_t column) { put("{}", values[row * columns + column]); });
  }

  void write_graph(std::size_t g) {
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
      put_list(last - first,
               [&](std::size_t i) { put("{}", graphs_.node_label_values()[graphs_.node_labels()[first + i]]); });
    }
    if (graphs_.node_attribute_columns() > 0) {
      put(", \"node_attributes\": ");
      put_list(last - first,
               [&](std::size_t i) { put_row(graphs_.node_attributes(), first + i, graphs_.node_attribute_columns()); });
    }
    if (graphs_.has_edge_labels()) {
      put(", \"edge_labels\": ");
      put_list(arcs_.size(),
               [&](std::size_t i) { put("{}", graphs_.edge_label_values()[graphs_.arc_labels()[arcs_[i]]]); });
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
    put("}}\n");
  }

  // Each edge once, from its lower end; in both directions where the attributes of the two differ.
  void list_arcs(std::uint32_t first, std::uint32_t last) {
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

  void put_target(std::size_t g) {
    const Targets& targets = graphs_.targets();
    if (targets.kind == Targets::Kind::classes) {
      const std::int32_t index = targets.class_of_graph[g];
      put(", \"target\": {}", index < 0 ? "null" : class_texts_[static_cast<std::size_t>(index)]);
    } else if (targets.kind == Targets::Kind::numbers) {
      const auto number = [&](std::size_t column) { return targets.numbers[g * targets.columns + column]; };
      put(", \"target\": ");
      // A missing number stands in a list even if alone: null by itself would not say that the targets are numbers.
      if (targets.columns == 1 && !std::isnan(number(0))) {
        put_measured(number(0));
      } else {
        put_list(targets.columns, [&](std::size_t column) { put_measured(number(column)); });
      }
    }
  }

  // With a point or exponent, so that it reads back as a number and not as a class.
  void put_measured(double value) {
    if (std::isnan(value)) return put("null");
    const std::string text = fmt::to_string(value);
    put("{}{}", text, text.find_first_of(".e") == std::string::npos ? ".0" : "");
  }

  static std::string quote(const std::string& name) {
    return nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  void flush() {
    file_.write(buffer_.data(), buffer_.size());
    buffer_.clear();
  }

  const GraphSet& graphs_;
  AtomicFile file_;
  fmt::memory_buffer buffer_;
  std::vector<std::string> class_texts_;
  std::vector<std::uint64_t> arcs_;      // of the graph at hand
  std::vector<std::uint32_t> arc_from_;  // their sources
};

}  // namespace

void write_graphs_jsonl(const GraphSet& graphs, const std::filesystem::path& path, const RunOptions& options) {
  JsonlWriter(graphs, path).write(options);
}

}  // namespace gckn
