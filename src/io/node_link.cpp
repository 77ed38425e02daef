// SPDX-License-Identifier: BSD-3-Clause
#include "io/node_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "gckn/error.h"
#include "io/strict_json.h"
#include "util/counted.h"

namespace gckn {

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// The keys that are numbers, in the nodes or edges of a graph, or in the graph itself.
using NumberKeys = std::set<std::string>;

class NodeLinkGraph {
 public:
  // place: "in.json: graph 3".
  NodeLinkGraph(const Json& graph, std::string place) : graph_(graph), place_(std::move(place)) {}

  Json to_json_line() {
    if (!graph_.is_object()) fail(fmt::format("found {}, where an object belongs", json_excerpt(graph_)));
    for (const auto& [key, value] : graph_.items()) {
      static const std::set<std::string, std::less<>> kKeys = {"directed", "multigraph", "graph",
                                                               "nodes",    "edges",      "links"};
      if (!kKeys.contains(key)) fail(fmt::format("the key \"{}\" is not known", key));
    }
    const Json& nodes = list("nodes");
    if (graph_.contains("edges") && graph_.contains("links")) fail("it has both \"edges\" and \"links\"");
    const Json& edges = list(graph_.contains("links") ? "links" : "edges");
    number_nodes(nodes);
    Json line{{"num_nodes", nodes.size()}, {"edges", Json::array()}};
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const Json& edge = object(edges[i], "edges", i);
      line["edges"].push_back({end_of(edge, "source", i), end_of(edge, "target", i)});
    }
    add_labels(nodes, "nodes", "node_labels", line);
    add_attributes(nodes, "nodes", {"id", "label"}, "node_attributes", line);
    add_labels(edges, "edges", "edge_labels", line);
    add_attributes(edges, "edges", {"source", "target", "key", "label"}, "edge_attributes", line);
    add_graph(line);
    return line;
  }

 private:
  const Json& list(const char* key) const {
    static const Json kEmpty = Json::array();
    const auto found = graph_.find(key);
    if (found == graph_.end()) {
      if (std::string_view(key) == "edges") return kEmpty;
      fail(fmt::format("the key \"{}\" is missing", key));
    }
    if (!found->is_array()) fail(fmt::format("\"{}\" is {}, where a list belongs", key, json_excerpt(*found)));
    return *found;
  }

  const Json& object(const Json& item, const char* what, std::size_t i) const {
    if (!item.is_object()) fail(fmt::format("{}[{}] is {}, where an object belongs", what, i, json_excerpt(item)));
    return item;
  }

  void number_nodes(const Json& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Json& node = object(nodes[i], "nodes", i);
      const Json id = node.contains("id") ? node["id"] : Json(i);
      if (!number_of_node_.emplace(id.dump(), i).second) {
        fail(fmt::format("nodes[{}]: the id {} is there twice", i, json_excerpt(id)));
      }
    }
  }

  std::size_t end_of(const Json& edge, const char* key, std::size_t i) const {
    if (!edge.contains(key)) fail(fmt::format("edges[{}]: the key \"{}\" is missing", i, key));
    const auto found = number_of_node_.find(edge[key].dump());
    if (found == number_of_node_.end()) {
      fail(fmt::format("edges[{}]: there is no node {}", i, json_excerpt(edge[key])));
    }
    return found->second;
  }

  void add_labels(const Json& items, const char* what, const char* key, Json& line) const {
    const auto has_label = [](const Json& item) { return item.contains("label"); };
    const auto labelled = std::ranges::count_if(items, has_label);
    if (labelled == 0) return;
    if (static_cast<std::size_t>(labelled) != items.size()) {
      fail(fmt::format("{} of {} {} have a \"label\": all must, or none", labelled, items.size(), what));
    }
    line[key] = Json::array();
    for (const Json& item : items) line[key].push_back(item["label"]);
  }

  // The numbers among an object's keys, "attributes" aside. Nothing is left out in silence.
  NumberKeys number_keys(const Json& item, const std::set<std::string>& others, const std::string& where) const {
    NumberKeys keys;
    for (const auto& [key, value] : item.items()) {
      if (others.contains(key) || key == "attributes") continue;
      if (!value.is_number() && !value.is_boolean()) {
        fail(fmt::format("{}: \"{}\" is {}, which is no number: only \"label\" may be a text", where, key,
                         json_excerpt(value)));
      }
      keys.insert(key);
    }
    return keys;
  }

  void append_row(const Json& item, const NumberKeys& keys, const std::string& where, Json& row) const {
    if (const auto found = item.find("attributes"); found != item.end()) {
      if (!found->is_array()) fail(fmt::format("{}: \"attributes\" is no list", where));
      for (const Json& value : *found) row.push_back(value);
    }
    for (const std::string& key : keys) {
      const Json& value = item[key];
      row.push_back(value.is_boolean() ? Json(value.get<bool>() ? 1 : 0) : value);
    }
  }

  void add_attributes(const Json& items, const char* what, const std::set<std::string>& others, const char* key,
                      Json& line) const {
    if (items.empty()) return;
    const NumberKeys keys = number_keys(items[0], others, fmt::format("{}[0]", what));
    Json rows = Json::array();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string where = fmt::format("{}[{}]", what, i);
      if (number_keys(items[i], others, where) != keys) {
        fail(fmt::format("{} has other keys than {}[0]: all must have the same", where, what));
      }
      rows.push_back(Json::array());
      append_row(items[i], keys, where, rows.back());
    }
    if (!rows[0].empty()) line[key] = std::move(rows);
  }

  void add_graph(Json& line) const {
    const auto found = graph_.find("graph");
    if (found == graph_.end()) return;
    if (!found->is_object()) fail("\"graph\" is no object");
    for (const char* key : {"target", "id"}) {
      if (found->contains(key)) line[key] = (*found)[key];
    }
    Json row = Json::array();
    append_row(*found, number_keys(*found, {"target", "id", "name"}, "graph"), "graph", row);
    if (!row.empty()) line["graph_attributes"] = std::move(row);
  }

  [[noreturn]] void fail(const std::string& message) const { throw InputError(fmt::format("{}: {}", place_, message)); }

  const Json& graph_;
  std::string place_;
  std::map<std::string, std::size_t> number_of_node_;  // by the id's JSON text: 1 and "1" are two nodes
};

