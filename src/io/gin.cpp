// SPDX-License-Identifier: BSD-3-Clause
#include "io/gin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "gckn/error.h"
#include "graph/limits.h"
#include "io/targets.h"
#include "io/text_scanner.h"
#include "util/counted.h"
#include "util/parallel.h"

namespace gckn {

namespace {

// Read in two passes: the first, serial, follows the lines and notes where each node's neighbours stand and how many
// there are; the second, parallel, reads them straight into place.
class GinReader {
 public:
  explicit GinReader(SourceFile file) : file_(std::move(file)) {}

  GraphSetParts read() {
    follow_lines();
    read_neighbours();
    parts_.targets = targets_of_numbers(
        labels_, 1, [&](std::size_t graph, const std::string& message) { fail_at(file_, label_at_[graph], message); });
    // Files without node labels carry the same tag everywhere.
    const std::vector<std::int64_t>& tags = parts_.node_labels;
    if (std::all_of(tags.begin(), tags.end(), [&](std::int64_t tag) { return tag == tags.front(); })) {
      parts_.node_labels.clear();
    }
    return std::move(parts_);
  }

 private:
  void follow_lines() {
    TextScanner scanner(file_);
    if (scanner.at_end()) scanner.fail("the file is empty: no graphs");
    const std::int64_t graphs = scanner.integer("the number of graphs, first line of a GIN file");
    if (graphs < 1) scanner.fail(fmt::format("{} graphs: the set is empty", graphs));
    scanner.end_line();
    for (std::int64_t graph = 0; graph < graphs; ++graph) {
      if (scanner.at_end()) scanner.fail(fmt::format("the file ends after {} of {}", graph, counted(graphs, "graph")));
      const std::int64_t nodes = scanner.integer("a number of nodes");
      if (nodes < 0 || static_cast<std::uint64_t>(nodes) > kMaxNodes) {
        scanner.fail(fmt::format("{} nodes are out of range (0 to {})", nodes, kMaxNodes));
      }
      label_at_.push_back(scanner.offset());
      labels_.push_back(scanner.exact_number("a graph label"));
      scanner.end_line();
      parts_.graph_sizes.push_back(static_cast<std::uint32_t>(nodes));
      for (std::int64_t node = 0; node < nodes; ++node) {
        if (scanner.at_end()) {
          scanner.fail(
              fmt::format("the file ends after {} of the {} of graph {}", node, counted(nodes, "node"), graph + 1));
        }
        follow_node(scanner);
      }
    }
    if (!scanner.at_end()) {
      scanner.fail(fmt::format("the file goes on after the {} of line 1 with {}", counted(graphs, "graph"),
                               in_quotes(scanner.field())));
    }
  }

  void follow_node(TextScanner& scanner) {
    const std::size_t line = scanner.offset();
    parts_.node_labels.push_back(scanner.integer("a node tag"));
    const std::int64_t degree = scanner.integer("a node degree");
    const std::size_t at = scanner.offset();
    scanner.skip_line();
    // Before memory is asked for: a neighbour takes two bytes at least.
    if (degree < 0 || static_cast<std::uint64_t>(degree) > (scanner.offset() - at) / 2) {
      fail_at(file_, line, fmt::format("degree {} does not fit the neighbours listed", degree));
    }
    neighbours_at_.push_back(at);
    edges_ += static_cast<std::uint64_t>(degree);
    edge_end_.push_back(edges_);
  }

  void read_neighbours() {
    parts_.edge_from.resize(edges_);
    parts_.edge_to.resize(edges_);
    allocate_attributes();

    // Runs of graphs of about 256 KB.
    struct Run {
      std::size_t first_graph = 0;
      std::size_t last_graph = 0;  // one past
      std::size_t first_node = 0;
    };
    constexpr std::size_t kRunBytes = 1 << 18;
    std::vector<Run> runs;
    std::size_t node = 0;
    std::size_t run_begin = 0;
    for (std::size_t graph = 0; graph < parts_.graph_sizes.size(); ++graph) {
      const std::size_t begin = node < neighbours_at_.size() ? neighbours_at_[node] : file_.text.size();
      if (runs.empty() || begin - run_begin >= kRunBytes) {
        runs.push_back({graph, graph, node});
        run_begin = begin;
      }
      runs.back().last_graph = graph + 1;
      node += parts_.graph_sizes[graph];
    }
    parallel_for_first_error(runs.size(), [&](std::size_t i) {
      std::size_t first = runs[i].first_node;
      for (std::size_t graph = runs[i].first_graph; graph < runs[i].last_graph; ++graph) {
        read_graph(graph, first);
        first += parts_.graph_sizes[graph];
      }
    });
  }

