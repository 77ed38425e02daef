// SPDX-License-Identifier: BSD-3-Clause
// NumPy's .npy format, version 1.0: magic, header length, a Python dict as text padded to 64 bytes, raw values.
#pragma once

#include <cstddef>
#include <string>

namespace gckn {

constexpr std::size_t kNpyHeaderBytes = 128;

// Everything before the values, as long for any number of rows. value_bytes: of a floating-point number: 2, 4 or 8.
std::string npy_header(std::size_t value_bytes, std::size_t rows, std::size_t columns);

}  // namespace gckn
