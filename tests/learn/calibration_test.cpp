// SPDX-License-Identifier: BSD-3-Clause
// Platt scaling against scikit-learn, and where scores or truths are extreme.
#include "learn/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "util/random.h"

namespace gckn {
namespace {

TEST(Calibration, AgreesWithScikitLearn) {
  std::ifstream file(std::filesystem::path(GCKN_TEST_GOLDEN_DIR) / "calibration.json");
  for (const auto& golden : nlohmann::json::parse(file)) {
    const auto scores = golden.at("scores").get<std::vector<double>>();
    const auto truth = golden.at("truth").get<std::vector<std::uint8_t>>();
    const auto weights = golden.at("sample_weights").get<std::vector<double>>();
    const PlattScaling fit = fit_platt(scores, truth, weights);
    EXPECT_TRUE(fit.converged);
    EXPECT_NEAR(fit.a / golden.at("a").get<double>(), 1.0, 1e-4);
    EXPECT_NEAR(fit.b, golden.at("b").get<double>(), 1e-5);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      EXPECT_NEAR(fit.probability(scores[i]), golden.at("probabilities")[i].get<double>(), 1e-5);
    }
  }
}

struct ScoreData {
  std::vector<double> scores;
  std::vector<std::uint8_t> truth;
};

ScoreData random_data(double size, double shift) {
  Random random(11);
  ScoreData data;
  for (int i = 0; i < 200; ++i) {
    data.truth.push_back(random.uniform() < 0.3 ? 1 : 0);
    data.scores.push_back(size * (random.uniform() + 0.4 * data.truth.back()) + shift);
  }
  return data;
}

TEST(Calibration, TheUnitOfTheScoresDoesNotMatter) {
  const ScoreData plain = random_data(1, -0.5);
  const PlattScaling expected = fit_platt(plain.scores, plain.truth);
  for (const double size : {1e-12, 1e-3, 1e6, 1e150, 1e300}) {
    const ScoreData data = random_data(size, -0.5 * size);
    const PlattScaling fit = fit_platt(data.scores, data.truth);
    EXPECT_TRUE(fit.converged);
    EXPECT_NEAR(fit.a * size / expected.a, 1.0, 1e-9) << size;
    EXPECT_NEAR(fit.b, expected.b, 1e-9) << size;
  }
}

TEST(Calibration, IsMonotoneAndStable) {
  const ScoreData data = random_data(2, 0);
  const PlattScaling fit = fit_platt(data.scores, data.truth);
  ASSERT_LT(fit.a, 0);
  double before = 0;
  for (double score = -50; score <= 50; score += 0.5) {
    const double p = fit.probability(score);
    EXPECT_GE(p, before);
    before = p;
  }
  EXPECT_EQ(fit.probability(1e300), 1.0);
  EXPECT_EQ(fit.probability(-1e300), 0.0);
}

// The smoothing keeps even perfectly separated scores from infinite slopes.
TEST(Calibration, SeparatedScoresAndFarOnesStayFinite) {
  for (const double far : {2.0, 1e8}) {
    const std::vector<double> scores{-far, -2, -1, 1, 2, far};
    const std::vector<std::uint8_t> truth{0, 0, 0, 1, 1, 1};
    const PlattScaling fit = fit_platt(scores, truth);
    EXPECT_TRUE(fit.converged);
    EXPECT_TRUE(std::isfinite(fit.a) && std::isfinite(fit.b));
    EXPECT_LT(fit.a, 0);
    EXPECT_NEAR(fit.probability(0.0), 0.5, 1e-6);
  }
}

TEST(Calibration, OneClassOrEqualScoresGiveTheSmoothedShare) {
  const std::vector<double> scores{0.3, -1, 2, 5};
  const PlattScaling positive = fit_platt(scores, std::vector<std::uint8_t>{1, 1, 1, 1});
  EXPECT_TRUE(positive.converged);
  EXPECT_EQ(positive.a, 0.0);
  EXPECT_NEAR(positive.probability(7), 5.0 / 6, 1e-15);
  const PlattScaling negative = fit_platt(scores, std::vector<std::uint8_t>{0, 0, 0, 0});
  EXPECT_EQ(negative.a, 0.0);
  EXPECT_NEAR(negative.probability(7), 1.0 / 6, 1e-15);
  EXPECT_NEAR(fit_platt({}, {}).probability(1), 0.5, 1e-15);
  for (const double score : {0.0, 3.0}) {
    const PlattScaling equal = fit_platt(std::vector<double>(4, score), std::vector<std::uint8_t>{0, 0, 0, 1});
    EXPECT_TRUE(equal.converged);
    EXPECT_NEAR(equal.probability(score), (3 * 0.2 + 2.0 / 3) / 4, 1e-6);  // the mean of the smoothed truths
  }
}

TEST(Calibration, WeightsCountAsRepetitions) {
  const std::vector<double> scores{-1, 0.5, 0.2, 2};
  const std::vector<std::uint8_t> truth{0, 0, 1, 1};
  const std::vector<double> weights{1, 2, 3, 1};
  const PlattScaling weighted = fit_platt(scores, truth, weights);
  const PlattScaling repeated =
      fit_platt(std::vector<double>{-1, 0.5, 0.5, 0.2, 0.2, 0.2, 2}, std::vector<std::uint8_t>{0, 0, 0, 1, 1, 1, 1});
  EXPECT_NEAR(weighted.a, repeated.a, 1e-9);
  EXPECT_NEAR(weighted.b, repeated.b, 1e-9);
}

}  // namespace
}  // namespace gckn
