// SPDX-License-Identifier: BSD-3-Clause
#include "learn/splits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "gckn/error.h"
#include "support/class_targets.h"
#include "support/index_range.h"

namespace gckn {
namespace {

TEST(Splits, AreStratifiedAndComplete) {
  const std::vector<TargetColumn> targets = test::column_of_sizes({57, 23, 10});
  const std::vector<std::uint32_t> all = test::range(0, 90);
  const std::vector<Fold> folds = make_folds(targets, all, 10, 3);
  std::set<std::uint32_t> tested;
  for (const Fold& fold : folds) {
    EXPECT_EQ(fold.test.size(), 9U);
    EXPECT_EQ(fold.train.size() + fold.test.size(), 90U);
    std::vector<int> count(3);
    for (const std::uint32_t g : fold.test) {
      ++count[static_cast<std::size_t>(targets[0].class_of_graph[g])];
      EXPECT_TRUE(tested.insert(g).second);
      EXPECT_FALSE(std::binary_search(fold.train.begin(), fold.train.end(), g));
    }
    EXPECT_TRUE(count[0] == 5 || count[0] == 6);
    EXPECT_TRUE(count[1] == 2 || count[1] == 3);
    EXPECT_EQ(count[2], 1);
  }
  EXPECT_EQ(tested.size(), 90U);
  EXPECT_NE(make_folds(targets, all, 10, 4)[0].test, folds[0].test);
  EXPECT_EQ(make_folds(targets, all, 10, 3)[0].test, folds[0].test);
  EXPECT_THROW(make_folds(test::column_of_sizes({30, 9}), test::range(0, 39), 10, 0), InputError);
}

TEST(Splits, NumbersAreShuffledAndMissingOnesStayOut) {
  std::vector<TargetColumn> targets(2);
  for (std::size_t g = 0; g < 23; ++g) {
    targets[0].number_of_graph.push_back(g % 3 == 0 ? NAN : 1.0);
    targets[1].number_of_graph.push_back(g == 3 || g == 6 ? NAN : 2.0);
  }
  std::set<std::uint32_t> tested;
  for (const Fold& fold : make_folds(targets, test::range(0, 23), 4, 0)) {
    for (const std::uint32_t g : fold.test) EXPECT_TRUE(tested.insert(g).second);
  }
  EXPECT_EQ(tested.size(), 21U);
  EXPECT_FALSE(tested.contains(3));
  EXPECT_EQ(feasible_folds(test::column_of_sizes({9, 3}), test::range(0, 12), 5), 3);
  EXPECT_THROW(feasible_folds(test::column_of_sizes({9, 1}), test::range(0, 10), 5), InputError);
}

}  // namespace
}  // namespace gckn
