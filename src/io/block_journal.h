// SPDX-License-Identifier: BSD-3-Clause
// What FILE.blocks says: how far the files of a ResumableOutput are whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "gckn/resumable_output.h"

namespace gckn {

std::filesystem::path part_path(const std::filesystem::path& file);
std::filesystem::path journal_path(const std::filesystem::path& first_file);

struct BlockJournal {
  // By file: where what stands before the blocks ends, and where each block does.
  using Ends = std::vector<std::uint64_t>;
  Ends header;
  std::vector<Ends> blocks;
  bool finished = false;

  // A line of it. Throws WrongLine.
  void read_step(const nlohmann::ordered_json& json, std::size_t num_files);
};

// The lines.
nlohmann::ordered_json block_header(const std::vector<ResumableOutput::File>& files, const ResumableOutput::Work& work);
nlohmann::ordered_json header_step(const BlockJournal::Ends& ends);
nlohmann::ordered_json block_step(const BlockJournal::Ends& ends);
nlohmann::ordered_json finished_step();

// Of a file that is only read; without files if it ends before its header does. Throws InputError if it is none.
struct ReadBlockJournal {
  nlohmann::ordered_json work;  // the same for all shards
  Shard shard;
  std::vector<ResumableOutput::File> files;
  BlockJournal journal;
};
ReadBlockJournal read_block_journal(const std::filesystem::path& first_file);

std::size_t bytes_of(NumberType type);

}  // namespace gckn
