// SPDX-License-Identifier: BSD-3-Clause
// Adam (Kingma and Ba, 2015): steps of about the learning rate for every number, along its mean gradient.
//
//   m = b1 m + (1 - b1) g,  v = b2 v + (1 - b2) g^2,  x -= rate (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps)
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gckn {

// The running means of one group of numbers.
template <typename Real>
struct AdamMoments {
  std::vector<Real> first, second;

  explicit AdamMoments(std::size_t count = 0) : first(count), second(count) {}
  bool operator==(const AdamMoments&) const = default;
};

struct AdamStep {
  static constexpr double kFirst = 0.9;
  static constexpr double kSecond = 0.999;
  static constexpr double kEps = 1e-8;

  double rate = 0;
  std::uint64_t step = 0;  // from 1

  template <typename Real>
  void update(std::span<const Real> gradient, AdamMoments<Real>& moments, std::span<Real> values) const {
    const auto t = static_cast<double>(step);
    const auto scale = static_cast<Real>(rate / (1 - std::pow(kFirst, t)));
    const auto root_scale = static_cast<Real>(1 / std::sqrt(1 - std::pow(kSecond, t)));
    constexpr auto kB1 = static_cast<Real>(kFirst);
    constexpr auto kB2 = static_cast<Real>(kSecond);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Real g = gradient[i];
      const Real m = moments.first[i] = kB1 * moments.first[i] + (1 - kB1) * g;
      const Real v = moments.second[i] = kB2 * moments.second[i] + (1 - kB2) * g * g;
      values[i] -= scale * m / (std::sqrt(v) * root_scale + static_cast<Real>(kEps));
    }
  }
};

}  // namespace gckn
