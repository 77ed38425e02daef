// SPDX-License-Identifier: BSD-3-Clause
#include "learn/statistics.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <numbers>
#include <numeric>

#include "util/parallel.h"
#include "util/random.h"

namespace gckn {
namespace {

constexpr double kTail = 0.025;  // beyond either end of an interval
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// ln Gamma(x) - ((x - 1/2) ln x - x + 1/2 ln 2 pi), x > 0. Not by std::lgamma: that writes a global sign, and for large
// arguments the differences that are needed here would lose what this keeps.
double stirling_remainder(double x) {
  constexpr double kLarge = 12;  // from here the series below is good to 1e-16
  double shift = 0;              // by Gamma(x + 1) = x Gamma(x)
  for (; x < kLarge; ++x) shift += (x + 0.5) * std::log1p(1 / x) - 1;
  const double u = 1 / (x * x);
  const double series =
      1.0 / 12 - u * (1.0 / 360 - u * (1.0 / 1260 - u * (1.0 / 1680 - u * (1.0 / 1188 - u * (691.0 / 360360)))));
  return shift + series / x;
}

// x^a y^b / B(a, b) with y = 1 - x. By Stirling's formula this is, with n = a + b and the remainder r above,
//   (x n / a)^a (y n / b)^b sqrt(a b / (2 pi n)) exp(r(n) - r(a) - r(b)).
double beta_power(double a, double b, double x, double y) {
  const double n = a + b;
  const double d = b * x - a * y;  // x n / a = 1 + d / a, y n / b = 1 - d / b
  // Near 1 the logarithm needs the excess, far from 1 the excess has lost the digits of the ratio.
  const auto log_of = [](double ratio, double excess) {
    return std::abs(excess) < 0.5 ? std::log1p(excess) : std::log(ratio);
  };
  const double exponent = a * log_of(x * n / a, d / a) + b * log_of(y * n / b, -d / b) + stirling_remainder(n) -
                          stirling_remainder(a) - stirling_remainder(b);
  return std::sqrt(a * b / (2 * std::numbers::pi * n)) * std::exp(exponent);
}

// The regularised incomplete beta function I_x(a, b), a and b > 0; y = 1 - x, given so that neither end loses digits:
//   I_x(a, b) = x^a y^b / B(a, b) / (q_0 + p_1 / (q_1 + p_2 / (q_2 + ...)))
//   p_m = m (b - m) (a + m - 1) (a + b + m - 1) x^2 / (a + 2m - 1)^2
//   q_m = m + m (b - m) x / (a + 2m - 1) + (a + m) (a y - b x + 1 + m (1 + y)) / (a + 2m + 1)
// the even part of DLMF 8.17.22 (Didonato and Morris 1992, eq. 9), by the modified Lentz algorithm. It takes
// O(sqrt(max(a, b))) steps on the side of the mean that is chosen here.
double incomplete_beta(double a, double b, double x, double y) {
  if (std::isnan(x)) return NAN;
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(b, a, y, x);
  constexpr int kMostSteps = 100000;
  const double excess = a * y - b * x + 1;  // positive on this side of the mean
  double fraction = a * excess / (a + 1);
  double c = fraction;
  double d = 0;
  for (int m = 1; m <= kMostSteps; ++m) {
    const double before = a + 2 * m - 1;
    const double p = m * (b - m) * (a + m - 1) / before * (a + b + m - 1) / before * x * x;
    const double q = m + m * (b - m) * x / before + (a + m) * (excess + m * (1 + y)) / (before + 2);
    d = 1 / (q + p * d);
    c = q + p / c;
    fraction *= c * d;
    if (std::abs(c * d - 1) <= std::numeric_limits<double>::epsilon()) break;
  }
  return beta_power(a, b, x, y) / fraction;
}

// The x with I_x(a, b) = p, by bisection down to neighbouring numbers.
double beta_quantile(double p, double a, double b) {
  double low = 0;
  double high = 1;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (incomplete_beta(a, b, middle, 1 - middle) < p ? low : high) = middle;
  }
}

// Whether values are equal but for the rounding of numbers of this magnitude.
bool are_equal(std::span<const double> values, double magnitude) {
  constexpr double kRounding = 1e-12;
  const auto [low, high] = std::ranges::minmax(values);
  return high - low <= kRounding * magnitude;
}

double largest_magnitude(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

MeanEstimate estimate_mean(std::span<const double> values, double test_over_train, double magnitude) {
  MeanEstimate estimate;
  if (values.empty()) return estimate;
  const auto n = static_cast<double>(values.size());
  estimate.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() < 2) return estimate;
  if (are_equal(values, magnitude)) {
    estimate.deviation = estimate.error = 0;
    return estimate;
  }
  double squares = 0;
  for (const double value : values) squares += (value - estimate.mean) * (value - estimate.mean);
  estimate.deviation = std::sqrt(squares / (n - 1));
  estimate.error = estimate.deviation * std::sqrt(1 / n + test_over_train);
  const double half = student_t_quantile(1 - kTail, n - 1) * estimate.error;
  estimate.interval = {estimate.mean - half, estimate.mean + half};
  return estimate;
}

}  // namespace

double student_t_two_sided(double t, double freedom) {
  assert(freedom > 0);
  const double square = t * t;
  return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square), 1 / (1 + freedom / square));
}

double student_t_cdf(double t, double freedom) {
  const double tail = student_t_two_sided(t, freedom) / 2;
  return t > 0 ? 1 - tail : tail;
}

