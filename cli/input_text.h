// SPDX-License-Identifier: BSD-3-Clause
// What a network reads of graphs, what it leaves unused, and what it has never seen.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "console.h"
#include "gckn/graph_set.h"
#include "gckn/network.h"

namespace gckn::cli {

// What a layer looks at: "paths of 3 edges".
std::string layer_text(const LayerConfig& layer);

// Says what a network of this configuration reads of a node and an edge of these graphs, and what they have that it
// does not read, with the options that would change that. Into `json` under "input", too.
void say_input(Console& console, const GraphSet& graphs, const NetworkConfig& config, nlohmann::ordered_json& json);

// Adds up over blocks of graphs how much a network does not know of them.
class UnknownTally {
 public:
  void add(const Network& network, const GraphSet& graphs);
  // A note if there is anything, a warning if it is most of the nodes or edges. Into `json` under "unknown", too.
  void say(Console& console, const Network& network, nlohmann::ordered_json& json) const;

 private:
  std::uint64_t nodes_ = 0, edges_ = 0, unknown_nodes_ = 0, unknown_edges_ = 0;
  bool goes_by_number_ = false;  // the network has names for labels, and these graphs have none
  std::set<std::string> node_labels_, edge_labels_;
};

}  // namespace gckn::cli
