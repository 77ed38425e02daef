// SPDX-License-Identifier: BSD-3-Clause
#include "learn/losses.h"

#include <algorithm>
#include <cmath>

namespace gckn {
namespace {

double squared_hinge(std::span<const double> scores, std::int32_t class_index, std::span<double> d_scores) {
  double loss = 0;
  for (std::size_t o = 0; o < scores.size(); ++o) {
    const std::int32_t own = scores.size() == 1 ? 1 : static_cast<std::int32_t>(o);
    const double y = class_index == own ? 1 : -1;
    const double short_of = std::max(0.0, 1 - y * scores[o]);
    loss += 0.5 * short_of * short_of;
    d_scores[o] = -y * short_of;
  }
  return loss;
}

double cross_entropy(std::span<const double> scores, std::int32_t class_index, std::span<double> d_scores) {
  if (scores.size() == 1) {
    // log(1 + exp(-y s)), without overflow.
    const double y = class_index == 1 ? 1 : -1;
    const double against = -y * scores[0];
    const double loss = std::max(against, 0.0) + std::log1p(std::exp(-std::abs(against)));
    d_scores[0] = -y / (1 + std::exp(-against));
    return loss;
  }
  const double largest = *std::ranges::max_element(scores);
  double sum = 0;
  for (std::size_t o = 0; o < scores.size(); ++o) sum += d_scores[o] = std::exp(scores[o] - largest);
  for (double& d : d_scores) d /= sum;
  const auto own = static_cast<std::size_t>(class_index);
  d_scores[own] -= 1;
  return std::log(sum) + largest - scores[own];
}

}  // namespace

double loss_with_gradient(LossKind loss, std::span<const double> scores, const LossTarget& target,
                          std::span<double> d_scores) {
  switch (loss) {
    case LossKind::squared_hinge:
      return squared_hinge(scores, target.class_index, d_scores);
    case LossKind::cross_entropy:
      return cross_entropy(scores, target.class_index, d_scores);
    case LossKind::squared_error:
      break;
  }
  d_scores[0] = scores[0] - target.number;
  return 0.5 * d_scores[0] * d_scores[0];
}

}  // namespace gckn
