// SPDX-License-Identifier: BSD-3-Clause
// What a fitted layer needs to be evaluated: anchors laid out as tables, the slopes of its kernel, and the matrices A.
//
//   s_i(p) = sum_t <xhat_{p_t}, z_{t,i}> (+ the edge anchors met on the way)
//   kappa_i(p) = exp(slope * s_i(p) + offset)
//     path_scaling mean: slope = alpha / positions, offset = -alpha;  sum: slope = alpha, offset = -alpha * positions
//   positions = l, or 2 l - 1 with edge labels, for patterns of l vertices.
#pragma once

#include <vector>

#include "gckn/matrix.h"
#include "gckn/network.h"
#include "linalg/symmetric.h"
#include "linalg/vector_ops.h"

namespace gckn {

template <typename Real>
struct LayerOperator {
  // for_training: keeps what the gradient of A is computed from.
  explicit LayerOperator(const BasicLayer<Real>& layer, bool for_training = false);

  [[nodiscard]] int positions(int length) const { return edge_width > 0 ? 2 * length - 1 : length; }
  [[nodiscard]] double slope(int length) const;
  [[nodiscard]] double offset(int length) const;
  // A of the block of this length.
  [[nodiscard]] const PackedMatrix<Real>& transform(int length) const {
    return transforms[config.all_lengths ? static_cast<std::size_t>(length) - 1 : 0];
  }

  LayerConfig config;
  int vertices = 1;                            // P
  std::size_t filters = 0;                     // q
  std::size_t input_width = 0;                 // d
  std::size_t edge_width = 0;                  // e; 0 where edge labels are not used
  std::vector<BasicMatrix<Real>> tables;       // P of (d + 1) x q: anchors by input dimension, and a zero row
  std::vector<PackedMatrix<Real>> packed;      // P of d x q
  std::vector<BasicMatrix<Real>> edge_tables;  // P - 1 of (e + 1) x q
  std::vector<PackedMatrix<Real>> transforms;  // by output length, q x q

  // By output length; empty unless for training. The gradient goes from A to the Gram matrix of the anchors in the
  // eigenbasis of the root, and on to the anchors' similarities, whose derivative is slope * gram.
  std::vector<DoubleMatrix> grams;
  std::vector<InverseSquareRoot> roots;
};

}  // namespace gckn
