// SPDX-License-Identifier: BSD-3-Clause
#include "command_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "help_formatter.h"
#include "values.h"

namespace gckn::cli {

namespace {

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

OptionInfo describe(CLI::Option& option) {
  const HelpFormatter formatter;
  OptionInfo info;
  info.is_argument = option.get_positional();
  if (info.is_argument) {
    info.names = {option.get_name(true)};
  } else {
    for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
    if (option.get_type_size() != 0) info.takes = option.get_type_name();
  }
  info.words = words_of(option);
  info.description = one_line(formatter.make_option_desc(&option));
  info.group = option.get_group();
  return info;
}

CommandInfo describe(CLI::App& app, std::vector<std::string> path) {
  CommandInfo info;
  path.push_back(app.get_name());
  info.description = app.get_description();
  info.footer = app.get_footer();
  for (CLI::Option* option : app.get_options()) {
    if (!option->get_description().empty()) info.options.push_back(describe(*option));
  }
  std::stable_partition(info.options.begin(), info.options.end(),
                        [](const OptionInfo& option) { return option.is_argument; });
  for (CLI::App* command : app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); })) {
    info.commands.push_back(describe(*command, path));
  }
  info.path = std::move(path);
  return info;
}

}  // namespace

std::string CommandInfo::name() const {
  return fmt::format("{}", fmt::join(path, " "));
}

CommandInfo describe(CLI::App& program) {
  return describe(program, {});
}

}  // namespace gckn::cli
