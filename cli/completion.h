// SPDX-License-Identifier: BSD-3-Clause
// Completion of commands, options and their values in shells.
#pragma once

#include <string>

#include "command_tree.h"

namespace gckn::cli {

// Scripts for the folders bash-completion/completions and zsh/site-functions. Options that take a FILE and arguments
// are completed with files, those that take one of a few words with these.
std::string bash_completion(const CommandInfo& program);
std::string zsh_completion(const CommandInfo& program);

}  // namespace gckn::cli
