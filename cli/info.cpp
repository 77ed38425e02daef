// SPDX-License-Identifier: BSD-3-Clause
// gckn info: what a graph set contains, as text or JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "console.h"
#include "data.h"
#include "duplicates.h"
#include "gckn/io.h"
#include "gckn/model_file.h"
#include "info_model.h"
#include "rows.h"

namespace gckn::cli {

namespace {

using Json = nlohmann::ordered_json;

// A column of numbers in short. NaN means missing; all zero where there is none.
struct Summary {
  std::uint64_t count = 0;
  std::uint64_t missing = 0;
  double min = 0, mean = 0, sd = 0, max = 0;
};

template <typename At>
Summary summarise(std::size_t count, const At& at) {
  Summary summary;
  const auto for_values = [&](const auto& body) {
    for (std::size_t i = 0; i < count; ++i) {
      if (const auto value = static_cast<double>(at(i)); !std::isnan(value)) body(value);
    }
  };
  for_values([&](double value) {
    if (summary.count++ == 0) summary.min = summary.max = value;
    summary.min = std::min(summary.min, value);
    summary.max = std::max(summary.max, value);
  });
  summary.missing = count - summary.count;
  summary.mean = summary.min;
  if (summary.min == summary.max) return summary;
  // In units of about the largest magnitude, so that squares neither overflow nor vanish.
  const int exponent = std::ilogb(std::max(std::abs(summary.min), std::abs(summary.max)));
  double seen = 0, mean = 0, square_sum = 0;  // about the running mean
  for_values([&](double value) {
    const double scaled = std::scalbn(value, -exponent);
    const double step = scaled - mean;
    mean += step / ++seen;
    square_sum += step * (scaled - mean);
  });
  summary.mean = std::clamp(std::scalbn(mean, exponent), summary.min, summary.max);
  summary.sd = std::scalbn(std::sqrt(square_sum / seen), exponent);
  return summary;
}

std::vector<Summary> summarise_columns(std::span<const double> values, std::size_t columns) {
  std::vector<Summary> summaries;
  for (std::size_t c = 0; c < columns; ++c) {
    summaries.push_back(summarise(values.size() / columns, [&](std::size_t row) { return values[row * columns + c]; }));
  }
  return summaries;
}

struct LabelCount {
  std::int64_t value = 0;
  std::string name;  // its number if it has no other
  std::uint64_t count = 0;
};

// Whether its number only stands for a word (label_of_word).
bool is_word(const LabelCount& label) {
  constexpr std::int64_t kFirstOfWords = std::int64_t{1} << 62;
  return label.value >= kFirstOfWords && label.name != fmt::to_string(label.value);
}

std::vector<LabelCount> count_labels(std::span<const std::uint32_t> labels, std::span<const std::int64_t> values,
                                     const std::vector<std::string>& names) {
  std::vector<LabelCount> counts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    counts.push_back({values[i], names.empty() ? fmt::to_string(values[i]) : names[i], 0});
  }
  for (const std::uint32_t label : labels) ++counts[label].count;
  // The numbers of words mean nothing to people.
  if (!values.empty() && is_word(counts.back())) std::ranges::stable_sort(counts, {}, &LabelCount::name);
  return counts;
}

// Everything that is said about a set, computed once for both kinds of output.
struct SetInfo {
  Summary nodes, edges;  // per graph
  Summary degrees;       // per node
  std::uint64_t isolated_nodes = 0;
  std::vector<LabelCount> node_labels, edge_labels;
  std::vector<Summary> node_attributes, edge_attributes, graph_attributes, numbers;
  std::vector<std::uint64_t> class_sizes;
  std::uint64_t unclassified = 0;
  std::uint64_t truth = 0;  // graphs of which it is known which nodes matter
};

SetInfo describe(const GraphSet& graphs) {
  SetInfo info;
  info.nodes =
      summarise(graphs.num_graphs(), [&](std::size_t g) { return graphs.graph_begin(g + 1) - graphs.graph_begin(g); });
  info.edges = summarise(graphs.num_graphs(), [&](std::size_t g) {
    return (graphs.arc_begin(graphs.graph_begin(g + 1)) - graphs.arc_begin(graphs.graph_begin(g))) / 2;
  });
  info.degrees = summarise(graphs.num_nodes(), [&](std::size_t u) { return graphs.degree(u); });
  for (std::size_t u = 0; u < graphs.num_nodes(); ++u) info.isolated_nodes += graphs.degree(u) == 0 ? 1 : 0;
  info.node_labels = count_labels(graphs.node_labels(), graphs.node_label_values(), graphs.node_label_names());
  info.edge_labels = count_labels(graphs.arc_labels(), graphs.edge_label_values(), graphs.edge_label_names());
  for (LabelCount& label : info.edge_labels) label.count /= 2;  // an edge is two arcs
  info.node_attributes = summarise_columns(graphs.node_attributes(), graphs.node_attribute_columns());
  info.edge_attributes = summarise_columns(graphs.arc_attributes(), graphs.edge_attribute_columns());
  info.graph_attributes = summarise_columns(graphs.graph_attributes(), graphs.graph_attribute_columns());
  const Targets& targets = graphs.targets();
  info.numbers = summarise_columns(targets.numbers, targets.columns);
  info.class_sizes.resize(targets.class_names.size());
  for (const std::int32_t c : targets.class_of_graph) ++(c < 0 ? info.unclassified : info.class_sizes[c]);
  info.truth = static_cast<std::uint64_t>(
      std::ranges::count_if(graphs.truth(), [](const NodeTruth& truth) { return !truth.empty(); }));
  return info;
}

// --- JSON

// Of counts, so that the extremes are whole numbers.
Json per_item_json(const Summary& summary) {
  return {{"min", static_cast<std::uint64_t>(summary.min)},
          {"mean", summary.mean},
          {"max", static_cast<std::uint64_t>(summary.max)}};
}

Json with_total(const Summary& summary, std::uint64_t total) {
  Json json = {{"total", total}};
  json.update(per_item_json(summary));
  return json;
}

Json columns_json(const std::vector<Summary>& columns, bool may_be_missing,
                  const std::vector<std::string>& names = {}) {
  Json json = Json::array();
  for (const Summary& column : columns) {
    json.push_back({{"mean", column.mean}, {"sd", column.sd}, {"min", column.min}, {"max", column.max}});
    if (may_be_missing) json.back()["missing"] = column.missing;
    if (!names.empty()) json.back()["name"] = names[json.size() - 1];
  }
  return json;
}

Json labels_json(const std::vector<LabelCount>& labels) {
  Json json = Json::array();
  for (const LabelCount& label : labels) {
    json.push_back({{"name", label.name}, {"count", label.count}});
    if (!is_word(label)) json.back()["value"] = label.value;
  }
  return json;
}

Json targets_json(const Targets& targets, const SetInfo& info) {
  switch (targets.kind) {
    case Targets::Kind::none:
      return {{"kind", "none"}};
    case Targets::Kind::numbers:
      return {{"kind", "numbers"}, {"columns", columns_json(info.numbers, true, targets.column_names)}};
    case Targets::Kind::classes:
      break;
  }
  Json classes = Json::array();
  for (std::size_t c = 0; c < info.class_sizes.size(); ++c) {
    classes.push_back({{"name", targets.class_names[c]}, {"graphs", info.class_sizes[c]}});
  }
  return {{"kind", "classes"}, {"classes", classes}, {"missing", info.unclassified}};
}

Json to_json(const GraphSet& graphs, const SetInfo& info) {
  Json folds = Json::array();
  for (const Fold& fold : graphs.folds()) {
    folds.push_back({{"train", fold.train.size()}, {"test", fold.test.size()}});
  }
  const MergeCounts& merged = graphs.merge_counts();
  return {{"name", graphs.name()},
          {"graphs", graphs.num_graphs()},
          {"targets", targets_json(graphs.targets(), info)},
          {"nodes", with_total(info.nodes, graphs.num_nodes())},
          {"edges", with_total(info.edges, graphs.num_edges())},
          {"degrees", per_item_json(info.degrees)},
          {"isolated_nodes", info.isolated_nodes},
          {"node_labels", labels_json(info.node_labels)},
          {"edge_labels", labels_json(info.edge_labels)},
          {"node_attributes", columns_json(info.node_attributes, false)},
          {"edge_attributes", columns_json(info.edge_attributes, false)},
          {"graph_attributes", columns_json(info.graph_attributes, true)},
          {"folds", folds},
          {"truth", info.truth},
          {"duplicate_edges_merged", merged.duplicate_edges},
          {"self_loops_dropped", merged.self_loops},
          {"one_way_edges", merged.one_way_edges}};
}

// --- text

constexpr std::size_t kShown = 10;  // classes, label values, attribute columns; JSON has them all

std::string per_graph(const Summary& summary, std::uint64_t total) {
  return fmt::format("{}; per graph {} to {}, {:.1f} on average", grouped(total), summary.min, summary.max,
                     summary.mean);
}

// The values with their counts, the most frequent first where not all are shown.
std::string label_text(std::vector<LabelCount> labels) {
  if (labels.empty()) return "none";
  const std::size_t total = labels.size();
  if (total > kShown) {
    std::ranges::stable_sort(labels, std::greater<>(), &LabelCount::count);
    labels.resize(kShown);
  }
  std::vector<std::string> parts;
  parts.reserve(labels.size() + 1);
  for (const LabelCount& label : labels) parts.push_back(fmt::format("{} ({})", label.name, grouped(label.count)));
  if (total > kShown) parts.push_back(fmt::format("{} more", total - kShown));
  return fmt::format("{}: {}", counted(total, "value"), fmt::join(parts, ", "));
}

void say_columns(Console& console, const char* what, const std::vector<Summary>& columns,
                 const std::vector<std::string>& names = {}) {
  if (columns.empty()) return;
  say_row(console, what, counted(columns.size(), "column"));
  for (std::size_t c = 0; c < std::min(columns.size(), kShown); ++c) {
    const Summary& column = columns[c];
    std::string text =
        fmt::format("{}: {:.6g} to {:.6g}, mean {:.6g}, deviation {:.6g}",
                    names.empty() ? fmt::to_string(c + 1) : names[c], column.min, column.max, column.mean, column.sd);
    if (column.missing > 0) text += fmt::format(", {} missing", grouped(column.missing));
    say_row(console, "", text);
  }
  if (columns.size() > kShown) say_row(console, "", fmt::format("and {} more", columns.size() - kShown));
}

void say_targets(Console& console, const Targets& targets, const SetInfo& info) {
  if (targets.kind == Targets::Kind::numbers)
    return say_columns(console, "targets", info.numbers, targets.column_names);
  if (targets.kind == Targets::Kind::none) return say_row(console, "targets", "none");
  std::vector<std::string> parts;
  for (std::size_t c = 0; c < std::min(info.class_sizes.size(), kShown); ++c) {
    parts.push_back(fmt::format("{} ({})", targets.class_names[c], counted(info.class_sizes[c], "graph")));
  }
  if (info.class_sizes.size() > kShown) parts.push_back(fmt::format("{} more", info.class_sizes.size() - kShown));
  if (info.unclassified > 0) parts.push_back(fmt::format("missing ({})", counted(info.unclassified, "graph")));
  say_row(console, "classes", fmt::format("{}: {}", info.class_sizes.size(), fmt::join(parts, ", ")));
}

void say_folds(Console& console, const std::vector<Fold>& folds) {
  if (folds.empty()) return;
  const auto [fewest, most] = std::ranges::minmax(folds, {}, [](const Fold& fold) { return fold.test.size(); });
  const std::string tested = fewest.test.size() == most.test.size()
                                 ? grouped(most.test.size())
                                 : fmt::format("{} to {}", grouped(fewest.test.size()), grouped(most.test.size()));
  say_row(console, "folds", fmt::format("{}, each testing {} graphs", folds.size(), tested));
}

void say_info(Console& console, const GraphSet& graphs, const SetInfo& info, double seconds) {
  console.say("{}: {}, read in {:.2f} s", graphs.name(), counted(graphs.num_graphs(), "graph"), seconds);
  say_targets(console, graphs.targets(), info);
  say_row(console, "nodes", per_graph(info.nodes, graphs.num_nodes()));
  say_row(console, "edges", per_graph(info.edges, graphs.num_edges()));
  say_row(console, "degrees",
          fmt::format("{} to {}, {:.2f} on average; {}", info.degrees.min, info.degrees.max, info.degrees.mean,
                      counted(info.isolated_nodes, "isolated node")));
  say_row(console, "node labels", label_text(info.node_labels));
  say_row(console, "edge labels", label_text(info.edge_labels));
  say_columns(console, "node attributes", info.node_attributes);
  say_columns(console, "edge attributes", info.edge_attributes);
  say_columns(console, "graph attributes", info.graph_attributes);
  say_folds(console, graphs.folds());
  if (info.truth > 0) {
    say_row(
        console, "truth",
        fmt::format("{} which nodes matter", info.truth == 1 ? "1 graph says" : grouped(info.truth) + " graphs say"));
  }
  const MergeCounts& merged = graphs.merge_counts();
  say_row(console, "while reading",
          fmt::format("{} merged, {} dropped, {} listed in one direction only",
                      counted(merged.duplicate_edges, "duplicate edge"), counted(merged.self_loops, "self-loop"),
                      counted(merged.one_way_edges, "edge")));
}

struct InfoCommand {
  CommonOptions common;
  ReadingOptions reading;
  std::string data;
};

void run_info(const InfoCommand& options) {
  Console console(options.common);
  if (options.data != "-" && is_model_file(options.data)) {
    Json json = {{"command", "info"}, {"data", options.data}};
    json.update(say_model(console, options.data));
    return console.result(json);
  }
  Stopwatch watch;
  const GraphSet graphs = read_data(options.data, options.reading, console, console.run_options(), OnError::skip, true);
  const double seconds = watch.lap();
  const SetInfo info = describe(graphs);
  const EqualGraphs equal = find_equal_graphs(graphs, console.run_options());
  say_info(console, graphs, info, seconds);
  if (equal.repeated > 0) say_row(console, "equal graphs", equal_text(equal));
  Json json = {{"command", "info"}, {"data", options.data}};
  json.update(to_json(graphs, info));
  json["equal_graphs"] = {{"repeated", equal.repeated}, {"contradictory", equal.contradictory}};
  json["seconds"] = {{"read", seconds}};
  console.result(json);
}

}  // namespace

void add_info_command(CLI::App& program) {
  auto options = std::make_shared<InfoCommand>();
  CLI::App* command = program.add_subcommand("info", "Show what a graph set contains, or what a model is.");
  add_data_argument(*command, options->data);
  add_reading_options(*command, options->reading, OnError::skip);
  add_common_options(*command, options->common);
  command->footer(R"(Examples:
  gckn info NCI1.zip
  gckn info model.gckn
  gckn info NCI1.zip --label-names names.txt
  gckn info graphs.jsonl --json)");
  command->callback([options] { run_info(*options); });
}

}  // namespace gckn::cli
