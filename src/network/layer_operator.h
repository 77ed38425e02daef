// SPDX-License-Identifier: BSD-3-Clause
// What a fitted layer needs to be evaluated: anchors laid out as tables, the slopes of its kernel, and the matrices A.
//
//   s_i(p) = sum_t <xhat_{p_t}, z_{t,i}> (+ the edge anchors met on the way)
//   kappa_i(p) = exp(slope * s_i(p) + offset)
//     path_scaling mean: slope = alpha / positions, offset = -alpha;  sum: slope = alpha, offset = -alpha * positions
//   positions = l, or 2 l - 1 with edge labels, for patterns of l vertices.
//
// And its backward pass, from gradients of tables and of A to those of the anchors:
//   A_l = f(G_l), G_l = exp(slope_l S_l + offset_l), S_l = sum_{t < l} Z_t Z_t' (+ edges)    similarities of anchors
//   d_S_l = slope_l G_l o d_G_l,  d_Z_t = d_table_t' + sum_{l > t} (d_S_l + d_S_l') Z_t
#pragma once

#include <vector>

#include "gckn/matrix.h"
#include "gckn/network.h"
#include "linalg/product.h"
#include "linalg/symmetric.h"

namespace gckn {

template <typename Real>
struct LayerOperator {
  // for_training: keeps what the gradient of A is computed from.
  explicit LayerOperator(const BasicLayer<Real>& layer, bool for_training = false);

  // Takes other anchors of a layer of the same shape. Allocates nothing if for training.
  void update(const BasicLayer<Real>& layer);

  [[nodiscard]] int positions(int length) const { return edge_width > 0 ? 2 * length - 1 : length; }
  [[nodiscard]] double slope(int length) const;
  [[nodiscard]] double offset(int length) const;
  // The place of this length among those with output blocks.
  [[nodiscard]] std::size_t output_of(int length) const {
    return config.all_lengths ? static_cast<std::size_t>(length) - 1 : 0;
  }
  // A of the block of this length.
  [[nodiscard]] const PackedMatrix<Real>& transform(int length) const { return transforms[output_of(length)]; }

  LayerConfig config;
  bool for_training = false;
  int vertices = 1;                            // P
  std::size_t filters = 0;                     // q
  std::size_t input_width = 0;                 // d
  std::size_t edge_width = 0;                  // e; 0 where edge labels are not used
  std::vector<BasicMatrix<Real>> tables;       // P of (d + 1) x q: anchors by input dimension, and a zero row
  std::vector<PackedMatrix<Real>> packed;      // P of d x q
  std::vector<BasicMatrix<Real>> edge_tables;  // P - 1 of (e + 1) x q
  std::vector<PackedMatrix<Real>> transforms;  // by output length, q x q

  // For training only. The gradient goes from A to the Gram matrix of the anchors in the eigenbasis of the root, and
  // on to the anchors' similarities, whose derivative is slope * gram.
  std::vector<DoubleMatrix> grams;                 // by output length
  std::vector<InverseSquareRoot> roots;            // by output length
  std::vector<PackedMatrix<Real>> packed_anchors;  // P of q x d

 private:
  void add_similarities(const BasicMatrix<Real>& table);
  void invert(std::size_t output);

  DoubleMatrix similarity_;  // S up to the position that is read
  DoubleMatrix double_table_;
  std::vector<BasicMatrix<Real>> rounded_;  // A by output length
};

// What a backward pass gives back to a layer, in the layout of LayerOperator. One per thread; add() joins them.
template <typename Real>
struct LayerGradient {
  explicit LayerGradient(const LayerOperator<Real>& layer);

  void clear();
  void add(const LayerGradient& other);

  std::vector<BasicMatrix<Real>> d_tables;       // P of (d + 1) x q; the last row is that of unknown labels
  std::vector<BasicMatrix<Real>> d_edge_tables;  // P - 1 of (e + 1) x q
  std::vector<BasicMatrix<Real>> d_transforms;   // by output length, q x q
};

// From there to the anchors, in the layout of BasicLayer.
template <typename Real>
class AnchorGradient {
 public:
  explicit AnchorGradient(const LayerOperator<Real>& layer);

  // Overwrites both. In parallel over output lengths.
  void backward(const LayerOperator<Real>& layer, const LayerGradient<Real>& gradient);

  std::vector<Real> d_anchors;       // P x q x d
  std::vector<Real> d_edge_anchors;  // (P - 1) x q x e

 private:
  struct Output {  // of one length
    DoubleMatrix d_transform, d_gram, scratch;
  };
  // d_anchors (q x width) of one position from the gradient of its table and that of the similarities.
  void finish_position(const BasicMatrix<Real>& table, const BasicMatrix<Real>& d_table, Real* d_anchors);

  std::vector<Output> outputs_;
  DoubleMatrix d_similarity_;  // sum of d_S + d_S' over the lengths that a position is part of
  DoubleMatrix double_table_;
  DoubleMatrix product_;
};

}  // namespace gckn
