// SPDX-License-Identifier: BSD-3-Clause
// Two columns of text: what, and what about it.
#pragma once

#include <string_view>

#include "console.h"

namespace gckn::cli {

inline void say_row(Console& console, std::string_view what, std::string_view text) {
  console.say("  {:<17} {}", what, text);
}

}  // namespace gckn::cli
