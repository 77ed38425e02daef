// SPDX-License-Identifier: BSD-3-Clause
// Metrics with their intervals, as text.
#pragma once

#include "console.h"
#include "gckn/cross_validation.h"

namespace gckn::cli {

// A table of methods and metrics, the interval of the metric that was selected by, and the comparisons.
void say_target(Console& console, const TargetResult& target);

// One line for each metric of the first method, with its interval.
void say_metrics(Console& console, const TargetResult& target);

}  // namespace gckn::cli
