// SPDX-License-Identifier: BSD-3-Clause
// Results written block by block: stopped, resumed, shared and joined.
#include "gckn/resumable_output.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gckn/error.h"
#include "gckn/io.h"
#include "gckn/npy_reader.h"
#include "support/files.h"

namespace gckn {
namespace {

namespace fs = std::filesystem;
using Work = ResumableOutput::Work;

constexpr std::size_t kBlocks = 7;
constexpr std::size_t kColumns = 3;

// Block b has b + 1 rows, and the third none.
Matrix rows_of(std::size_t block) {
  Matrix rows(block == 2 ? 0 : block + 1, kColumns);
  for (std::size_t i = 0; i < rows.size(); ++i) rows.data()[i] = static_cast<float>(100 * block + i) / 8;
  return rows;
}

std::string lines_of(std::size_t block) {
  std::string text;
  for (std::size_t i = 0; i < rows_of(block).rows(); ++i) text += "row " + std::to_string(100 * block + i) + "\n";
  return text;
}

class ResumableOutputTest : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path at(const std::string& name) const { return folder_.path() / name; }

  [[nodiscard]] std::vector<ResumableOutput::File> files(const std::string& name) const {
    return {{at(name + ".npy"), kColumns}, {at(name + ".txt")}};
  }

  // Writes blocks from where an earlier run has stopped, up to `end`.
  void write(const std::string& name, const Work& work, std::size_t end = kBlocks) const {
    ResumableOutput out(files(name), work);
    if (out.blocks_done() == 0) out.set_header(1, "names\n");
    EXPECT_EQ(out.header(1), "names\n");
    std::size_t passed = out.blocks_done();
    for (std::size_t b = 0; b < end; ++b) {
      if (!work.shard.value_or(Shard{}).has(b)) continue;
      if (passed > 0) {
        --passed;
        continue;
      }
      out.append(0, rows_of(b));
      out.append(1, lines_of(b));
      out.end_block();
    }
    if (end == kBlocks) {
      out.finish();
    } else {
      // Half a block, as a run that is killed may leave it.
      out.append(0, rows_of(1));
      out.append(1, "half a li");
    }
  }

  void expect_same(const std::string& one, const std::string& other) const {
    for (const char* suffix : {".npy", ".txt"}) {
      EXPECT_EQ(test::read_text(at(one + suffix)), test::read_text(at(other + suffix))) << suffix;
    }
  }

  [[nodiscard]] std::size_t files_there() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator{}));
  }

  test::TempDir folder_;
};

TEST_F(ResumableOutputTest, BlocksMakeTheFileThatTheWholeMakes) {
  write("blocks", {});
  std::size_t count = 0;
  std::string text = "names\n";
  for (std::size_t b = 0; b < kBlocks; ++b) {
    count += rows_of(b).rows();
    text += lines_of(b);
  }
  Matrix whole(count, kColumns);
  float* to = whole.data();
  for (std::size_t b = 0; b < kBlocks; ++b) to = std::copy_n(rows_of(b).data(), rows_of(b).size(), to);
  write_npy(whole, at("whole.npy"));
  EXPECT_EQ(test::read_text(at("blocks.npy")), test::read_text(at("whole.npy")));
  EXPECT_EQ(test::read_text(at("blocks.txt")), text);
  EXPECT_EQ(files_there(), 3U) << "nothing else is left";
}

TEST_F(ResumableOutputTest, AResumedRunMakesTheSameFile) {
  write("whole", {});
  for (std::size_t end = 0; end < kBlocks; ++end) {
    write("again", {}, end);
    EXPECT_FALSE(fs::exists(at("again.npy"))) << "before it is whole";
    write("again", {.resume = true});
    expect_same("again", "whole");
    EXPECT_EQ(files_there(), 4U);
    fs::remove(at("again.npy"));
    fs::remove(at("again.txt"));
  }
  // Stopped twice.
  write("again", {}, 2);
  write("again", {.resume = true}, 5);
  write("again", {.resume = true});
  expect_same("again", "whole");
}

