// SPDX-License-Identifier: BSD-3-Clause
// Standard input as a stream whose reader may be interrupted while it waits for somebody who may never write.
#pragma once

#include <istream>
#include <string_view>

namespace gckn::cli {

inline constexpr const char* kStandardInput = "standard input";

std::istream& standard_input();

// Its first bytes, without taking them: to tell what they are.
std::string_view standard_input_head();

}  // namespace gckn::cli
