// SPDX-License-Identifier: BSD-3-Clause
#include "util/canonical_numbers.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <string>

#include "util/flat_map.h"
#include "util/random.h"

namespace gckn {
namespace {

std::vector<std::uint32_t> numbers_of(const std::vector<std::string>& things, std::size_t num_hashes,
                                      std::uint32_t& count) {
  std::vector<std::uint64_t> hash;
  for (const std::string& thing : things) hash.push_back(mix_bits(std::hash<std::string>()(thing) % num_hashes));
  std::vector<std::uint32_t> number;
  count = number_by_contents(
      hash, [&](std::uint32_t i, std::uint32_t j) { return things[i] == things[j]; },
      [&](std::uint32_t i, std::uint32_t j) { return things[i] < things[j]; }, {}, "numbering", number);
  return number;
}

// With few hashes different things collide: their contents tell them apart.
TEST(CanonicalNumbers, AreOfContentsInAnyOrder) {
  Random random(1);
  for (const std::size_t num_hashes : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 40}) {
    std::vector<std::string> things;
    for (int i = 0; i < 3000; ++i) things.push_back("thing " + std::to_string(random.below(500)));
    std::uint32_t count = 0;
    const std::vector<std::uint32_t> number = numbers_of(things, num_hashes, count);
    EXPECT_EQ(count, std::set(things.begin(), things.end()).size());
    EXPECT_EQ(count, std::set(number.begin(), number.end()).size());
    EXPECT_EQ(count, *std::max_element(number.begin(), number.end()) + 1);

    std::vector<std::string> reversed(things.rbegin(), things.rend());
    std::vector<std::uint32_t> of_reversed = numbers_of(reversed, num_hashes, count);
    std::ranges::reverse(of_reversed);
    EXPECT_EQ(of_reversed, number);
    for (std::size_t i = 1; i < things.size(); ++i) {
      EXPECT_EQ(number[i] == number[0], things[i] == things[0]);
    }
  }
}

TEST(CanonicalNumbers, OfNothing) {
  std::uint32_t count = 1;
  EXPECT_TRUE(numbers_of({}, 1, count).empty());
  EXPECT_EQ(count, 0U);
}

}  // namespace
}  // namespace gckn
