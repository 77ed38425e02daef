// SPDX-License-Identifier: BSD-3-Clause
// Node-link JSON, as networkx.node_link_data makes it, to JSON lines and back:
//   {"directed": false, "multigraph": false, "graph": {"id": "a", "target": 1},
//    "nodes": [{"id": "x", "label": "C", "charge": 0.5}, …], "edges": [{"source": "x", "target": "y", "label": 1}, …]}
// Of a node or an edge "label" is the label, "attributes" a list of numbers, and every other number, in the order of
// the keys, an attribute of its own; of the graph "target" and "id" are what they are in JSON lines, and every other
// number is a graph attribute. "links" may stand for "edges". Directions do not count.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "io/source_file.h"

namespace gckn {

// Whether a text, of which this is the beginning, is node-link JSON: its first graph has the key "nodes".
bool looks_like_node_link(std::string_view head);

// One JSON line per graph of a file that holds a graph, a list of graphs, or one graph after the other. Throws
// InputError naming the graph and what is wrong with it.
SourceFile json_lines_of_node_link(const SourceFile& file);

// The graph of one JSON line.
nlohmann::ordered_json node_link_of_json_line(std::string_view line);

}  // namespace gckn
