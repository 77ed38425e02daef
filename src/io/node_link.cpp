// SPDX-License-Identifier: BSD-3-Clause
#include "io/node_link.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "gckn/error.h"
#include "io/strict_json.h"
#include "util/counted.h"

namespace gckn {

namespace {

using LinkJson = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

// The keys that are numbers, in the nodes or edges of a graph, or in the graph itself.
using NumberKeys = std::set<std::string>;

// The attributes that the nodes, edges and graphs of a file have, by the first graph that has such.
struct NodeLinkColumns {
  std::optional<NumberKeys> nodes, edges, graphs;
};

class NodeLinkGraph {
 public:
  // place: "in.json: graph 3".
  NodeLinkGraph(const LinkJson& graph, std::string place, NodeLinkColumns& columns)
      : graph_(graph), place_(std::move(place)), columns_(columns) {}

  LinkJson to_json_line() {
    if (!graph_.is_object()) fail(fmt::format("found {}, where an object belongs", json_excerpt(graph_)));
    for (const auto& [key, value] : graph_.items()) {
      static const std::set<std::string, std::less<>> kKeys = {"directed", "multigraph", "graph",
                                                               "nodes",    "edges",      "links"};
      if (!kKeys.contains(key)) fail(fmt::format("the key \"{}\" is not known", key));
    }
    const LinkJson& nodes = list("nodes");
    if (graph_.contains("edges") && graph_.contains("links")) fail("it has both \"edges\" and \"links\"");
    const LinkJson& edges = list(graph_.contains("links") ? "links" : "edges");
    number_nodes(nodes);
    LinkJson line{{"num_nodes", nodes.size()}, {"edges", LinkJson::array()}};
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const LinkJson& edge = object(edges[i], "edges", i);
      line["edges"].push_back({end_of(edge, "source", i), end_of(edge, "target", i)});
    }
    add_labels(nodes, "nodes", "node_labels", line);
    add_attributes(nodes, "nodes", {"id", "label"}, "node_attributes", columns_.nodes, line);
    add_labels(edges, "edges", "edge_labels", line);
    add_attributes(edges, "edges", {"source", "target", "key", "label"}, "edge_attributes", columns_.edges, line);
    add_graph(line);
    return line;
  }

 private:
  const LinkJson& list(const char* key) const {
    static const LinkJson kEmpty = LinkJson::array();
    const auto found = graph_.find(key);
    if (found == graph_.end()) {
      if (std::string_view(key) == "edges") return kEmpty;
      fail(fmt::format("the key \"{}\" is missing", key));
    }
    if (!found->is_array()) fail(fmt::format("\"{}\" is {}, where a list belongs", key, json_excerpt(*found)));
    return *found;
  }

  const LinkJson& object(const LinkJson& item, const char* what, std::size_t i) const {
    if (!item.is_object()) fail(fmt::format("{}[{}] is {}, where an object belongs", what, i, json_excerpt(item)));
    return item;
  }

  void number_nodes(const LinkJson& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const LinkJson& node = object(nodes[i], "nodes", i);
      const LinkJson id = node.contains("id") ? node["id"] : LinkJson(i);
      if (!number_of_node_.emplace(id.dump(), i).second) {
        fail(fmt::format("nodes[{}]: the id {} is there twice", i, json_excerpt(id)));
      }
    }
  }

  std::size_t end_of(const LinkJson& edge, const char* key, std::size_t i) const {
    if (!edge.contains(key)) fail(fmt::format("edges[{}]: the key \"{}\" is missing", i, key));
    const auto found = number_of_node_.find(edge[key].dump());
    if (found == number_of_node_.end()) {
      fail(fmt::format("edges[{}]: there is no node {}", i, json_excerpt(edge[key])));
    }
    return found->second;
  }

