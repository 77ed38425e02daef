// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>

#include "gckn/matrix.h"

namespace gckn {

// In strips of rows that a cache holds.
template <typename Real>
BasicMatrix<Real> transposed(const BasicMatrix<Real>& m) {
  constexpr std::size_t kStrip = 64;
  auto result = BasicMatrix<Real>::uninitialised(m.cols(), m.rows());
  for (std::size_t first = 0; first < m.rows(); first += kStrip) {
    const std::size_t last = std::min(m.rows(), first + kStrip);
    for (std::size_t j = 0; j < m.cols(); ++j) {
      for (std::size_t i = first; i < last; ++i) result(j, i) = m(i, j);
    }
  }
  return result;
}

}  // namespace gckn
