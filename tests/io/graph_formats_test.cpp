// SPDX-License-Identifier: BSD-3-Clause
// Graph sets written in every format, and read back.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gckn/error.h"
#include "gckn/io.h"
#include "support/files.h"
#include "support/graph_sets.h"
#include "support/random_graphs.h"

namespace gckn {
namespace {

using test::TempDir;

constexpr GraphFormat kFormats[] = {GraphFormat::jsonl, GraphFormat::tu, GraphFormat::gin, GraphFormat::node_link};

// The path of a set in this format, in the folder.
std::filesystem::path path_for(const TempDir& dir, GraphFormat format) {
  switch (format) {
    case GraphFormat::jsonl:
      return dir / "set.jsonl";
    case GraphFormat::tu:
      return dir / "set";
    case GraphFormat::gin:
      return dir / "set.txt";
    default:
      return dir / "set.json";
  }
}

GraphSet again(const GraphSet& graphs, GraphFormat format) {
  const TempDir dir;
  write_graphs(graphs, path_for(dir, format), format);
  return read_graphs(path_for(dir, format));
}

// Everything that a set can have; no graph without nodes at the end, and a target for every graph.
GraphSetParts everything() {
  GraphSetParts parts;
  parts.name = "set";
  parts.graph_sizes = {3, 0, 2};
  parts.edge_from = {0, 1, 3};
  parts.edge_to = {1, 2, 4};
  parts.edge_labels = {7, -2, 7};
  parts.edge_attribute_columns = 1;
  parts.edge_attributes = {0.5, 0.1, -3};
  parts.node_labels = {6, 8, 6, 1, 1};
  parts.node_attribute_columns = 2;
  parts.node_attributes = {1, 0.1, 2, 1e-30, 3, 3, 4, 4, 1e300, 5};
  parts.graph_attribute_columns = 1;
  parts.graph_attributes = {1, 2.5, 3};
  parts.targets.kind = Targets::Kind::classes;
  parts.targets.class_names = {"-1", "2"};
  parts.targets.class_of_graph = {1, 0, 1};
  return parts;
}

TEST(GraphFormats, KeepEverythingTheyCan) {
  const GraphSet graphs(everything());
  for (const GraphFormat format : {GraphFormat::jsonl, GraphFormat::tu, GraphFormat::node_link}) {
    SCOPED_TRACE(to_string(format));
    EXPECT_TRUE(lost_in(graphs, format).empty());
    test::expect_same_set(graphs, again(graphs, format));
  }
}

TEST(GraphFormats, KeepTruthInJsonOnly) {
  GraphSetParts parts = everything();
  parts.truth = {{{0, 2}, {1}}, {}, {{1}}};
  const GraphSet graphs(std::move(parts));
  for (const GraphFormat format : {GraphFormat::jsonl, GraphFormat::node_link}) {
    SCOPED_TRACE(to_string(format));
    EXPECT_TRUE(lost_in(graphs, format).empty());
    test::expect_same_set(graphs, again(graphs, format));
  }
  EXPECT_EQ(lost_in(graphs, GraphFormat::tu), std::vector<std::string>{"truth"});
  EXPECT_EQ(lost_in(graphs, GraphFormat::gin).front(), "truth");
}

TEST(GraphFormats, TruthOfNodeLinkJsonIsInIds) {
  const TempDir dir;
  const auto read_with = [&](const std::string& truth) {
    return read_graphs(dir.write("set.json", R"({"nodes": [{"id": "x"}, {"id": 7}, {"id": "z"}], "edges": [],
                                                 "graph": {"truth": )" +
                                                 truth + "}}"))
        .truth();
  };
  EXPECT_EQ(read_with(R"([["z", 7], ["x"]])"), (std::vector<NodeTruth>{{{1, 2}, {0}}}));
  EXPECT_TRUE(read_with("null").empty());
  test::expect_input_error([&] { read_with(R"([["x"], ["7"]])"); }, {"graph 1: truth[1]: there is no node \"7\""});
  test::expect_input_error([&] { read_with(R"(["x"])"); }, {"graph 1: truth[0] is \"x\", where a list belongs"});
  test::expect_input_error([&] { read_with("5"); }, {"graph 1: \"truth\" is 5, where a list belongs"});
}

TEST(GraphFormats, KeepWords) {
  GraphSetParts parts = everything();
  parts.node_labels = {label_of_word("C"), label_of_word("N+"), label_of_word("C"), 6, 6};
  parts.node_label_names = {{label_of_word("C"), "C"}, {label_of_word("N+"), "N+"}};
  parts.edge_label_names = {{7, "single"}, {-2, "double"}};
  parts.targets.class_names = {"no", "yes, very"};
  const GraphSet graphs(std::move(parts));
  for (const GraphFormat format : {GraphFormat::jsonl, GraphFormat::tu, GraphFormat::node_link}) {
    SCOPED_TRACE(to_string(format));
    test::expect_same_set(graphs, again(graphs, format));
  }
}

TEST(GraphFormats, GinKeepsNodesAndEdgesAndSaysWhatIsLost) {
  const GraphSet graphs(everything());
  EXPECT_EQ(lost_in(graphs, GraphFormat::gin),
            (std::vector<std::string>{"edge labels", "edge attributes", "graph attributes"}));
  GraphSetParts parts = everything();
  parts.edge_labels.clear();
  parts.edge_attributes.clear();
  parts.edge_attribute_columns = 0;
  parts.graph_attributes.clear();
  parts.graph_attribute_columns = 0;
  const GraphSet plain(std::move(parts));
  EXPECT_TRUE(lost_in(plain, GraphFormat::gin).empty());
  test::expect_same_set(plain, again(plain, GraphFormat::gin));
}

TEST(GraphFormats, NumbersStayNumbersInTu) {
  GraphSetParts parts = everything();
  parts.graph_attributes.clear();
  parts.graph_attribute_columns = 0;
  parts.targets = {};
  parts.targets.kind = Targets::Kind::numbers;
  parts.targets.columns = 1;
  parts.targets.numbers = {1, 2, 3};
  const GraphSet graphs(std::move(parts));
  test::expect_same_set(graphs, again(graphs, GraphFormat::tu));
}

TEST(GraphFormats, RandomSetsSurviveAllOfThem) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    GraphSetParts parts = random_parts({.graphs = 6, .most_nodes = 8, .labels = 3}, seed);
    parts.graph_sizes.push_back(1);  // the last has a node
    if (!parts.node_labels.empty()) parts.node_labels.push_back(1);
    parts.targets.kind = Targets::Kind::classes;
    parts.targets.class_names = {"0", "1"};
    for (std::size_t g = 0; g < parts.graph_sizes.size(); ++g) {
      parts.targets.class_of_graph.push_back(static_cast<std::int32_t>(g % 2));
    }
    const GraphSet graphs(std::move(parts));
    for (const GraphFormat format : kFormats) {
      SCOPED_TRACE(to_string(format));
      if (lost_in(graphs, format).empty()) test::expect_same_set(graphs, again(graphs, format));
    }
  }
}

TEST(GraphFormats, WhatTheyCannotHoldIsRefusedAndLeavesNothing) {
  const TempDir dir;
  GraphSetParts parts = everything();
  parts.targets.class_of_graph[0] = -1;
  const GraphSet missing{GraphSetParts(parts)};
  for (const GraphFormat format : {GraphFormat::tu, GraphFormat::gin}) {
    test::expect_input_error([&] { write_graphs(missing, path_for(dir, format), format); },
                             {"set: graph 0 has no target, and this format cannot say so"});
  }
  GraphSetParts last = everything();
  last.graph_sizes = {3, 2, 0};
  test::expect_input_error([&] { write_graphs(GraphSet(std::move(last)), dir / "set", GraphFormat::tu); },
                           {"the last graph has no nodes"});
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
  EXPECT_THROW(parse_graph_format("xml"), UsageError);
}

}  // namespace
}  // namespace gckn
