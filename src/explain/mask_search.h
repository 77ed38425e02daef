// SPDX-License-Identifier: BSD-3-Clause
// The masks of one graph: minimise  L(prediction, f(M)) + mu sum of M  over masks in [0, 1], beginning with 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gckn/explain.h"
#include "util/function_ref.h"

namespace gckn {

// scores: those of the whole graph. paths_of_variable: how many paths a mask stands for. forward: scores with masks;
// backward: the gradient by the masks of the last forward, from that by the scores. calibration: of the target, where L
// is to see log-odds instead of scores; or empty. Leaves the masks in `masks` and the course of it in the explanation,
// whose class is that of the prediction.
void search_masks(const ExplainOptions& options, std::size_t num_classes, std::span<const Calibration> calibration,
                  const std::vector<double>& scores, std::span<const double> paths_of_variable,
                  FunctionRef<const std::vector<double>&(std::span<const double> masks)> forward,
                  FunctionRef<void(std::span<const double> d_scores, std::span<double> gradient)> backward,
                  std::vector<double>& masks, Explanation& explanation);

}  // namespace gckn
