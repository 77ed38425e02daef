// SPDX-License-Identifier: BSD-3-Clause
#include "learn/calibration.h"

#include <cassert>
#include <cmath>
#include <cstddef>
#include <vector>

namespace gckn {
namespace {

constexpr int kMostPlattSteps = 100;
constexpr double kRidge = 1e-12;  // added to the Hessian per weight: keeps it invertible where scores are all equal
constexpr double kPlattDecrement = 1e-15;  // per weight: the step that promises no more is the last
constexpr double kPlattSufficient = 1e-4;  // share of the promised decrease that a step must achieve
constexpr double kPlattShortest = 1e-10;   // step of the line search

// 1 / (1 + exp(x)) without overflow.
double falling_sigmoid(double x) {
  const double e = std::exp(-std::abs(x));
  return (x >= 0 ? e : 1.0) / (1.0 + e);
}

struct Sample {
  double score;
  double target;
  double weight;
};

double loss(const std::vector<Sample>& samples, double a, double b) {
  double sum = 0;
  for (const Sample& s : samples) {
    const double x = a * s.score + b;
    sum += s.weight * ((x >= 0 ? s.target : s.target - 1.0) * x + std::log1p(std::exp(-std::abs(x))));
  }
  return sum;
}

}  // namespace

double PlattScaling::probability(double score) const {
  return falling_sigmoid(a * score + b);
}

PlattScaling fit_platt(std::span<const double> scores, std::span<const std::uint8_t> truth,
                       std::span<const double> weights) {
  assert(scores.size() == truth.size() && (weights.empty() || weights.size() == scores.size()));
  std::vector<Sample> samples(scores.size());
  double positives = 0;
  double negatives = 0;
  double magnitude = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double v = weights.empty() ? 1.0 : weights[i];
    samples[i] = {scores[i], 0.0, v};
    (truth[i] != 0 ? positives : negatives) += v;
    magnitude += v * std::abs(scores[i]);
  }
  const double total = positives + negatives;
  // In units of their mean magnitude the scores need no tolerances of their own.
  const double unit = magnitude > 0 ? magnitude / total : 1.0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].score /= unit;
    samples[i].target = truth[i] != 0 ? (positives + 1) / (positives + 2) : 1 / (negatives + 2);
  }

  PlattScaling fit;
  fit.b = std::log((negatives + 1) / (positives + 1));
  fit.converged = positives == 0 || negatives == 0;  // the start is the optimum
  double value = loss(samples, fit.a, fit.b);
  while (!fit.converged && fit.steps < kMostPlattSteps) {
    double h_aa = kRidge * total;
    double h_bb = kRidge * total;
    double h_ab = 0;
    double g_a = 0;
    double g_b = 0;
    for (const Sample& s : samples) {
      const double x = fit.a * s.score + fit.b;
      const double p = falling_sigmoid(x);
      const double curvature = s.weight * p * falling_sigmoid(-x);
      const double slope = s.weight * (s.target - p);
      h_aa += curvature * s.score * s.score;
      h_ab += curvature * s.score;
      h_bb += curvature;
      g_a += slope * s.score;
      g_b += slope;
    }
    const double determinant = h_aa * h_bb - h_ab * h_ab;
    const double d_a = -(h_bb * g_a - h_ab * g_b) / determinant;
    const double d_b = -(h_aa * g_b - h_ab * g_a) / determinant;
    const double promise = -(g_a * d_a + g_b * d_b);
    double t = 1;
    for (; t >= kPlattShortest; t /= 2) {
      const double there = loss(samples, fit.a + t * d_a, fit.b + t * d_b);
      if (there <= value - kPlattSufficient * t * promise + 1e-15 * std::abs(value)) {
        value = there;
        break;
      }
    }
    if (t < kPlattShortest) break;
    fit.a += t * d_a;
    fit.b += t * d_b;
    ++fit.steps;
    fit.converged = promise <= kPlattDecrement * total;
  }
  fit.a /= unit;
  return fit;
}

}  // namespace gckn
