// SPDX-License-Identifier: BSD-3-Clause
// Recognising formats, damaged zips, damaged bytes, and the benchmark sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "gckn/io.h"
#include "support/files.h"
#include "support/graph_sets.h"

namespace gckn {
namespace {

namespace fs = std::filesystem;
using test::expect_input_error;
using test::expect_same_set;
using test::expect_same_structure;
using test::Files;
using test::TempDir;

const Files kTu = {{"X_A.txt", "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n"},
                   {"X_graph_indicator.txt", "1\n1\n1\n2\n2\n"},
                   {"X_graph_labels.txt", "1\n-1\n"},
                   {"X_node_labels.txt", "1\n2\n1\n3\n3\n"},
                   {"X_edge_labels.txt", "0\n0\n1\n1\n2\n2\n"},
                   {"X_node_attributes.txt", "0.5, 1\n1.5, 2\n2.5, 3\n3.5, 4\n4.5, 5e1\n"}};
const std::string kGin = "2\n3 1\n0 1 1 0.5\n1 2 0 2 1\n0 1 1 2\n2 0\n1 1 1 3\n1 1 0 4\n";
const std::string kJsonl =
    "{\"edges\": [[0,1],[1,2]], \"num_nodes\": 3, \"node_labels\": [0,1,0], \"edge_labels\": [4,5], \"target\": 1.5}\n"
    "{\"edges\": [[0,1]], \"num_nodes\": 2, \"node_labels\": [1,1], \"edge_labels\": [4], \"target\": null}\n";

TEST(ReadGraphs, SaysWhatItLookedFor) {
  const TempDir dir;
  expect_input_error([&] { read_graphs(dir / "nowhere.zip"); }, {"nowhere.zip: no such file or folder"});
  fs::create_directory(dir / "empty");
  expect_input_error([&] { read_graphs(dir / "empty"); }, {"empty", "NAME_A.txt", "NAME.txt", ".jsonl"});
  expect_input_error([&] { read_graphs(dir.write_zip("e.zip", {{"picture.png", "x"}})); }, {"e.zip", "NAME_A.txt"});
  expect_input_error([&] { read_graphs(dir.write("a.xyz", "hello")); }, {"a.xyz: not a graph set", "NAME_A.txt"});
  expect_input_error([&] { read_graphs(dir.write("a.bin", "")); }, {"a.bin: not a graph set"});
  Files two = kTu;
  two["Y_A.txt"] = "1, 2\n";
  expect_input_error([&] { read_graphs(dir.write_all("two", two)); }, {"several TU sets", "X, Y"});
  EXPECT_EQ(read_graphs(dir.write_all("X", two)).name(), "X");
}

TEST(ReadGraphs, ReportsProgressAndCanBeCancelled) {
  const TempDir dir;
  const fs::path path = dir.write_all("X", kTu);
  RunOptions options;
  int reports = 0;
  options.progress = [&](const Progress& progress) {
    ++reports;
    EXPECT_LE(progress.done, progress.total);
    return true;
  };
  EXPECT_EQ(read_graphs(path, options).num_graphs(), 2u);
  EXPECT_GE(reports, 2);
  options.progress = [](const Progress&) { return false; };
  EXPECT_THROW(read_graphs(path, options), Cancelled);
}

TEST(ReadGraphs, RefusesTruncatedZips) {
  const TempDir dir;
  const std::string zip = test::read_text(dir.write_zip("X.zip", kTu));
  EXPECT_EQ(read_graphs(dir / "X.zip").num_graphs(), 2u);
  for (std::size_t length = 0; length < zip.size(); ++length) {
    SCOPED_TRACE(length);
    expect_input_error([&] { read_graphs(dir.write("X.zip", zip.substr(0, length))); },
                       {"X.zip: damaged or truncated"});
  }
}

TEST(ReadGraphs, SaysThatAZipIsEncrypted) {
  const TempDir dir;
  const fs::path zip = dir.write_zip("X.zip", kTu, "secret");
  expect_input_error([&] { read_graphs(zip); }, {"X.zip: is an encrypted zip file; unpack it with its password"});
}

// As in `gckn predict DATA MODEL`: what is there is named, for a file of any name and for both ways to read.
TEST(ReadGraphs, SaysThatAModelIsNoGraphSet) {
  const TempDir dir;
  const std::string header = R"({"__metadata__": {"config": "{}"}})";
  std::string model(8, '\0');
  model[0] = static_cast<char>(header.size());
  model += header;
  for (const char* name : {"m.gckn", "m.jsonl", "m.txt", "m"}) {
    const fs::path path = dir.write(name, model);
    expect_input_error([&] { read_graphs(path); }, {name, ": is a gckn model, where graphs belong"});
    expect_input_error([&] { GraphReader(path).next(); }, {name, ": is a gckn model, where graphs belong"});
  }
}

TEST(ReadGraphs, RefusesZipBombs) {
  const TempDir dir;
  const fs::path zip = dir.write_zip("bomb.zip", {{"X.txt", std::string(std::size_t{80} << 20, '\n')}});
  ASSERT_LT(fs::file_size(zip), std::size_t{200'000});
  expect_input_error([&] { read_graphs(zip); }, {"bomb.zip: unpacks to more than"});
}

// Thousands of damaged inputs: each is read or refused, never anything else.
template <typename Read>
void damage(const std::string& good, int rounds, unsigned seed, Read read) {
  constexpr std::string_view kBytes = "0123456789-+.,eE \n\r\t[]{}\":\0\xff_naif";
  std::mt19937 random(seed);
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string bytes = good;
    for (std::size_t edits = 1 + random() % 3; edits > 0 && !bytes.empty(); --edits) {
      const std::size_t at = random() % bytes.size();
      const char byte = random() % 8 == 0 ? static_cast<char>(random()) : kBytes[random() % kBytes.size()];
      switch (random() % 5) {
        case 0:
          bytes.erase(at, 1 + random() % 4);
          break;
        case 1:
          bytes.insert(at, 1 + random() % 3, byte);
          break;
        case 2:
          bytes.resize(at);
          break;
        default:
          bytes[at] = byte;
      }
    }
    try {
      read(bytes);
    } catch (const InputError& error) {
      ++refused;
      ASSERT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
    }
  }
  EXPECT_GT(refused, rounds / 4);
}

TEST(ReadGraphs, SurvivesDamagedTu) {
  const TempDir dir;
  dir.write_all("X", kTu);
  for (const auto& [name, text] : kTu) {
    damage(text, 500, 1, [&](const std::string& bytes) {
      dir.write("X/" + name, bytes);
      read_graphs(dir / "X");
    });
    dir.write("X/" + name, text);
  }
}

TEST(ReadGraphs, SurvivesDamagedGin) {
  const TempDir dir;
  damage(kGin, 3000, 2, [&](const std::string& bytes) { read_graphs(dir.write("Y.txt", bytes)); });
}

TEST(ReadGraphs, SurvivesDamagedJsonl) {
  const TempDir dir;
  damage(kJsonl, 3000, 3, [&](const std::string& bytes) { read_graphs(dir.write("Z.jsonl", bytes)); });
}

TEST(ReadGraphs, SurvivesDamagedZips) {
  const TempDir dir;
  const std::string zip = test::read_text(dir.write_zip("X.zip", kTu));
  damage(zip, 3000, 4, [&](const std::string& bytes) { read_graphs(dir.write("X.zip", bytes)); });
}

// The table that describes the benchmark sets.
struct Known {
  const char* file;
  std::size_t graphs;
  std::size_t classes;
  double nodes;  // on average
  double edges;
  std::size_t attributes;
  bool node_labels;
  bool edge_labels;
  std::size_t folds;
};

class BenchmarkSets : public ::testing::Test {
 protected:
  void SetUp() override { GCKN_SKIP_WITHOUT_DATASETS(); }
  static GraphSet read(const std::string& name) { return read_graphs(test::datasets_dir() / name); }
};

std::size_t isolated_nodes(const GraphSet& graphs) {
  std::size_t count = 0;
  for (std::size_t u = 0; u < graphs.num_nodes(); ++u) count += graphs.degree(u) == 0 ? 1 : 0;
  return count;
}

TEST_F(BenchmarkSets, AreAsDescribed) {
  const std::vector<Known> table = {
      {"MUTAG.zip", 188, 2, 17.9, 19.8, 0, true, true, 0},
      {"PTC_MR.zip", 344, 2, 14.3, 14.7, 0, true, true, 0},
      {"NCI1.zip", 4110, 2, 29.9, 32.3, 0, true, false, 0},
      {"PROTEINS.zip", 1113, 2, 39.1, 72.8, 1, true, false, 0},
      {"IMDB-BINARY.zip", 1000, 2, 19.8, 96.5, 0, false, false, 0},
      {"IMDB-MULTI.zip", 1500, 3, 13.0, 65.9, 0, false, false, 0},
      {"ENZYMES.zip", 600, 6, 32.6, 62.1, 18, true, false, 0},
      {"PROTEINS_full.zip", 1113, 2, 39.1, 72.8, 29, true, false, 0},
      {"BZR.zip", 405, 2, 35.8, 38.4, 3, true, false, 0},
      {"COX2.zip", 467, 2, 41.2, 43.5, 3, true, false, 0},
      {"Mutagenicity.zip", 4337, 2, 30.3, 30.8, 0, true, true, 0},
      {"gin/MUTAG.zip", 188, 2, 17.9, 19.8, 0, true, false, 10},
      {"gin/PTC.zip", 344, 2, 25.6, 26.0, 0, true, false, 10},
      {"gin/NCI1.zip", 4110, 2, 29.9, 32.3, 0, true, false, 10},
      {"gin/PROTEINS.zip", 1113, 2, 39.1, 72.8, 0, true, false, 10},
      {"gin/IMDBBINARY.zip", 1000, 2, 19.8, 96.5, 0, false, false, 10},
      {"gin/IMDBMULTI.zip", 1500, 3, 13.0, 65.9, 0, false, false, 10},
  };
  for (const Known& known : table) {
    SCOPED_TRACE(known.file);
    const GraphSet graphs = read(known.file);
    EXPECT_EQ(graphs.name(), fs::path(known.file).stem().string());
    EXPECT_EQ(graphs.num_graphs(), known.graphs);
    EXPECT_EQ(graphs.targets().class_names.size(), known.classes);
    const auto count = static_cast<double>(known.graphs);
    // The table is rounded to one place, and was to two before (43.445, 43.45, 43.5).
    EXPECT_NEAR(static_cast<double>(graphs.num_nodes()) / count, known.nodes, 0.056);
    EXPECT_NEAR(static_cast<double>(graphs.num_edges()) / count, known.edges, 0.056);
    EXPECT_EQ(graphs.node_attribute_columns(), known.attributes);
    EXPECT_EQ(graphs.has_node_labels(), known.node_labels);
    EXPECT_EQ(graphs.has_edge_labels(), known.edge_labels);
    ASSERT_EQ(graphs.folds().size(), known.folds);
    for (const Fold& fold : graphs.folds()) EXPECT_EQ(fold.test.size(), known.graphs / 10);
  }
}

TEST_F(BenchmarkSets, HaveTheirKnownOddities) {
  const GraphSet mutag = read("MUTAG.zip");
  EXPECT_EQ(mutag.targets().class_names, (std::vector<std::string>{"-1", "1"}));
  const GraphSet nci1 = read("NCI1.zip");
  EXPECT_EQ(nci1.node_label_values().front(), 1);
  EXPECT_EQ(isolated_nodes(nci1), 428u);
  EXPECT_EQ(isolated_nodes(read("PROTEINS.zip")), 5u);
  EXPECT_EQ(isolated_nodes(read("Mutagenicity.zip")), 2401u);
  const GraphSet imdb = read("IMDB-BINARY.zip");
  EXPECT_EQ(imdb.merge_counts().duplicate_edges, imdb.num_arcs());
  const GraphSet full = read("PROTEINS_full.zip");
  const auto [low, high] = std::minmax_element(full.node_attributes().begin(), full.node_attributes().end());
  EXPECT_EQ(std::trunc(*low), -538);
  EXPECT_EQ(std::trunc(*high), 7878);
}

TEST_F(BenchmarkSets, CollabIsRead) {
  const GraphSet graphs = read("gin/COLLAB.zip");
  EXPECT_EQ(graphs.num_graphs(), 5000u);
  EXPECT_EQ(graphs.targets().class_names.size(), 3u);
  EXPECT_NEAR(static_cast<double>(graphs.num_nodes()) / 5000, 74.5, 0.051);
  EXPECT_NEAR(static_cast<double>(graphs.num_edges()) / 5000, 2457, 0.51);
  EXPECT_EQ(graphs.merge_counts().self_loops, 2837u);
  EXPECT_EQ(graphs.folds().size(), 10u);
}

TEST_F(BenchmarkSets, TuAndGinFilesDescribeTheSameGraphs) {
  for (const auto& [tu, gin] :
       {std::pair("NCI1.zip", "gin/NCI1.zip"), std::pair("PROTEINS.zip", "gin/PROTEINS.zip"),
        std::pair("IMDB-BINARY.zip", "gin/IMDBBINARY.zip"), std::pair("IMDB-MULTI.zip", "gin/IMDBMULTI.zip")}) {
    SCOPED_TRACE(tu);
    const GraphSet a = read(tu);
    const GraphSet b = read(gin);
    EXPECT_EQ(a.num_edges(), b.num_edges());
    EXPECT_TRUE(std::ranges::equal(a.graph_begins(), b.graph_begins()));
    EXPECT_EQ(a.targets().class_of_graph, b.targets().class_of_graph);
    expect_same_structure(a, b);
  }
}

TEST_F(BenchmarkSets, SurviveJsonLines) {
  const TempDir dir;
  for (const char* name : {"MUTAG.zip", "ENZYMES.zip"}) {
    SCOPED_TRACE(name);
    const GraphSet graphs = read(name);
    write_graphs_jsonl(graphs, dir / "set.jsonl");
    expect_same_set(graphs, read_graphs(dir / "set.jsonl"));
  }
}

// The same for any number of threads.
TEST_F(BenchmarkSets, DoNotDependOnThreads) {
  RunOptions one;
  one.threads = 1;
  RunOptions four;
  four.threads = 4;
  const fs::path path = test::datasets_dir() / "PROTEINS_full.zip";
  expect_same_set(read_graphs(path, one), read_graphs(path, four));
}

}  // namespace
}  // namespace gckn
