// SPDX-License-Identifier: BSD-3-Clause
// gckn merge: what several runs with --shard have written, as one file.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "console.h"
#include "files.h"
#include "gckn/error.h"
#include "gckn/resumable_output.h"
#include "output.h"

namespace gckn::cli {

namespace {

struct MergeCommand {
  CommonOptions common;
  std::vector<std::string> shards;
  std::string out;
  std::string ids;
};

void run_merge(const MergeCommand& options) {
  Console console(options.common);
  const auto suffix_of = [](const std::string& path) { return std::filesystem::path(path).extension(); };
  std::vector<FileArgument> read;
  for (const std::string& shard : options.shards) {
    read.push_back({"SHARD", shard});
    if (suffix_of(shard) != suffix_of(options.out)) {
      throw UsageError(fmt::format("--out {}: the name must end as that of {}", options.out, shard));
    }
  }
  check_output_folder(options.out);
  if (!options.ids.empty()) check_output_folder(options.ids);
  check_files(read, {{"--out", options.out}, {"--ids", options.ids}});
  std::vector<std::filesystem::path> out{options.out};
  if (!options.ids.empty()) out.emplace_back(options.ids);
  const MergedShards merged = merge_shards({options.shards.begin(), options.shards.end()}, out, console.run_options());
  console.say("Joined {} to {} ({}).", counted(merged.shards, "shard"), options.out, counted(merged.blocks, "block"));
  if (!options.ids.empty()) console.say("Wrote what the rows are called to {}.", options.ids);
  nlohmann::ordered_json json{
      {"command", "merge"}, {"out", options.out}, {"shards", merged.shards}, {"blocks", merged.blocks}};
  if (!options.ids.empty()) json["ids"] = options.ids;
  console.result(json);
}

}  // namespace

void add_merge_command(CLI::App& program) {
  auto options = std::make_shared<MergeCommand>();
  CLI::App* command = program.add_subcommand("merge", "Join what runs with --shard have written.");
  command
      ->add_option("SHARD", options->shards, "Files of gckn embed or predict with --shard: all of them, in any order")
      ->required()
      ->type_name("FILE ...");
  command->add_option("--out", options->out, "File for the whole, of the same kind")->type_name("FILE")->required();
  command->add_option("--ids", options->ids, "File for what the rows are called, if the shards have such (--ids)")
      ->type_name("FILE");
  add_common_options(*command, options->common);
  command->footer(
      R"(Rows come in the order of DATA, as one run would have written them. Beside every SHARD lies SHARD.blocks, which says
where its blocks are; nothing is removed.

Examples:
  gckn embed zinc.smi --model m.gckn --shard 1/2 --out 1.npy      on one machine
  gckn embed zinc.smi --model m.gckn --shard 2/2 --out 2.npy      on another
  gckn merge 1.npy 2.npy --out zinc.npy)");
  command->callback([options] { run_merge(*options); });
}

}  // namespace gckn::cli
