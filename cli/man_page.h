// SPDX-License-Identifier: BSD-3-Clause
// The manual page of the program, gckn(1).
#pragma once

#include <string>

#include "command_tree.h"

namespace gckn::cli {

// In the language of man pages (troff's macros "man").
std::string man_page(const CommandInfo& program);

}  // namespace gckn::cli
