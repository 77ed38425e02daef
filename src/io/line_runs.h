// SPDX-License-Identifier: BSD-3-Clause
// Cuts a text into pieces for parallel reading.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace gckn {

// Offsets [begin, end) of runs of whole lines of about 256 KB each that cover the text.
inline std::vector<std::pair<std::size_t, std::size_t>> line_runs(std::string_view text) {
  constexpr std::size_t kRunBytes = 1 << 18;
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t line_end = text.find('\n', std::min(begin + kRunBytes, text.size()));
    const std::size_t end = line_end == std::string_view::npos ? text.size() : line_end + 1;
    runs.emplace_back(begin, end);
    begin = end;
  }
  return runs;
}

}  // namespace gckn
