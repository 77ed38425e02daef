// SPDX-License-Identifier: BSD-3-Clause
// Commands that go through DATA block by block and write as they go: --resume and --shard.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "console.h"
#include "data.h"
#include "files.h"
#include "gckn/resumable_output.h"

namespace gckn::cli {

struct BlockWorkOptions {
  bool resume = false;
  std::string shard;  // "2/8"; empty: all
};

std::vector<CLI::Option*> add_block_work_options(CLI::App& command, BlockWorkOptions& options);

// Throws UsageError for options that need files, if `data` or `out` is none.
void check_block_work(const BlockWorkOptions& options, const std::string& data, const std::string& out);

// What is written beside an output until it is whole, to be looked at by check_files along with it.
std::vector<FileArgument> files_written(const std::string& name, const std::string& path);

// own: what else of the command's options the result follows from.
ResumableOutput::Work block_work(const BlockWorkOptions& options, const std::string& model, const std::string& data,
                                 const ReadingOptions& reading, const nlohmann::ordered_json& own);

// Calls `work` for every block that is left to do, and ends it in `files`, where there are any. If that is cut short,
// says what is kept. see_first: called with the first block of DATA before, whoever is to do it.
using UseBlock = std::function<void(const DataBlock&)>;
void for_each_block_left(DataReader& reader, ResumableOutput* files, const BlockWorkOptions& options, Console& console,
                         const UseBlock& work, const UseBlock& see_first = {});

}  // namespace gckn::cli
