// SPDX-License-Identifier: BSD-3-Clause
// What the benchmark programs measure with: a clock, peak memory, and the speed of the machine on the day.
#pragma once

#include <chrono>

namespace gckn::bench {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin);

// Of this process, so far.
double peak_megabytes();

// GFLOP/s of one product of 1024 x 1024 matrices on one core, the best of five.
struct ProductSpeed {
  double blas = 0;
  double ours = 0;
};
template <typename Real>
ProductSpeed product_speed();

}  // namespace gckn::bench
