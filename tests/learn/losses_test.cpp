// SPDX-License-Identifier: BSD-3-Clause
#include "learn/losses.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "learn/adam.h"
#include "util/random.h"

namespace gckn {
namespace {

constexpr std::array kLosses{LossKind::squared_hinge, LossKind::cross_entropy, LossKind::squared_error};

TEST(Losses, GradientsAreThoseOfFiniteDifferences) {
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const LossKind loss = kLosses[random.below(3)];
    const std::size_t outputs = loss == LossKind::squared_error ? 1 : 1 + random.below(4);
    const LossTarget target{static_cast<std::int32_t>(random.below(std::max<std::size_t>(outputs, 2))),
                            random.uniform()};
    std::vector<double> scores(outputs);
    for (double& score : scores) score = 6 * (random.uniform() - 0.5);
    std::vector<double> d_scores(outputs);
    std::vector<double> unused(outputs);
    loss_with_gradient(loss, scores, target, d_scores);
    for (std::size_t o = 0; o < outputs; ++o) {
      constexpr double kStep = 1e-5;
      std::vector<double> up = scores;
      std::vector<double> down = scores;
      up[o] += kStep;
      down[o] -= kStep;
      const double numeric =
          (loss_with_gradient(loss, up, target, unused) - loss_with_gradient(loss, down, target, unused)) / (2 * kStep);
      EXPECT_NEAR(d_scores[o], numeric, 1e-5) << static_cast<int>(loss);
    }
  }
}

TEST(Losses, Values) {
  std::vector<double> d(3);
  const std::vector<double> scores{0.5, -2, 1.5};
  // 1/2 (1.5^2 + 3^2 + 0): class 2 is beyond its margin, class 1 is not predicted enough below.
  EXPECT_DOUBLE_EQ(loss_with_gradient(LossKind::squared_hinge, scores, {2, 0}, d), 0.5 * 1.5 * 1.5);
  EXPECT_DOUBLE_EQ(loss_with_gradient(LossKind::squared_hinge, scores, {1, 0}, d), 0.5 * (1.5 * 1.5 + 9 + 2.5 * 2.5));
  EXPECT_NEAR(loss_with_gradient(LossKind::cross_entropy, scores, {0, 0}, d),
              std::log(std::exp(0.5) + std::exp(-2) + std::exp(1.5)) - 0.5, 1e-12);
  std::vector<double> one(1);
  EXPECT_DOUBLE_EQ(loss_with_gradient(LossKind::squared_error, std::vector{3.0}, {0, 1}, one), 2);
}

// One score of two classes is as two scores of which the first is zero (cross-entropy).
TEST(Losses, OneScoreOfTwoClasses) {
  for (const double score : {-3.0, 0.0, 0.2, 50.0, 1000.0, -1000.0}) {
    for (const std::int32_t c : {0, 1}) {
      std::vector<double> one(1);
      std::vector<double> two(2);
      const double loss = loss_with_gradient(LossKind::cross_entropy, std::vector{score}, {c, 0}, one);
      EXPECT_NEAR(loss, loss_with_gradient(LossKind::cross_entropy, std::vector{0.0, score}, {c, 0}, two),
                  1e-12 * std::max(1.0, std::abs(score)));
      EXPECT_NEAR(one[0], two[1], 1e-12);
      EXPECT_TRUE(std::isfinite(loss));
    }
  }
}

// Three steps by the formulas of the paper, written out.
TEST(Adam, FollowsItsFormulas) {
  const std::vector<double> gradients{0.5, -2, 0.25};
  std::vector<double> x{1.0};
  AdamMoments<double> moments(1);
  double expected = 1;
  double m = 0;
  double v = 0;
  for (std::uint64_t t = 1; t <= gradients.size(); ++t) {
    const double g = gradients[t - 1];
    AdamStep{0.1, t}.update<double>(std::vector{g}, moments, x);
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    const auto power = static_cast<double>(t);
    expected -= 0.1 * (m / (1 - std::pow(0.9, power))) / (std::sqrt(v / (1 - std::pow(0.999, power))) + 1e-8);
    EXPECT_NEAR(x[0], expected, 1e-12) << t;
  }
}

TEST(Adam, FindsTheMinimum) {
  std::vector<float> x{3, -4};
  AdamMoments<float> moments(2);
  for (std::uint64_t t = 1; t <= 2000; ++t) {
    AdamStep{0.01, t}.update<float>(std::vector{x[0] - 1, 10 * (x[1] - 2)}, moments, x);
  }
  EXPECT_NEAR(x[0], 1, 1e-2);
  EXPECT_NEAR(x[1], 2, 1e-2);
}

}  // namespace
}  // namespace gckn
