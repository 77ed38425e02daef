// SPDX-License-Identifier: BSD-3-Clause
#include "explain/mask_search.h"

#include "explain/bounded_lbfgs.h"
#include "learn/losses.h"

namespace gckn {

void search_masks(const ExplainOptions& options, std::size_t num_classes, std::span<const Calibration> calibration,
                  const std::vector<double>& scores, std::span<const double> paths_of_variable,
                  FunctionRef<const std::vector<double>&(std::span<const double> masks)> forward,
                  FunctionRef<void(std::span<const double> d_scores, std::span<double> gradient)> backward,
                  std::vector<double>& masks, Explanation& explanation) {
  const auto to_log_odds = [&](std::vector<double> values) {
    for (std::size_t o = 0; o < calibration.size(); ++o) values[o] = -calibration[o].a * values[o] - calibration[o].b;
    return values;
  };
  const LossKind loss = num_classes == 0 ? LossKind::squared_error : LossKind::cross_entropy;
  const LossTarget target{explanation.explained_class, to_log_odds(scores).front()};
  std::vector<double> d_scores(scores.size());
  const auto objective = [&](std::span<const double> x, std::span<double> gradient) {
    double value = loss_with_gradient(loss, to_log_odds(forward(x)), target, d_scores);
    for (std::size_t o = 0; o < calibration.size(); ++o) d_scores[o] *= -calibration[o].a;
    backward(d_scores, gradient);
    for (std::size_t v = 0; v < x.size(); ++v) {
      value += options.mu * paths_of_variable[v] * x[v];
      gradient[v] += options.mu * paths_of_variable[v];
    }
    return value;
  };
  const BoundedResult result = minimise_in_box(objective, masks, {options.tolerance, options.most_steps});
  explanation.minimisation = {result.value, result.steps, result.converged};
}

}  // namespace gckn
