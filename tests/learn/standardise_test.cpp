// SPDX-License-Identifier: BSD-3-Clause
#include "learn/standardise.h"

#include <gtest/gtest.h>

#include "linalg/vector_ops.h"
#include "support/index_range.h"
#include "util/random.h"

namespace gckn {
namespace {

TEST(Standardiser, UsesTrainingRowsAndDropsConstantColumns) {
  Matrix vectors(4, 3);
  for (std::size_t i = 0; i < 4; ++i) {
    vectors(i, 0) = static_cast<float>(i);                    // varies
    vectors(i, 1) = 1000.0F + 1e-3F * static_cast<float>(i);  // rounding noise beside its mean
    vectors(i, 2) = i == 3 ? 100.0F : 7.0F;                   // constant on the training rows
  }
  const std::vector<std::uint32_t> train{0, 2};
  const Standardiser standardiser(vectors, train);
  EXPECT_EQ(standardiser.mean[0], 1.0);
  EXPECT_EQ(standardiser.scale[0], 1.0);
  EXPECT_EQ(standardiser.scale[1], 0.0);
  EXPECT_EQ(standardiser.scale[2], 0.0);
  const DoubleMatrix rows = standardiser.apply(vectors, test::range(0, 4));
  ASSERT_EQ(rows.cols(), 2U);
  EXPECT_EQ(rows(3, 0), 2.0);
  EXPECT_EQ(rows(3, 1), 1.0);
}

// From the vectors as they are, although columns are dropped and others vary little beside their mean.
TEST(Standardiser, ProductsAreThoseOfStandardisedRows) {
  Random random(3);
  Matrix vectors(50, 37);
  for (std::size_t i = 0; i < vectors.rows(); ++i) {
    for (std::size_t k = 0; k < vectors.cols(); ++k) {
      vectors(i, k) = k % 9 == 4 ? 3.0F : static_cast<float>(100.0 * static_cast<double>(k) + random.uniform());
    }
  }
  const std::vector<std::uint32_t> train = test::range(0, 40);
  const Standardiser standardiser(vectors, train);
  const std::vector<std::uint32_t> rows{7, 3, 49};
  const DoubleMatrix expected = standardiser.apply(vectors, rows);
  ASSERT_LT(expected.cols(), vectors.cols());
  std::vector<double> w(expected.cols());
  for (double& value : w) value = random.uniform() - 0.5;
  const std::vector<double> products = standardiser.products(vectors, rows, w);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR(products[i], dot(expected.row(i), w.data(), w.size()), 1e-10);
  }
}

}  // namespace
}  // namespace gckn
