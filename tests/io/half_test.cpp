// SPDX-License-Identifier: BSD-3-Clause
#include "io/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace gckn {
namespace {

TEST(Half, AllOfThemComeBack) {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = float_of_half(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_of_half(half_of(value)))) << bits;
    } else {
      ASSERT_EQ(half_of(value), half) << bits;
    }
  }
}

// Values from the standard: the format is what it says, not only its own inverse.
TEST(Half, HasTheValuesOfTheStandard) {
  EXPECT_EQ(float_of_half(0x3C00), 1.0F);
  EXPECT_EQ(float_of_half(0xC000), -2.0F);
  EXPECT_EQ(float_of_half(0x7BFF), 65504.0F);
  EXPECT_EQ(float_of_half(0x0400), std::ldexp(1.0F, -14));
  EXPECT_EQ(float_of_half(0x0001), std::ldexp(1.0F, -24));
  EXPECT_EQ(float_of_half(0x3555), 0.333251953125F);
  EXPECT_TRUE(std::isinf(float_of_half(0x7C00)));
  EXPECT_TRUE(std::signbit(float_of_half(0x8000)));
}

TEST(Half, IsTheNearestAndOfTwoTheEvenOne) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    const float value = std::ldexp(static_cast<float>(random() % 0x1000000U), static_cast<int>(random() % 40) - 48);
    if (value >= 65504) continue;
    const std::uint16_t half = half_of(value);
    const double distance = std::abs(double{float_of_half(half)} - value);
    const double below =
        half == 0 ? 1e9 : std::abs(double{float_of_half(static_cast<std::uint16_t>(half - 1))} - value);
    const double above = std::abs(double{float_of_half(static_cast<std::uint16_t>(half + 1))} - value);
    ASSERT_LE(distance, std::min(below, above)) << value;
    if (distance == below || distance == above) {
      ASSERT_EQ(half % 2, 0) << value;
    }
  }
  EXPECT_TRUE(std::isinf(float_of_half(half_of(65520.0F))));
  EXPECT_EQ(float_of_half(half_of(65519.0F)), 65504.0F);
}

}  // namespace
}  // namespace gckn