double student_t_quantile(double p, double freedom) {
  assert(p >= 0 && p <= 1);
  if (p > 0.5) return -student_t_quantile(1 - p, freedom);
  if (p == 0.5) return 0;
  if (p == 0) return -kInfinity;
  const auto outside = [&](double t) { return student_t_two_sided(t, freedom) > 2 * p; };
  // Bisection down to neighbouring numbers: some sixty steps, sure for every p and freedom.
  double low = 0;
  double high = 1;
  while (outside(high)) {
    low = high;
    high *= 2;
  }
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return -high;
    (outside(middle) ? low : high) = middle;
  }
}

MeanEstimate mean_estimate(std::span<const double> values, double test_over_train) {
  return estimate_mean(values, test_over_train, largest_magnitude(values));
}

double quantile(std::span<const double> ascending, double q) {
  if (ascending.empty()) return NAN;
  const double place = q * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return std::lerp(ascending[below], ascending[above], place - static_cast<double>(below));
}

std::vector<Interval> bootstrap_intervals(std::size_t rows, const ValuesOfRows& values_of, std::uint64_t seed,
                                          std::size_t resamples) {
  // A seed for each resample, so that they can be drawn in any order.
  Random random(seed);
  std::vector<std::uint64_t> seeds(resamples);
  for (std::uint64_t& own : seeds) own = random.below(std::numeric_limits<std::uint64_t>::max());
  std::vector<std::vector<double>> values(resamples);
  parallel_for(resamples, [&](std::size_t r) {
    Random draw(seeds[r]);
    std::vector<std::uint32_t> drawn(rows);
    for (std::uint32_t& row : drawn) row = static_cast<std::uint32_t>(draw.below(rows));
    values[r] = values_of(drawn);
  });

  std::vector<Interval> intervals(resamples == 0 ? 0 : values.front().size());
  for (std::size_t k = 0; k < intervals.size(); ++k) {
    std::vector<double> defined;
    for (const std::vector<double>& of_resample : values) {
      assert(of_resample.size() == intervals.size());
      if (!std::isnan(of_resample[k])) defined.push_back(of_resample[k]);
    }
    if (2 * defined.size() < resamples || rows < kLeastRows) continue;
    std::sort(defined.begin(), defined.end());
    const std::array<double, 2> ends{quantile(defined, kTail), quantile(defined, 1 - kTail)};
    if (!are_equal(ends, largest_magnitude(ends))) intervals[k] = {ends[0], ends[1]};
  }
  return intervals;
}

Interval binomial_interval(double right, std::size_t of) {
  assert(right >= 0 && right <= static_cast<double>(of));
  if (of < 2) return {};
  const double wrong = static_cast<double>(of) - right;
  return {right > 0 ? beta_quantile(kTail, right, wrong + 1) : 0.0,
          wrong > 0 ? beta_quantile(1 - kTail, right + 1, wrong) : 1.0};
}

PairedTest corrected_t_test(std::span<const double> first, std::span<const double> second, double test_over_train) {
  assert(first.size() == second.size());
  std::vector<double> differences(first.size());
  std::transform(first.begin(), first.end(), second.begin(), differences.begin(), std::minus<>());
  // Rounding of the values shows in their differences, however small these are.
  const double magnitude = std::max(largest_magnitude(first), largest_magnitude(second));
  const MeanEstimate estimate = estimate_mean(differences, test_over_train, magnitude);
  PairedTest test{estimate.mean, NAN, NAN, estimate.interval};
  if (differences.size() < 2 || estimate.error == 0) return test;
  test.statistic = estimate.mean / estimate.error;
  test.p_value = student_t_two_sided(test.statistic, static_cast<double>(differences.size() - 1));
  return test;
}

McNemarTest mcnemar_test(std::span<const std::int32_t> truth, std::span<const std::int32_t> first,
                         std::span<const std::int32_t> second) {
  assert(truth.size() == first.size() && truth.size() == second.size());
  McNemarTest test;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const bool first_right = first[i] == truth[i];
    const bool second_right = second[i] == truth[i];
    test.only_first_right += first_right && !second_right ? 1 : 0;
    test.only_second_right += second_right && !first_right ? 1 : 0;
  }
  if (test.only_first_right == test.only_second_right) return test;
  const auto [fewer, more] = std::minmax(test.only_first_right, test.only_second_right);
  // P(X <= fewer) = I_1/2(more, fewer + 1) for X binomial of fewer + more trials.
  const double tail = incomplete_beta(static_cast<double>(more), static_cast<double>(fewer) + 1, 0.5, 0.5);
  test.p_value = std::min(2 * tail, 1.0);  // above 1 by rounding only
  return test;
}

double signed_root_g(double first, double of_first, double second, double of_second) {
  if (!(of_first > 0) || !(of_second > 0)) return NAN;
  const double all = of_first + of_second;
  double sum = 0;
  const auto add = [&](double counted, double row, double column) {
    if (counted > 0) sum += counted * std::log(counted / (row * column / all));
  };
  add(first, of_first, first + second);
  add(second, of_second, first + second);
  add(of_first - first, of_first, all - first - second);
  add(of_second - second, of_second, all - first - second);
  const double root = std::sqrt(std::max(2 * sum, 0.0));  // below 0 by rounding only
  return first * of_second < second * of_first ? -root : root;
}

}  // namespace gckn
