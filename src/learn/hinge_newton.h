// SPDX-License-Identifier: BSD-3-Clause
// What the squared-hinge solvers have in common: Newton steps on the set A of points with y f < 1, whose objective is
//   1/2 |w|^2 + C sum_i v_i max(0, 1 - y_i f_i)^2,  f_i = <w, z_i>
// (squared_hinge.h). Points are numbered 0 .. n - 1. Single-threaded.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "gckn/matrix.h"
#include "gckn/run_options.h"

namespace gckn {

inline constexpr int kMostHingeSteps = 100;
// Of the objective: a Newton step that promises less of a decrease is the last.
inline constexpr double kHingeDecrement = 1e-10;

// By point: label -1 or 1, sample weight, present output.
struct HingePoints {
  std::span<const double> y;
  std::span<const double> v;
  std::span<const double> f;
};

// C times the loss.
double hinge_loss(double c, const HingePoints& points);

// Moves points whose side of the hinge changed by more than rounding in or out of A; returns whether there are any.
bool update_active(double c, const HingePoints& points, std::vector<char>& active);

struct LowestPoint {
  double step;
  double derivative;  // of the objective at step 0
};

// Newton steps are about 1 long. A direction that is nothing but rounding may have its lowest point anywhere, where all
// that is known of w would be lost.
inline constexpr double kLongestStep = 4.0;

// The exact minimiser over 0 <= t <= kLongestStep of the objective at w + t d, df = change of f per unit of t: its
// derivative is piecewise linear and increasing. d_d = <d, d>, d_w = <d, w>.
LowestPoint line_search(double c, const HingePoints& points, std::span<const double> df, double d_d, double d_w);

// Inner products of the points as entries of a larger matrix: point i is its row and column place[i] (i itself if
// `place` is empty). Only entries on or above the diagonal are read.
struct PointProducts {
  const DoubleMatrix* matrix;
  std::span<const std::uint32_t> place;
};

// Solves (Z_A Z_A' + V_A^-1 / (2 C)) a = y_A. Further solves for the same C reuse the factor of the first one, as a
// part of a larger system, while few points have changed sides.
class DualSystem {
 public:
  // a, by member (ascending). Empty if rounding makes the system singular. Asks options.progress now and then.
  std::vector<double> solve(double c, const PointProducts& products, const HingePoints& points,
                            const std::vector<std::uint32_t>& members, const RunOptions& options);

  // So that the next solve makes its own factor; returns whether the last one had used an older one.
  bool forget();

 private:
  std::vector<double> solve_with_old_factor(double c, const PointProducts& products, const HingePoints& points,
                                            const std::vector<std::uint32_t>& members);
  void divide_border(double c, const PointProducts& products, const HingePoints& points,
                     const std::vector<std::uint32_t>& changed);

  DoubleMatrix factor_;
  double factored_for_ = 0;               // C
  std::vector<std::uint32_t> in_factor_;  // ascending
  bool reused_ = false;                   // by the last solve
  // With the factor M = U' U: U'^-1 b of the columns that points which entered or left border M with, by point, and
  // U'^-1 y. Few points change sides twice, so most of it serves for the next solve, too.
  std::map<std::uint32_t, std::vector<double>> divided_border_;
  std::vector<double> divided_labels_;
};

// A factor serves until this share of its size has changed.
inline constexpr double kReuseShare = 0.15;

}  // namespace gckn
