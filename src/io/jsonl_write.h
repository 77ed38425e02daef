// SPDX-License-Identifier: BSD-3-Clause
// Graphs as JSON text that reads back to the same graph set.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/run_options.h"

namespace gckn {

class JsonlText {
 public:
  // The graphs must outlive this.
  explicit JsonlText(const GraphSet& graphs);

  // The line of graph g, with its line end. Valid until the next call.
  std::string_view line(std::size_t g);

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args);
  template <typename PutEntry>
  void put_list(std::size_t count, PutEntry put_entry);
  void put_row(std::span<const double> values, std::size_t row, std::size_t columns);
  void put_target(std::size_t g);
  void put_truth(std::size_t g);
  void put_measured(double value);
  void list_arcs(std::uint32_t first, std::uint32_t last);

  const GraphSet& graphs_;
  fmt::memory_buffer buffer_;
  std::vector<std::string> class_texts_;
  std::vector<std::string> node_label_texts_;
  std::vector<std::string> edge_label_texts_;
  std::vector<std::uint64_t> arcs_;      // of the graph at hand
  std::vector<std::uint32_t> arc_from_;  // their sources
};

// Writes a file of one piece of text per graph, beside and renamed. Reports progress.
void write_by_graph(const GraphSet& graphs, const std::filesystem::path& path, const RunOptions& options,
                    const std::function<void(std::size_t g, std::string& text)>& append_graph);

}  // namespace gckn
