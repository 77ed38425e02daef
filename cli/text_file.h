// SPDX-License-Identifier: BSD-3-Clause
// Small text files that options name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace gckn::cli {

// The text of a file. Throws InputError if it cannot be read.
std::string read_text(const std::string& path);

// The text without blanks around it.
std::string_view trimmed(std::string_view text);

// Calls body(number from 1, line without its end) for every line.
template <typename Body>
void for_each_line(std::string_view text, const Body& body) {
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    body(++number, text.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace gckn::cli
