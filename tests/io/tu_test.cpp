// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "gckn/io.h"
#include "support/files.h"
#include "support/sanitizers.h"

namespace gckn {
namespace {

using test::expect_input_error;
using test::Files;
using test::TempDir;

// A triangle with a tail, one way and with odd blanks; an isolated node; a pair.
Files small_set() {
  return {
      {"X_A.txt", "1, 2\n2,1\n 2 ,3\r\n3, 1\n3, 4\n3, 3\n6, 7\n6, 7\n\n\n"},
      {"X_graph_indicator.txt", "1\n1\n1\n1\n2\n3\n3\n"},
      {"X_graph_labels.txt", "1\n-1\n1\n"},
  };
}

Files full_set() {
  Files files = small_set();
  files["X_node_labels.txt"] = "6\r\n6\r\n8\r\n1\r\n6\r\n7\r\n7\r\n";
  files["X_node_attributes.txt"] = " 0.5, -1\n1e-3,2\n3,+4\n.5,5.\n7,8\n9,10\n11,12";
  files["X_edge_labels.txt"] = "1\n1\n2\n1\n1\n5\n3\n3\n";
  files["X_edge_attributes.txt"] = "0.1\n0.2\n0.3\n0.4\n0.5\n0.6\n0.7\n0.7\n";
  files["X_graph_attributes.txt"] = "1.5, 2\n2.5, 3\n3.5, 4\n";
  return files;
}

void expect_full_set(const GraphSet& graphs) {
  EXPECT_EQ(graphs.name(), "X");
  ASSERT_EQ(graphs.num_graphs(), 3u);
  ASSERT_EQ(graphs.num_nodes(), 7u);
  EXPECT_EQ(graphs.num_edges(), 5u);
  EXPECT_EQ(graphs.merge_counts().self_loops, 1u);
  EXPECT_EQ(graphs.merge_counts().duplicate_edges, 1u);
  EXPECT_EQ(graphs.merge_counts().one_way_edges, 4u);
  EXPECT_TRUE(std::ranges::equal(graphs.neighbours(2), std::vector<std::uint32_t>{0, 1, 3}));
  EXPECT_EQ(graphs.degree(4), 0u);
  EXPECT_TRUE(std::ranges::equal(graphs.node_label_values(), std::vector<std::int64_t>{1, 6, 7, 8}));
  EXPECT_TRUE(std::ranges::equal(graphs.node_labels(), std::vector<std::uint32_t>{1, 1, 3, 0, 1, 2, 2}));
  EXPECT_EQ(graphs.node_attribute_columns(), 2u);
  EXPECT_TRUE(std::ranges::equal(graphs.node_attributes(),
                                 std::vector<double>{0.5, -1, 1e-3, 2, 3, 4, 0.5, 5, 7, 8, 9, 10, 11, 12}));
  EXPECT_TRUE(std::ranges::equal(graphs.edge_label_values(), std::vector<std::int64_t>{1, 2, 3}));
  // Arcs 0-1 0-2 1-0 1-2 2-0 2-1 2-3 3-2 5-6 6-5.
  EXPECT_TRUE(std::ranges::equal(graphs.arc_labels(), std::vector<std::uint32_t>{0, 0, 0, 1, 0, 1, 0, 0, 2, 2}));
  EXPECT_TRUE(std::ranges::equal(graphs.arc_attributes(),
                                 std::vector<double>{0.1, 0.4, 0.2, 0.3, 0.4, 0.3, 0.5, 0.5, 0.7, 0.7}));
  EXPECT_EQ(graphs.graph_attribute_columns(), 2u);
  EXPECT_TRUE(std::ranges::equal(graphs.graph_attributes(), std::vector<double>{1.5, 2, 2.5, 3, 3.5, 4}));
  EXPECT_EQ(graphs.targets().kind, Targets::Kind::classes);
  EXPECT_EQ(graphs.targets().class_names, (std::vector<std::string>{"-1", "1"}));
  EXPECT_EQ(graphs.targets().class_of_graph, (std::vector<std::int32_t>{1, 0, 1}));
}

TEST(Tu, ReadsAFolderAndAZipAndTheEdgeFile) {
  const TempDir dir;
  expect_full_set(read_graphs(dir.write_all("X", full_set())));
  expect_full_set(read_graphs(dir / "X/"));
  expect_full_set(read_graphs(dir / "X/X_A.txt"));
  Files zipped;
  for (const auto& [name, text] : full_set()) zipped["X/" + name] = text;
  zipped["X/README.txt"] = "read me";
  zipped["__MACOSX/X/._X_A.txt"] = "junk";
  expect_full_set(read_graphs(dir.write_zip("other.zip", zipped)));
  expect_full_set(read_graphs(dir.write_zip("no_suffix", zipped)));
}

TEST(Tu, ReadsTheLeastASetCanHave) {
  const TempDir dir;
  const GraphSet graphs = read_graphs(dir.write_all("X", {{"X_A.txt", ""}, {"X_graph_indicator.txt", "1"}}));
  EXPECT_EQ(graphs.num_graphs(), 1u);
  EXPECT_EQ(graphs.num_nodes(), 1u);
  EXPECT_EQ(graphs.num_edges(), 0u);
  EXPECT_EQ(graphs.targets().kind, Targets::Kind::none);
}

TEST(Tu, SkippedGraphNumbersAreGraphsWithoutNodes) {
  const TempDir dir;
  Files files = {{"X_A.txt", "1,2"}, {"X_graph_indicator.txt", "2\n2\n4\n"}, {"X_graph_labels.txt", "0\n1\n0\n1\n"}};
  const GraphSet graphs = read_graphs(dir.write_all("X", files));
  EXPECT_TRUE(std::ranges::equal(graphs.graph_begins(), std::vector<std::uint32_t>{0, 0, 2, 2, 3}));
  files.erase("X_graph_labels.txt");
  expect_input_error([&] { read_graphs(dir.write_all("Y", files)); }, {"X_graph_indicator.txt:1: graph 1 is skipped"});
  files["X_graph_indicator.txt"] = "1\n1\n3\n";
  expect_input_error([&] { read_graphs(dir.write_all("Y", files)); }, {"X_graph_indicator.txt:3: graph 2 is skipped"});
}

TEST(Tu, TargetsAreClassesOrNumbers) {
  const TempDir dir;
  Files files = small_set();
  files["X_graph_labels.txt"] = "10\n9\n2.0\n";
  EXPECT_EQ(read_graphs(dir.write_all("a", files)).targets().class_names, (std::vector<std::string>{"2", "9", "10"}));
  files["X_graph_labels.txt"] = "10\n9\n2.5\n";
  const GraphSet measured = read_graphs(dir.write_all("b", files));
  EXPECT_EQ(measured.targets().kind, Targets::Kind::numbers);
  EXPECT_EQ(measured.targets().numbers, (std::vector<double>{10, 9, 2.5}));
  files.erase("X_graph_labels.txt");
  files["X_graph_attributes.txt"] = "1,2\n3,4\n5,6\n";
  const GraphSet attributed = read_graphs(dir.write_all("c", files));
  EXPECT_EQ(attributed.targets().kind, Targets::Kind::numbers);
  EXPECT_EQ(attributed.targets().columns, 2u);
  EXPECT_EQ(attributed.targets().numbers, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(attributed.graph_attribute_columns(), 0u);
}

// Beyond 2^53 a double does not tell whole numbers apart.
TEST(Tu, LargeGraphLabelsStayApart) {
  const TempDir dir;
  Files files = small_set();
  files["X_graph_labels.txt"] = "9007199254740993\n9007199254740992\n-9223372036854775808\n";
  const Targets targets = read_graphs(dir.write_all("a", files)).targets();
  EXPECT_EQ(targets.class_names,
            (std::vector<std::string>{"-9223372036854775808", "9007199254740992", "9007199254740993"}));
  EXPECT_EQ(targets.class_of_graph, (std::vector<std::int32_t>{2, 1, 0}));
  files["X_graph_labels.txt"] = "1\n9223372036854775808\n2\n";
  expect_input_error([&] { read_graphs(dir.write_all("b", files)); },
                     {"X_graph_labels.txt:2: the graph label has more than 64 bits"});
  files["X_graph_labels.txt"] = "0.5\n9223372036854775808\n2\n";  // measured, so that it may be rounded
  EXPECT_EQ(read_graphs(dir.write_all("c", files)).targets().numbers,
            (std::vector<double>{0.5, 9223372036854775808.0, 2}));
  files["X_graph_labels.txt"] = "1, 2\n1, 2\n1, 9007199254740993\n";
  expect_input_error([&] { read_graphs(dir.write_all("d", files)); },
                     {"X_graph_labels.txt:3: the graph label 9007199254740993 is too large to be one of several"});
}

TEST(Tu, CombinesSeveralLabelColumns) {
  const TempDir dir;
  Files files = small_set();
  files["X_node_labels.txt"] = "0, 1\n3, 5\n0,1\n1,0\n0,0\n0,0\n0,0";
  const GraphSet graphs = read_graphs(dir.write_all("X", files));
  EXPECT_TRUE(
      std::ranges::equal(graphs.node_label_values(), std::vector<std::int64_t>{0, 1, 1'000'000'000, 3'000'000'005}));
  files["X_node_labels.txt"] = "0, 1\n3, -5\n0,1\n1,0\n0,0\n0,0\n0,0";
  expect_input_error([&] { read_graphs(dir.write_all("X", files)); }, {"X_node_labels.txt:2: label -5"});
  files["X_node_labels.txt"] = "0,1,2,3,4,5,6\n3\n0\n1\n0\n0\n0";
  expect_input_error([&] { read_graphs(dir.write_all("X", files)); }, {"X_node_labels.txt:1: 7 label columns"});
}

TEST(Tu, NumbersAreRoundedCorrectly) {
  const TempDir dir;
  const std::vector<std::string> texts = {"0.1",
                                          "-538.000001",
                                          "9007199254740993",
                                          "123456789012345678901234567890",
                                          "0.30000000000000004",
                                          "1.7976931348623157e308",
                                          "4.9e-324",
                                          "1e-999",
                                          "-0.000000000000000000000000000000000000000000000001234",
                                          "2.2250738585072011e-308",
                                          "7878.123456",
                                          "1E+3"};
  Files files = {{"X_A.txt", ""}};
  for (const std::string& text : texts) {
    files["X_graph_indicator.txt"] += "1\n";
    files["X_node_attributes.txt"] += text + "\n";
  }
  const GraphSet graphs = read_graphs(dir.write_all("X", files));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(graphs.node_attributes()[i], std::strtod(texts[i].c_str(), nullptr)) << texts[i];
  }
}

// One changed file, and what the error must say.
struct BadCase {
  std::string file;
  std::string text;
  std::vector<std::string> pieces;
};

TEST(Tu, NamesFileLineAndValueOfWhatIsWrong) {
  const std::vector<BadCase> cases = {
      {"X_A.txt", "1, 2\n2, 9999\n", {"X_A.txt:2: node 9999 is out of range (the set has 7 nodes)"}},
      {"X_A.txt", "1, 2\n2, 8\n", {"X_A.txt:2: node 8 is out of range"}},
      {"X_A.txt", "1, 2\n0, 1\n", {"X_A.txt:2: node 0 is out of range (nodes are numbered from 1)"}},
      {"X_A.txt", "-3, 2\n", {"X_A.txt:1: node -3 is out of range"}},
      {"X_A.txt", "1, 2\n\n2, 3\n", {"X_A.txt:2: expected a node number, found the end of the line"}},
      {"X_A.txt", "1, 2\n4, 5\n", {"X_A.txt:2: the edge 4, 5 joins graph 1 and graph 2"}},
      {"X_A.txt", "1, 2\n1, two\n", {"X_A.txt:2: expected a node number, found \"two\""}},
      {"X_A.txt", "1, 2\n1, 2.5\n", {"X_A.txt:2: expected a node number, found \"2.5\""}},
      {"X_A.txt", "1\n", {"X_A.txt:1: expected a node number, found the end of the line"}},
      {"X_A.txt", "1, 2, 3\n", {"X_A.txt:1: expected the end of the line, found a comma"}},
      {"X_A.txt", "1,,2\n", {"X_A.txt:1: expected a node number, found a comma"}},
      {"X_A.txt", "1, 99999999999999999999\n", {"X_A.txt:1:", "99999999999999999999", "too large"}},
      {"X_A.txt", "1, \xff\x01\n", {"X_A.txt:1:", "\"\\xff\\x01\""}},
      {"X_graph_indicator.txt", "", {"X_graph_indicator.txt:1: the file is empty"}},
      {"X_graph_indicator.txt",
       "1\n1\n1\n1\n2\n3\n4\n",
       {"X_graph_indicator.txt:7: graph 4 is out of range", "3 graphs"}},
      {"X_graph_indicator.txt", "1\n1\n1\n1\n0\n3\n3\n", {"X_graph_indicator.txt:5: graph 0 is out of range"}},
      {"X_graph_indicator.txt", "1\n1\n1\n1\n3\n2\n3\n", {"X_graph_indicator.txt:6: graph 2 comes after graph 3"}},
      {"X_graph_indicator.txt", "1\n1\n1\n1\n2\nx\n3\n", {"X_graph_indicator.txt:6:", "\"x\""}},
      {"X_graph_indicator.txt",
       "1\n1\n1\n1\n99999999999\n3\n3\n",
       {"X_graph_indicator.txt:5: graph 99999999999 is out of range (X_graph_labels.txt lists 3 graphs)"}},
      {"X_graph_labels.txt", "1\n1\n", {"X_graph_indicator.txt:6: graph 3 is out of range", "2 graphs"}},
      {"X_graph_labels.txt", "1\n1\n0\n1\n", {"X_graph_labels.txt:4: the file has 4 lines", "is 3"}},
      {"X_graph_labels.txt", "1\nnan\n0\n", {"X_graph_labels.txt:2:", "\"nan\"", "not finite"}},
      {"X_graph_labels.txt", "1\nyes\n0\n", {"X_graph_labels.txt:2: expected a graph label, found \"yes\""}},
      {"X_node_labels.txt", "1\n1\n1\n1\n1\n1\n", {"X_node_labels.txt:6: the file has 6 lines", "lists 7 nodes"}},
      {"X_node_labels.txt", "1\n1\n1\n1\n1\n1\n1\n1\n", {"X_node_labels.txt:8: the file has 8 lines", "lists 7 nodes"}},
      {"X_node_labels.txt", "", {"X_node_labels.txt:1: the file has 0 lines"}},
      {"X_node_labels.txt", "1\n1\nC\n1\n1\n1\n1\n", {"X_node_labels.txt:3: expected a node label, found \"C\""}},
      {"X_node_labels.txt",
       "1\n1\n1 2\n1\n1\n1\n1\n",
       {"X_node_labels.txt:3: expected the end of the line, found \"2\""}},
      {"X_node_attributes.txt", "1\n1\nNaN\n1\n1\n1\n1\n", {"X_node_attributes.txt:3:", "\"NaN\"", "not finite"}},
      {"X_node_attributes.txt", "1\n1\n1\n1\n-inf\n1\n1\n", {"X_node_attributes.txt:5:", "\"-inf\"", "not finite"}},
      {"X_node_attributes.txt", "1\n1e999\n1\n1\n1\n1\n1\n", {"X_node_attributes.txt:2:", "\"1e999\"", "too large"}},
      {"X_node_attributes.txt", "1\n1..2\n1\n1\n1\n1\n1\n", {"X_node_attributes.txt:2:", "\"1..2\""}},
      {"X_node_attributes.txt",
       "1,2\n1\n1,2\n1,2\n1,2\n1,2\n1,2\n",
       {"X_node_attributes.txt:2: expected an attribute"}},
      {"X_node_attributes.txt", "1\n1,2\n1\n1\n1\n1\n1\n", {"X_node_attributes.txt:2: expected the end of the line"}},
      {"X_node_attributes.txt", "1,1,1,1,1,1\n\n\n\n\n\n1", {"X_node_attributes.txt:1: 6 columns", "7 lines"}},
      {"X_edge_labels.txt", "1\n1\n", {"X_edge_labels.txt:2: the file has 2 lines", "X_A.txt lists 8 edges"}},
      {"X_edge_labels.txt", "1\n2\n2\n1\n1\n5\n3\n3\n", {"X_A.txt:2: edge label 2", "label 1", "X_A.txt:1"}},
      {"X_edge_labels.txt", "1\n1\n2\n1\n1\n5\n3\n4\n", {"X_A.txt:8: edge label 4", "label 3", "X_A.txt:7"}},
      {"X_edge_attributes.txt", "1\n", {"X_edge_attributes.txt:1: the file has 1 line,", "8 edges"}},
      {"X_edge_attributes.txt",
       "1\n2\n3\n4\n5\n6\n7\n8\n",
       {"X_A.txt:8: edge attribute 8", "attribute 7", "X_A.txt:7"}},
      {"X_node_labels.txt",
       "1\n1\n\n1\n1\n1\n1\n1\n",
       {"X_node_labels.txt:3: expected a node label, found the end of"}},
      {"X_edge_labels.txt",
       "label\n1\n1\n2\n2\n1\n5\n3\n3\n",
       {"X_edge_labels.txt:1: expected an edge label", "label"}},
      {"X_A.txt", std::string("1\0,\0", 4), {"X_A.txt:1: a zero byte"}},
      {"X_A.txt", std::string("1, 2\n\0", 6), {"X_A.txt:2: a zero byte"}},
      {"X_A.txt",
       std::string("\xff\xfe"
                   "1\0",
                   4),
       {"X_A.txt:1: the text is UTF-16"}},
      {"X_graph_attributes.txt", "1\n2\n", {"X_graph_attributes.txt:2: the file has 2 lines", "3 graphs"}},
  };
  for (const BadCase& bad : cases) {
    SCOPED_TRACE(bad.file + ": " + bad.text);
    const TempDir dir;
    Files files = small_set();
    files[bad.file] = bad.text;
    expect_input_error([&] { read_graphs(dir.write_all("X", files)); }, bad.pieces);
    expect_input_error([&] { read_graphs(dir.write_zip("X.zip", files)); }, bad.pieces);
  }
}

// A count that does not fit is a symptom where the list that is counted is broken.
TEST(Tu, BlamesTheBrokenListAndNotWhatBelongsToIt) {
  const TempDir dir;
  Files files = small_set();
  files["X_edge_labels.txt"] = "1\n1\n2\n2\n1\n5\n3\n3\n";
  const std::string edges = files["X_A.txt"];
  files["X_A.txt"].insert(edges.find('\n') + 1, "\n");
  expect_input_error([&] { read_graphs(dir.write_all("X", files)); },
                     {"X_A.txt:2: expected a node number, found the end of the line"});
  files["X_A.txt"] = "from, to\n" + edges;
  expect_input_error([&] { read_graphs(dir.write_all("X", files)); },
                     {"X_A.txt:1: expected a node number, found \"from\""});
  files["X_A.txt"] = edges;
  files["X_graph_indicator.txt"] = "1\n\n" + files["X_graph_indicator.txt"].substr(2);
  expect_input_error([&] { read_graphs(dir.write_all("X", files)); },
                     {"X_graph_indicator.txt:2: expected a graph number, found the end of the line"});
}

TEST(Tu, HugeGraphNumbersNeedADescription) {
  const TempDir dir;
  Files files = small_set();
  files.erase("X_graph_labels.txt");
  files["X_graph_indicator.txt"] = "1\n1\n1\n1\n99999999999\n3\n3\n";
  expect_input_error([&] { read_graphs(dir.write_all("X", files)); },
                     {"X_graph_indicator.txt:5: graph 99999999999 is out of range (no file of graph labels says"});
}

TEST(Tu, NamesAMissingFile) {
  const TempDir dir;
  Files files = small_set();
  files.erase("X_graph_indicator.txt");
  expect_input_error([&] { read_graphs(dir.write_all("X", files)); }, {"X_graph_indicator.txt is missing", "TU"});
  TempDir other;
  files = small_set();
  files.erase("X_A.txt");
  expect_input_error([&] { read_graphs(other.write_all("X", files)); }, {"X_A.txt is missing", "TU"});
  expect_input_error([&] { read_graphs(other.write_zip("X.zip", files)); }, {"X_A.txt is missing", "TU"});
}

// Line numbers count through the pieces a large file is cut into, and the first error wins whichever thread is first.
TEST(Tu, FindsTheFirstErrorOfALargeFile) {
  const TempDir dir;
  constexpr int kNodes = 100'000;
  Files files;
  for (int i = 1; i <= kNodes; ++i) {
    files["X_graph_indicator.txt"] += "1\n";
    files["X_node_attributes.txt"] += i == 70'001 || i == 90'001 ? "1.0, oops\n" : "1.000000, 2.000000\n";
    files["X_A.txt"] += std::to_string(i) + ", " + std::to_string(i % kNodes + 1) + "\n";
  }
  for (std::uint32_t round = 0; round < 5; round += kSanitizerShare) {
    expect_input_error([&] { read_graphs(dir.write_all("X", files)); }, {"X_node_attributes.txt:70001:", "\"oops\""});
  }
  files.erase("X_node_attributes.txt");
  TempDir clean;
  const GraphSet graphs = read_graphs(clean.write_all("X", files));
  EXPECT_EQ(graphs.num_edges(), static_cast<std::size_t>(kNodes));
  for (std::size_t u = 0; u < kNodes; ++u) ASSERT_EQ(graphs.degree(u), 2u);
}

}  // namespace
}  // namespace gckn