// Calls body for every JSON value of the text.
template <typename Body>
void for_each_value(const SourceFile& file, const Body& body) {
  const char* at = file.text.data();
  const char* end = at + file.text.size();
  while (true) {
    while (at < end && std::isspace(static_cast<unsigned char>(*at)) != 0) ++at;
    if (at == end) return;
    // The value's end: its last bracket that is in no string.
    int depth = 0;
    bool in_string = false;
    const char* stop = at;
    do {
      const char c = *stop++;
      if (in_string) {
        if (c == '\\' && stop < end) ++stop;
        in_string = c != '"';
      } else if (c == '"') {
        in_string = true;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (c == '}' || c == ']') {
        --depth;
      }
    } while (stop < end && (depth > 0 || in_string));
    constexpr int kMaxDepth = 64;
    try {
      body(parse_strict_json(std::string_view(at, static_cast<std::size_t>(stop - at)), kMaxDepth));
    } catch (const InputError& error) {
      const std::string_view message = error.what();
      throw message.starts_with(file.name) ? error : InputError(fmt::format("{}: {}", file.name, message));
    }
    at = stop;
  }
}

}  // namespace

bool looks_like_node_link(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string_view::npos || (head[first] != '{' && head[first] != '[')) return false;
  for (std::size_t at = head.find("\"nodes\""); at != std::string_view::npos; at = head.find("\"nodes\"", at + 1)) {
    const std::size_t next = head.find_first_not_of(" \t\r\n", at + 7);
    if (next != std::string_view::npos && head[next] == ':') return true;
  }
  return false;
}

SourceFile json_lines_of_node_link(const SourceFile& file) {
  SourceFile lines{file.name, {}, file.first_line};
  std::size_t graphs = 0;
  const auto add = [&](const Json& graph) {
    lines.text += NodeLinkGraph(graph, fmt::format("{}: graph {}", file.name, ++graphs)).to_json_line().dump();
    lines.text += '\n';
  };
  for_each_value(file, [&](const Json& value) {
    if (value.is_array()) {
      for (const Json& graph : value) add(graph);
    } else {
      add(value);
    }
  });
  return lines;
}

OrderedJson node_link_of_json_line(std::string_view text) {
  const OrderedJson line = OrderedJson::parse(text);
  OrderedJson graph{{"directed", false}, {"multigraph", false}, {"graph", OrderedJson::object()}};
  for (const char* key : {"id", "target"}) {
    if (line.contains(key)) graph["graph"][key] = line[key];
  }
  if (line.contains("graph_attributes")) graph["graph"]["attributes"] = line["graph_attributes"];
  graph["nodes"] = OrderedJson::array();
  for (std::size_t i = 0; i < line["num_nodes"].get<std::size_t>(); ++i) {
    OrderedJson node{{"id", i}};
    if (line.contains("node_labels")) node["label"] = line["node_labels"][i];
    if (line.contains("node_attributes")) node["attributes"] = line["node_attributes"][i];
    graph["nodes"].push_back(std::move(node));
  }
  graph["edges"] = OrderedJson::array();
  for (std::size_t i = 0; i < line["edges"].size(); ++i) {
    OrderedJson edge{{"source", line["edges"][i][0]}, {"target", line["edges"][i][1]}};
    if (line.contains("edge_labels")) edge["label"] = line["edge_labels"][i];
    if (line.contains("edge_attributes")) edge["attributes"] = line["edge_attributes"][i];
    graph["edges"].push_back(std::move(edge));
  }
  return graph;
}

}  // namespace gckn