  void allocate_attributes() {
    if (neighbours_at_.empty()) return;
    const std::size_t fields = TextScanner(file_, neighbours_at_[0], file_.text.size()).count_fields();
    const std::size_t neighbours = edge_end_[0];
    if (fields <= neighbours) return;
    const std::size_t columns = fields - neighbours;
    if (neighbours_at_.size() > file_.text.size() / columns) {
      fail_at(file_, neighbours_at_[0],
              fmt::format("{}, but the file is too short for as many on each of its {}", counted(columns, "attribute"),
                          counted(neighbours_at_.size(), "node")));
    }
    parts_.node_attribute_columns = columns;
    parts_.node_attributes.resize(columns * neighbours_at_.size());
  }

  void read_graph(std::size_t graph, std::size_t first) {
    const std::uint32_t nodes = parts_.graph_sizes[graph];
    const std::size_t columns = parts_.node_attribute_columns;
    for (std::size_t node = first; node < first + nodes; ++node) {
      TextScanner scanner(file_, neighbours_at_[node], file_.text.size());
      for (std::uint64_t edge = node == 0 ? 0 : edge_end_[node - 1]; edge < edge_end_[node]; ++edge) {
        const std::int64_t neighbour = scanner.integer("a neighbour");
        if (neighbour < 0 || neighbour >= nodes) {
          scanner.fail(fmt::format("neighbour {} is out of range (graph {} has {}, numbered from 0)", neighbour,
                                   graph + 1, counted(nodes, "node")));
        }
        parts_.edge_from[edge] = static_cast<std::uint32_t>(node);
        parts_.edge_to[edge] = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(neighbour);
      }
      for (std::size_t column = 0; column < columns; ++column) {
        parts_.node_attributes[node * columns + column] = scanner.number("an attribute");
      }
      scanner.end_line();
    }
  }

  SourceFile file_;
  std::vector<WrittenNumber> labels_;
  std::vector<std::size_t> label_at_;       // per graph, where in the text
  std::vector<std::size_t> neighbours_at_;  // per node, where in the text
  std::vector<std::uint64_t> edge_end_;     // per node, listed edges up to and with its own
  std::uint64_t edges_ = 0;
  GraphSetParts parts_;
};

// Appends the graph numbers of one file; `taken` marks those the fold has already.
std::vector<std::uint32_t> read_fold_part(const SourceFile& file, std::vector<bool>& taken) {
  std::vector<std::uint32_t> graphs;
  TextScanner scanner(file);
  if (scanner.at_end()) scanner.fail("the file is empty: no graphs");
  while (!scanner.at_end()) {
    const std::int64_t graph = scanner.integer("a graph number");
    if (graph < 0 || static_cast<std::uint64_t>(graph) >= taken.size()) {
      scanner.fail(fmt::format("graph {} is out of range (the set has {}, numbered from 0)", graph,
                               counted(taken.size(), "graph")));
    }
    const auto index = static_cast<std::size_t>(graph);
    if (taken[index]) scanner.fail(fmt::format("graph {} is in this fold twice", graph));
    taken[index] = true;
    graphs.push_back(static_cast<std::uint32_t>(graph));
    scanner.end_line();
  }
  return graphs;
}

std::vector<Fold> read_folds(FileTree& files, const std::string& folder, std::size_t num_graphs) {
  std::vector<Fold> folds;
  for (int number = 1;; ++number) {
    const std::string train = fmt::format("{}10fold_idx/train_idx-{}.txt", folder, number);
    const std::string test = fmt::format("{}10fold_idx/test_idx-{}.txt", folder, number);
    if (!files.contains(train) && !files.contains(test)) {
      const auto is_of_a_fold = [&](const std::string& path) {
        return path.starts_with(folder + "10fold_idx/train_idx-") || path.starts_with(folder + "10fold_idx/test_idx-");
      };
      if (std::ranges::count_if(files.paths(), is_of_a_fold) != std::ssize(folds) * 2) {
        throw InputError(fmt::format("{}: {} is missing, and there are others", files.name(), train));
      }
      return folds;
    }
    for (const std::string& path : {train, test}) {
      if (!files.contains(path)) throw InputError(fmt::format("{}: {} is missing", files.name(), path));
    }
    std::vector<bool> taken(num_graphs, false);
    Fold& fold = folds.emplace_back();
    fold.train = read_fold_part(files.load(train), taken);
    fold.test = read_fold_part(files.load(test), taken);
  }
}

}  // namespace

bool looks_like_gin(const std::string& text) {
  const std::size_t line_end = std::min(text.find('\n'), text.size());
  const std::size_t first = text.find_first_not_of(" \t");
  if (first >= line_end) return false;
  return text.find_first_not_of("0123456789 \t\r", first) >= line_end;
}

GraphSetParts read_gin(FileTree& files, const std::string& path) {
  GraphSetParts parts = GinReader(files.load(path)).read();
  const std::string_view name = base_name(path);
  parts.name = std::string(name.substr(0, name.rfind('.')));
  parts.folds = read_folds(files, std::string(folder_part(path)), parts.graph_sizes.size());
  return parts;
}

}  // namespace gckn
