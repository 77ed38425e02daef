// SPDX-License-Identifier: BSD-3-Clause
#include "support/relative_difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <limits>

namespace gckn::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <typename Real = double>
BasicMatrix<Real> row(std::initializer_list<Real> values) {
  BasicMatrix<Real> matrix(1, values.size());
  std::ranges::copy(values, matrix.data());
  return matrix;
}

TEST(RelativeDifference, IsTheWorstDifferenceByTheLargestNumber) {
  EXPECT_EQ(relative_difference(row({1.0, -4.0}), row({1.0, -4.0})), 0);
  EXPECT_EQ(relative_difference(row({1.5, -4.0, 2.0}), row({1.0, -4.0, 2.25})), 0.125);
  EXPECT_EQ(relative_difference(row<float>({3}), row({4.0})), 0.25) << "of a float and a double";
  EXPECT_EQ(relative_difference(row({-1.0}), row({4.0})), 1.25);
}

TEST(RelativeDifference, WhatIsNotFiniteIsNeverClose) {
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    EXPECT_EQ(relative_difference(row({1.0, bad, 2.0}), row({1.0, 1.0, 2.0})), kInfinity) << bad;
    EXPECT_EQ(relative_difference(row({1.0, 1.0, 2.0}), row({1.0, bad, 2.0})), kInfinity) << bad;
    EXPECT_EQ(relative_difference(row({bad, bad}), row({bad, bad})), kInfinity) << bad << " on both sides";
  }
}

TEST(RelativeDifference, OtherShapesAreNeverClose) {
  EXPECT_EQ(relative_difference(row({1.0}), row({1.0, 0.0})), kInfinity);
  EXPECT_EQ(relative_difference(row({1.0, 0.0}), row({1.0})), kInfinity);
  EXPECT_EQ(relative_difference(DoubleMatrix(2, 3), DoubleMatrix(3, 2)), kInfinity);
  EXPECT_EQ(relative_difference(DoubleMatrix(0, 3), DoubleMatrix(0, 3)), kInfinity) << "nothing was compared";
}

TEST(RelativeDifference, ZerosAreComparedWithZeros) {
  EXPECT_EQ(relative_difference(row({0.0, 0.0}), row({0.0, 0.0})), 0);
  EXPECT_EQ(relative_difference(row({0.0, 1e-300}), row({0.0, 0.0})), kInfinity);
}

}  // namespace
}  // namespace gckn::test
