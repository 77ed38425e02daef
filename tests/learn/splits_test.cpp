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

TEST(GroupFolds, GroupsStayTogetherAndFoldsAreOfAboutEqualSize) {
  const std::vector<TargetColumn> targets = test::column_of_sizes({120, 80});
  const std::vector<std::uint32_t> all = test::range(0, 200);
  FoldGroups groups;
  for (std::uint32_t g = 0; g < 200; ++g) groups.of_graph.push_back(1000 - g / 4);
  const std::vector<Fold> folds = make_group_folds(targets, all, groups, 5, 1);
  ASSERT_EQ(folds.size(), 5U);
  std::vector<int> tested(200);
  for (const Fold& fold : folds) {
    EXPECT_EQ(fold.test.size(), 40U);
    EXPECT_EQ(fold.train.size(), 160U);
    EXPECT_EQ(std::ranges::count_if(fold.test, [](std::uint32_t g) { return g < 120; }), 24);  // and classes spread
    for (const std::uint32_t g : fold.test) ++tested[g];
    for (const std::uint32_t g : fold.test) {
      for (const std::uint32_t other : fold.train) ASSERT_NE(groups.of_graph[g], groups.of_graph[other]);
    }
  }
  EXPECT_EQ(std::ranges::count(tested, 1), 200);
  EXPECT_NE(make_group_folds(targets, all, groups, 5, 2)[0].test, folds[0].test);
}

TEST(GroupFolds, LargeGroupsAreNeverTestedIfSo) {
  const std::vector<TargetColumn> targets = test::column_of_sizes({50, 50});
  FoldGroups groups;
  for (std::uint32_t g = 0; g < 100; ++g) groups.of_graph.push_back(g % 2 == 0 ? 0 : g);
  groups.test_small_ones_only = true;
  const std::vector<std::uint32_t> all = test::range(0, 100);
  for (const Fold& fold : make_group_folds(targets, all, groups, 5, 1)) {
    EXPECT_EQ(fold.test.size(), 10U);
    EXPECT_EQ(fold.train.size(), 90U);
    EXPECT_TRUE(std::ranges::all_of(fold.test, [](std::uint32_t g) { return g % 2 == 1; }));
  }
  groups.of_graph.assign(100, 7);  // one
  EXPECT_THROW(make_group_folds(targets, all, groups, 5, 1), InputError);
  groups.test_small_ones_only = false;
  EXPECT_THROW(make_group_folds(targets, all, groups, 5, 1), InputError);
}

}  // namespace
}  // namespace gckn
