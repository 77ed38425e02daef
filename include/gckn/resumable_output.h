// SPDX-License-Identifier: BSD-3-Clause
// The result of long work, written block by block: what is done stays when the run is stopped, another run goes on
// after it, several share the work, and nothing looks whole before it is.
//
//   gckn::ResumableOutput out({{"vectors.npy", network.vector_size()}}, {.what = description, .resume = true});
//   for each block b of the input, from out.blocks_done() on:
//     out.append(0, network.embed(block));
//     out.end_block();
//   out.finish();
//
// Until finish() the rows are in FILE.part, and FILE.blocks, of the first file, says how far they are whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gckn/matrix.h"
#include "gckn/run_options.h"

namespace gckn {

// One of `count` runs that share the blocks of an input: it takes every count-th of them.
struct Shard {
  std::size_t index = 0;  // from 0
  std::size_t count = 1;

  [[nodiscard]] bool has(std::size_t block) const { return block % count == index; }
  bool operator==(const Shard&) const = default;
};
// "2/8" is the second of eight. Throws UsageError.
Shard parse_shard(std::string_view text);

enum class NumberType { float32, float16 };

class ResumableOutput {
 public:
  struct File {
    std::filesystem::path path;
    std::size_t columns = 0;  // of an array (NumPy's format); 0: a text
    NumberType type = NumberType::float32;
  };
  struct Work {
    // A JSON object of all that the result follows from: a run that goes on must have the same.
    std::string what = "{}";
    std::optional<Shard> shard{};
    bool resume = false;  // go on with what there is; where there is nothing, begin
  };

  // Throws InputError if a file cannot be written, another run is at it, or there is unfinished work (or a finished
  // shard) that is not to be resumed or is other work than this. Devices and pipes are written to directly, and cannot
  // be resumed.
  ResumableOutput(const std::vector<File>& files, const Work& work);
  // What is left without finish(): the whole blocks, or nothing if they are empty.
  ~ResumableOutput();
  ResumableOutput(const ResumableOutput&) = delete;
  ResumableOutput& operator=(const ResumableOutput&) = delete;

  // Blocks of the shard that are done, by this run and earlier ones.
  [[nodiscard]] std::size_t blocks_done() const;
  // Whether an earlier run has finished the shard, so that there is nothing left to do.
  [[nodiscard]] bool is_complete() const;
  // Whether rows are there that another run could go on after, if this one ended now.
  [[nodiscard]] bool has_kept_rows() const;

  // What a text has before its first block: set once, before that; known to a run that goes on.
  void set_header(std::size_t file, std::string_view text);
  [[nodiscard]] const std::string& header(std::size_t file) const;

  // To the block that is being written. Throws InputError for a number that float16 cannot hold.
  void append(std::size_t file, std::string_view text);
  void append(std::size_t file, const Matrix& rows, const RunOptions& run = {});
  void end_block();

  // The files get their names. Of a shard FILE.blocks stays, for merge_shards.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Joins what the runs of all shards have written, in the order of the input, to the files that one run would have
// written. shards: the first file of each, in any order; FILE.blocks is beside it. out: as many files as a run has
// written, or fewer, which leaves the last ones out. Throws InputError for a shard that is missing, not finished or of
// other work, and for an output that is one of the files of a shard.
struct MergedShards {
  std::size_t shards = 0;
  std::size_t blocks = 0;
  std::uint64_t bytes = 0;
};
MergedShards merge_shards(const std::vector<std::filesystem::path>& shards,
                          const std::vector<std::filesystem::path>& out, const RunOptions& run = {});

}  // namespace gckn
