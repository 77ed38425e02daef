// SPDX-License-Identifier: BSD-3-Clause
#include "completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace gckn::cli {

namespace {

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

// In single quotes, as a shell takes it.
std::string in_shell_quotes(const std::string& text) {
  return "'" + replaced(text, "'", "'\\''") + "'";
}

template <typename Use>
void for_each_command(const CommandInfo& command, const Use& use) {
  use(command);
  for (const CommandInfo& inner : command.commands) for_each_command(inner, use);
}

bool takes_file(const OptionInfo& option) {
  return option.takes == "FILE";
}

// --- bash

// "embed --out", as the script calls an option of a command: the words of the command, then that option.
std::string key(const CommandInfo& command, const std::string& option) {
  return in_shell_quotes(replaced(command.name() + " " + option, command.path.front() + " ", ""));
}

std::string bash_values(const CommandInfo& program) {
  std::string files;
  std::string others;
  std::string words;
  for_each_command(program, [&](const CommandInfo& command) {
    for (const OptionInfo& option : command.options) {
      if (option.takes.empty()) continue;
      std::string keys;
      for (const std::string& name : option.names) keys += (keys.empty() ? "" : " | ") + key(command, name);
      if (takes_file(option)) {
        files += (files.empty() ? "" : " | ") + keys;
      } else if (option.words.empty()) {
        others += (others.empty() ? "" : " | ") + keys;
      } else {
        words += fmt::format("    {}) offer {} ;;\n", keys,
                             in_shell_quotes(fmt::format("{}", fmt::join(option.words, " "))));
      }
    }
  });
  std::string text = words;
  if (!files.empty()) text += fmt::format("    {}) offer_files ;;\n", files);
  if (!others.empty()) text += fmt::format("    {}) ;;\n", others);
  return text;
}

std::string bash_commands(const CommandInfo& program) {
  std::string text;
  for_each_command(program, [&](const CommandInfo& command) {
    for (const CommandInfo& inner : command.commands) {
      text += (text.empty() ? "" : " | ") + key(command, inner.path.back());
    }
  });
  return text;
}

std::string bash_options(const CommandInfo& program) {
  std::string text;
  for_each_command(program, [&](const CommandInfo& command) {
    std::vector<std::string> names;
    for (const CommandInfo& inner : command.commands) names.push_back(inner.path.back());
    for (const OptionInfo& option : command.options) {
      if (!option.is_argument) names.insert(names.end(), option.names.begin(), option.names.end());
    }
    const std::string path = replaced(command.name() + " ", command.path.front() + " ", "");
    text +=
        fmt::format("    {})\n      words={}\n      holds_commands={}\n      ;;\n", in_shell_quotes(path),
                    in_shell_quotes(fmt::format("{}", fmt::join(names, " "))), command.commands.empty() ? "" : "yes");
  });
  return text;
}

// --- zsh

std::string zsh_function(const CommandInfo& command) {
  std::string name = fmt::format("_{}", fmt::join(command.path, "_"));
  std::ranges::replace(name, '-', '_');
  return name;
}

// Brackets and colons have a meaning in specifications of arguments.
std::string zsh_text(std::string text) {
  for (const char* special : {"\\", "[", "]", ":"}) text = replaced(text, special, std::string("\\") + special);
  return text;
}

std::string zsh_arguments(const CommandInfo& command) {
  std::string text;
  std::size_t number = 0;
  for (const OptionInfo& option : command.options) {
    if (option.is_argument) {
      text += fmt::format(" \\\n    {}", in_shell_quotes(fmt::format("{}:{}:_files", ++number, option.names.front())));
      continue;
    }
    std::string value;
    if (!option.takes.empty()) {
      const std::string action = takes_file(option)     ? "_files"
                                 : option.words.empty() ? " "
                                                        : fmt::format("({})", fmt::join(option.words, " "));
      value = fmt::format(":{}:{}", option.takes, action);
    }
    for (const std::string& name : option.names) {
      text += fmt::format(" \\\n    {}",
                          in_shell_quotes(fmt::format("{}[{}]{}", name, zsh_text(option.description), value)));
    }
  }
  return text;
}

std::string zsh_command(const CommandInfo& command) {
  const std::string function = zsh_function(command);
  if (command.commands.empty()) return fmt::format("{}() {{\n  _arguments{}\n}}\n\n", function, zsh_arguments(command));
  std::string names;
  std::string cases;
  for (const CommandInfo& inner : command.commands) {
    names += fmt::format("\n        {}", in_shell_quotes(inner.path.back() + ":" + inner.description));
    cases += fmt::format("        {}) {} ;;\n", inner.path.back(), zsh_function(inner));
  }
  return fmt::format(R"({0}() {{
  local state line
  local -a commands
  _arguments -C{1} \
    '1: :->command' \
    '*:: :->rest'
  case $state in
    command)
      commands=({2}
      )
      _describe command commands
      ;;
    rest)
      case $line[1] in
{3}      esac
      ;;
  esac
}}

)",
                     function, zsh_arguments(command), names, cases);
}

}  // namespace

std::string bash_completion(const CommandInfo& program) {
  const std::string& name = program.path.front();
  std::string text =
      fmt::format("# Completion of {} for bash, made from its own definition of commands and options.\n", name);
  text += fmt::format("_{}() {{\n", name);
  text += R"(  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command= words= holds_commands= word
  offer() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }
  offer_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  }
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command$word" in
)";
  text += fmt::format("      {}) command+=\"$word \" ;;\n    esac\n  done\n", bash_commands(program));
  text += "  case \"$command$previous\" in\n" + bash_values(program);
  text += "    *)\n      case \"$command\" in\n";
  text += replaced("    " + bash_options(program), "\n", "\n    ");
  text += R"(  esac
      if [[ $current == -* || -n $holds_commands ]]; then
        offer "$words"
      else
        offer_files
      fi
      ;;
  esac
  unset -f offer offer_files
}
)";
  return text + fmt::format("complete -F _{0} {0}\n", name);
}

std::string zsh_completion(const CommandInfo& program) {
  const std::string& name = program.path.front();
  std::string text = fmt::format(
      "#compdef {0}\n# Completion of {0} for zsh, made from its own definition of commands and options.\n\n", name);
  for_each_command(program, [&](const CommandInfo& command) { text += zsh_command(command); });
  // Whether it is sourced or loaded by its name when it is first needed.
  return text +
         fmt::format("if [ \"$funcstack[1]\" = _{0} ]; then\n  _{0} \"$@\"\nelse\n  compdef _{0} {0}\nfi\n", name);
}

}  // namespace gckn::cli
