// SPDX-License-Identifier: BSD-3-Clause
#include "label_names.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "gckn/error.h"
#include "text_file.h"

namespace gckn::cli {

namespace {

bool is_list(const std::string& given) {
  std::error_code error;
  return given.find('=') != std::string::npos && !std::filesystem::exists(given, error);
}

// Takes "0=C"; in a file a comma or blanks do in place of the sign. False if it is not that.
bool take_name(std::string_view entry, std::string_view separators, LabelNames& names) {
  std::int64_t label = 0;
  const auto [stop, error] = std::from_chars(entry.data(), entry.data() + entry.size(), label);
  if (error != std::errc{}) return false;
  const auto after = static_cast<std::size_t>(stop - entry.data());
  const std::size_t name = entry.find_first_not_of(separators, after);
  if (name == after || name == std::string_view::npos) return false;
  return names.emplace(label, entry.substr(name)).second;
}

LabelNames names_in_list(const std::string& option, std::string_view list) {
  LabelNames names;
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view entry = trimmed(list.substr(0, comma));
    if (!take_name(entry, "= \t", names)) {
      throw UsageError(fmt::format("{}: '{}' is not a new label and its name, as in 0=C,1=O", option, entry));
    }
    if (comma == std::string_view::npos) return names;
    list.remove_prefix(comma + 1);
  }
}

LabelNames names_in_file(const std::string& path) {
  LabelNames names;
  for_each_line(read_text(path), [&](std::size_t number, std::string_view line) {
    const std::string_view entry = trimmed(line);
    if (entry.empty() || entry.starts_with('#')) return;
    if (!take_name(entry, "=, \t", names)) {
      throw InputError(fmt::format("{}:{}: '{}' is not a new label and its name, as in 0=C", path, number, entry));
    }
  });
  if (names.empty()) throw InputError(fmt::format("{}: names no label", path));
  return names;
}

LabelNames read_names(const std::string& option, const std::string& given) {
  if (given.empty()) return {};
  return is_list(given) ? names_in_list(option, given) : names_in_file(given);
}

}  // namespace

void add_label_name_options(CLI::App& command, LabelNameOptions& options) {
  constexpr const char* kGroup = "Labels";
  command
      .add_option("--label-names", options.nodes,
                  "What node labels are called: \"0=C,1=O\", or a file with a label and its\nname on each line")
      ->type_name("NAMES")
      ->group(kGroup);
  command.add_option("--edge-label-names", options.edges, "The same of edge labels")->type_name("NAMES")->group(kGroup);
}

std::vector<FileArgument> files_read(const LabelNameOptions& options) {
  std::vector<FileArgument> files;
  if (!is_list(options.nodes)) files.push_back({"--label-names", options.nodes});
  if (!is_list(options.edges)) files.push_back({"--edge-label-names", options.edges});
  return files;
}

NamesOfLabels read_label_names(const LabelNameOptions& options) {
  return {read_names("--label-names", options.nodes), read_names("--edge-label-names", options.edges)};
}

}  // namespace gckn::cli
