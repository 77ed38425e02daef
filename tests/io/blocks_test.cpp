// SPDX-License-Identifier: BSD-3-Clause
// Sets read in blocks, and files written in pieces.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "gckn/error.h"
#include "gckn/io.h"
#include "support/files.h"

namespace gckn {
namespace {

// A little more than two blocks of JSON lines; line i (from 1) has i % 5 + 1 nodes in a path.
std::string many_lines(std::size_t count) {
  std::string text;
  for (std::size_t i = 1; i <= count; ++i) {
    const std::size_t nodes = i % 5 + 1;
    text += R"({"num_nodes": )" + std::to_string(nodes) + R"(, "edges": [)";
    for (std::size_t u = 0; u + 1 < nodes; ++u) {
      text += (u == 0 ? "[" : ", [") + std::to_string(u) + ", " + std::to_string(u + 1) + "]";
    }
    text += "]}\n";
  }
  return text;
}

constexpr std::size_t kManyLines = 300'000;

TEST(GraphReader, BlocksHoldTheGraphsOfTheFileInOrder) {
  std::istringstream stream(many_lines(kManyLines));
  GraphReader reader(stream, "lines");
  std::size_t graphs = 0;
  std::size_t blocks = 0;
  while (const std::optional<GraphSet> block = reader.next()) {
    ++blocks;
    for (std::size_t g = 0; g < block->num_graphs(); ++g) {
      ++graphs;
      ASSERT_EQ(block->graph_begin(g + 1) - block->graph_begin(g), graphs % 5 + 1) << graphs;
    }
  }
  EXPECT_EQ(graphs, kManyLines);
  EXPECT_GT(blocks, 1U);
  EXPECT_FALSE(reader.next()) << "the end stays the end";
}

TEST(GraphReader, ErrorsOfLaterBlocksNameTheirLine) {
  std::istringstream stream(many_lines(kManyLines) + "{\"num_nodes\": 1, \"edges\": [[0, 7]]}\n");
  GraphReader reader(stream, "lines");
  try {
    while (reader.next()) {
    }
    ADD_FAILURE() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("lines:300001:"), std::string::npos) << error.what();
  }
}

TEST(GraphReader, FilesWithoutGraphsAreErrors) {
  for (const char* text : {"", "\n\n  \n"}) {
    std::istringstream stream(text);
    GraphReader reader(stream, "empty");
    EXPECT_THROW(reader.next(), InputError) << '"' << text << '"';
  }
  GraphReader missing(std::filesystem::path("no such file.jsonl"));
  EXPECT_THROW(missing.next(), InputError);
}

TEST(RowWriter, PiecesMakeTheFileThatTheWholeMakes) {
  const test::TempDir folder;
  Matrix rows(7, 3);
  for (std::size_t i = 0; i < rows.size(); ++i) rows.data()[i] = static_cast<float>(i) / 3;
  Matrix first(2, 3);
  Matrix second(5, 3);
  std::copy_n(rows.row(0), first.size(), first.data());
  std::copy_n(rows.row(2), second.size(), second.data());
  for (const char* name : {"rows.npy", "rows.csv"}) {
    const std::filesystem::path whole = folder.path() / (std::string("whole-") + name);
    const std::filesystem::path pieces = folder.path() / name;
    if (whole.extension() == ".npy") {
      write_npy(rows, whole);
    } else {
      write_csv(rows, whole);
    }
    RowWriter writer(pieces, 3);
    writer.append(first);
    writer.append(second);
    EXPECT_FALSE(std::filesystem::exists(pieces)) << "before it is whole";
    writer.finish();
    EXPECT_EQ(test::read_text(pieces), test::read_text(whole)) << name;
  }
}

TEST(RowWriter, NothingRemainsOfAFileThatWasNotFinished) {
  const test::TempDir folder;
  {
    RowWriter rows(folder.path() / "rows.npy", 3);
    rows.append(Matrix(2, 3));
    TextWriter text(folder.path() / "text.csv");
    text.append("a line\n");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace gckn
