// SPDX-License-Identifier: BSD-3-Clause
// Writes graph sets in other formats than JSON lines, and says what these cannot hold.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "gckn/error.h"
#include "gckn/io.h"
#include "io/atomic_file.h"
#include "io/jsonl_write.h"
#include "io/node_link.h"
#include "util/parallel.h"
#include "util/whole_number.h"
#include "util/words.h"

namespace gckn {

namespace fs = std::filesystem;

namespace {

constexpr Words<GraphFormat, 4> kFormats = {{{GraphFormat::jsonl, "jsonl"},
                                             {GraphFormat::tu, "tu"},
                                             {GraphFormat::gin, "gin"},
                                             {GraphFormat::node_link, "node-link"}}};

// Labels as a format that knows numbers only writes them: as they are, or, of words, numbered in the order of the
// words.
std::vector<std::int64_t> written_values(std::span<const std::int64_t> values, const std::vector<std::string>& names) {
  std::vector<std::int64_t> written(values.begin(), values.end());
  const bool has_words = !names.empty() && !std::ranges::all_of(names, [&](const std::string& name) {
    return label_of_word(name) != values[static_cast<std::size_t>(&name - names.data())] ||
           whole_number(name).has_value();
  });
  if (!has_words) return written;
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return names[i]; });
  for (std::size_t i = 0; i < order.size(); ++i) written[order[i]] = static_cast<std::int64_t>(i);
  return written;
}

std::string row_text(std::span<const double> values, std::size_t row, std::size_t columns, const char* separator) {
  return fmt::format("{}", fmt::join(values.subspan(row * columns, columns), separator));
}

// The target of a graph as a number. Throws InputError for one that is missing.
std::string target_text(const GraphSet& graphs, std::size_t g, const std::vector<std::int64_t>& class_values) {
  const Targets& targets = graphs.targets();
  const auto missing = [&] {
    throw InputError(fmt::format("{}: graph {} has no target, and this format cannot say so", graphs.name(), g));
  };
  if (targets.kind == Targets::Kind::classes) {
    if (targets.class_of_graph[g] < 0) missing();
    return fmt::to_string(class_values[static_cast<std::size_t>(targets.class_of_graph[g])]);
  }
  for (std::size_t c = 0; c < targets.columns; ++c) {
    if (std::isnan(targets.numbers[g * targets.columns + c])) missing();
  }
  return row_text(targets.numbers, g, targets.columns, ", ");
}

// The classes as numbers: those they are called by, or 0, 1, 2, ...
std::vector<std::int64_t> class_values(const Targets& targets, bool& are_words) {
  std::vector<std::int64_t> values;
  are_words = false;
  for (const std::string& name : targets.class_names) {
    const std::optional<std::int64_t> number = whole_number(name);
    are_words = are_words || !number;
    values.push_back(number.value_or(0));
  }
  if (are_words) std::iota(values.begin(), values.end(), 0);
  return values;
}

// A name as it can stand in a file of names: as JSON text where it could be taken for something else.
std::string name_text(const std::string& name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
  constexpr std::string_view kOdd = "=,# \t\"";
  const bool is_plain = !name.empty() && kOdd.find(name.front()) == std::string_view::npos && name.back() != ' ' &&
                        std::ranges::none_of(name, is_control);
  return is_plain ? name : nlohmann::json(name).dump();
}

// "0=C" line by line.
std::string names_text(const std::vector<std::int64_t>& values, const std::vector<std::string>& names) {
  LabelNames sorted;
  for (std::size_t i = 0; i < names.size(); ++i) sorted.emplace(values[i], names[i]);
  std::string text;
  for (const auto& [value, name] : sorted) text += fmt::format("{}={}\n", value, name_text(name));
  return text;
}

// Writes the files of a TU set into a folder.
class TuWriter {
 public:
  TuWriter(const GraphSet& graphs, fs::path folder, std::string name, const RunOptions& options)
      : graphs_(graphs), folder_(std::move(folder)), name_(std::move(name)), options_(options) {}

  void write() {
    if (graphs_.graph_begin(graphs_.num_graphs() - 1) == graphs_.graph_begin(graphs_.num_graphs())) {
      throw InputError(
          fmt::format("{}: the last graph has no nodes, and a TU set cannot say that it exists", graphs_.name()));
    }
    write_nodes();
    write_edges();
    write_graphs();
  }

