// SPDX-License-Identifier: BSD-3-Clause
#include "learn/kernel_machine.h"

#include <algorithm>

#include "linalg/vector_ops.h"

namespace gckn {

KernelMachine::KernelMachine(const KernelProblem& of, std::size_t rows)
    : problem(&of),
      v(of.weights.empty() ? std::vector<double>(of.train.size(), 1.0) : of.weights),
      active(of.train.size(), 1),
      a(of.train.size(), 0.0),
      f(of.train.size(), 0.0),
      all_f(rows, 0.0) {}

std::size_t KernelMachine::num_active() const {
  return static_cast<std::size_t>(std::ranges::count(active, 1));
}

KernelMachine::Move KernelMachine::move_to(double c, std::span<const double> point, std::span<const double> outputs) {
  const std::size_t n = a.size();
  if (problem->loss == KernelLoss::squared_error) {
    a.assign(point.begin(), point.end());
    all_f.assign(outputs.begin(), outputs.end());
    for (std::size_t i = 0; i < n; ++i) f[i] = all_f[problem->train[i]];
    return {Outcome::converged, 1, 0};
  }
  std::vector<double> d(n);
  std::vector<double> df(n);
  for (std::size_t i = 0; i < n; ++i) {
    d[i] = point[i] - a[i];
    df[i] = outputs[problem->train[i]] - f[i];
  }
  const double d_d = dot(d.data(), df.data(), n);
  const double d_w = dot(d.data(), f.data(), n);
  const auto [step, derivative] = line_search(c, points(), df, d_d, d_w);
  add_scaled(a.data(), d.data(), step, n);
  for (std::size_t i = 0; i < all_f.size(); ++i) all_f[i] += step * (outputs[i] - all_f[i]);
  for (std::size_t i = 0; i < n; ++i) f[i] = all_f[problem->train[i]];
  const std::vector<char> before = active;
  const bool is_switched = update_active(c, points(), active);
  std::size_t switched = 0;
  for (std::size_t i = 0; i < n; ++i) switched += active[i] != before[i] ? 1 : 0;
  const double promised = -0.5 * derivative;
  const double enough = kHingeDecrement * (0.5 * dot(a.data(), f.data(), n) + hinge_loss(c, points()));
  Outcome outcome = Outcome::further;
  if (!(promised >= -enough)) {
    outcome = Outcome::uphill;
  } else if (!is_switched || promised <= enough) {
    outcome = Outcome::converged;
  }
  return {outcome, step, switched};
}

}  // namespace gckn
