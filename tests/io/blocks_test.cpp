// SPDX-License-Identifier: BSD-3-Clause
// Sets read in blocks.
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

TEST(GraphReader, PassesOverAsManyGraphsAsItWouldRead) {
  const std::string text = many_lines(kManyLines);
  std::istringstream all(text);
  std::istringstream some(text);
  GraphReader reader(all, "all");
  GraphReader skipping(some, "some");
  std::size_t first = 0;
  for (std::size_t block = 0;; ++block) {
    const std::optional<GraphSet> graphs = reader.next();
    if (!graphs) break;
    first += graphs->num_graphs();
    if (block % 2 == 0) {
      EXPECT_EQ(skipping.skip(), graphs->num_graphs());
    } else {
      EXPECT_EQ(skipping.next()->num_nodes(), graphs->num_nodes());
    }
  }
  EXPECT_GT(first, 0U);
  EXPECT_EQ(skipping.skip(), 0U);
  EXPECT_FALSE(skipping.next());
}

}  // namespace
}  // namespace gckn
