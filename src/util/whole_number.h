// SPDX-License-Identifier: BSD-3-Clause
// Words that are numbers.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace gckn {

// The value of a word that is a whole number written the usual way ("7", "-1", not "07" or "+7").
inline std::optional<std::int64_t> whole_number(std::string_view word) {
  std::int64_t value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc{} || stop != end || std::to_string(value) != word) return std::nullopt;
  return value;
}

}  // namespace gckn
