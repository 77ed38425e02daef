// SPDX-License-Identifier: BSD-3-Clause
// How much of a long test a sanitizer needs.
#pragma once

#include <cstdint>

namespace gckn {

// ThreadSanitizer makes loops ten times slower and looks for races between them; more random cases through the same
// loops show it nothing new. Tests divide their numbers of cases, or the sizes of large ones, by this.
#if defined(__SANITIZE_THREAD__)
inline constexpr std::uint32_t kSanitizerShare = 5;
#else
inline constexpr std::uint32_t kSanitizerShare = 1;
#endif

}  // namespace gckn
