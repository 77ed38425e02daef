// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "gckn/io.h"
#include "support/files.h"

namespace gckn {
namespace {

using test::expect_input_error;
using test::Files;
using test::TempDir;

// A path of three nodes with a loop and a repeated neighbour, a graph without nodes, a lone node.
constexpr const char* kGinText =
    "3\r\n"
    "3 1\r\n"
    "4 1 1\r\n"
    "9 4 0 2 2 1 \r\n"
    "4 1 1\r\n"
    "0 0\r\n"
    "1 1\r\n"
    "2 0\r\n\r\n";

void expect_small_set(const GraphSet& graphs) {
  EXPECT_EQ(graphs.name(), "Y");
  EXPECT_TRUE(std::ranges::equal(graphs.graph_begins(), std::vector<std::uint32_t>{0, 3, 3, 4}));
  EXPECT_EQ(graphs.num_edges(), 2u);
  EXPECT_TRUE(std::ranges::equal(graphs.neighbours(1), std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(graphs.degree(3), 0u);
  EXPECT_EQ(graphs.merge_counts().self_loops, 1u);
  EXPECT_EQ(graphs.merge_counts().duplicate_edges, 1u);
  EXPECT_TRUE(std::ranges::equal(graphs.node_label_values(), std::vector<std::int64_t>{2, 4, 9}));
  EXPECT_TRUE(std::ranges::equal(graphs.node_labels(), std::vector<std::uint32_t>{1, 2, 1, 0}));
  EXPECT_EQ(graphs.targets().class_names, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(graphs.targets().class_of_graph, (std::vector<std::int32_t>{1, 0, 1}));
}

Files with_folds() {
  return {{"Y.txt", kGinText},
          {"10fold_idx/train_idx-1.txt", "0\n2\n"},
          {"10fold_idx/test_idx-1.txt", "1\n"},
          {"10fold_idx/train_idx-2.txt", "0\r\n1"},
          {"10fold_idx/test_idx-2.txt", "2\r\n\r\n"}};
}

TEST(Gin, ReadsAFileAFolderAndAZip) {
  const TempDir dir;
  expect_small_set(read_graphs(dir.write("Y.txt", kGinText)));
  EXPECT_TRUE(read_graphs(dir / "Y.txt").folds().empty());
  expect_small_set(read_graphs(dir.write("Y", kGinText)));

  Files files = with_folds();
  files["README.txt"] = "read me";
  dir.write_all("folder", files);
  Files zipped;
  for (const auto& [name, text] : files) zipped["Y/" + name] = text;
  for (const auto& path : {dir / "folder", dir / "folder/Y.txt", dir.write_zip("z.zip", zipped)}) {
    SCOPED_TRACE(path.string());
    const GraphSet graphs = read_graphs(path);
    expect_small_set(graphs);
    ASSERT_EQ(graphs.folds().size(), 2u);
    EXPECT_EQ(graphs.folds()[0].train, (std::vector<std::uint32_t>{0, 2}));
    EXPECT_EQ(graphs.folds()[0].test, (std::vector<std::uint32_t>{1}));
    EXPECT_EQ(graphs.folds()[1].train, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(graphs.folds()[1].test, (std::vector<std::uint32_t>{2}));
  }
}

TEST(Gin, EqualTagsAreNoLabels) {
  const TempDir dir;
  const GraphSet graphs = read_graphs(dir.write("Y.txt", "2\n2 0\n0 1 1\n0 1 0\n1 3\n0 0\n"));
  EXPECT_FALSE(graphs.has_node_labels());
  EXPECT_EQ(graphs.num_edges(), 1u);
}

TEST(Gin, AttributesFollowTheNeighbours) {
  const TempDir dir;
  const GraphSet graphs = read_graphs(dir.write("Y.txt", "1\n2 0.5\n0 1 1 0.25 -3\n1 1 0 1e2 7\n"));
  EXPECT_EQ(graphs.node_attribute_columns(), 2u);
  EXPECT_TRUE(std::ranges::equal(graphs.node_attributes(), std::vector<double>{0.25, -3, 100, 7}));
  EXPECT_EQ(graphs.targets().kind, Targets::Kind::numbers);
  EXPECT_EQ(graphs.targets().numbers, std::vector<double>{0.5});
}

TEST(Gin, LargeGraphLabelsStayApart) {
  const TempDir dir;
  const GraphSet graphs = read_graphs(dir.write("L.txt", "2\n1 9007199254740993\n0 0\n1 9007199254740992\n0 0\n"));
  EXPECT_EQ(graphs.targets().class_names, (std::vector<std::string>{"9007199254740992", "9007199254740993"}));
  EXPECT_EQ(graphs.targets().class_of_graph, (std::vector<std::int32_t>{1, 0}));
  expect_input_error([&] { read_graphs(dir.write("M.txt", "2\n1 7\n0 0\n1 99999999999999999999\n0 0\n")); },
                     {"M.txt:4: the graph label has more than 64 bits"});
}

TEST(Gin, NamesFileLineAndValueOfWhatIsWrong) {
  struct BadCase {
    std::string text;
    std::vector<std::string> pieces;
  };
  const std::vector<BadCase> cases = {
      {"", {"Y.txt:1:", "empty"}},
      {"0\n", {"Y.txt:1: 0 graphs"}},
      {"graphs\n", {"Y.txt:1: expected the number of graphs", "\"graphs\""}},
      {"99999999999999999999\n", {"Y.txt:1:", "99999999999999999999", "too large"}},
      {"2\n1 0\n0 0\n", {"Y.txt:3: the file ends after 1 of 2 graphs"}},
      {"1\n3 0\n0 0\n", {"Y.txt:3: the file ends after 1 of the 3 nodes of graph 1"}},
      {"1\n1 0\n0 0\n1 0\n", {"Y.txt:4: the file goes on after the 1 graph of", "\"1\""}},
      {"1\n-1 0\n", {"Y.txt:2: -1 nodes are out of range"}},
      {"1\n1\n0 0\n", {"Y.txt:2: expected a graph label"}},
      {"1\n1 0 7\n0 0\n", {"Y.txt:2: expected the end of the line, found \"7\""}},
      {"1\n1 nan\n0 0\n", {"Y.txt:2:", "\"nan\"", "not finite"}},
      {"1\n2 0\n0 1 1\n0 1 2\n", {"Y.txt:4: neighbour 2 is out of range (graph 1 has 2 nodes"}},
      {"1\n2 0\n0 1 1\n0 1 -1\n", {"Y.txt:4: neighbour -1 is out of range"}},
      {"1\n2 0\n0 1 1\n0 1 x\n", {"Y.txt:4: expected a neighbour, found \"x\""}},
      {"1\n2 0\n0 1 1\nC 1 0\n", {"Y.txt:4: expected a node tag, found \"C\""}},
      {"1\n2 0\n0 1 1\n0\n", {"Y.txt:4: expected a node degree"}},
      {"1\n2 0\n0 1 1\n\n0 1 0\n", {"Y.txt:4: expected a node tag, found the end of the line"}},
      {"1\n2 0\n0 1 1\n0 4000000000 0\n", {"Y.txt:4: degree 4000000000"}},
      {"1\n2 0\n0 1 1\n0 -1 0\n", {"Y.txt:4: degree -1"}},
      {"1\n2 0\n0 1 1\n0 3 0    1  \n", {"Y.txt:4: expected a neighbour, found the end of the line"}},
      {"1\n2 0\n0 1 1\n0 1 0 1.5\n", {"Y.txt:4: expected the end of the line, found \"1.5\""}},
      {"1\n2 0\n0 1 1 1.5\n0 1 0\n", {"Y.txt:4: expected an attribute"}},
      {"1\n2 0\n0 1 1 1.5\n0 1 0 inf\n", {"Y.txt:4:", "\"inf\"", "not finite"}},
      {"1\n9 0\n0 0 1 2 3 4 5 6\n1 0\n1 0\n1 0\n1 0\n1 0\n1 0\n1 0\n1 0\n", {"Y.txt:3: 6 attributes", "9 nodes"}},
  };
  for (const BadCase& bad : cases) {
    SCOPED_TRACE(bad.text);
    const TempDir dir;
    expect_input_error([&] { read_graphs(dir.write("Y.txt", bad.text)); }, bad.pieces);
  }
}

TEST(Gin, NamesWhatIsWrongWithFolds) {
  struct BadCase {
    std::string file;
    std::string text;
    std::vector<std::string> pieces;
  };
  const std::vector<BadCase> cases = {
      {"10fold_idx/test_idx-2.txt", "3\n", {"test_idx-2.txt:1: graph 3 is out of range", "3 graphs"}},
      {"10fold_idx/test_idx-2.txt", "-1\n", {"test_idx-2.txt:1: graph -1 is out of range"}},
      {"10fold_idx/test_idx-2.txt", "2\n1\n", {"test_idx-2.txt:2: graph 1 is in this fold twice"}},
      {"10fold_idx/test_idx-1.txt", "", {"test_idx-1.txt:1: the file is empty"}},
      {"10fold_idx/train_idx-1.txt", "0\nzwei\n", {"train_idx-1.txt:2: expected a graph number, found \"zwei\""}},
      {"10fold_idx/train_idx-3.txt", "0\n", {"10fold_idx/test_idx-3.txt is missing"}},
      {"10fold_idx/test_idx-4.txt", "0\n", {"10fold_idx/train_idx-3.txt is missing"}},
  };
  for (const BadCase& bad : cases) {
    SCOPED_TRACE(bad.file + ": " + bad.text);
    const TempDir dir;
    Files files = with_folds();
    files[bad.file] = bad.text;
    expect_input_error([&] { read_graphs(dir.write_all("Y", files)); }, bad.pieces);
  }
}

// Enough text for several runs of graphs; the error is in a late one.
TEST(Gin, CountsLinesThroughALargeFile) {
  const TempDir dir;
  constexpr int kGraphs = 40'000;
  std::string text = std::to_string(kGraphs) + "\n";
  for (int g = 0; g < kGraphs; ++g) text += "2 " + std::to_string(g % 2) + "\n0 1 1\n1 1 0\n";
  const GraphSet graphs = read_graphs(dir.write("Y.txt", text));
  EXPECT_EQ(graphs.num_graphs(), static_cast<std::size_t>(kGraphs));
  EXPECT_EQ(graphs.num_edges(), static_cast<std::size_t>(kGraphs));
  EXPECT_EQ(graphs.targets().class_of_graph[39'999], 1);
  text.replace(text.size() - 2, 1, "5");
  expect_input_error([&] { read_graphs(dir.write("Y.txt", text)); }, {"Y.txt:120001: neighbour 5", "graph 40000"});
}

}  // namespace
}  // namespace gckn