  // Lists of nodes, by their ids as edges have them.
  LinkJson truth_by_number(const LinkJson& truth) const {
    if (truth.is_null()) return truth;
    if (!truth.is_array()) fail(fmt::format("\"truth\" is {}, where a list belongs", json_excerpt(truth)));
    LinkJson result = LinkJson::array();
    for (std::size_t i = 0; i < truth.size(); ++i) {
      if (!truth[i].is_array()) fail(fmt::format("truth[{}] is {}, where a list belongs", i, json_excerpt(truth[i])));
      result.push_back(LinkJson::array());
      for (const LinkJson& id : truth[i]) {
        const auto node = number_of_node_.find(id.dump());
        if (node == number_of_node_.end()) fail(fmt::format("truth[{}]: there is no node {}", i, json_excerpt(id)));
        result.back().push_back(node->second);
      }
    }
    return result;
  }

  void add_labels(const LinkJson& items, const char* what, const char* key, LinkJson& line) const {
    const auto has_label = [](const LinkJson& item) { return item.contains("label"); };
    const auto labelled = std::ranges::count_if(items, has_label);
    if (labelled == 0) return;
    if (static_cast<std::size_t>(labelled) != items.size()) {
      fail(fmt::format("{} of {} {} have a \"label\": all must, or none", labelled, items.size(), what));
    }
    line[key] = LinkJson::array();
    for (const LinkJson& item : items) line[key].push_back(item["label"]);
  }

  // The numbers among an object's keys, "attributes" aside. Nothing is left out in silence.
  NumberKeys number_keys(const LinkJson& item, const std::set<std::string>& others, const std::string& where) const {
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

  void append_row(const LinkJson& item, const NumberKeys& keys, const std::string& where, LinkJson& row) const {
    if (const auto found = item.find("attributes"); found != item.end()) {
      if (!found->is_array()) fail(fmt::format("{}: \"attributes\" is no list", where));
      for (const LinkJson& value : *found) row.push_back(value);
    }
    for (const std::string& key : keys) {
      const LinkJson& value = item[key];
      row.push_back(value.is_boolean() ? LinkJson(value.get<bool>() ? 1 : 0) : value);
    }
  }

  void add_attributes(const LinkJson& items, const char* what, const std::set<std::string>& others, const char* key,
                      std::optional<NumberKeys>& of_file, LinkJson& line) const {
    if (items.empty()) return;
    const NumberKeys keys = number_keys(items[0], others, fmt::format("{}[0]", what));
    require_same(keys, of_file, what);
    LinkJson rows = LinkJson::array();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string where = fmt::format("{}[{}]", what, i);
      if (number_keys(items[i], others, where) != keys) {
        fail(fmt::format("{} has other keys than {}[0]: all must have the same", where, what));
      }
      rows.push_back(LinkJson::array());
      append_row(items[i], keys, where, rows.back());
    }
    if (!rows[0].empty()) line[key] = std::move(rows);
  }

  // A column is the same attribute in all graphs.
  void require_same(const NumberKeys& keys, std::optional<NumberKeys>& of_file, const char* what) const {
    if (!of_file) of_file = keys;
    if (keys == *of_file) return;
    fail(fmt::format("{}: the attributes are {}, and those of graphs before {}", what, fmt::join(keys, ", "),
                     of_file->empty() ? "none" : fmt::format("{}", fmt::join(*of_file, ", "))));
  }

  void add_graph(LinkJson& line) const {
    const auto found = graph_.find("graph");
    if (found == graph_.end()) return;
    if (!found->is_object()) fail("\"graph\" is no object");
    for (const char* key : {"target", "id"}) {
      if (found->contains(key)) line[key] = (*found)[key];
    }
    if (found->contains("truth")) line["truth"] = truth_by_number((*found)["truth"]);
    const NumberKeys keys = number_keys(*found, {"target", "truth", "id", "name"}, "graph");
    require_same(keys, columns_.graphs, "graph");
    LinkJson row = LinkJson::array();
    append_row(*found, keys, "graph", row);
    if (!row.empty()) line["graph_attributes"] = std::move(row);
  }

