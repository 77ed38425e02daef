// SPDX-License-Identifier: BSD-3-Clause
#include "label_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "gckn/error.h"
#include "gckn/io.h"
#include "text_file.h"

namespace gckn::cli {

namespace {

bool is_list(const std::string& given) {
  std::error_code error;
  return given.find('=') != std::string::npos && !std::filesystem::exists(given, error);
}

// "0=C,1=O".
LabelNames names_in_list(const std::string& option, std::string list) {
  if (list.starts_with(',') || list.ends_with(',') || list.find(",,") != std::string::npos) {
    throw UsageError(fmt::format("{} {}: the list has an empty item", option, list));
  }
  std::ranges::replace(list, ',', '\n');
  try {
    return parse_label_names(list, option);
  } catch (const InputError& error) {
    throw UsageError(error.what());
  }
}

LabelNames read_names(const std::string& option, const std::string& given) {
  if (given.empty()) return {};
  return is_list(given) ? names_in_list(option, given) : parse_label_names(read_text(given), given);
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
