// SPDX-License-Identifier: BSD-3-Clause
#include "util/used_numbers.h"

#include <gtest/gtest.h>

#include <set>

#include "util/random.h"

namespace gckn {
namespace {

TEST(UsedNumbers, AreNumberedInTheirOrderAgainAndAgain) {
  Random random(1);
  for (const std::size_t range : {1U, 63U, 64U, 65U, 1000U, 4096U, 4097U, 100'000U}) {
    UsedNumbers numbers(range);
    for (int round = 0; round < 5; ++round) {
      std::set<std::uint32_t> used;
      for (std::uint64_t i = random.below(80); i > 0; --i) {
        const auto number = static_cast<std::uint32_t>(random.below(range));
        used.insert(number);
        numbers.use(number);
      }
      numbers.number();
      ASSERT_EQ(numbers.size(), used.size());
      std::uint32_t next = 0;
      for (const std::uint32_t old : used) {
        EXPECT_EQ(numbers(old), next);
        EXPECT_EQ(numbers.old()[next], old);
        ++next;
      }
    }
  }
}

TEST(UsedNumbers, OfNothing) {
  UsedNumbers numbers;
  numbers.number();
  EXPECT_EQ(numbers.size(), 0U);
}

}  // namespace
}  // namespace gckn
