// SPDX-License-Identifier: BSD-3-Clause
// Numbers of 16 bits (IEEE 754 binary16): 11 bits of precision, up to 65504.
#pragma once

#include <bit>
#include <cstdint>

namespace gckn {

// The nearest, of two the even one; infinity for what is too large, a NaN for a NaN.
constexpr std::uint16_t half_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  constexpr std::uint32_t kInfinity = 0x7F800000U;
  constexpr std::uint32_t kRoundsToInfinity = 0x477FF000U;  // 65520
  constexpr std::uint32_t kSmallestNormal = 0x38800000U;    // 2^-14
  if (magnitude > kInfinity) return sign | 0x7E00U;
  if (magnitude >= kRoundsToInfinity) return sign | 0x7C00U;
  if (magnitude < kSmallestNormal) {
    // Adding 0.5, whose last bit is the value of a half's last bit, rounds as a half would.
    const float rounded = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(rounded) - 0x3F000000U));
  }
  const std::uint32_t odd = magnitude >> 13 & 1U;
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000U + 0xFFFU + odd) >> 13));
}

constexpr float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000U} << 16;
  const std::uint32_t magnitude = half & 0x7FFFU;
  if (magnitude >= 0x7C00U) return std::bit_cast<float>(sign | 0x7F800000U | (magnitude & 0x3FFU) << 13);
  if (magnitude < 0x0400U) {
    const float value = std::bit_cast<float>(magnitude + 0x3F000000U) - 0.5F;
    return sign == 0 ? value : -value;
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000U));
}

}  // namespace gckn
