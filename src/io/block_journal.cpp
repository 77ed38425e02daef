// SPDX-License-Identifier: BSD-3-Clause
#include "io/block_journal.h"

#include <fmt/format.h>

#include "gckn/error.h"
#include "io/atomic_file.h"
#include "io/journal_file.h"

namespace gckn {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path with_suffix(fs::path path, const char* suffix) {
  path += suffix;
  return path;
}

BlockJournal::Ends ends_of(const Json& json, const char* key, std::size_t num_files) {
  BlockJournal::Ends ends;
  for (const Json& end : list_of(json, key)) ends.push_back(count_of(end, key));
  if (ends.size() != num_files) throw WrongLine{fmt::format("\"{}\" has {} of {} files", key, ends.size(), num_files)};
  return ends;
}

}  // namespace

fs::path part_path(const fs::path& file) {
  return with_suffix(file, ".part");
}

fs::path journal_path(const fs::path& first_file) {
  return with_suffix(first_file, ".blocks");
}

std::size_t bytes_of(NumberType type) {
  return type == NumberType::float16 ? 2 : 4;
}

void BlockJournal::read_step(const Json& json, std::size_t num_files) {
  if (finished) throw WrongLine{"the one before was the last"};
  if (json.is_object() && json.contains("header")) {
    header = ends_of(json.at("header"), "header", num_files);
    return;
  }
  if (json.is_object() && json.contains("finished")) {
    if (json.at("finished") != true) throw WrongLine{"\"finished\" is not true"};
    finished = true;
    return;
  }
  Ends ends = ends_of(member_of(json, "block"), "block", num_files);
  if (header.size() != num_files) throw WrongLine{"a block before the header"};
  const Ends& before = blocks.empty() ? header : blocks.back();
  for (std::size_t f = 0; f < num_files; ++f) {
    if (ends[f] < before[f]) throw WrongLine{"a block that ends before it begins"};
  }
  blocks.push_back(std::move(ends));
}

Json block_header(const std::vector<ResumableOutput::File>& files, const ResumableOutput::Work& work) {
  Json header{{"gckn_blocks", 1}};
  header.update(Json::parse(work.what));
  const Shard shard = work.shard.value_or(Shard{});
  header["shard"] = {shard.index + 1, shard.count};
  header["files"] = Json::array();
  const fs::path folder = fs::weakly_canonical(files.front().path).parent_path();
  for (const ResumableOutput::File& file : files) {
    header["files"].push_back({{"name", fs::weakly_canonical(file.path).lexically_relative(folder).string()},
                               {"columns", file.columns},
                               {"type", file.type == NumberType::float16 ? "float16" : "float32"}});
  }
  return header;
}

Json header_step(const BlockJournal::Ends& ends) {
  return {{"header", ends}};
}

Json block_step(const BlockJournal::Ends& ends) {
  return {{"block", ends}};
}

Json finished_step() {
  return {{"finished", true}};
}

ReadBlockJournal read_block_journal(const fs::path& first_file) {
  const fs::path path = journal_path(behind_links(first_file));
  std::error_code error;
  if (!fs::exists(path, error)) {
    throw InputError(fmt::format("{}: there is no {} beside it: it is not what a shard (--shard) has written",
                                 first_file.string(), path.filename().string()));
  }
  ReadBlockJournal result;
  std::vector<Json> steps;
  result.work = JournalFile::read(path, [&](const Json& json, std::size_t) { steps.push_back(json); });
  if (result.work.is_null()) return {};
  const auto wrong = [&](std::string_view why) { return InputError(fmt::format("{}: {}", path.string(), why)); };
  try {
    if (!result.work.contains("gckn_blocks")) throw WrongLine{"is no journal of blocks"};
    const Json& shard = list_of(member_of(result.work, "shard"), "shard");
    if (shard.size() != 2) throw WrongLine{"\"shard\" is not two numbers"};
    const std::size_t number = count_of(shard[0], "shard");
    result.shard = {number - 1, count_of(shard[1], "shard")};
    if (number == 0 || number > result.shard.count) throw WrongLine{"\"shard\" is out of range"};
    for (const Json& file : list_of(member_of(result.work, "files"), "files")) {
      const Json& name = member_of(file, "name");
      const Json& type = member_of(file, "type");
      if (!name.is_string() || !type.is_string()) throw WrongLine{"\"files\" has something else than texts"};
      result.files.push_back({path.parent_path() / name.get<std::string>(),
                              count_of(member_of(file, "columns"), "columns"),
                              type == "float16" ? NumberType::float16 : NumberType::float32});
    }
    if (result.files.empty()) throw WrongLine{"\"files\" is empty"};
    result.files.front().path = first_file;  // it may have been renamed, with its journal
    for (const Json& step : steps) result.journal.read_step(step, result.files.size());
  } catch (const WrongLine& line) {
    throw wrong(line.why);
  }
  result.work.erase("shard");
  for (Json& file : result.work["files"]) file.erase("name");
  return result;
}

}  // namespace gckn
