// SPDX-License-Identifier: BSD-3-Clause
// A Gaussian kernel between graphs, by what is compared of them:
//
//   K(g, h) = exp(-gamma D(g, h)),  gamma = 2, D the mean of those of
//     D_states = (1 - OA(g, h)) / m_states      OA: the normalised assignment of states (network/assignment.h)
//     D_vectors = |z_g - z_h|^2 / m_vectors     z: standardised vectors of a network
//   that are compared, each divided by its mean m over pairs of training graphs.
//
// It is positive semidefinite: both distances are squared distances between vectors. Equal graphs have equal rows, to
// the bit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gckn/matrix.h"
#include "learn/standardise.h"
#include "linalg/product.h"
#include "network/fit.h"

namespace gckn {

// What distances are divided by; 0: not compared, or no different between training graphs.
struct GaussianScales {
  double states = 0;
  double vectors = 0;

  bool operator==(const GaussianScales&) const = default;
};

// The mean of 1 - OA over pairs of these graphs, rounded to the nearest eighth of an octave, so that folds of one set
// nearly always have the same kernel and can share it. assignment: of all graphs. In parallel.
double mean_state_distance(const DoubleMatrix& assignment, std::span<const std::uint32_t> graphs);

// |a_i - b_j|^2 of rows.
class SquaredDistances {
 public:
  explicit SquaredDistances(const DoubleMatrix& rows);  // the b_j

  // From the a_i: rows x those of the constructor. In parallel.
  [[nodiscard]] DoubleMatrix from(const DoubleMatrix& rows) const;
  // Between rows, with the same bits in half the time. In parallel.
  static DoubleMatrix between(const DoubleMatrix& rows);

 private:
  std::size_t count_;
  PackedMatrix<double> transposed_;
  std::vector<double> squares_;  // |b_j|^2
};

// What the exponent is times the sum of the distances that are compared: -gamma / their number.
double gaussian_slope(const GaussianScales& scales);

// K from the assignment and the distances, of the same shape; what is not compared may be empty. In parallel.
DoubleMatrix gaussian_of(const DoubleMatrix& assignment, DoubleMatrix distances, const GaussianScales& scales);

// The kernel by what a fitted network compares (its config), with scales that are learnt from some of the graphs.
class GaussianKernel {
 public:
  // fitted must outlive this.
  GaussianKernel(const FittedNetwork& fitted, std::span<const std::uint32_t> learnt_from);

  [[nodiscard]] const GaussianScales& scales() const { return scales_; }
  // Of the vectors, where these are compared.
  [[nodiscard]] const std::optional<Standardiser>& standardiser() const { return standardiser_; }

  // K + 1 between all graphs: a machine on it learns a bias like any other weight.
  [[nodiscard]] DoubleMatrix with_constant() const;

 private:
  const FittedNetwork& fitted_;
  GaussianScales scales_;
  std::optional<Standardiser> standardiser_;
};

}  // namespace gckn