 private:
  // One line per item.
  template <typename LineOf>
  void write_lines(const char* what, std::size_t count, const LineOf& line_of) const {
    AtomicFile file(folder_ / fmt::format("{}_{}.txt", name_, what));
    std::string text;
    constexpr std::size_t kFlushBytes = 1 << 20;
    for (std::size_t i = 0; i < count; ++i) {
      text += line_of(i);
      text += '\n';
      if (text.size() < kFlushBytes) continue;
      report_progress(options_, "writing", i, count);
      file.write(text.data(), text.size());
      text.clear();
    }
    file.write(text.data(), text.size());
    file.commit();
  }

  void write_labels(const char* what, std::span<const std::uint32_t> labels, std::span<const std::int64_t> values,
                    const std::vector<std::string>& names) const {
    if (values.empty()) return;
    const std::vector<std::int64_t> written = written_values(values, names);
    write_lines(what, labels.size(), [&](std::size_t i) { return fmt::to_string(written[labels[i]]); });
    if (names.empty()) return;
    write_text(names_text(written, names), folder_ / fmt::format("{}_{}_names.txt", name_, singular(what)));
  }

  static std::string singular(std::string_view labels) { return std::string(labels.substr(0, labels.size() - 1)); }

  void write_rows(const char* what, std::span<const double> values, std::size_t columns) const {
    if (columns == 0) return;
    write_lines(what, values.size() / columns, [&](std::size_t i) { return row_text(values, i, columns, ", "); });
  }

  void write_nodes() const {
    std::size_t graph = 0;
    write_lines("graph_indicator", graphs_.num_nodes(), [&](std::size_t u) {
      while (graphs_.graph_begin(graph + 1) <= u) ++graph;
      return fmt::to_string(graph + 1);
    });
    write_labels("node_labels", graphs_.node_labels(), graphs_.node_label_values(), graphs_.node_label_names());
    write_rows("node_attributes", graphs_.node_attributes(), graphs_.node_attribute_columns());
  }

  void write_edges() const {
    std::size_t from = 0;
    write_lines("A", graphs_.num_arcs(), [&](std::size_t arc) {
      while (graphs_.arc_begin(from + 1) <= arc) ++from;
      return fmt::format("{}, {}", from + 1, graphs_.arcs()[arc] + 1);
    });
    write_labels("edge_labels", graphs_.arc_labels(), graphs_.edge_label_values(), graphs_.edge_label_names());
    write_rows("edge_attributes", graphs_.arc_attributes(), graphs_.edge_attribute_columns());
  }

  void write_graphs() const {
    const Targets& targets = graphs_.targets();
    bool are_words = false;
    const std::vector<std::int64_t> values = class_values(targets, are_words);
    // Whole numbers in a file of graph labels would be classes to a reader.
    const bool as_attributes = targets.kind == Targets::Kind::numbers && graphs_.graph_attribute_columns() == 0;
    if (targets.kind != Targets::Kind::none) {
      write_lines(as_attributes ? "graph_attributes" : "graph_labels", graphs_.num_graphs(),
                  [&](std::size_t g) { return target_text(graphs_, g, values); });
    } else if (has_empty_graph() && graphs_.graph_attribute_columns() == 0) {
      throw InputError(
          fmt::format("{}: without targets a TU set cannot say that there are graphs without nodes", graphs_.name()));
    }
    if (are_words) {
      write_text(names_text(values, targets.class_names), folder_ / (name_ + "_graph_label_names.txt"));
    }
    write_rows("graph_attributes", graphs_.graph_attributes(), graphs_.graph_attribute_columns());
  }

  [[nodiscard]] bool has_empty_graph() const {
    const auto begins = graphs_.graph_begins();
    return std::ranges::adjacent_find(begins) != begins.end();
  }

  const GraphSet& graphs_;
  const fs::path folder_;
  const std::string name_;
  const RunOptions& options_;
};

// A new folder beside `folder`, which nobody else has.
fs::path make_temporary_folder(const fs::path& folder) {
  std::string name = (folder.parent_path() / ".gckn-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    const std::error_code error(errno, std::generic_category());
    throw InputError(fmt::format("{}: the folder cannot be made ({})", folder.string(), error.message()));
  }
  fs::permissions(name, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read |
                            fs::perms::others_exec);
  return name;
}

// The folder appears whole, under its name, or not at all.
void write_tu(const GraphSet& graphs, const fs::path& path, const RunOptions& options) {
  const fs::path folder = path.has_filename() ? path : path.parent_path();
  const auto require_new = [&] {
    std::error_code error;
    if (fs::exists(fs::symlink_status(folder, error))) {
      throw InputError(fmt::format("{}: is there already; a TU set is a new folder", folder.string()));
    }
  };
  require_new();
  const fs::path temporary = make_temporary_folder(folder);
  try {
    TuWriter(graphs, temporary, folder.filename().string(), options).write();
    require_new();  // an empty folder would be replaced
    fs::rename(temporary, folder);
  } catch (...) {
    std::error_code error;
    fs::remove_all(temporary, error);
    throw;
  }
}

