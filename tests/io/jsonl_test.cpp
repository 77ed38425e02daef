// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gckn/io.h"
#include "support/files.h"
#include "support/graph_sets.h"

namespace gckn {
namespace {

using test::expect_input_error;
using test::expect_same_set;
using test::TempDir;

constexpr const char* kJsonlText =
    "{\"edges\": [[0,1],[2,1],[1,1]], \"num_nodes\": 3, \"node_labels\": [5,-2,5], \"edge_labels\": [7,8,9], "
    "\"node_attributes\": [[0.5,1],[2,3e1],[-4,5]], \"edge_attributes\": [[1],[2],[3]], \"graph_attributes\": [0.5], "
    "\"target\": \"yes\", \"id\": 17, \"name\": \"first\"}\r\n"
    "\n"
    "  {\"target\": null, \"num_nodes\": 0, \"edges\": [], \"graph_attributes\": [1]}\n"
    "{\"target\": \"no\", \"num_nodes\": 1, \"edges\": [], \"node_labels\": [6], \"node_attributes\": [[1, 1]], "
    "\"graph_attributes\": [1]}";

TEST(Jsonl, ReadsEveryKey) {
  const TempDir dir;
  for (const char* name : {"Z.jsonl", "Z.ndjson", "Z.json", "Z"}) {
    SCOPED_TRACE(name);
    const GraphSet graphs = read_graphs(dir.write(name, kJsonlText));
    EXPECT_EQ(graphs.name(), "Z");
    EXPECT_TRUE(std::ranges::equal(graphs.graph_begins(), std::vector<std::uint32_t>{0, 3, 3, 4}));
    EXPECT_TRUE(std::ranges::equal(graphs.neighbours(1), std::vector<std::uint32_t>{0, 2}));
    EXPECT_EQ(graphs.merge_counts().self_loops, 1u);
    EXPECT_EQ(graphs.merge_counts().one_way_edges, 2u);
    EXPECT_TRUE(std::ranges::equal(graphs.node_label_values(), std::vector<std::int64_t>{-2, 5, 6}));
    EXPECT_TRUE(std::ranges::equal(graphs.edge_label_values(), std::vector<std::int64_t>{7, 8}));
    EXPECT_TRUE(std::ranges::equal(graphs.arc_labels(), std::vector<std::uint32_t>{0, 0, 1, 1}));
    EXPECT_TRUE(std::ranges::equal(graphs.arc_attributes(), std::vector<double>{1, 1, 2, 2}));
    EXPECT_TRUE(std::ranges::equal(graphs.node_attributes(), std::vector<double>{0.5, 1, 2, 30, -4, 5, 1, 1}));
    EXPECT_TRUE(std::ranges::equal(graphs.graph_attributes(), std::vector<double>{0.5, 1, 1}));
    EXPECT_EQ(graphs.targets().class_names, (std::vector<std::string>{"no", "yes"}));
    EXPECT_EQ(graphs.targets().class_of_graph, (std::vector<std::int32_t>{1, -1, 0}));
  }
}

TEST(Jsonl, ReadsAZip) {
  const TempDir dir;
  EXPECT_EQ(read_graphs(dir.write_zip("a.zip", {{"in/Z.jsonl", kJsonlText}})).num_graphs(), 3u);
}

Targets targets_of(const std::vector<std::string>& values) {
  const TempDir dir;
  std::string text;
  for (const std::string& value : values) text += "{\"num_nodes\": 1, \"edges\": [], \"target\": " + value + "}\n";
  return read_graphs(dir.write("t.jsonl", text)).targets();
}

TEST(Jsonl, TargetsAreClassesOrNumbers) {
  const Targets whole = targets_of({"10", "9", "null", "-1"});
  EXPECT_EQ(whole.kind, Targets::Kind::classes);
  EXPECT_EQ(whole.class_names, (std::vector<std::string>{"-1", "9", "10"}));
  EXPECT_EQ(whole.class_of_graph, (std::vector<std::int32_t>{2, 1, -1, 0}));

  EXPECT_EQ(targets_of({"\"b\"", "\"10\"", "\"9\""}).class_names, (std::vector<std::string>{"10", "9", "b"}));
  EXPECT_EQ(targets_of({"\"10\"", "\"9\""}).class_names, (std::vector<std::string>{"9", "10"}));

  for (const char* one : {"1.0", "[1]"}) {
    const Targets numbers = targets_of({"2", one, "null"});
    EXPECT_EQ(numbers.kind, Targets::Kind::numbers);
    ASSERT_EQ(numbers.columns, 1u);
    EXPECT_EQ(numbers.numbers[0], 2);
    EXPECT_EQ(numbers.numbers[1], 1);
    EXPECT_TRUE(std::isnan(numbers.numbers[2]));
  }
  const Targets several = targets_of({"null", "[1, null]", "[0, 2.5]"});
  EXPECT_EQ(several.columns, 2u);
  ASSERT_EQ(several.numbers.size(), 6u);
  EXPECT_TRUE(std::isnan(several.numbers[0]) && std::isnan(several.numbers[1]) && std::isnan(several.numbers[3]));
  EXPECT_EQ(several.numbers[5], 2.5);

  EXPECT_EQ(targets_of({"null", "null"}).kind, Targets::Kind::none);
  expect_input_error([] { targets_of({"1", "\"a\""}); }, {"t.jsonl:2: target: a text here but a number at t.jsonl:1"});
  expect_input_error(
      [] {
        targets_of({"\"a\"", "2.5"});
      },
      {"t.jsonl:2: target: a number here but a text at t.jsonl:1"});
  expect_input_error([] { targets_of({"[1, 2]", "2.5"}); }, {"t.jsonl:2: target: 1 number here but 2 at t.jsonl:1"});
  // Whole numbers stay apart where a double would not tell them apart.
  EXPECT_EQ(targets_of({"9007199254740993", "9007199254740992"}).class_names,
            (std::vector<std::string>{"9007199254740992", "9007199254740993"}));
  expect_input_error([] { targets_of({"[1, 9007199254740993]"}); },
                     {"t.jsonl:1: target[1]: \"9007199254740993\" is too large"});
  expect_input_error([] { targets_of({"[]"}); }, {"t.jsonl:1: target"});
  expect_input_error([] { targets_of({"[1, \"a\"]"}); }, {"t.jsonl:1: target[1]", "\"a\""});
  expect_input_error([] { targets_of({"true"}); }, {"t.jsonl:1: target", "true"});
  expect_input_error([] { targets_of({"18446744073709551615"}); }, {"t.jsonl:1: target: \"18446744073709551615\""});
}

TEST(Jsonl, NamesLineFieldAndValueOfWhatIsWrong) {
  struct BadCase {
    std::string line;
    std::vector<std::string> pieces;
  };
  const std::vector<BadCase> cases = {
      {R"({"edges": [[0,1],[0,2]], "num_nodes": 2})", {"edges[1][1]: node 2 is out of range (num_nodes is 2"}},
      {R"({"num_nodes": 2, "edges": [[0,1],[-1,0]]})", {"edges[1][0]", "node -1"}},
      {R"({"num_nodes": 2, "edges": [[0,1],[0,1.5]]})", {"edges[1][1]", "1.5"}},
      {R"({"num_nodes": 2, "edges": [[0,1],[0,"1"]]})", {"edges[1][1]", "\"1\""}},
      {R"({"num_nodes": 2, "edges": [[0,1],[0]]})", {"edges[1]: an edge has 2 ends, not 1"}},
      {R"({"num_nodes": 2, "edges": [[0,1],[0,1,1]]})", {"edges[1]: an edge has 2 ends, not 3"}},
      {R"({"num_nodes": 2, "edges": [0,1]})", {"edges[0]", "found 0"}},
      {R"({"num_nodes": 2, "edges": [[[0]]]})", {"edges[0][0]", "a list"}},
      {R"({"num_nodes": 2, "edges": 7})", {"edges: expected", "found 7"}},
      {R"({"num_nodes": 2})", {"edges: the key is missing"}},
      {R"({"edges": []})", {"num_nodes: the key is missing"}},
      {R"({"edges": [], "num_nodes": -1})", {"num_nodes", "-1"}},
      {R"({"edges": [], "num_nodes": 2.0})", {"num_nodes", "2.0"}},
      {R"({"edges": [], "num_nodes": "two"})", {"num_nodes", "\"two\""}},
      {R"({"edges": [], "num_nodes": 4294967295})", {"num_nodes", "4294967295"}},
      {R"({"edges": [], "num_nodes": 4294967290})", {"num_nodes: 4294967290", "more than a file of this size"}},
      {R"({"edges": [], "num_nodes": 1e400})", {"num_nodes", "1e400", "too large"}},
      {R"({"edges": [], "num_nodes": 2, "num_nodes": 2})", {"num_nodes: the key is there twice"}},
      {R"({"edges": [], "num_nodes": 2, "node_label": [1,2]})", {"unknown key \"node_label\"", "node_labels"}},
      {R"({"edges": [], "num_nodes": 2, "node_labels": [1]})", {"node_labels: 1 value,", "2 nodes"}},
      {R"({"edges": [], "num_nodes": 2, "node_labels": [1,2,3]})", {"node_labels: 3 values,", "2 nodes"}},
      {R"({"edges": [], "num_nodes": 2, "node_labels": [1,""]})", {"node_labels[1]", "empty text"}},
      {R"({"edges": [], "num_nodes": 2, "node_labels": [1,null]})", {"node_labels[1]", "null"}},
      {R"({"edges": [], "num_nodes": 2, "node_attributes": [[1],[1,2]]})", {"node_attributes[1]: 2 numbers"}},
      {R"({"edges": [], "num_nodes": 2, "node_attributes": [[1],[]]})", {"node_attributes[1]: the row is empty"}},
      {R"({"edges": [], "num_nodes": 2, "node_attributes": [[1]]})", {"node_attributes: 1 value,", "2 nodes"}},
      {R"({"edges": [], "num_nodes": 2, "node_attributes": [[1],[NaN]]})", {"not valid JSON at column", "\"NaN]]}\""}},
      {R"({"edges": [], "num_nodes": 2, "node_attributes": [[1],[1e999]]})", {"node_attributes[1][0]", "1e999"}},
      {R"({"edges": [[0,1]], "num_nodes": 2, "edge_labels": []})", {"edge_labels: 0 values,", "1 edge"}},
      {R"({"edges": [[0,1],[1,0]], "num_nodes": 2, "edge_labels": [3,4]})",
       {"edges[1]: edge label 4", "label 3", "z.jsonl:2: edges[0]"}},
      {R"({"edges": [[0,1]], "num_nodes": 2, "edge_attributes": [[1],[2]]})", {"edge_attributes: 2 values,"}},
      {R"({"edges": [], "num_nodes": 2, "graph_attributes": [[1]]})", {"graph_attributes[0]", "a list"}},
      {R"({"edges": [], "num_nodes": 2, "truth": [[0],[1,2]]})",
       {"truth[1][1]: node 2 is out of range (num_nodes is 2"}},
      {R"({"edges": [], "truth": [[0],[1,-1]], "num_nodes": 2})", {"truth[1][1]: node -1 is out of range"}},
      {R"({"edges": [], "num_nodes": 2, "truth": [[0],[]]})", {"truth[1]: the row is empty"}},
      {R"({"edges": [], "num_nodes": 2, "truth": [0, 1]})", {"truth[0]: expected", "lists of nodes", "found 0"}},
      {R"({"edges": [], "num_nodes": 2, "truth": [[0.5]]})", {"truth[0][0]: expected", "0.5"}},
      {R"({"edges": [], "num_nodes": 2, "truth": [["a"]]})", {"truth[0][0]: expected", "\"a\""}},
      {R"({"edges": [], "num_nodes": 2, "truth": [[null]]})", {"truth[0][0]: expected", "null"}},
      {R"({"edges": [], "num_nodes": 2, "truth": [[[0]]]})", {"truth[0][0]", "a list"}},
      {R"({"edges": [], "num_nodes": 2, "truth": true})", {"truth: expected", "true"}},
      {R"({"edges": [], "num_nodes": 2, "truth": 1})", {"truth: expected", "found 1"}},
      {R"({"edges": [], "num_nodes": 2, "truth": "1"})", {"truth: expected", "\"1\""}},
      {R"({"edges": [], "num_nodes": 2, "truth": {"a": 1}})", {"truth", "an object"}},
      {R"({"edges": [], "num_nodes": 2, "id": {"a": 1}})", {"id", "an object"}},
      {R"({"edges": [], "num_nodes": 01})", {"not valid JSON", "01"}},
      {R"({"edges": [], "num_nodes": +1})", {"not valid JSON", "+1"}},
      {R"({"edges": [], "num_nodes": 1.})", {"not valid JSON"}},
      {R"({"edges": [], "num_nodes": 1e})", {"not valid JSON"}},
      {R"({"edges": [,], "num_nodes": 1})", {"not valid JSON"}},
      {R"({"edges": [],})", {"not valid JSON"}},
      {R"({"edges" [],})", {"not valid JSON"}},
      {R"({"edges": [], "target": nul})", {"not valid JSON", "nul"}},
      {R"({"edges": [], "target": "a)", {"not valid JSON"}},
      {R"({"edges": [], "target": "\x"})", {"not valid JSON"}},
      {R"([1, 2])", {"one JSON object", "a list"}},
      {R"(7)", {"one JSON object", "7"}},
      {R"({"edges": [], "num_nodes": 2)", {"not valid JSON"}},
      {R"({"edges": [], "num_nodes": 2} x)", {"not valid JSON", "x"}},
      {"{\"edges\": [], \"num_nodes\": 2, \"target\": \"\xff\"}", {"not valid JSON"}},
  };
  for (const BadCase& bad : cases) {
    SCOPED_TRACE(bad.line);
    const TempDir dir;
    std::vector<std::string> pieces = bad.pieces;
    pieces.push_back("z.jsonl:2: ");
    expect_input_error([&] { read_graphs(dir.write("z.jsonl", "\n" + bad.line + "\n")); }, pieces);
  }
}

TEST(Jsonl, NamesLinesThatDisagree) {
  const TempDir dir;
  const std::string first = R"({"edges": [[0,1]], "num_nodes": 2, "node_labels": [1,2], "node_attributes": [[1],[2]]})";
  const auto read_with = [&](const std::string& second) { read_graphs(dir.write("z.jsonl", first + "\n" + second)); };
  expect_input_error([&] { read_with(R"({"edges": [], "num_nodes": 1, "node_attributes": [[1]]})"); },
                     {"z.jsonl:2: node_labels: the key is missing here but there at z.jsonl:1"});
  expect_input_error(
      [&] { read_with(R"({"edges": [], "num_nodes": 1, "node_labels": [1], "node_attributes": [[1,2]]})"); },
      {"z.jsonl:2: node_attributes: 2 columns here but 1 at z.jsonl:1"});
  expect_input_error([&] { read_graphs(dir.write("z.jsonl", "\n \n")); }, {"z.jsonl:1: the file holds no graph"});
}

TEST(Jsonl, WritesWhatReadsBackToTheSame) {
  const TempDir dir;
  GraphSetParts parts;
  parts.name = "back";
  parts.graph_sizes = {3, 0, 2, 1};
  parts.ids = {"7", "", "a \"b\", c", "null"};
  parts.edge_from = {0, 1, 1, 3};
  parts.edge_to = {1, 0, 2, 4};
  parts.edge_labels = {-4, -4, 1LL << 60, 0};
  parts.edge_attribute_columns = 2;
  parts.edge_attributes = {0.1, 1, 0.2, 1, 1e300, -5e-324, 3, 1.0 / 3};
  parts.node_labels = {3, 1, 4, 1, 5, 9};
  parts.node_attribute_columns = 1;
  parts.node_attributes = {0.1, -0.0, 1e22, 1.5e-310, 2, 123456789.125};
  parts.graph_attribute_columns = 1;
  parts.graph_attributes = {1, 2, 3, 0.1};

  std::vector<Targets> all(6);
  all[1].kind = all[2].kind = all[3].kind = Targets::Kind::classes;
  all[1].class_names = {"-1", "1"};
  all[1].class_of_graph = {0, 1, -1, 1};
  all[2].class_names = {"1", "\"quoted\"\n", "z\xC3\xA9ro"};
  std::sort(all[2].class_names.begin(), all[2].class_names.end());
  all[2].class_of_graph = {0, 1, 2, -1};
  all[3].class_names = {"7"};
  all[3].class_of_graph = {0, 0, 0, 0};
  all[4].kind = all[5].kind = Targets::Kind::numbers;
  all[4].columns = 1;
  all[4].numbers = {1, 2, NAN, 1e30};
  all[5].columns = 2;
  all[5].numbers = {NAN, NAN, 1, NAN, 0.1, 3, 4, 5};
  for (const Targets& targets : all) {
    parts.targets = targets;
    const GraphSet graphs(parts);
    write_graphs_jsonl(graphs, dir / "back.jsonl");
    expect_same_set(graphs, read_graphs(dir / "back.jsonl"));
  }
}

TEST(Jsonl, TruthIsReadAndWritten) {
  const TempDir dir;
  const GraphSet graphs = read_graphs(dir.write("t.jsonl", R"({"truth": [[2, 0, 2], [1]], "edges": [], "num_nodes": 3}
{"edges": [], "num_nodes": 2}
{"edges": [], "num_nodes": 1, "truth": []}
{"edges": [], "num_nodes": 1, "truth": null}
{"edges": [], "num_nodes": 1, "truth": [[0]]}
)"));
  EXPECT_EQ(graphs.truth(), (std::vector<NodeTruth>{{{0, 2}, {1}}, {}, {}, {}, {{0}}}));
  write_graphs_jsonl(graphs, dir / "back.jsonl");
  expect_same_set(graphs, read_graphs(dir / "back.jsonl"));
  EXPECT_TRUE(read_graphs(dir.write("t.jsonl", R"({"edges": [], "num_nodes": 1, "truth": null})")).truth().empty());
}

TEST(Jsonl, IdsAreKeptAsText) {
  const TempDir dir;
  std::string text;
  for (const char* id : {R"("x-1")", "7", "1.50", "true", "null"}) {
    text += std::string(R"({"edges": [], "num_nodes": 1, "name": "ignored", "id": )") + id + "}\n";
  }
  text += R"({"edges": [], "num_nodes": 1})";
  EXPECT_EQ(read_graphs(dir.write("ids.jsonl", text)).ids(),
            (std::vector<std::string>{"x-1", "7", "1.50", "true", "", ""}));
  EXPECT_TRUE(read_graphs(dir.write("none.jsonl", R"({"edges": [], "num_nodes": 1})")).ids().empty());
}

// Several runs of lines: numbering goes through.
TEST(Jsonl, CountsLinesThroughALargeFile) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 20'000; ++i)
    text += R"({"edges": [[0,1],[1,2]], "num_nodes": 3, "target": 1})"
            "\n";
  EXPECT_EQ(read_graphs(dir.write("z.jsonl", text)).num_edges(), 40'000u);
  text += R"({"edges": [[0,3]], "num_nodes": 3})";
  expect_input_error([&] { read_graphs(dir.write("z.jsonl", text)); }, {"z.jsonl:20001: edges[0][1]: node 3"});
}

}  // namespace
}  // namespace gckn
