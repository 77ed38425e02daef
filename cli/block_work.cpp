// SPDX-License-Identifier: BSD-3-Clause
#include "block_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "gckn/error.h"
#include "gckn/version.h"

namespace gckn::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::optional<Shard> shard_of(const BlockWorkOptions& options) {
  if (options.shard.empty()) return std::nullopt;
  try {
    return parse_shard(options.shard);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--shard {}", error.what()));
  }
}

// Of the first and the last bytes: enough to notice that a file is another one (FNV-1a).
std::string digest_of(const fs::path& path, std::uint64_t bytes) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 22;
  std::ifstream stream(path, std::ios::binary);
  std::uint64_t digest = 0xcbf29ce484222325U;
  std::string text;
  for (const std::uint64_t begin : {std::uint64_t{0}, std::max(kEnd, bytes - std::min(bytes, kEnd))}) {
    text.resize(std::min(kEnd, bytes - std::min(bytes, begin)));
    stream.seekg(static_cast<std::streamoff>(begin));
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return fmt::format("{:016x}", digest);
}

Json file_json(const std::string& path) {
  std::error_code error;
  Json json{{"name", fs::path(path).filename().string()}};
  if (!fs::is_regular_file(path, error)) return json;
  const std::uint64_t bytes = fs::file_size(path, error);
  json["bytes"] = bytes;
  json["digest"] = digest_of(path, bytes);
  return json;
}

}  // namespace

std::vector<CLI::Option*> add_block_work_options(CLI::App& command, BlockWorkOptions& options) {
  constexpr const char* kGroup = "Long work";
  return {command
              .add_flag("--resume", options.resume,
                        "Go on after the last block that an earlier run of the same command\nhas finished")
              ->group(kGroup),
          command
              .add_option("--shard", options.shard,
                          "Of N runs that share DATA this is the I-th: it takes every N-th\nblock; gckn merge joins "
                          "what they write")
              ->type_name("I/N")
              ->group(kGroup)};
}

void check_block_work(const BlockWorkOptions& options, const std::string& data, const std::string& out) {
  if (!options.resume && options.shard.empty()) return;
  const char* const name = options.resume ? "--resume" : "--shard";
  if (out.empty() || out == "-") throw UsageError(fmt::format("{} goes with --out FILE", name));
  if (data.empty()) throw UsageError(fmt::format("{} goes with DATA, not with --smiles", name));
  static_cast<void>(shard_of(options));
}

std::vector<FileArgument> files_written(const std::string& name, const std::string& path) {
  if (path.empty() || path == "-") return {{name, path}};
  return {{name, path},
          {fmt::format("the .part of {}", name), path + ".part"},
          {fmt::format("the .blocks of {}", name), path + ".blocks"}};
}

ResumableOutput::Work block_work(const BlockWorkOptions& options, const std::string& model, const std::string& data,
                                 const ReadingOptions& reading, const Json& own) {
  const MoleculeFlags& flags = reading.molecules;
  const NamesOfLabels names = read_label_names(reading.labels);
  Json what{{"gckn_version", kVersion}, {"model", file_json(model)}, {"data", file_json(data)}};
  what["columns"] = {flags.columns.smiles, flags.columns.id, flags.columns.targets, flags.columns.truth};
  what["on_error"] = flags.on_error.empty() ? "blank" : flags.on_error;
  what["label_names"] = {names.nodes, names.edges};
  what.update(own);
  return {what.dump(-1, ' ', false, Json::error_handler_t::replace), shard_of(options), options.resume};
}

void for_each_block_left(DataReader& reader, ResumableOutput* files, const BlockWorkOptions& options, Console& console,
                         const UseBlock& work, const UseBlock& see_first) {
  const Shard shard = shard_of(options).value_or(Shard{});
  std::size_t done = files == nullptr ? 0 : files->blocks_done();
  const auto is_left = [&](std::size_t number) { return shard.has(number) && done == 0; };
  try {
    for (std::size_t number = 0;; ++number) {
      const bool sees = number == 0 && see_first;
      bool ended = false;
      if (is_left(number) || sees) {
        const std::optional<DataBlock> block = reader.next(is_left(number) && is_left(number + 1));
        ended = !block;
        if (block && sees) see_first(*block);
        if (block && is_left(number)) {
          if (block->num_rows() > 0) work(*block);
          if (files != nullptr) files->end_block();
          continue;
        }
      } else {
        ended = !reader.skip();
      }
      if (ended && done > 0) throw InputError("the data ends before what an earlier run has done: it is not the same");
      if (ended) return;
      if (shard.has(number)) --done;
    }
  } catch (const InputError&) {
    throw;  // as it would be the next time, at the same place
  } catch (...) {
    if (files != nullptr && files->has_kept_rows()) {
      console.note("what was finished is kept: the same command with --resume goes on after {}.",
                   counted(files->blocks_done(), "block"));
    }
    throw;
  }
}

}  // namespace gckn::cli
