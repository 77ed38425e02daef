// SPDX-License-Identifier: BSD-3-Clause
#include "man_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "gckn/version.h"

namespace gckn::cli {

namespace {

// Text that troff takes as it is.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      default:
        result += c;
    }
  }
  if (result.starts_with('.')) result.insert(0, "\\&");  // not a macro
  return result;
}

// An argument of a macro.
std::string macro_argument(std::string_view text) {
  std::string inside = escaped(text);
  for (std::size_t at = 0; (at = inside.find('"', at)) != std::string::npos; at += 4) inside.replace(at, 1, "\\(dq");
  return fmt::format("\"{}\"", inside);
}

// Paragraphs of prose are filled; indented lines (examples, tables) stay as they are.
std::string prose(std::string_view text) {
  std::string result;
  bool literal = false;
  const auto set_literal = [&](bool wanted) {
    if (wanted != literal) result += wanted ? ".PP\n.EX\n" : ".EE\n";
    literal = wanted;
  };
  bool begins = true;  // a paragraph
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) {
      set_literal(false);
      begins = true;
      continue;
    }
    set_literal(line.starts_with("  "));
    if (begins && !literal) result += ".PP\n";
    begins = false;
    result += escaped(line) + "\n";
  }
  set_literal(false);
  return result;
}

// "gckn embed DATA [OPTIONS]", names in bold.
std::string synopsis(const CommandInfo& command) {
  std::string line = fmt::format("\\fB{}\\fR", escaped(command.name()));
  for (const OptionInfo& option : command.options) {
    if (option.is_argument) line += fmt::format(" \\fI{}\\fR", escaped(option.names.front()));
  }
  return line + " [\\fIOPTIONS\\fR]";
}

std::string option_text(const OptionInfo& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\f{}{}\\fR", names.empty() ? "" : ", ", option.is_argument ? 'I' : 'B', escaped(name));
  }
  if (!option.takes.empty()) names += fmt::format(" \\fI{}\\fR", escaped(option.takes));
  return fmt::format(".TP\n{}\n{}\n", names, escaped(option.description));
}

// The commands that do something, without those that only hold others.
void collect(const CommandInfo& command, std::vector<const CommandInfo*>& leaves) {
  for (const CommandInfo& inner : command.commands) collect(inner, leaves);
  if (command.commands.empty()) leaves.push_back(&command);
}

std::string command_text(const CommandInfo& command) {
  std::string text = fmt::format(".SS {}\n{}\n", macro_argument(command.name()), escaped(command.description));
  std::string group;
  for (const OptionInfo& option : command.options) {
    if (!option.is_argument && option.group != group && option.group != "Options") {
      text += fmt::format(".PP\n{}:\n", escaped(option.group));
    }
    if (!option.is_argument) group = option.group;
    text += option_text(option);
  }
  return text + prose(command.footer);
}

}  // namespace

std::string man_page(const CommandInfo& program) {
  std::vector<const CommandInfo*> commands;
  collect(program, commands);
  const std::string& name = program.path.front();
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string_view what = program.description;
  if (what.ends_with('.')) what.remove_suffix(1);

  // No date: the same sources give the same page.
  std::string page = fmt::format(".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.nf\n",
                                 upper, name, kVersion, name, escaped(what));
  for (const CommandInfo* command : commands) page += synopsis(*command) + "\n";
  page += ".fi\n.SH DESCRIPTION\n" + prose(program.footer);
  page += ".SH OPTIONS\n";
  for (const OptionInfo& option : program.options) page += option_text(option);
  page += ".SH COMMANDS\n";
  for (const CommandInfo* command : commands) page += command_text(*command);
  return page;
}

}  // namespace gckn::cli
