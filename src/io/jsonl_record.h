// SPDX-License-Identifier: BSD-3-Clause
// What a run of JSON lines says, before the graphs are put together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gckn/graph_set.h"
#include "io/source_file.h"

namespace gckn {

// One list of a graph: whether the key was there, and the shape of what it held.
struct JsonlList {
  bool present = false;
  std::size_t rows = 0;     // entries of the list
  std::size_t columns = 0;  // numbers per entry, where entries are lists
};

struct JsonlGraph {
  enum class Target { none, integer, real, text, numbers };

  std::size_t offset = 0;  // of the line in the file
  std::uint32_t num_nodes = 0;
  JsonlList edges;
  JsonlList node_labels;
  JsonlList node_attributes;
  JsonlList edge_labels;
  JsonlList edge_attributes;
  JsonlList graph_attributes;
  JsonlList truth;  // rows of any length
  Target target = Target::none;
  std::int64_t target_integer = 0;
  std::string target_text;
  std::vector<double> target_numbers;     // Target::real and Target::numbers; missing ones are NaN
  std::vector<std::string> target_names;  // of Target::numbers given by name; otherwise empty
  NodeTruth truth_nodes;
  std::string id;  // empty if there is none
};

// The graphs of a run of lines; what their lists held, one after the other.
struct JsonlRun {
  std::vector<JsonlGraph> graphs;
  std::vector<std::uint32_t> edge_ends;  // two per edge, numbered within the graph
  std::vector<std::int64_t> node_labels;
  std::vector<double> node_attributes;
  std::vector<std::int64_t> edge_labels;
  std::vector<double> edge_attributes;
  std::vector<double> graph_attributes;
  LabelNames node_label_names, edge_label_names;  // of the labels that are words
};

// Reads the lines in [begin, end) of the file. Throws InputError naming line and field; what concerns one line alone is
// checked here.
JsonlRun read_jsonl_run(const SourceFile& file, std::size_t begin, std::size_t end);

}  // namespace gckn