void write_gin(const GraphSet& graphs, const fs::path& path, const RunOptions& options) {
  bool are_words = false;
  const std::vector<std::int64_t> classes = class_values(graphs.targets(), are_words);
  const std::vector<std::int64_t> labels = written_values(graphs.node_label_values(), graphs.node_label_names());
  const bool has_target = graphs.targets().kind != Targets::Kind::none;
  if (graphs.targets().columns > 1) {
    throw InputError(fmt::format("{}: a GIN file has one target per graph, and these have {}", graphs.name(),
                                 graphs.targets().columns));
  }
  write_by_graph(graphs, path, options, [&](std::size_t g, std::string& text) {
    const auto put = std::back_inserter(text);
    if (g == 0) fmt::format_to(put, "{}\n", graphs.num_graphs());
    const std::uint32_t first = graphs.graph_begin(g);
    const std::uint32_t last = graphs.graph_begin(g + 1);
    fmt::format_to(put, "{} {}\n", last - first, has_target ? target_text(graphs, g, classes) : "0");
    for (std::uint32_t u = first; u < last; ++u) {
      fmt::format_to(put, "{} {}", labels.empty() ? 0 : labels[graphs.node_labels()[u]], graphs.degree(u));
      for (const std::uint32_t v : graphs.neighbours(u)) fmt::format_to(put, " {}", v - first);
      if (graphs.node_attribute_columns() > 0) {
        fmt::format_to(put, " {}", row_text(graphs.node_attributes(), u, graphs.node_attribute_columns(), " "));
      }
      text += '\n';
    }
  });
}

void write_node_link(const GraphSet& graphs, const fs::path& path, const RunOptions& options) {
  JsonlText lines(graphs);
  write_by_graph(graphs, path, options, [&](std::size_t g, std::string& text) {
    text += node_link_of_json_line(lines.line(g)).dump();
    text += '\n';
  });
}

bool has_ids(const GraphSet& graphs) {
  return std::ranges::any_of(graphs.ids(), [](const std::string& id) { return !id.empty(); });
}

bool has_truth(const GraphSet& graphs) {
  return std::ranges::any_of(graphs.truth(), [](const NodeTruth& truth) { return !truth.empty(); });
}

}  // namespace

std::string_view to_string(GraphFormat format) {
  return word_of(kFormats, format);
}

GraphFormat parse_graph_format(std::string_view word) {
  return value_of(kFormats, "the format", word);
}

std::vector<std::string> lost_in(const GraphSet& graphs, GraphFormat format) {
  std::vector<std::string> lost;
  const auto lose = [&](bool has, const char* what) {
    if (has) lost.emplace_back(what);
  };
  lose(!graphs.folds().empty(), "folds");
  if (format == GraphFormat::jsonl || format == GraphFormat::node_link) return lost;
  lose(has_ids(graphs), "ids");
  lose(has_truth(graphs), "truth");
  lose(!graphs.targets().column_names.empty(), "names of targets");
  if (format == GraphFormat::tu) return lost;
  bool are_words = false;
  (void)class_values(graphs.targets(), are_words);
  lose(are_words, "names of classes");
  lose(graphs.targets().kind == Targets::Kind::none, "that there are no targets (every graph gets class 0)");
  lose(!graphs.node_label_names().empty(), "names of labels");
  lose(graphs.has_edge_labels(), "edge labels");
  lose(graphs.edge_attribute_columns() > 0, "edge attributes");
  lose(graphs.graph_attribute_columns() > 0, "graph attributes");
  lose(graphs.node_label_values().size() == 1, "node labels, which are all the same");
  return lost;
}

void write_graphs(const GraphSet& graphs, const fs::path& path, GraphFormat format, const RunOptions& options) {
  if (graphs.num_graphs() == 0) throw InputError(fmt::format("{}: there is no graph to write", graphs.name()));
  switch (format) {
    case GraphFormat::jsonl:
      return write_graphs_jsonl(graphs, path, options);
    case GraphFormat::tu:
      return write_tu(graphs, path, options);
    case GraphFormat::gin:
      return write_gin(graphs, path, options);
    case GraphFormat::node_link:
      return write_node_link(graphs, path, options);
  }
}

}  // namespace gckn
