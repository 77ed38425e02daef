// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "explain/substructures.h"

namespace gckn {
namespace {

// Nodes of all parts, on a path 0 - 1 - 2 - ...
std::vector<std::uint32_t> selected(std::vector<double> scores, std::optional<double> share = {}) {
  Explanation explanation;
  EdgeList edges;
  for (std::uint32_t u = 1; u < scores.size(); ++u) edges.emplace_back(u - 1, u);
  explanation.node_scores = std::move(scores);
  select_by_share(share, edges, explanation);
  std::vector<std::uint32_t> nodes;
  for (const Substructure& part : explanation.parts) nodes.insert(nodes.end(), part.nodes.begin(), part.nodes.end());
  std::ranges::sort(nodes);
  return nodes;
}

using Nodes = std::vector<std::uint32_t>;

TEST(Selection, PartsScoresWhereTheyDifferMost) {
  EXPECT_EQ(selected({0.1, 0.9, 0.8, 0.2, -3.0}), (Nodes{1, 2}));
  // What is half of the largest belongs to it, if the rest is much lower ...
  EXPECT_EQ(selected({0.45, 0.5, 0.9, 0.01, 0.02, 0.0, 0.01}), (Nodes{0, 1, 2}));
  // ... which a fixed part of the largest does not see.
  EXPECT_EQ(selected({0.45, 0.5, 0.9, 0.01, 0.02, 0.0, 0.01}, 0.6), (Nodes{2}));
}

TEST(Selection, TakesScoresThatAreEqualButForRoundingTogether) {
  EXPECT_EQ(selected({0.3, 0.1 + 0.2, 0.3}), (Nodes{0, 1, 2}));
  EXPECT_EQ(selected({1.0}), (Nodes{0}));
}

TEST(Selection, IsEmptyWhereNothingSpeaksForTheClass) {
  EXPECT_TRUE(selected({-1.0, 0.0, -0.5}).empty());
  EXPECT_TRUE(selected({}).empty());
}

}  // namespace
}  // namespace gckn
