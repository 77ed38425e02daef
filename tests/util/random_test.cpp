// SPDX-License-Identifier: BSD-3-Clause
#include "util/random.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace gckn {
namespace {

// The figures in docs/results.md come from these numbers; another one would make them irreproducible.
TEST(Random, IsTheSameEverywhereAndForEver) {
  Random random(5);
  EXPECT_EQ(random.below(1'000'000), 828'342u);
  EXPECT_EQ(random.below(1'000'000), 309'728u);
  EXPECT_EQ(random.uniform(), 0.2252885569478601);
}

TEST(Seeds, AreFixed) {
  constexpr std::uint64_t kSeed = 5;
  EXPECT_EQ(seeds::of_layer(kSeed, 2), 5'000'017u);
  EXPECT_EQ(seeds::of_shuffle(kSeed, 0), 5u);
  EXPECT_EQ(seeds::of_shuffle(kSeed, 3), 23'762u);
  EXPECT_EQ(seeds::of_inner_folds(kSeed, 4), 9u);
  EXPECT_EQ(seeds::of_seeding_sample(kSeed), 6u);
  EXPECT_EQ(seeds::of_drawn_patterns(kSeed), 16u);
  EXPECT_EQ(seeds::of_drawn_paths(kSeed, 2), 30u);
  EXPECT_EQ(seeds::of_held_out(kSeed), 42u);
}

// What k-means sees and what checks it must not be the same draw.
TEST(Seeds, OfOneLayerDiffer) {
  const std::uint64_t layer = seeds::of_layer(0, 0);
  const std::uint64_t held_out = seeds::of_held_out(layer);
  EXPECT_NE(seeds::of_drawn_patterns(layer), seeds::of_drawn_patterns(held_out));
  for (std::uint64_t block = 0; block < 10; ++block) {
    EXPECT_NE(seeds::of_drawn_paths(layer, block), seeds::of_drawn_paths(held_out, block));
  }
}

}  // namespace
}  // namespace gckn
