// SPDX-License-Identifier: BSD-3-Clause
// A run of consecutive graphs of a set: what is encoded, compiled and evaluated together.
#pragma once

#include <cstddef>

namespace gckn {

struct GraphRange {
  std::size_t first = 0;
  std::size_t last = 0;  // one past the end

  [[nodiscard]] std::size_t size() const { return last - first; }
};

}  // namespace gckn
