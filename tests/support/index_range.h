// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace gckn::test {

// begin, begin + 1, ... end - 1.
inline std::vector<std::uint32_t> range(std::uint32_t begin, std::uint32_t end) {
  std::vector<std::uint32_t> numbers(end - begin);
  std::iota(numbers.begin(), numbers.end(), begin);
  return numbers;
}

}  // namespace gckn::test
