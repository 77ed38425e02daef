// SPDX-License-Identifier: BSD-3-Clause
// Moments of folds from those of all rows, against the sums over the folds' rows.
#include "learn/fold_moments.h"

#include <gtest/gtest.h>

#include "linalg/moments.h"
#include "support/index_range.h"
#include "util/random.h"

namespace gckn {
namespace {

using test::range;

constexpr std::size_t kRows = 300;
constexpr std::size_t kColumns = 270;  // more than a panel

Matrix random_vectors() {
  Random random(3);
  Matrix vectors(kRows, kColumns);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t k = 0; k < kColumns; ++k) {
      vectors(i, k) =
          static_cast<float>(static_cast<double>(k) + (1.0 + static_cast<double>(k % 7)) * random.uniform());
    }
    vectors(i, 4) = 2.5F;                  // constant
    vectors(i, 9) = i < 30 ? 1.0F : 0.0F;  // constant on the rows that the first fold trains on
    vectors(i, 260) = i % 2 == 0 ? -1.0F : 1.0F;
  }
  return vectors;
}

TEST(FoldMoments, AreThoseOfTheFoldsRows) {
  const Matrix vectors = random_vectors();
  const FoldMoments shared(vectors, range(0, kRows));
  std::vector<std::uint32_t> outer = range(0, 100);  // leaves out the rows between
  const std::vector<std::uint32_t> upper = range(180, kRows);
  outer.insert(outer.end(), upper.begin(), upper.end());
  for (const std::vector<std::uint32_t>& train : {range(30, kRows), outer, range(0, kRows)}) {
    const Standardiser standardiser(vectors, train);
    const DoubleMatrix expected = weighted_moments(standardiser.apply(vectors, train));
    const std::optional<DoubleMatrix> moments = shared.of(train, standardiser);
    ASSERT_TRUE(moments.has_value());
    ASSERT_EQ(moments->rows(), expected.rows());
    for (std::size_t i = 0; i < expected.rows(); ++i) {
      for (std::size_t j = i; j < expected.cols(); ++j) {
        ASSERT_NEAR((*moments)(i, j), expected(i, j), 1e-9 * kRows) << i << ", " << j;
      }
    }
  }
}

TEST(FoldMoments, NothingWhereTheDifferenceWouldBeNoHelp) {
  Matrix vectors = random_vectors();
  const FoldMoments shared(vectors, range(0, 200));
  const auto of = [&](const FoldMoments& moments, const std::vector<std::uint32_t>& train) {
    return moments.of(train, Standardiser(vectors, train));
  };
  EXPECT_TRUE(of(shared, range(0, 150)).has_value());
  EXPECT_FALSE(of(shared, range(0, 100)).has_value());    // as many left out
  EXPECT_FALSE(of(shared, range(50, 201)).has_value());   // a row that is not among them
  EXPECT_FALSE(of(shared, range(0, kRows)).has_value());  // more rows
  vectors(0, 5) = 1e6F;                                   // the others are lost beside this one
  EXPECT_FALSE(of(FoldMoments(vectors, range(0, 200)), range(1, 200)).has_value());
}

}  // namespace
}  // namespace gckn
