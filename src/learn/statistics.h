// SPDX-License-Identifier: BSD-3-Clause
// How sure a measured figure is, and whether two methods differ. Intervals are of 95 %; what is undefined is NaN.
//
// Which one for what:
//   a metric of test predictions, each graph once             bootstrap_intervals; for a share of them
//   binomial_interval a mean over folds                                         mean_estimate two methods by their
//   values on the same folds             corrected_t_test two methods by their predictions, each graph once
//   mcnemar_test
//
// Where values do not vary at all there is nothing that mean_estimate, corrected_t_test and bootstrap_intervals could
// judge by, and they give no interval and no p value: ten perfect folds do not make a method perfect. Numbers of graphs
// that are right remain, for binomial_interval and mcnemar_test.
//
// None of them knows what another training set would have changed, save for mean_estimate and corrected_t_test if they
// are told how far the training sets overlap. Folds share most of their training graphs, so values by fold vary less
// than those of independent experiments would, and the plain variance s^2 / J of their mean is too small. Nadeau and
// Bengio (2003) put s^2 (1 / J + n_test / n_train) in its place. No correction is exact (Bengio and Grandvalet 2004).
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace gckn {

struct Interval {
  double low = NAN;
  double high = NAN;
};

struct MeanEstimate {
  double mean = NAN;       // NaN without values
  double deviation = NAN;  // s, with J - 1; NaN with fewer than two values, as is what follows
  double error = NAN;      // standard error of the mean: s sqrt(1 / J + test_over_train)
  // mean -+ t error, t the 97.5 % quantile of Student's distribution with J - 1; NaN if the values are equal but for
  // rounding, when deviation and error are 0.
  Interval interval;
};

// Of J values, one per fold (or repeat and fold). test_over_train: n_test / n_train, 1 / (k - 1) for k folds, repeated
// or not; 0 treats the values as independent.
MeanEstimate mean_estimate(std::span<const double> values, double test_over_train = 0);

// Percentile bootstrap. Draws `resamples` times `rows` row numbers with replacement, calls values_of with them and
// returns, for each of the values that it gives (always as many), the interval from their 2.5 % to their 97.5 %
// quantile. Resamples with an undefined value (NaN: one class only, constant truth) do not count for this value; its
// interval is NaN if that leaves less than half of them, if nearly all of them have the same value, or if there are
// fewer than kLeastRows rows, which stand for nothing but themselves. The same seed gives the same intervals with any
// number of threads; values_of is called from several at a time. Rows must be independent: graphs tested several times
// are to be drawn as graphs.
inline constexpr std::size_t kLeastRows = 10;
using ValuesOfRows = std::function<std::vector<double>(std::span<const std::uint32_t> rows)>;
std::vector<Interval> bootstrap_intervals(std::size_t rows, const ValuesOfRows& values_of, std::uint64_t seed,
                                          std::size_t resamples = 1000);

// Clopper and Pearson's exact interval of a share, of which `right` of `of` independent trials had it: it reaches 95 %
// for any share. Expects 0 <= right <= of; the means of several trials of one thing, which need not be whole, may stand
// for it. NaN with fewer than two.
Interval binomial_interval(double right, std::size_t of);

struct PairedTest {
  double difference = NAN;  // mean of first - second; NaN without values
  double statistic = NAN;   // difference / its standard error; NaN with fewer than two values, as is what follows
  double p_value = NAN;     // two-sided, against no difference
  Interval interval;        // of the difference
};

// The corrected resampled t-test of Nadeau and Bengio, for means over the folds of one k-fold cross-validation or of
// repeated ones. first, second: values of two methods on the same J splits in the same order; test_over_train as for
// mean_estimate, and not 0: the uncorrected test finds differences where there are none. Differences that are the same
// in all splits, but for rounding, give a statistic, p and interval of NaN.
PairedTest corrected_t_test(std::span<const double> first, std::span<const double> second, double test_over_train);

struct McNemarTest {
  std::uint64_t only_first_right = 0;
  std::uint64_t only_second_right = 0;
  double p_value = 1;  // two-sided, against both numbers having the same expectation; 1 if both are 0
};

// McNemar's exact test: the smaller number against a binomial distribution of one half. For predictions of single test
// graphs, each tested once (one k-fold cross-validation, pooled, or a held-out set); it compares the classifiers that
// were trained, not the methods on other training sets.
McNemarTest mcnemar_test(std::span<const std::int32_t> truth, std::span<const std::int32_t> first,
                         std::span<const std::int32_t> second);

// How far two shares are apart, `first` of `of_first` and `second` of `of_second`: the root of the likelihood-ratio
// statistic G = 2 sum O ln(O / E) of the table (first / second) x (has it / has it not), negative if the first share is
// the smaller one. O are the numbers counted, E those to be expected were the shares equal; then it is about a standard
// normal number. NaN if either is a share of nothing.
double signed_root_g(double first, double of_first, double second, double of_second);

// The q-quantile of ascending values, 0 <= q <= 1, between neighbours linearly (numpy's default). NaN without values.
double quantile(std::span<const double> ascending, double q);

// Student's distribution with `freedom` > 0 degrees, not necessarily whole; accurate to about 1e-13 (relative).
double student_t_cdf(double t, double freedom);
// P(|T| >= |t|): small values keep their relative accuracy, which 2 (1 - cdf) loses.
double student_t_two_sided(double t, double freedom);
// The t with cdf(t) = p; infinite for p = 0 and 1.
double student_t_quantile(double p, double freedom);

}  // namespace gckn
