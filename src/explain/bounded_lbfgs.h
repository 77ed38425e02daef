// SPDX-License-Identifier: BSD-3-Clause
// Minimises a smooth function over the box [0, 1]^n: L-BFGS on the variables that are free, projected onto the box.
//
// Of a point x with gradient g those variables are fixed that are at a bound which -g points beyond. On the others the
// direction is that of L-BFGS, with the last kMemory pairs of steps and changes of the gradient, restricted to them;
// the step is halved until P(x + t d), with P the projection onto the box, has decreased the function by 1e-4 times
// what the gradient promises. If the direction does not descend, or nothing is gained along it, the memory is emptied
// and the gradient itself is tried.
//
// Stops when no variable of P(x - g) - x is larger than `tolerance` in size, when kPatience steps in a row have gained
// less than 1e-9 of the value each, or (not converged) after `most_steps`. The same input gives the same bits.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace gckn {

struct BoundedOptions {
  double tolerance = 1e-5;
  int most_steps = 500;
};

struct BoundedResult {
  double value = 0;
  int steps = 0;
  bool converged = false;
};

// The value at x; fills the gradient.
using SmoothFunction = std::function<double(std::span<const double> x, std::span<double> gradient)>;

// x: where to begin, in the box; then the best point found, at which the function was called last or is known.
BoundedResult minimise_in_box(const SmoothFunction& function, std::vector<double>& x,
                              const BoundedOptions& options = {});

}  // namespace gckn
