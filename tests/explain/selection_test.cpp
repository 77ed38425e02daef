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

TEST(Selection, OfALowNumberIsWhatLowersIt) {
  Explanation explanation;
  explanation.node_scores = {0.5, -0.9, -0.8, 0.1};
  const EdgeList edges{{0, 1}, {1, 2}, {2, 3}};
  explanation.score = -1.1;
  explanation.empty_score = 0;
  select_by_share({}, edges, explanation);
  EXPECT_EQ(explanation.motif().nodes, (Nodes{1, 2}));
  EXPECT_EQ(agreement(explanation, {{1, 2}})->node_auc, 1);
  explanation.empty_score = -2;  // a number above it, with the same scores
  select_by_share({}, edges, explanation);
  EXPECT_EQ(explanation.motif().nodes, (Nodes{0}));
  explanation.empty_score = 0;
  explanation.explained_class = 0;  // classes have no other direction
  select_by_share({}, edges, explanation);
  EXPECT_EQ(explanation.motif().nodes, (Nodes{0}));
}

}  // namespace
}  // namespace gckn
