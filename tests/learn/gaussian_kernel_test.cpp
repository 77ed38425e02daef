// SPDX-License-Identifier: BSD-3-Clause
#include "learn/gaussian_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random_matrix.h"

namespace gckn {
namespace {

TEST(SquaredDistances, OfRowsFromThemselvesAreThoseFromOthers) {
  for (const std::size_t n : {1U, 7U, 300U}) {
    DoubleMatrix rows = test::random_matrix<double>(n, 70, n);
    std::copy_n(rows.row(0), rows.cols(), rows.row(n - 1));  // equal rows are at distance 0 exactly
    const DoubleMatrix between = SquaredDistances::between(rows);
    EXPECT_TRUE(std::ranges::equal(between.values(), SquaredDistances(rows).from(rows).values())) << n;
    EXPECT_EQ(between(0, n - 1), 0);
    for (std::size_t i = 0; i < n; ++i) {
      double expected = 0;
      for (std::size_t k = 0; k < rows.cols(); ++k) expected += (rows(i, k) - rows(0, k)) * (rows(i, k) - rows(0, k));
      EXPECT_NEAR(between(i, 0), expected, 1e-12);
    }
  }
}

}  // namespace
}  // namespace gckn
