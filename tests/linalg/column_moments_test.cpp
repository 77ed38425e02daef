// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/column_moments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "util/random.h"

namespace gckn {
namespace {

ColumnMoments moments_of(const std::vector<double>& values) {
  const RowRange all{0, values.size()};
  return column_moments(values, 1, {&all, 1})[0];
}

TEST(ColumnMoments, AreThoseOfTheDefinition) {
  Random random(1);
  std::vector<double> values(3 * 1000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = (random.uniform() - 0.3) * (i % 3 == 1 ? 1e5 : 1) + (i % 3 == 2 ? 1e6 : 0);
  }
  const std::vector<RowRange> rows{{0, 100}, {100, 100}, {250, 1000}};  // rows between are left out
  const std::vector<ColumnMoments> moments = column_moments(values, 3, rows);
  for (std::size_t k = 0; k < 3; ++k) {
    long double sum = 0;
    long double squares = 0;
    for (std::size_t i = 0; i < 1000; ++i) sum += i < 100 || i >= 250 ? values[3 * i + k] : 0;
    for (std::size_t i = 0; i < 1000; ++i) {
      const long double step = values[3 * i + k] - sum / 850;
      squares += i < 100 || i >= 250 ? step * step : 0;
    }
    EXPECT_DOUBLE_EQ(moments[k].mean, static_cast<double>(sum / 850));
    EXPECT_NEAR(moments[k].deviation, static_cast<double>(std::sqrt(squares / 850)), 1e-14 * moments[k].mean);
  }
}

TEST(ColumnMoments, OrderOfRowsChangesNoBit) {
  Random random(2);
  std::vector<double> values;
  for (int i = 0; i < 5000; ++i) values.push_back(std::exp(20 * random.uniform() - 10) * (i % 3 == 0 ? -1 : 1));
  const ColumnMoments first = moments_of(values);
  const auto in_order = [&] {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum;
  };
  const double naive = in_order();
  bool naive_differs = false;
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
    naive_differs |= in_order() != naive;
    const ColumnMoments again = moments_of(values);
    ASSERT_EQ(again.mean, first.mean);
    ASSERT_EQ(again.deviation, first.deviation);
  }
  EXPECT_TRUE(naive_differs);  // the values are such that order could matter
}

TEST(ColumnMoments, AnyMagnitude) {
  for (const double unit : {1.0, 1e155, 1e300, 1e-155, 1e-200, 1e-300, std::numeric_limits<double>::max() / 2}) {
    const ColumnMoments moments = moments_of({-unit, unit, unit, -unit});
    EXPECT_EQ(moments.mean, 0.0) << unit;
    EXPECT_DOUBLE_EQ(moments.deviation, unit) << unit;
    const ColumnMoments shifted = moments_of({0, 2 * unit});
    EXPECT_DOUBLE_EQ(shifted.mean, unit);
    EXPECT_DOUBLE_EQ(shifted.deviation, unit);
  }
  const double most = std::numeric_limits<double>::max();
  EXPECT_DOUBLE_EQ(moments_of({-most, most}).deviation, most);
  EXPECT_DOUBLE_EQ(moments_of({-most, most, most, most}).mean, most / 2);
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_GT(moments_of({0, least}).deviation, 0);
  EXPECT_GT(moments_of({0, 0, 0, 0, 0, least}).deviation, 0);
}

TEST(ColumnMoments, ConstantColumnsAreThatConstant) {
  for (const double value :
       {0.0, 0.1, 1.0, -1.0 / 3, 1e20, 1e300, -1e-300, std::numeric_limits<double>::denorm_min()}) {
    const ColumnMoments moments = moments_of(std::vector<double>(777, value));
    EXPECT_EQ(moments.mean, value);
    EXPECT_EQ(moments.deviation, 0.0);
  }
  EXPECT_EQ(moments_of({0.0, -0.0, 0.0}).deviation, 0.0);
  EXPECT_FALSE(std::signbit(moments_of({-0.0, -0.0}).mean));
  EXPECT_EQ(moments_of({}).mean, 0.0);
  // One that differs in the last bit is not constant.
  EXPECT_GT(moments_of({1.0, std::nextafter(1.0, 2.0)}).deviation, 0);
}

}  // namespace
}  // namespace gckn
