// SPDX-License-Identifier: BSD-3-Clause
#include "help_formatter.h"

#include <utility>

namespace gckn::cli {

HelpFormatter::HelpFormatter() {
  column_width(34);
  label("Positionals", "Arguments");
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  std::string usage = "\nUsage: " + name;
  if (!app->get_subcommands({}).empty()) usage += " COMMAND";
  for (const CLI::Option* option : app->get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    usage += " " + make_option_name(option, true);
  }
  return usage + " [OPTIONS]\n";
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  // CLI11 puts two empty lines between groups.
  return CLI::detail::find_and_replace(CLI::Formatter::make_help(app, std::move(name), mode), "\n\n\n", "\n\n");
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return option->get_description().empty() ? "" : CLI::Formatter::make_option(option, is_positional);
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_positional() || option->get_type_size() == 0) return "";
  return " " + option->get_type_name();
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  std::string text = option->get_description();
  if (option->get_type_size() != 0 && !option->get_default_str().empty()) {
    text += " (default " + option->get_default_str() + ")";
  }
  return text;
}

}  // namespace gckn::cli
