// SPDX-License-Identifier: BSD-3-Clause
#include "io/tu.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "gckn/error.h"
#include "gckn/io.h"
#include "graph/label_names.h"
#include "graph/limits.h"
#include "io/targets.h"
#include "io/text_table.h"
#include "util/counted.h"
#include "util/parallel.h"
#include "util/whole_number.h"

namespace gckn {

namespace {

constexpr std::string_view kEdgeSuffix = "_A.txt";
constexpr std::string_view kIndicatorSuffix = "_graph_indicator.txt";

using Jobs = std::vector<std::function<void()>>;

// Labels of several columns become one number, each column taking its share of 18 decimal digits: "3, 5" is
// 3000000005. That keeps the number of a label independent of the other labels in the file.
constexpr std::size_t kMaxLabelColumns = 6;
constexpr std::array<std::int64_t, kMaxLabelColumns + 1> kLabelBase = {0,      0,     1'000'000'000, 1'000'000,
                                                                       10'000, 1'000, 1'000};

class TuReader {
 public:
  TuReader(FileTree& files, const std::string& prefix) : files_(files), prefix_(prefix) {}

  GraphSetParts read() {
    edges_ = required("_A");
    indicator_ = required("_graph_indicator");
    node_labels_ = optional("_node_labels");
    node_attributes_ = optional("_node_attributes");
    edge_labels_ = optional("_edge_labels");
    edge_attributes_ = optional("_edge_attributes");
    graph_labels_ = optional("_graph_labels");
    graph_attributes_ = optional("_graph_attributes");
    check_counts();
    read_rows();
    set_graph_sizes();
    check_edges_stay_inside();
    set_targets();
    parts_.name = std::string(base_name(prefix_));
    take_names();
    parts_.locate_edge = [name = edges_->name()](std::size_t edge) { return fmt::format("{}:{}", name, edge + 1); };
    return std::move(parts_);
  }

 private:
  std::optional<TextTable> optional(std::string_view suffix) {
    const std::string path = fmt::format("{}{}.txt", prefix_, suffix);
    if (!files_.contains(path)) return std::nullopt;
    return TextTable(files_.load(path));
  }

  TextTable required(std::string_view suffix) {
    std::optional<TextTable> table = optional(suffix);
    if (!table) {
      throw InputError(fmt::format("{}: {}{}.txt is missing, and the TU format needs it", files_.name(),
                                   base_name(prefix_), suffix));
    }
    return std::move(*table);
  }

  void check_counts() const {
    const std::size_t nodes = indicator_->rows();
    if (nodes == 0) throw InputError(fmt::format("{}:1: the file is empty: no graphs", indicator_->name()));
    if (nodes > kMaxNodes) indicator_->fail_row(kMaxNodes, fmt::format("more than {} nodes", kMaxNodes));
    require_as_many(node_labels_, "a node label", *indicator_, "a graph number", "node");
    require_as_many(node_attributes_, "an attribute", *indicator_, "a graph number", "node");
    require_as_many(edge_labels_, "an edge label", *edges_, "a node number", "edge");
    require_as_many(edge_attributes_, "an attribute", *edges_, "a node number", "edge");
    if (graph_labels_) require_as_many(graph_attributes_, "an attribute", *graph_labels_, "a graph label", "graph");
  }

  // One line per thing that `list` lists.
  static void require_as_many(const std::optional<TextTable>& table, std::string_view value, const TextTable& list,
                              std::string_view listed_value, std::string_view thing) {
    if (!table || table->rows() == list.rows()) return;
    // A line too many may be a line that does not belong there, in either file.
    list.require_numbers(listed_value);
    table->require_numbers(value);
    table->require_rows(list.rows(), fmt::format("{} lists {}", list.name(), counted(list.rows(), thing)));
  }

  // Reads all files at once, each in runs of lines.
  void read_rows() {
    Jobs jobs;
    parts_.edge_from.resize(edges_->rows());
    parts_.edge_to.resize(edges_->rows());
    edges_->add_jobs(jobs, [this](TextScanner& scanner, std::size_t row) {
      parts_.edge_from[row] = read_node(scanner);
      scanner.skip_separator();
      parts_.edge_to[row] = read_node(scanner);
    });
    graph_of_node_.resize(indicator_->rows());
    indicator_->add_jobs(jobs,
                         [this](TextScanner& scanner, std::size_t row) { graph_of_node_[row] = read_graph(scanner); });
    add_label_jobs(node_labels_, "a node label", jobs, parts_.node_labels);
    add_number_jobs(node_attributes_, "an attribute", jobs, parts_.node_attributes, parts_.node_attribute_columns);
    add_label_jobs(edge_labels_, "an edge label", jobs, parts_.edge_labels);
    add_number_jobs(edge_attributes_, "an attribute", jobs, parts_.edge_attributes, parts_.edge_attribute_columns);
    add_graph_label_jobs(jobs);
    add_number_jobs(graph_attributes_, "an attribute", jobs, parts_.graph_attributes, parts_.graph_attribute_columns);
    parallel_for_first_error(jobs.size(), [&](std::size_t i) { jobs[i](); });
  }

  std::uint32_t read_node(TextScanner& scanner) const {
    const std::int64_t node = scanner.integer("a node number");
    if (node < 1) scanner.fail(fmt::format("node {} is out of range (nodes are numbered from 1)", node));
    if (static_cast<std::uint64_t>(node) > graph_of_node_.size()) {
      scanner.fail(
          fmt::format("node {} is out of range (the set has {})", node, counted(graph_of_node_.size(), "node")));
    }
    return static_cast<std::uint32_t>(node - 1);
  }

  std::uint32_t read_graph(TextScanner& scanner) const {
    const std::int64_t graph = scanner.integer("a graph number");
    if (graph < 1) scanner.fail(fmt::format("graph {} is out of range (graphs are numbered from 1)", graph));
    const TextTable* described = graph_descriptions();
    const std::uint64_t graphs = described != nullptr ? described->rows() : kMaxNodes;
    if (static_cast<std::uint64_t>(graph) > graphs) {
      scanner.fail(fmt::format("graph {} is out of range ({})", graph,
                               described != nullptr
                                   ? fmt::format("{} lists {}", described->name(), counted(graphs, "graph"))
                                   : "no file of graph labels says that it exists"));
    }
    return static_cast<std::uint32_t>(graph - 1);
  }

  // The file that says which graphs exist; null if there is none.
  [[nodiscard]] const TextTable* graph_descriptions() const {
    if (graph_labels_) return &*graph_labels_;
    return graph_attributes_ ? &*graph_attributes_ : nullptr;
  }

  static void add_number_jobs(const std::optional<TextTable>& table, std::string_view what, Jobs& jobs,
                              std::vector<double>& values, std::size_t& columns) {
    if (!table) return;
    columns = table->columns();
    values.resize(table->values());
    table->add_jobs(jobs, [what, count = columns, out = values.data()](TextScanner& scanner, std::size_t row) {
      double* row_out = out + row * count;
      for (std::size_t column = 0; column < count; ++column) {
        if (column > 0) scanner.skip_separator();
        row_out[column] = scanner.number(what);
      }
    });
  }

  void add_graph_label_jobs(Jobs& jobs) {
    if (!graph_labels_) return;
    graph_labels_read_.resize(graph_labels_->values());
    graph_labels_->add_jobs(jobs, [count = graph_labels_->columns(), out = graph_labels_read_.data()](
                                      TextScanner& scanner, std::size_t row) {
      for (std::size_t column = 0; column < count; ++column) {
        if (column > 0) scanner.skip_separator();
        out[row * count + column] = scanner.exact_number("a graph label");
      }
    });
  }

  static void add_label_jobs(const std::optional<TextTable>& table, std::string_view what, Jobs& jobs,
                             std::vector<std::int64_t>& labels) {
    if (!table || table->rows() == 0) return;
    labels.resize(table->rows());
    const std::size_t columns = table->columns();
    if (columns <= 1) {
      table->add_jobs(jobs, [what, out = labels.data()](TextScanner& scanner, std::size_t row) {
        out[row] = scanner.integer(what);
      });
      return;
    }
    if (columns > kMaxLabelColumns) {
      table->fail_row(0, fmt::format("{} label columns, but at most {} can be combined", columns, kMaxLabelColumns));
    }
    table->add_jobs(jobs, [what, columns, out = labels.data()](TextScanner& scanner, std::size_t row) {
      std::int64_t combined = 0;
      for (std::size_t column = 0; column < columns; ++column) {
        if (column > 0) scanner.skip_separator();
        const std::int64_t label = scanner.integer(what);
        if (label < 0 || label >= kLabelBase[columns]) {
          scanner.fail(fmt::format("label {} is out of range (0 to {} where a label has {} columns)", label,
                                   kLabelBase[columns] - 1, columns));
        }
        combined = combined * kLabelBase[columns] + label;
      }
      out[row] = combined;
    });
  }

  // Graphs are numbered in order; a number that is skipped is a graph without nodes, if a file of labels or
  // attributes says that the graph exists.
  void set_graph_sizes() {
    const TextTable* described = graph_descriptions();
    std::uint32_t last = 0;
    for (std::size_t node = 0; node < graph_of_node_.size(); ++node) {
      const std::uint32_t graph = graph_of_node_[node];
      if (graph < last) {
        indicator_->fail_row(node, fmt::format("graph {} comes after graph {}, but the nodes of a graph must stand "
                                               "together, in the order of the graphs",
                                               graph + 1, last + 1));
      }
      if (described == nullptr && graph > last + (node > 0 ? 1 : 0)) {
        indicator_->fail_row(node, fmt::format("graph {} is skipped, and no file of graph labels says that it exists",
                                               last + (node > 0 ? 2 : 1)));
      }
      last = graph;
    }
    const std::size_t graphs = static_cast<std::size_t>(last) + 1;
    if (described != nullptr) {
      described->require_rows(graphs, fmt::format("the last graph of {} is {}", indicator_->name(), graphs));
    }
    parts_.graph_sizes.assign(graphs, 0);
    for (const std::uint32_t graph : graph_of_node_) ++parts_.graph_sizes[graph];
  }

  void check_edges_stay_inside() const {
    for (std::size_t edge = 0; edge < parts_.edge_from.size(); ++edge) {
      const std::uint32_t from = parts_.edge_from[edge];
      const std::uint32_t to = parts_.edge_to[edge];
      if (graph_of_node_[from] == graph_of_node_[to]) continue;
      edges_->fail_row(edge, fmt::format("the edge {}, {} joins graph {} and graph {}", from + 1, to + 1,
                                         graph_of_node_[from] + 1, graph_of_node_[to] + 1));
    }
  }

  void set_targets() {
    if (graph_labels_) {
      parts_.targets = targets_of_numbers(
          graph_labels_read_, graph_labels_->columns(),
          [&](std::size_t row, const std::string& message) { graph_labels_->fail_row(row, message); });
    } else if (graph_attributes_) {
      parts_.targets.kind = Targets::Kind::numbers;
      parts_.targets.columns = std::exchange(parts_.graph_attribute_columns, 0);
      parts_.targets.numbers = std::exchange(parts_.graph_attributes, {});
    }
  }

  // From files of names, as gckn convert writes them, or else where the labels are those that the publishers describe:
  // another set may have the same name.
  void take_names() {
    const PublishedNames published = published_label_names(parts_.name);
    const auto take = [](const std::vector<std::int64_t>& labels, const LabelNames& known, LabelNames& names) {
      const auto is_known = [&](std::int64_t label) { return known.contains(label); };
      if (!known.empty() && std::ranges::all_of(labels, is_known)) names = known;
    };
    take(parts_.node_labels, published.nodes, parts_.node_label_names);
    take(parts_.edge_labels, published.edges, parts_.edge_label_names);
    read_names("_node_label_names", parts_.node_label_names);
    read_names("_edge_label_names", parts_.edge_label_names);
    LabelNames classes;
    read_names("_graph_label_names", classes);
    rename_classes(classes);
  }

  void read_names(std::string_view suffix, LabelNames& names) {
    const std::string path = fmt::format("{}{}.txt", prefix_, suffix);
    if (!files_.contains(path)) return;
    const SourceFile file = files_.load(path);
    names = parse_label_names(file.text, file.name);
  }

  void rename_classes(const LabelNames& names) {
    Targets& targets = parts_.targets;
    if (names.empty() || targets.kind != Targets::Kind::classes) return;
    std::vector<std::optional<std::string>> renamed;
    for (const std::int32_t c : targets.class_of_graph) {
      const std::string& number = targets.class_names[static_cast<std::size_t>(c)];
      const auto found = names.find(whole_number(number).value_or(0));
      renamed.emplace_back(found == names.end() ? number : found->second);
    }
    targets = targets_of_classes(renamed);
  }

  FileTree& files_;
  const std::string& prefix_;
  std::optional<TextTable> edges_;
  std::optional<TextTable> indicator_;
  std::optional<TextTable> node_labels_;
  std::optional<TextTable> node_attributes_;
  std::optional<TextTable> edge_labels_;
  std::optional<TextTable> edge_attributes_;
  std::optional<TextTable> graph_labels_;
  std::optional<TextTable> graph_attributes_;
  std::vector<std::uint32_t> graph_of_node_;
  std::vector<WrittenNumber> graph_labels_read_;
  GraphSetParts parts_;
};

}  // namespace

std::vector<std::string> find_tu_sets(const FileTree& files) {
  // By its list of edges; by another file where that is missing, so that it can be said.
  for (const std::string_view suffix : {kEdgeSuffix, kIndicatorSuffix}) {
    std::vector<std::string> prefixes;
    for (const std::string& path : files.paths()) {
      if (path.ends_with(suffix)) prefixes.push_back(path.substr(0, path.size() - suffix.size()));
    }
    if (!prefixes.empty()) return prefixes;
  }
  return {};
}

GraphSetParts read_tu(FileTree& files, const std::string& prefix) {
  return TuReader(files, prefix).read();
}

}  // namespace gckn
