// SPDX-License-Identifier: BSD-3-Clause
// The commands and options of the program as data, taken from their definition: what a man page and shell completions
// are made of. A new command or option is in them by being defined.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gckn::cli {

struct OptionInfo {
  std::vector<std::string> names;  // "-h", "--help"; of an argument "DATA"
  bool is_argument = false;
  std::string takes;               // "FILE", "N"; empty for flags and arguments
  std::vector<std::string> words;  // what it takes, where these are few
  std::string description;         // one line, the default included
  std::string group;               // the heading in the help
};

struct CommandInfo {
  std::vector<std::string> path;  // "gckn", "datasets", "make"
  std::string description;
  std::string footer;
  std::vector<OptionInfo> options;    // arguments first
  std::vector<CommandInfo> commands;  // within it

  // "gckn datasets make".
  [[nodiscard]] std::string name() const;
};

// What help shows: hidden commands and old names of options are left out.
CommandInfo describe(CLI::App& program);

}  // namespace gckn::cli
