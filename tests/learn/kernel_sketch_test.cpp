// SPDX-License-Identifier: BSD-3-Clause
// What a sketch leaves of a kernel, against what the largest eigenvalues leave of it.
#include "learn/kernel_sketch.h"

#include <gtest/gtest.h>

#include "linalg/moments.h"
#include "linalg/symmetric.h"
#include "linalg/vector_ops.h"
#include "util/random.h"

namespace gckn {
namespace {

constexpr std::size_t kSketched = 240;  // rows, and so a rank of 30

// Inner products of random rows whose columns have these scales, and a little more on the diagonal.
DoubleMatrix kernel_with_scales(const std::vector<double>& scales, double ridge) {
  Random random(11);
  DoubleMatrix rows(kSketched, scales.size());
  for (std::size_t i = 0; i < kSketched; ++i) {
    for (std::size_t k = 0; k < scales.size(); ++k) rows(i, k) = scales[k] * (2 * random.uniform() - 1);
  }
  DoubleMatrix kernel = inner_products(rows);
  mirror_upper_triangle(kernel);
  for (std::size_t i = 0; i < kSketched; ++i) kernel(i, i) += ridge;
  return kernel;
}

TEST(KernelSketch, IsExactForLowRanks) {
  const DoubleMatrix kernel = kernel_with_scales(std::vector<double>(12, 1.0), 1e-9);
  const KernelSketch sketch(kernel, {});
  ASSERT_EQ(sketch.rank(), 30U);
  for (std::size_t i = 0; i < kSketched; ++i) {
    for (std::size_t j = 0; j < kSketched; ++j) {
      ASSERT_NEAR(dot(sketch.rows.row(i), sketch.rows.row(j), sketch.rank()), kernel(i, j), 1e-7);
    }
  }
  EXPECT_LT(sketch.tail, 1e-7);
}

TEST(KernelSketch, LeavesLittleMoreThanTheSmallestEigenvalues) {
  std::vector<double> scales;
  for (std::size_t k = 0; k < 300; ++k) scales.push_back(3.0 / (1.0 + static_cast<double>(k)));
  DoubleMatrix kernel = kernel_with_scales(scales, 1e-6);
  const KernelSketch sketch(kernel, {});
  ASSERT_EQ(sketch.rank(), 30U);
  const std::vector<double> values = eigenvectors(kernel);  // ascending
  double left = 0;
  for (std::size_t k = 0; k + sketch.rank() < kSketched; ++k) left += values[k] / kSketched;
  EXPECT_GE(sketch.tail, left * (1 - 1e-9));
  EXPECT_LE(sketch.tail, left * 1.15);
}

}  // namespace
}  // namespace gckn
