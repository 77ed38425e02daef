// SPDX-License-Identifier: BSD-3-Clause
// Labels that are words, and names of labels and targets, from file to file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/io.h"
#include "support/files.h"

namespace gckn {
namespace {

using test::TempDir;
using Strings = std::vector<std::string>;

constexpr const char* kWords =
    "{\"num_nodes\": 3, \"edges\": [[0, 1], [1, 2]], \"node_labels\": [\"C\", 6, \"N+ aromatic\"], "
    "\"edge_labels\": [\"single\", \"\\u00e4\"]}\n"
    "{\"num_nodes\": 2, \"edges\": [[0, 1]], \"node_labels\": [\"C\", \"6\"], \"edge_labels\": [\"single\"]}\n";

// What the label of node u is called.
std::string name_of(const GraphSet& graphs, std::size_t u) {
  return graphs.node_label_names().at(graphs.node_labels()[u]);
}

TEST(LabelNames, WordsInJsonLines) {
  const TempDir dir;
  const GraphSet graphs = read_graphs(dir.write("w.jsonl", kWords));
  EXPECT_EQ(graphs.node_label_values().size(), 3U);
  Strings names;
  for (std::size_t u = 0; u < graphs.num_nodes(); ++u) names.push_back(name_of(graphs, u));
  EXPECT_EQ(names, (Strings{"C", "6", "N+ aromatic", "C", "6"}));
  EXPECT_EQ(graphs.node_label_values()[graphs.node_labels()[1]], 6);
  EXPECT_EQ(graphs.node_label_values()[graphs.node_labels()[0]], label_of_word("C"));
  Strings edges = graphs.edge_label_names();
  std::ranges::sort(edges);
  EXPECT_EQ(edges, (Strings{"single", "ä"}));
  EXPECT_TRUE(std::ranges::is_sorted(graphs.node_label_values()));
}

TEST(LabelNames, NumbersHaveNone) {
  const TempDir dir;
  const GraphSet graphs =
      read_graphs(dir.write("n.jsonl", "{\"num_nodes\": 2, \"edges\": [], \"node_labels\": [6, 8]}\n"));
  EXPECT_TRUE(graphs.node_label_names().empty());
}

TEST(LabelNames, SurviveWriting) {
  const TempDir dir;
  const GraphSet graphs = read_graphs(dir.write("w.jsonl", kWords));
  write_graphs_jsonl(graphs, dir / "again.jsonl");
  const GraphSet again = read_graphs(dir / "again.jsonl");
  EXPECT_TRUE(std::ranges::equal(again.node_label_values(), graphs.node_label_values()));
  EXPECT_TRUE(std::ranges::equal(again.node_labels(), graphs.node_labels()));
  EXPECT_EQ(again.node_label_names(), graphs.node_label_names());
  EXPECT_EQ(again.edge_label_names(), graphs.edge_label_names());
}

TEST(LabelNames, SurviveSelection) {
  const TempDir dir;
  const GraphSet graphs = read_graphs(dir.write("w.jsonl", kWords));
  const std::vector<std::uint32_t> second{1};
  const GraphSet part = select_graphs(graphs, second);
  EXPECT_EQ(name_of(part, 0), "C");
  EXPECT_EQ(name_of(part, 1), "6");
}

TEST(LabelNames, OfNumbersByATable) {
  const TempDir dir;
  GraphSet graphs =
      read_graphs(dir.write("n.jsonl", "{\"num_nodes\": 3, \"edges\": [], \"node_labels\": [6, 8, 7]}\n"));
  graphs.name_labels({{6, "C"}, {8, "O"}, {99, "Es"}}, {});
  EXPECT_EQ(graphs.node_label_names(), (Strings{"C", "7", "O"}));
  test::expect_input_error(
      [&] {
        graphs.name_labels({{6, "C"}, {8, "C"}}, {});
      },
      {"the node labels 6 and 8 are both called 'C'"});
}

TEST(LabelNames, EmptyAndWrongOnesAreRefused) {
  const TempDir dir;
  const auto refuse = [&](const std::string& labels, const std::vector<std::string>& pieces) {
    const auto path = dir.write("w.jsonl", "{\"num_nodes\": 1, \"edges\": [], \"node_labels\": [" + labels + "]}\n");
    test::expect_input_error([&] { (void)read_graphs(path); }, pieces);
  };
  refuse("\"\"", {"w.jsonl:1: node_labels[0]", "empty text"});
  refuse("1.5", {"w.jsonl:1: node_labels[0]", "expected a list of words or whole numbers"});
  refuse("null", {"node_labels[0]", "expected a list of words or whole numbers, found null"});
  refuse("[\"C\"]", {"node_labels[0]", "found a list"});
  refuse("{}", {"node_labels[0]", "found an object"});
}

TEST(LabelNames, OfPublishedSets) {
  const TempDir dir;
  const test::Files files = {{"MUTAG_A.txt", "1, 2\n2, 1\n"},
                             {"MUTAG_graph_indicator.txt", "1\n1\n"},
                             {"MUTAG_node_labels.txt", "0\n5\n"},
                             {"MUTAG_edge_labels.txt", "3\n3\n"}};
  const GraphSet graphs = read_graphs(dir.write_all("MUTAG", files));
  EXPECT_EQ(graphs.node_label_names(), (Strings{"C", "Cl"}));
  EXPECT_EQ(graphs.edge_label_names(), (Strings{"triple"}));
  EXPECT_EQ(graphs.node_label_values()[1], 5);
  // Another set of the same name is not theirs.
  test::Files other = files;
  other["MUTAG_node_labels.txt"] = "0\n77\n";
  EXPECT_TRUE(read_graphs(dir.write_all("other", other)).node_label_names().empty());
}

TEST(LabelNames, WordsAreNumbersOfTheirOwn) {
  EXPECT_EQ(label_of_word("-7"), -7);
  EXPECT_NE(label_of_word("07"), 7);
  EXPECT_NE(label_of_word("C"), label_of_word("c"));
  EXPECT_GE(label_of_word("C"), std::int64_t{1} << 62);
}

TEST(TargetNames, ObjectsNameTheColumns) {
  const TempDir dir;
  const auto path = dir.write("t.jsonl",
                              "{\"num_nodes\": 1, \"edges\": [], \"target\": {\"NR-AR\": 1, \"SR-p53\": null}}\n"
                              "{\"num_nodes\": 1, \"edges\": [], \"target\": {\"SR-p53\": 0.5}}\n"
                              "{\"num_nodes\": 1, \"edges\": [], \"target\": null}\n");
  const GraphSet graphs = read_graphs(path);
  const Targets& targets = graphs.targets();
  EXPECT_EQ(targets.kind, Targets::Kind::numbers);
  EXPECT_EQ(targets.column_names, (Strings{"NR-AR", "SR-p53"}));
  EXPECT_EQ(targets.numbers[0], 1);
  EXPECT_TRUE(std::isnan(targets.numbers[1]));
  EXPECT_TRUE(std::isnan(targets.numbers[2]));
  EXPECT_EQ(targets.numbers[3], 0.5);
  EXPECT_TRUE(std::isnan(targets.numbers[4]) && std::isnan(targets.numbers[5]));
  write_graphs_jsonl(graphs, dir / "again.jsonl");
  const GraphSet again = read_graphs(dir / "again.jsonl");
  EXPECT_EQ(again.targets().column_names, targets.column_names);
  EXPECT_EQ(again.targets().numbers[3], 0.5);
}

TEST(TargetNames, WhatMakesNoSenseIsRefused) {
  const TempDir dir;
  const auto refuse = [&](const std::string& first, const std::string& second, const std::vector<std::string>& pieces) {
    const auto path = dir.write("t.jsonl", "{\"num_nodes\": 1, \"edges\": [], \"target\": " + first +
                                               "}\n{\"num_nodes\": 1, \"edges\": [], \"target\": " + second + "}\n");
    test::expect_input_error([&] { (void)read_graphs(path); }, pieces);
  };
  refuse("{\"a\": 1}", "[2]", {"t.jsonl:2: target: without names here but with names at t.jsonl:1"});
  refuse("{\"a\": 1}", "2", {"without names here"});
  refuse("{\"a\": 1, \"a\": 2}", "null", {"the target \"a\" is there twice"});
  refuse("{}", "null", {"an empty object"});
  refuse("{\"\": 1}", "null", {"a target has no name"});
  refuse("{\"a\": \"b\"}", "null", {"target.a", "\"b\""});
  refuse("{\"a\": [1]}", "null", {"target.a", "a list"});
  refuse("{\"a\": {\"b\": 1}}", "null", {"target.a", "an object"});
}

}  // namespace
}  // namespace gckn
