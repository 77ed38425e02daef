// SPDX-License-Identifier: BSD-3-Clause
#include "util/new_numbers.h"

#include <gtest/gtest.h>

#include "support/index_range.h"

namespace gckn {
namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers old_numbers(const NewNumbers& numbers) {
  return {numbers.old().begin(), numbers.old().end()};
}

TEST(NewNumbers, NumbersInOrderOfUseUntilSorted) {
  NewNumbers numbers;
  EXPECT_EQ(numbers.use(4'000'000'000U), 0U);
  EXPECT_EQ(numbers.use(7), 1U);
  EXPECT_EQ(numbers.use(0), 2U);
  EXPECT_EQ(numbers.use(7), 1U);
  EXPECT_EQ(numbers.sort(), (Numbers{2, 1, 0}));
  EXPECT_EQ(old_numbers(numbers), (Numbers{0, 7, 4'000'000'000U}));
  EXPECT_EQ(numbers.use(4'000'000'000U), 2U);
  EXPECT_EQ(numbers.use(3), 3U) << "what comes after sorting stands behind";
  EXPECT_EQ(numbers(3), 3U);
  EXPECT_EQ(numbers(0), 0U);
  const std::vector<char> keys{'c', 'a', 'd', 'b'};
  EXPECT_EQ(numbers.sort(std::span(keys)), (Numbers{2, 0, 3, 1}));
  EXPECT_EQ(old_numbers(numbers), (Numbers{7, 3, 0, 4'000'000'000U}));
  EXPECT_EQ(numbers(3), 1U);
}

TEST(NewNumbers, ManyNumbersComeBack) {
  NewNumbers numbers(10);
  for (std::uint32_t i = 0; i < 5000; ++i) numbers.use((i * 7919) % 5000 * 3);
  numbers.sort();
  ASSERT_EQ(numbers.size(), 5000U);
  for (std::uint32_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(numbers.old()[i], 3 * i);
    ASSERT_EQ(numbers(3 * i), i);
  }
}

TEST(NewNumbers, UnchangedKeepsAll) {
  const NewNumbers same = NewNumbers::unchanged(5);
  EXPECT_EQ(old_numbers(same), test::range(0, 5));
  EXPECT_EQ(same(3), 3U);
}

}  // namespace
}  // namespace gckn