TEST_F(ResumableOutputTest, NothingRemainsOfARunWithoutAWholeBlock) {
  write("stopped", {}, 0);
  EXPECT_EQ(files_there(), 0U);
}

TEST_F(ResumableOutputTest, UnfinishedWorkIsNotOverwritten) {
  write("work", {.what = R"({"model": 1})"}, 3);
  const auto expect_refused = [&](const Work& work, const std::string& why) {
    try {
      const ResumableOutput out(files("work"), work);
      ADD_FAILURE() << "not refused";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  expect_refused({.what = R"({"model": 1})"}, "is unfinished");
  expect_refused({.what = R"({"model": 2})", .resume = true}, "its \"model\" is 1, here it is 2");
  expect_refused({.what = R"({"model": 1})", .shard = Shard{0, 2}, .resume = true}, "its \"shard\"");
  {
    const ResumableOutput first(files("work"), {.what = R"({"model": 1})", .resume = true});
    expect_refused({.what = R"({"model": 1})", .resume = true}, "in use by another run");
  }
  fs::resize_file(at("work.npy.part"), 130);
  expect_refused({.what = R"({"model": 1})", .resume = true}, "has 130 bytes of the");
}

TEST_F(ResumableOutputTest, ShardsAreJoinedInOrder) {
  write("whole", {});
  for (const std::size_t count : {1U, 2U, 3U, 7U, 9U}) {
    std::vector<fs::path> shards;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = "shard" + std::to_string(i);
      write(name, {.shard = Shard{i, count}});
      shards.insert(shards.begin(), at(name + ".npy"));
    }
    const MergedShards merged = merge_shards(shards, {at("merged.npy"), at("merged.txt")});
    EXPECT_EQ(merged.blocks, kBlocks);
    expect_same("merged", "whole");
    merge_shards(shards, {at("alone.npy")});
    EXPECT_EQ(test::read_text(at("alone.npy")), test::read_text(at("whole.npy")));
    const ResumableOutput again(files("shard0"), {.shard = Shard{0, count}, .resume = true});
    EXPECT_TRUE(again.is_complete());
    EXPECT_THROW(ResumableOutput(files("shard0"), {.shard = Shard{0, count}}), InputError) << "another run is at it";
    for (const fs::path& shard : shards) fs::remove(shard.string() + ".blocks");
  }
}

TEST_F(ResumableOutputTest, AFinishedShardThatHasNoNameYetGetsIt) {
  for (const std::size_t shard : {std::size_t{0}, kBlocks + 1}) {  // the second has no blocks
    const Work work{.shard = Shard{shard, kBlocks + 2}, .resume = true};
    write("shard", work);
    const std::string rows = test::read_text(at("shard.npy"));
    const std::string names = test::read_text(at("shard.txt"));
    fs::rename(at("shard.npy"), at("shard.npy.part"));
    EXPECT_TRUE(ResumableOutput(files("shard"), work).is_complete());
    EXPECT_EQ(test::read_text(at("shard.npy")), rows);
    EXPECT_EQ(test::read_text(at("shard.txt")), names);
    EXPECT_THROW(ResumableOutput(files("shard"), {.shard = work.shard}), InputError) << "finished work is kept";
    fs::remove(at("shard.npy"));
    EXPECT_THROW(ResumableOutput(files("shard"), work), InputError) << "it is not there";
    fs::remove(at("shard.npy.blocks"));
  }
}

TEST_F(ResumableOutputTest, RunsDoNotShareNames) {
  write("one", {}, 3);
  const std::vector<ResumableOutput::File> same_names{{at("two.npy"), kColumns}, {at("one.txt")}};
  EXPECT_THROW(ResumableOutput(same_names, {}), InputError) << "those of a run that was stopped";
  write("one", {.resume = true});
  for (const std::size_t i : {0U, 1U}) {
    ResumableOutput out({{at(i == 0 ? "a.npy" : "b.npy"), kColumns}, {at("names.txt")}}, {.shard = Shard{i, 2}});
    out.append(0, rows_of(1));
    out.append(1, "ab\n");
    out.end_block();
    out.finish();
  }
  EXPECT_THROW(merge_shards({at("a.npy"), at("b.npy")}, {at("c.npy"), at("c.txt")}), InputError);
  EXPECT_THROW(merge_shards({at("a.npy"), at("b.npy")}, {at("names.txt")}), InputError);
  EXPECT_THROW(merge_shards({at("a.npy"), at("b.npy")}, {at("a.npy.blocks")}), InputError);
  merge_shards({at("a.npy"), at("b.npy")}, {at("c.npy")});
}

TEST_F(ResumableOutputTest, LinksAreFollowed) {
  fs::create_directory(at("far"));
  for (const char* name : {"linked.npy", "linked.txt"}) fs::create_symlink(fs::path("far") / name, at(name));
  write("linked", {}, 3);
  EXPECT_TRUE(fs::exists(at("far/linked.npy.part")));
  write("linked", {.resume = true});
  EXPECT_TRUE(fs::is_symlink(at("linked.npy")));
  EXPECT_TRUE(fs::is_regular_file(at("far/linked.npy")));
}

TEST_F(ResumableOutputTest, ShardsThatDoNotBelongTogetherAreNotJoined) {
  write("a", {.shard = Shard{0, 2}});
  write("b", {.shard = Shard{1, 2}});
  write("other", {.what = R"({"model": 2})", .shard = Shard{1, 2}});
  write("third", {.shard = Shard{1, 3}});
  write("half", {.shard = Shard{1, 2}}, 2);
  write("all", {});
  const auto why = [&](const std::vector<std::string>& names) -> std::string {
    std::vector<fs::path> shards;
    for (const std::string& name : names) shards.push_back(at(name + ".npy"));
    try {
      merge_shards(shards, {at("never.npy")});
    } catch (const InputError& error) {
      return error.what();
    }
    return "joined";
  };
  EXPECT_NE(why({"a"}).find("of 2 shards one is missing: 2"), std::string::npos) << why({"a"});
  EXPECT_NE(why({"a", "a"}).find("are the same shard"), std::string::npos);
  EXPECT_NE(why({"a", "third"}).find("is one of 3 shards"), std::string::npos);
  EXPECT_NE(why({"a", "half"}).find("is not finished"), std::string::npos);
  EXPECT_NE(why({"a", "other"}).find("is of another run"), std::string::npos);
  EXPECT_NE(why({"a", "all"}).find("there is no all.npy.blocks"), std::string::npos);
  fs::resize_file(at("b.npy"), 140);
  EXPECT_NE(why({"a", "b"}).find("not as its shard has left it"), std::string::npos);
  EXPECT_FALSE(fs::exists(at("never.npy")));
}

TEST_F(ResumableOutputTest, HalfNumbersAreReadBackRounded) {
  Matrix rows(1, 4);
  rows(0, 0) = 1.0F / 3;
  rows(0, 1) = -65504;
  rows(0, 2) = std::numeric_limits<float>::quiet_NaN();
  rows(0, 3) = 1e-7F;
  ResumableOutput out({{at("half.npy"), 4, NumberType::float16}}, {});
  out.append(0, rows);
  EXPECT_THROW(
      {
        rows(0, 1) = 70000;
        ResumableOutput({{at("large.npy"), 4, NumberType::float16}}, {}).append(0, rows);
      },
      InputError);
  out.finish();
  EXPECT_EQ(fs::file_size(at("half.npy")), 128U + 8U);
  const Matrix read = NpyReader(at("half.npy")).next().value();
  EXPECT_EQ(read(0, 0), 1365.0F / 4096) << "the nearest with 11 bits";
  EXPECT_EQ(read(0, 1), -65504);
  EXPECT_TRUE(std::isnan(read(0, 2)));
  EXPECT_EQ(read(0, 3), 2.0F / (1 << 24)) << "subnormal";
}

TEST(Shard, IsReadFromText) {
  EXPECT_EQ(parse_shard("2/8"), (Shard{1, 8}));
  for (const char* text : {"", "2", "0/8", "9/8", "2/", "/8", "2/8 ", "-1/8", "a/b", "1/0"}) {
    EXPECT_THROW(parse_shard(text), UsageError) << text;
  }
}

}  // namespace
}  // namespace gckn
