// SPDX-License-Identifier: BSD-3-Clause
// Intervals and tests against scipy (tests/golden/make_metrics.py) and against closed forms.
#include "learn/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <limits>
#include <numbers>
#include <numeric>

#include "learn/metrics.h"
#include "support/golden.h"
#include "util/parallel.h"

namespace gckn {
namespace {

using nlohmann::json;

json golden(const char* key) {
  return test::load_golden("metrics.json").at(key);
}

// Relative to the size of the expected value; small p values must be right, too.
void expect_close(double actual, const json& expected, const std::string& what) {
  const auto value = expected.get<double>();
  EXPECT_NEAR(actual, value, 2e-12 * std::abs(value) + 1e-300) << what;
}

TEST(StudentT, CdfAgreesWithScipy) {
  for (const json& point : golden("student_t")) {
    const double t = point.at("t");
    const double freedom = point.at("freedom");
    const std::string what = point.dump();
    expect_close(student_t_cdf(t, freedom), point.at("cdf"), what);
    expect_close(student_t_cdf(-t, freedom), point.at("lower"), what);
    expect_close(student_t_two_sided(t, freedom), point.at("two_sided"), what);
    expect_close(student_t_two_sided(-t, freedom), point.at("two_sided"), what);
  }
}

TEST(StudentT, QuantileAgreesWithScipy) {
  for (const json& point : golden("student_t_quantile")) {
    expect_close(student_t_quantile(point.at("p"), point.at("freedom")), point.at("t"), point.dump());
  }
}

// One degree of freedom is Cauchy's distribution; two have F(t) = 1/2 + t / (2 sqrt(2 + t^2)), and the inverse below.
TEST(StudentT, ClosedForms) {
  for (const double t : {-30.0, -2.0, -0.1, -1e-8, 0.0, 1e-8, 0.7, 5.0}) {
    EXPECT_NEAR(student_t_cdf(t, 1), 0.5 + std::atan(t) / std::numbers::pi, 1e-15) << t;
    EXPECT_NEAR(student_t_cdf(t, 2), 0.5 + t / (2 * std::sqrt(2 + t * t)), 1e-15) << t;
  }
  EXPECT_NEAR(student_t_two_sided(1e9, 1) / (2e-9 / std::numbers::pi), 1, 1e-14);
  EXPECT_NEAR(student_t_quantile(0.75, 1), 1, 1e-14);
  EXPECT_EQ(student_t_quantile(0.5, 7), 0);
  for (const double p : {1e-9, 0.4, 0.49999, 0.50001, 0.975}) {
    const double t = (2 * p - 1) / std::sqrt(2 * p * (1 - p));
    EXPECT_NEAR(student_t_quantile(p, 2), t, 1e-13 * std::abs(t) + 1e-15) << p;
  }
}

TEST(StudentT, Ends) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(student_t_cdf(infinity, 3), 1);
  EXPECT_EQ(student_t_cdf(-infinity, 3), 0);
  EXPECT_EQ(student_t_two_sided(infinity, 3), 0);
  EXPECT_EQ(student_t_quantile(0, 3), -infinity);
  EXPECT_EQ(student_t_quantile(1, 3), infinity);
  EXPECT_TRUE(std::isnan(student_t_cdf(NAN, 3)));
}

TEST(MeanEstimate, AgreesWithScipy) {
  for (const json& point : golden("mean_estimate")) {
    const auto values = point.at("values").get<std::vector<double>>();
    const MeanEstimate estimate = mean_estimate(values, point.at("test_over_train"));
    const json& expected = point.at("expected");
    expect_close(estimate.mean, expected.at("mean"), "mean");
    expect_close(estimate.deviation, expected.at("deviation"), "deviation");
    expect_close(estimate.error, expected.at("error"), "error");
    expect_close(estimate.interval.low, expected.at("low"), "low");
    expect_close(estimate.interval.high, expected.at("high"), "high");
  }
}

TEST(MeanEstimate, NeedsTwoValuesForADeviation) {
  EXPECT_TRUE(std::isnan(mean_estimate({}).mean));
  const std::vector<double> one{0.5};
  EXPECT_EQ(mean_estimate(one).mean, 0.5);
  EXPECT_TRUE(std::isnan(mean_estimate(one).deviation));
  EXPECT_TRUE(std::isnan(mean_estimate(one).interval.low));
}

// Values that do not vary say nothing of how far others may lie, also if rounding makes them differ.
TEST(MeanEstimate, OfEqualValuesHasNoInterval) {
  for (const std::vector<double>& equal : {std::vector<double>{1, 1, 1}, {0.3, 0.1 + 0.2, 0.3}, {0, 0}}) {
    const MeanEstimate estimate = mean_estimate(equal, 0.1);
    EXPECT_NEAR(estimate.mean, equal[0], 1e-15);
    EXPECT_EQ(estimate.deviation, 0);
    EXPECT_EQ(estimate.error, 0);
    EXPECT_TRUE(std::isnan(estimate.interval.low));
    EXPECT_TRUE(std::isnan(estimate.interval.high));
  }
  const std::vector<double> small{1e-13, 2e-13};
  EXPECT_FALSE(std::isnan(mean_estimate(small).interval.low)) << "small numbers may differ";
}

// Each end is the share for which so many, or so few, would be seen once in forty times.
TEST(BinomialInterval, HasTheTailsOfTheBinomialDistribution) {
  // P(X >= k) of n trials, summed term by term.
  const auto at_least = [](int k, int n, double p) {
    double sum = 0;
    for (int i = k; i <= n; ++i) {
      double term = std::pow(p, i) * std::pow(1 - p, n - i);
      for (int j = 0; j < i; ++j) term *= static_cast<double>(n - j) / (i - j);
      sum += term;
    }
    return sum;
  };
  for (const int n : {2, 5, 40, 188}) {
    for (int k = 0; k <= n; ++k) {
      const Interval interval = binomial_interval(k, static_cast<std::size_t>(n));
      EXPECT_LT(interval.low, interval.high);
      const double more = k > 0 ? at_least(k, n, interval.low) : 0.025;
      const double fewer = k < n ? 1 - at_least(k + 1, n, interval.high) : 0.025;
      EXPECT_NEAR(more, 0.025, 1e-12) << k << " of " << n;
      EXPECT_NEAR(fewer, 0.025, 1e-12) << k << " of " << n;
    }
    EXPECT_EQ(binomial_interval(0, static_cast<std::size_t>(n)).low, 0);
    EXPECT_EQ(binomial_interval(n, static_cast<std::size_t>(n)).high, 1);
  }
  EXPECT_NEAR(binomial_interval(40, 40).low, std::pow(0.025, 1.0 / 40), 1e-14);
  EXPECT_NEAR(binomial_interval(7, 20).low, 0.15390920, 1e-8);
  EXPECT_NEAR(binomial_interval(7, 20).high, 0.59218853, 1e-8);
  EXPECT_TRUE(std::isnan(binomial_interval(1, 1).low)) << "one graph says nothing of others";
  EXPECT_TRUE(std::isnan(binomial_interval(0, 0).low));
}

TEST(CorrectedTTest, AgreesWithScipy) {
  for (const json& point : golden("corrected_t_test")) {
    const auto first = point.at("first").get<std::vector<double>>();
    const auto second = point.at("second").get<std::vector<double>>();
    const PairedTest test = corrected_t_test(first, second, point.at("test_over_train"));
    const json& expected = point.at("expected");
    expect_close(test.difference, expected.at("difference"), "difference");
    expect_close(test.statistic, expected.at("statistic"), "statistic");
    expect_close(test.p_value, expected.at("p_value"), "p value");
    expect_close(test.interval.low, expected.at("low"), "low");
    expect_close(test.interval.high, expected.at("high"), "high");
  }
}

// Differences 1 and 3: mean 2, s^2 = 2, two folds: 2 / sqrt(2 (1/2 + 1)); one degree of freedom is Cauchy's.
TEST(CorrectedTTest, ByHand) {
  const std::vector<double> first{2, 5};
  const std::vector<double> second{1, 2};
  const PairedTest test = corrected_t_test(first, second, 1);
  EXPECT_NEAR(test.difference, 2, 1e-15);
  EXPECT_NEAR(test.statistic, 2 / std::sqrt(3.0), 1e-15);
  EXPECT_NEAR(test.p_value, 1 - 2 * std::atan(2 / std::sqrt(3.0)) / std::numbers::pi, 1e-14);
  const PairedTest swapped = corrected_t_test(second, first, 1);
  EXPECT_EQ(swapped.statistic, -test.statistic);
  EXPECT_EQ(swapped.p_value, test.p_value);
  EXPECT_EQ(swapped.interval.low, -test.interval.high);
}

TEST(CorrectedTTest, EqualDifferencesAndTooFewFolds) {
  const std::vector<double> values{0.25, 0.5, 0.75};
  const std::vector<double> higher{0.5, 0.75, 1};
  const PairedTest same = corrected_t_test(values, values, 0.5);
  EXPECT_EQ(same.difference, 0);
  EXPECT_TRUE(std::isnan(same.statistic));
  EXPECT_TRUE(std::isnan(same.p_value));
  EXPECT_TRUE(std::isnan(same.interval.high));
  const PairedTest shifted = corrected_t_test(values, higher, 0.5);
  EXPECT_EQ(shifted.difference, -0.25);
  EXPECT_TRUE(std::isnan(shifted.statistic));
  EXPECT_TRUE(std::isnan(shifted.p_value));
  // Equal differences, of which each is rounded in another way.
  const std::vector<double> upper{0.9, 0.8, 0.7};
  const std::vector<double> lower{0.8, 0.7, 0.6};
  EXPECT_TRUE(std::isnan(corrected_t_test(upper, lower, 0.5).p_value));
  const PairedTest single = corrected_t_test({values.data(), 1}, {higher.data(), 1}, 0.5);
  EXPECT_EQ(single.difference, -0.25);
  EXPECT_TRUE(std::isnan(single.p_value));
  EXPECT_TRUE(std::isnan(corrected_t_test({}, {}, 0.5).difference));
}

// Predictions with the given numbers of rows that only one of the two gets right, and some of both other kinds.
McNemarTest mcnemar_of(std::uint64_t only_first, std::uint64_t only_second) {
  std::vector<std::int32_t> truth;
  std::vector<std::int32_t> first;
  std::vector<std::int32_t> second;
  const auto add = [&](std::uint64_t count, std::int32_t a, std::int32_t b) {
    for (; count > 0; --count) {
      truth.push_back(2);
      first.push_back(a);
      second.push_back(b);
    }
  };
  add(5, 2, 2);
  add(only_first, 2, 0);
  add(only_second, 1, 2);
  add(3, 0, 1);
  return mcnemar_test(truth, first, second);
}

TEST(McNemarTest, AgreesWithScipy) {
  for (const json& point : golden("mcnemar")) {
    const McNemarTest test = mcnemar_of(point.at("only_first_right"), point.at("only_second_right"));
    EXPECT_EQ(test.only_first_right, point.at("only_first_right").get<std::uint64_t>());
    EXPECT_EQ(test.only_second_right, point.at("only_second_right").get<std::uint64_t>());
    expect_close(test.p_value, point.at("p_value"), point.dump());
  }
}

TEST(McNemarTest, ByHand) {
  EXPECT_NEAR(mcnemar_of(4, 0).p_value, 2.0 / 16, 1e-15);
  EXPECT_NEAR(mcnemar_of(1, 4).p_value, 2.0 * (1 + 5) / 32, 1e-15);
  EXPECT_EQ(mcnemar_of(0, 0).p_value, 1);
  EXPECT_LE(mcnemar_of(1000, 1001).p_value, 1);
  EXPECT_EQ(mcnemar_test({}, {}, {}).p_value, 1);
}

TEST(SignedRootG, ByHand) {
  // 3 of 4 and 1 of 4, where 2 of 4 were to be expected of each.
  const double root = std::sqrt(2 * (6 * std::log(1.5) + 2 * std::log(0.5)));
  EXPECT_NEAR(signed_root_g(3, 4, 1, 4), root, 1e-14);
  EXPECT_NEAR(signed_root_g(1, 4, 3, 4), -root, 1e-14);
  // 10 of 30 and 30 of 45, where 16 and 24 were.
  EXPECT_NEAR(signed_root_g(10, 30, 30, 45), -std::sqrt(8.161371152850784), 1e-12);
  // All of one, none of the other: 2 * 8 ln 2.
  EXPECT_NEAR(signed_root_g(4, 4, 0, 4), std::sqrt(16 * std::log(2.0)), 1e-14);
}

TEST(SignedRootG, EqualSharesAreNotApart) {
  EXPECT_EQ(signed_root_g(1, 3, 2, 6), 0);
  EXPECT_EQ(signed_root_g(0, 3, 0, 7), 0);
  EXPECT_EQ(signed_root_g(3, 3, 7, 7), 0);
  EXPECT_TRUE(std::isnan(signed_root_g(0, 0, 2, 6)));
  EXPECT_TRUE(std::isnan(signed_root_g(2, 6, 0, 0)));
}

TEST(Quantile, AgreesWithNumpy) {
  const json expected = golden("quantile");
  const auto values = expected.at("values").get<std::vector<double>>();
  for (const json& pair : expected.at("of")) {
    EXPECT_NEAR(quantile(values, pair[0]), pair[1].get<double>(), 1e-14) << pair[0];
  }
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

// 1 for rows below `right`.
ValuesOfRows share_below(std::uint32_t right) {
  return [right](std::span<const std::uint32_t> rows) {
    const auto count = std::count_if(rows.begin(), rows.end(), [&](std::uint32_t row) { return row < right; });
    return std::vector<double>{static_cast<double>(count) / static_cast<double>(rows.size())};
  };
}

TEST(Bootstrap, OfAShareIsBinomial) {
  const json expected = golden("bootstrap_of_share");
  const std::size_t total = expected.at("total");
  const Interval interval = bootstrap_intervals(total, share_below(expected.at("right")), 7, 20000).at(0);
  const double step = 1.0 / static_cast<double>(total);  // what chance may move either end by
  EXPECT_NEAR(interval.low, expected.at("low").get<double>(), 1.01 * step);
  EXPECT_NEAR(interval.high, expected.at("high").get<double>(), 1.01 * step);
}

TEST(Bootstrap, TheSeedDecidesAndThreadsDoNot) {
  // A value that nearly every resample has alone.
  const auto order_sensitive = [](std::span<const std::uint32_t> rows) {
    double value = 0;
    for (const std::uint32_t row : rows) value = 0.9 * value + row;
    return std::vector<double>{value};
  };
  const auto run = [&](std::uint64_t seed, int threads) {
    RunOptions options;
    options.threads = threads;
    const ThreadScope scope(options);
    return bootstrap_intervals(50, order_sensitive, seed).at(0);
  };
  const Interval reference = run(1, 1);
  EXPECT_EQ(run(1, 4).low, reference.low);
  EXPECT_EQ(run(1, 4).high, reference.high);
  EXPECT_NE(run(2, 1).low, reference.low);
}

TEST(Bootstrap, DrawsAsManyRowsAsThereAreAndAllOfThem) {
  std::array<std::atomic<int>, 5> drawn{};
  std::atomic<int> calls = 0;
  std::atomic<bool> repeated = false;
  bootstrap_intervals(
      5,
      [&](std::span<const std::uint32_t> rows) {
        EXPECT_EQ(rows.size(), 5U);
        std::array<int, 5> own{};
        for (const std::uint32_t row : rows) ++own.at(row);
        for (std::size_t i = 0; i < 5; ++i) {
          drawn[i] += own[i];
          if (own[i] > 1) repeated = true;
        }
        ++calls;
        return std::vector<double>{0};
      },
      3);
  EXPECT_EQ(calls, 1000);
  EXPECT_TRUE(repeated);
  for (const auto& times : drawn) EXPECT_NEAR(times, 1000, 150);  // five standard deviations
}

// Values that are undefined in some resamples, in most, and without rows.
TEST(Bootstrap, UndefinedValuesAreLeftOut) {
  const auto values = [](std::span<const std::uint32_t> rows) {
    const double first = rows[0];
    return std::vector<double>{first, first >= 2 ? first : NAN, first >= 9 ? first : NAN};
  };
  const std::vector<Interval> intervals = bootstrap_intervals(10, values, 5);
  ASSERT_EQ(intervals.size(), 3U);
  EXPECT_EQ(intervals[0].low, 0);
  EXPECT_EQ(intervals[0].high, 9);
  EXPECT_EQ(intervals[1].low, 2);
  EXPECT_EQ(intervals[1].high, 9);
  EXPECT_TRUE(std::isnan(intervals[2].low));
  EXPECT_TRUE(std::isnan(intervals[2].high));
  const auto none = bootstrap_intervals(
      0, [](std::span<const std::uint32_t> rows) { return std::vector{regression_metrics({}, {}, rows).rmse}; }, 5);
  EXPECT_TRUE(std::isnan(none.at(0).low));
}

// All right, or hardly a graph to draw: resamples would all be the same, or all there are.
TEST(Bootstrap, NeedsRowsThatVary) {
  const auto all_right = share_below(50);
  EXPECT_TRUE(std::isnan(bootstrap_intervals(50, all_right, 1).at(0).low));
  EXPECT_TRUE(std::isnan(bootstrap_intervals(50, all_right, 1).at(0).high));
  EXPECT_FALSE(std::isnan(bootstrap_intervals(51, all_right, 1).at(0).low));
  for (const std::size_t rows : {std::size_t{1}, std::size_t{2}, kLeastRows - 1}) {
    EXPECT_TRUE(std::isnan(bootstrap_intervals(rows, share_below(1), 1).at(0).low)) << rows;
  }
}

// As it is meant to be used: several metrics of the same resamples.
TEST(Bootstrap, OfMetrics) {
  std::vector<double> truth(100);
  std::iota(truth.begin(), truth.end(), 0.0);
  std::vector<double> predicted = truth;
  for (std::size_t i = 0; i < truth.size(); ++i) predicted[i] += i % 2 == 0 ? 10 : -20;
  const auto values = [&](std::span<const std::uint32_t> rows) {
    const RegressionMetrics metrics = regression_metrics(truth, predicted, rows);
    return std::vector{metrics.mae, metrics.r2};
  };
  const std::vector<Interval> intervals = bootstrap_intervals(truth.size(), values, 11);
  const RegressionMetrics all = regression_metrics(truth, predicted);
  // Errors are 10 or 20: the mean of 100 drawn ones has a standard deviation of 1/2.
  EXPECT_NEAR(intervals[0].low, all.mae - 1.96 * 0.5, 0.15);
  EXPECT_NEAR(intervals[0].high, all.mae + 1.96 * 0.5, 0.15);
  EXPECT_LT(intervals[1].low, all.r2);
  EXPECT_GT(intervals[1].high, all.r2);
}

}  // namespace
}  // namespace gckn
