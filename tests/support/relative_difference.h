// SPDX-License-Identifier: BSD-3-Clause
// The yardstick of numbers in tests. Written once because it is easily written so that it cannot fail: std::max(worst,
// NaN) is `worst`.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "gckn/matrix.h"

namespace gckn::test {

// max|actual - expected| / max|expected|. Infinity, which no tolerance admits, if a number on either side is not
// finite, if the shapes differ or there is nothing to compare, and if what should be zero everywhere is not.
template <typename Actual, typename Expected>
double relative_difference(const BasicMatrix<Actual>& actual, const BasicMatrix<Expected>& expected) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (actual.rows() != expected.rows() || actual.cols() != expected.cols() || expected.empty()) return kInfinity;
  double worst = 0;
  double scale = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto a = static_cast<double>(actual.data()[i]);
    const auto e = static_cast<double>(expected.data()[i]);
    if (!std::isfinite(a) || !std::isfinite(e)) return kInfinity;
    if (std::abs(a - e) > worst) worst = std::abs(a - e);
    if (std::abs(e) > scale) scale = std::abs(e);
  }
  if (scale == 0) return worst == 0 ? 0 : kInfinity;
  return worst / scale;
}

}  // namespace gckn::test
