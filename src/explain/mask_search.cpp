// SPDX-License-Identifier: BSD-3-Clause
#include "explain/mask_search.h"

#include "explain/bounded_lbfgs.h"
#include "learn/losses.h"

namespace gckn {

void search_masks(const ExplainOptions& options, std::size_t num_classes, const std::vector<double>& scores,
                  std::span<const double> paths_of_variable,
                  FunctionRef<const std::vector<double>&(std::span<const double> masks)> forward,
                  FunctionRef<void(std::span<const double> d_scores, std::span<double> gradient)> backward,
                  std::vector<double>& masks, Explanation& explanation) {
  const LossKind loss = num_classes == 0 ? LossKind::squared_error : LossKind::cross_entropy;
  const LossTarget target{explanation.explained_class, scores.front()};
  std::vector<double> d_scores(scores.size());
  const auto objective = [&](std::span<const double> x, std::span<double> gradient) {
    double value = loss_with_gradient(loss, forward(x), target, d_scores);
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
