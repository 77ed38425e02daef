// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The one place where the version is written; CMake reads it from here.
#define GCKN_VERSION "0.1.0"

namespace gckn {

inline constexpr const char* kVersion = GCKN_VERSION;

}  // namespace gckn