  [[noreturn]] void fail(const std::string& message) const { throw InputError(fmt::format("{}: {}", place_, message)); }

  const LinkJson& graph_;
  std::string place_;
  NodeLinkColumns& columns_;
  std::map<std::string, std::size_t> number_of_node_;  // by the id's JSON text: 1 and "1" are two nodes
};

// Walks over JSON text without reading it: brackets and strings only.
class JsonSkipper {
 public:
  explicit JsonSkipper(std::string_view text) : text_(text) {}

  [[nodiscard]] bool ended() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    return at_ == text_.size();
  }

  // Passes one step: a bracket, a string, or another character. Returns its first character.
  char step() {
    const char c = text_[at_++];
    if (c == '{' || c == '[') ++depth_;
    if (c == '}' || c == ']') --depth_;
    if (c != '"') return c;
    string_begin_ = at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    string_end_ = at_;
    if (at_ < text_.size()) ++at_;
    return c;
  }

  // The text of one whole value. Throws InputError if it is nested more than `deepest` levels.
  std::string_view value(int deepest) {
    const std::size_t begin = at_;
    do {
      step();
      if (depth_ > deepest) throw InputError(fmt::format("nested more than {} levels deep", deepest));
    } while (at_ < text_.size() && depth_ > 0);
    return text_.substr(begin, at_ - begin);
  }

  [[nodiscard]] int depth() const { return depth_; }
  [[nodiscard]] std::string_view last_string() const {
    return text_.substr(string_begin_, string_end_ - string_begin_);
  }
  [[nodiscard]] bool colon_follows() { return !ended() && text_[at_] == ':'; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::size_t string_begin_ = 0;
  std::size_t string_end_ = 0;
};

// Calls body for every JSON value of the text.
template <typename Body>
void for_each_value(const SourceFile& file, const Body& body) {
  constexpr int kDeepest = 64;
  JsonSkipper skipper(file.text);
  while (!skipper.ended()) {
    LinkJson value;
    try {
      value = LinkJson::parse(skipper.value(kDeepest));
    } catch (const LinkJson::exception& error) {
      const std::string_view message = error.what();  // begins with a number in brackets
      throw InputError(fmt::format("{}: not JSON: {}", file.name, message.substr(message.find("] ") + 2)));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", file.name, error.what()));
    }
    body(value);
  }
}

}  // namespace

bool looks_like_node_link(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  JsonSkipper skipper(head);
  if (skipper.ended()) return false;
  const char first = skipper.step();
  if (first != '{' && first != '[') return false;
  const int inside = first == '{' ? 1 : 2;  // depth of the keys of the first graph
  while (!skipper.ended()) {
    const char c = skipper.step();
    if (skipper.depth() < inside && c == '}') return false;  // the first graph has ended
    if (c == '"' && skipper.depth() == inside && skipper.last_string() == "nodes" && skipper.colon_follows())
      return true;
  }
  return false;
}

SourceFile json_lines_of_node_link(const SourceFile& file) {
  SourceFile lines{file.name, {}, file.first_line};
  std::size_t graphs = 0;
  NodeLinkColumns columns;
  const auto add = [&](const LinkJson& graph) {
    const std::string place = fmt::format("{}: graph {}", file.name, ++graphs);
    lines.text += NodeLinkGraph(graph, place, columns).to_json_line().dump();
    lines.text += '\n';
  };
  for_each_value(file, [&](const LinkJson& value) {
    if (value.is_array()) {
      for (const LinkJson& graph : value) add(graph);
    } else {
      add(value);
    }
  });
  return lines;
}

OrderedJson node_link_of_json_line(std::string_view text) {
  const OrderedJson line = OrderedJson::parse(text);
  OrderedJson graph{{"directed", false}, {"multigraph", false}, {"graph", OrderedJson::object()}};
  for (const char* key : {"id", "target", "truth"}) {
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
