// SPDX-License-Identifier: BSD-3-Clause
#include "explain/bounded_lbfgs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::size_t kMemory = 8;
constexpr int kPatience = 5;
constexpr double kSmallGain = 1e-9;  // of the value
constexpr double kArmijo = 1e-4;     // of the decrease that the gradient promises
constexpr double kSmallestStep = 1e-10;

struct Pair {
  std::vector<double> step, change;  // of x and of the gradient
};

double product(std::span<const double> x, std::span<const double> y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

// Over free variables only.
double product(std::span<const double> x, std::span<const double> y, const std::vector<char>& is_free) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += is_free[i] != 0 ? x[i] * y[i] : 0.0;
  return sum;
}

class Minimisation {
 public:
  Minimisation(const SmoothFunction& function, std::vector<double>& x, const BoundedOptions& options)
      : function_(function), x_(x), options_(options), gradient_(x.size()), direction_(x.size()), is_free_(x.size()) {}

  BoundedResult run() {
    BoundedResult result;
    result.value = function_(x_, gradient_);
    int without_gain = 0;
    while (true) {
      find_free();
      result.converged = distance_to_optimum() <= options_.tolerance || without_gain >= kPatience;
      if (result.converged || result.steps >= options_.most_steps) return result;
      check_cancelled();
      ++result.steps;
      const double before = result.value;
      set_direction();
      if (!search(result.value)) {
        // Once more along the gradient; if that brings nothing either, rounding is all that is left.
        if (pairs_.empty()) {
          result.converged = true;
          return result;
        }
        pairs_.clear();
        continue;
      }
      without_gain = before - result.value <= kSmallGain * std::abs(before) ? without_gain + 1 : 0;
    }
  }

 private:
  void find_free() {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      is_free_[i] = static_cast<char>(!((x_[i] <= 0 && gradient_[i] > 0) || (x_[i] >= 1 && gradient_[i] < 0)));
    }
  }

  [[nodiscard]] double distance_to_optimum() const {
    double largest = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      largest = std::max(largest, std::abs(std::clamp(x_[i] - gradient_[i], 0.0, 1.0) - x_[i]));
    }
    return largest;
  }

  // The two loops of L-BFGS, on the free variables.
  void set_direction() {
    for (std::size_t i = 0; i < x_.size(); ++i) direction_[i] = is_free_[i] != 0 ? -gradient_[i] : 0.0;
    std::vector<double> alpha(pairs_.size()), curvature(pairs_.size());
    double scale = 0;
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      curvature[k] = product(pairs_[k].step, pairs_[k].change, is_free_);
      const double size = product(pairs_[k].change, pairs_[k].change, is_free_);
      if (curvature[k] <= 1e-10 * size) {
        curvature[k] = 0;  // says nothing of the variables that are free now
        continue;
      }
      if (scale == 0) scale = curvature[k] / size;
      alpha[k] = product(pairs_[k].step, direction_) / curvature[k];
      for (std::size_t i = 0; i < x_.size(); ++i) {
        if (is_free_[i] != 0) direction_[i] -= alpha[k] * pairs_[k].change[i];
      }
    }
    if (scale == 0) {
      pairs_.clear();
      const double largest =
          std::abs(*std::ranges::max_element(direction_, {}, [](double value) { return std::abs(value); }));
      scale = largest > 0 ? std::min(1.0, 0.1 / largest) : 1.0;  // a tenth of the box at first
    }
    for (double& value : direction_) value *= scale;
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      if (curvature[k] == 0) continue;
      const double beta = product(pairs_[k].change, direction_, is_free_) / curvature[k];
      for (std::size_t i = 0; i < x_.size(); ++i) {
        if (is_free_[i] != 0) direction_[i] += (alpha[k] - beta) * pairs_[k].step[i];
      }
    }
    if (product(direction_, gradient_) < 0) return;
    pairs_.clear();
    for (std::size_t i = 0; i < x_.size(); ++i) direction_[i] = is_free_[i] != 0 ? -gradient_[i] : 0.0;
  }

  // Goes along the direction, projected. False if nothing is gained.
  bool search(double& value) {
    std::vector<double> next(x_.size()), next_gradient(x_.size());
    for (double t = 1; t > kSmallestStep; t /= 2) {
      double promised = 0;
      for (std::size_t i = 0; i < x_.size(); ++i) {
        next[i] = std::clamp(x_[i] + t * direction_[i], 0.0, 1.0);
        promised += gradient_[i] * (next[i] - x_[i]);
      }
      const double next_value = function_(next, next_gradient);
      if (!(next_value <= value + kArmijo * promised) || !(next_value < value)) continue;
      remember(next, next_gradient);
      value = next_value;
      x_.swap(next);
      gradient_.swap(next_gradient);
      return true;
    }
    return false;
  }

  void remember(const std::vector<double>& next, const std::vector<double>& next_gradient) {
    Pair pair{std::vector<double>(x_.size()), std::vector<double>(x_.size())};
    for (std::size_t i = 0; i < x_.size(); ++i) {
      pair.step[i] = next[i] - x_[i];
      pair.change[i] = next_gradient[i] - gradient_[i];
    }
    if (product(pair.step, pair.change) <= 0) return;  // not convex here
    if (pairs_.size() == kMemory) pairs_.erase(pairs_.begin());
    pairs_.push_back(std::move(pair));
  }

  const SmoothFunction& function_;
  std::vector<double>& x_;
  const BoundedOptions options_;
  std::vector<double> gradient_, direction_;
  std::vector<char> is_free_;
  std::vector<Pair> pairs_;  // the newest last
};

}  // namespace

BoundedResult minimise_in_box(const SmoothFunction& function, std::vector<double>& x, const BoundedOptions& options) {
  return Minimisation(function, x, options).run();
}

}  // namespace gckn
