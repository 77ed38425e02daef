// SPDX-License-Identifier: BSD-3-Clause
// What the arrays of a GraphSet can hold.
#pragma once

#include <cstdint>

namespace gckn {

// Node numbers are 32 bits wide, and the largest value is left free for "no node".
inline constexpr std::uint64_t kMaxNodes = 0xFFFFFFFE;

}  // namespace gckn
