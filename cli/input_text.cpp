// SPDX-License-Identifier: BSD-3-Clause
#include "input_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace gckn::cli {

namespace {

// What is read of a node: "its label (7 kinds), 3 attribute columns".
std::string node_text(const GraphSet& graphs, Features features, const AttributeSources& attributes) {
  if (features == Features::degree) return "its degree";
  std::vector<std::string> parts;
  const auto add = [&](bool used, std::size_t columns, const char* of) {
    if (used) parts.push_back(counted(columns, "attribute column") + of);
  };
  if (features != Features::attributes) {
    parts.push_back(fmt::format("its label ({})", counted(graphs.node_label_values().size(), "kind")));
  }
  if (features != Features::labels) {
    add(attributes.nodes, graphs.node_attribute_columns(), "");
    add(attributes.edges, graphs.edge_attribute_columns(), " of its edges");
    add(attributes.graphs, graphs.graph_attribute_columns(), " of its graph");
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// "2 of 40 nodes have labels that the model does not know (N, O)".
std::string unknown_text(std::uint64_t unknown, std::uint64_t all, const char* noun, const char* what,
                         const std::set<std::string>& names) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> shown(names.begin(), names.end());
  if (shown.size() > kShown) {
    shown.resize(kShown);
    shown.push_back(fmt::format("{} more", names.size() - kShown));
  }
  return fmt::format("{} of {} have {} that the model has not seen ({})", grouped(unknown), counted(all, noun), what,
                     fmt::join(shown, ", "));
}

}  // namespace

std::string layer_text(const LayerConfig& layer) {
  if (layer.path_length == 0) return "single nodes";
  return fmt::format("{}s of {}", to_string(layer.kind),
                     counted(static_cast<std::uint64_t>(layer.path_length), "edge"));
}

void say_input(Console& console, const GraphSet& graphs, const NetworkConfig& config, nlohmann::ordered_json& json) {
  const Features features = features_for(graphs, config.features);
  const bool reads_labels = features == Features::labels || features == Features::labels_and_attributes;
  const bool reads_attributes = features == Features::attributes || features == Features::labels_and_attributes;
  const bool reads_edges = uses_edge_labels(graphs, config.edge_labels);
  const std::string edge =
      reads_edges ? fmt::format("its label ({})", counted(graphs.edge_label_values().size(), "kind")) : "nothing";
  console.say("Reads of a node {}, of an edge {}.", node_text(graphs, features, config.attributes), edge);

  std::vector<std::string> unused;
  std::vector<std::string> words;  // for --features, to use everything that nodes can be given
  const auto consider = [&](bool has, bool is_read, const std::string& what, const char* word) {
    if (!has) return;
    words.emplace_back(word);
    if (!is_read) unused.push_back(what);
  };
  const auto columns = [](std::size_t count, const char* of) { return counted(count, "attribute column") + of; };
  const AttributeSources& sources = config.attributes;
  consider(graphs.has_node_labels(), reads_labels, "node labels", "labels");
  consider(graphs.node_attribute_columns() > 0, reads_attributes && sources.nodes,
           columns(graphs.node_attribute_columns(), " of nodes"), "attributes");
  consider(graphs.edge_attribute_columns() > 0, reads_attributes && sources.edges,
           columns(graphs.edge_attribute_columns(), " of edges"), "edge-attributes");
  consider(graphs.graph_attribute_columns() > 0, reads_attributes && sources.graphs,
           columns(graphs.graph_attribute_columns(), " of graphs"), "graph-attributes");
  std::vector<std::string> remedies;
  if (!unused.empty()) remedies.push_back(fmt::format("--features {}", fmt::join(words, "+")));
  if (graphs.has_edge_labels() && !reads_edges) {
    unused.emplace_back("edge labels");
    remedies.emplace_back("--edge-labels");
  }
  if (!unused.empty()) console.say("Not used: {} ({}).", fmt::join(unused, ", "), fmt::join(remedies, ", "));
  json["input"] = {{"features", features_word(features, sources)}, {"edge_labels", reads_edges}, {"unused", unused}};
}

void UnknownTally::add(const Network& network, const GraphSet& graphs) {
  const UnknownLabels unknown = unknown_labels(network.input(), graphs);
  const bool reads_labels =
      network.input().features == Features::labels || network.input().features == Features::labels_and_attributes;
  const bool has_numbers = graphs.has_node_labels() && graphs.node_label_names().empty();
  goes_by_number_ = goes_by_number_ || (reads_labels && has_numbers && !network.input().label_names.empty());
  nodes_ += graphs.num_nodes();
  edges_ += graphs.num_edges();
  unknown_nodes_ += unknown.nodes;
  unknown_edges_ += unknown.edges;
  node_labels_.insert(unknown.node_labels.begin(), unknown.node_labels.end());
  edge_labels_.insert(unknown.edge_labels.begin(), unknown.edge_labels.end());
}

void UnknownTally::say(Console& console, const Network& network, nlohmann::ordered_json& json) const {
  json["unknown"] = {{"nodes", unknown_nodes_},
                     {"edges", unknown_edges_},
                     {"node_labels", node_labels_},
                     {"edge_labels", edge_labels_}};
  if (goes_by_number_) {
    console.say(
        "Note: these graphs have numbers as labels, where the model has names: they are taken by number "
        "(--label-names gives them names).");
  }
  const char* what = network.input().features == Features::degree ? "degrees" : "labels";
  const auto remark = [&](std::uint64_t unknown, std::uint64_t all, const std::string& text) {
    if (unknown == 0) return;
    if (2 * unknown > all) {
      console.warn("{}: do these graphs use other labels than those it was fitted on?", text);
    } else {
      console.say("Note: {}.", text);
    }
  };
  remark(unknown_nodes_, nodes_, unknown_text(unknown_nodes_, nodes_, "node", what, node_labels_));
  remark(unknown_edges_, edges_, unknown_text(unknown_edges_, edges_, "edge", "labels", edge_labels_));
}

}  // namespace gckn::cli
