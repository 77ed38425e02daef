// SPDX-License-Identifier: BSD-3-Clause
// Forward and backward pass of a batch through a network, on the calling thread and always in the same memory.
//
// Of a layer with input rows x (colours x d), for each length l, with T_t, D_l and all others one row per distinct
// thing:
//   forward                                             backward
//   r = |x|, xhat = x / max(r, tiny)                    d_x = (d_xhat - xhat <xhat, d_xhat>) / r + d_r xhat
//   T_t = xhat Z_t'                  colours x q        d_table_t = xhat' d_T_t,  d_xhat = sum_t d_T_t Z_t
//   s_l = s_{l-1}[parent] + T_l[colour] + E_l[edge]     d_T_l[colour] += D_l, d_E_l[edge] += D_l, D_{l-1}[parent] +=
//   D_l kappa_l = r[start] exp(slope_l s_l + offset_l)      D_l += slope_l kappa_l o d_kappa_l,
//                                                       d_r[start] += <kappa_l, d_kappa_l> / r[start]
//   c_l = W_l kappa_l, or the maximum   states x q      d_kappa_l = W_l' d_c_l, or to the entry that was the maximum
//   psi_l = c_l A_l                     states x q      d_A_l = c_l' d_psi_l,  d_c_l = d_psi_l A_l
// Where paths have masks, these are the weights W_l, and d_W_l(state, pattern) = <d_c_l(state), kappa_l(pattern)>.
#pragma once

#include <array>
#include <vector>

#include "gckn/matrix.h"
#include "gckn/network.h"
#include "network/batch.h"
#include "network/encoding.h"
#include "network/layer_operator.h"

namespace gckn {

template <typename Real>
class BatchPass {
 public:
  // Both must outlive this. input: vectors of the input colours of the compiled set.
  BatchPass(const BatchSource& source, const ColourFeatures<Real>& input);

  // Graph vectors, one row per graph of the batch. Valid until the next call, as is what backward() needs.
  const BasicMatrix<Real>& forward(const Batch<Real>& batch, const std::vector<LayerOperator<Real>>& layers);

  // Adds the gradients of the layers for the batch of the last forward pass. d_vectors: graphs x vector size.
  void backward(const Batch<Real>& batch, const std::vector<LayerOperator<Real>>& layers,
                const BasicMatrix<Real>& d_vectors, std::vector<LayerGradient<Real>>& gradients);

  // For batches with masks: another pass over the batch of the last forward pass, of whose BatchOutput::states only
  // weights of layers from `first_masked` on have changed; what comes before them is not computed again.
  const BasicMatrix<Real>& forward_with_masks(const Batch<Real>& batch, const std::vector<LayerOperator<Real>>& layers,
                                              std::size_t first_masked);
  // ... and back to the weights, after which mask_gradient() has them. The layers have no gradients then.
  void backward_to_masks(const Batch<Real>& batch, const std::vector<LayerOperator<Real>>& layers,
                         const BasicMatrix<Real>& d_vectors, std::size_t first_masked);
  // The gradient of the weight of every entry of BatchOutput::states.
  void mask_gradient(const Batch<Real>& batch, std::size_t layer, std::size_t output,
                     std::vector<Real>& d_weights) const;

 private:
  struct Output {
    BasicMatrix<Real> kappa, d_kappa;    // patterns x q
    BasicMatrix<Real> pooled, d_pooled;  // c of the states; not where they are the patterns, or there are none
    BasicMatrix<Real> graphs, d_graphs;  // (slot, graph) x q, before A if that is applied to graphs
    BasicMatrix<Real> mapped;            // ... and after it, or its gradient
  };
  struct Layer {
    BasicMatrix<Real> unit, d_unit;             // xhat
    std::vector<Real> norm, d_norm;             // r; empty where all are 1
    std::vector<BasicMatrix<Real>> table;       // T by position
    std::vector<BasicMatrix<Real>> similarity;  // s by length from 2
    BasicMatrix<Real> d_table;
    std::array<BasicMatrix<Real>, 2> d_similarity;  // D of lengths without an output, even and odd
    const BasicMatrix<Real>* d_longer = nullptr;    // D of the length that was done last
    std::vector<Output> outputs;
    BasicMatrix<Real> psi, d_psi;  // states of all outputs x q
  };

  void set_input(const Batch<Real>& batch, const LayerOperator<Real>& layer);
  // From layer `first` on; has_kappa: that of this layer is as it was.
  void layers_forward(const Batch<Real>& batch, const std::vector<LayerOperator<Real>>& layers, std::size_t first,
                      bool has_kappa);
  void take_psi(const BasicMatrix<Real>& psi, Layer& next) const;
  void similarities_forward(const Batch<Real>& batch, std::size_t j, const LayerOperator<Real>& op);
  void pool_forward(const Batch<Real>& batch, std::size_t j, const LayerOperator<Real>& op);
  void graphs_forward(const Batch<Real>& batch, std::size_t j, const LayerOperator<Real>& op);
  // Those of the layer itself are not wanted where `gradient` is null.
  void clear_backward(std::size_t j);
  void graphs_backward(const Batch<Real>& batch, std::size_t j, const LayerOperator<Real>& op,
                       const BasicMatrix<Real>& d_vectors, LayerGradient<Real>* gradient);
  void transform_backward(const Batch<Real>& batch, std::size_t j, const LayerOperator<Real>& op,
                          LayerGradient<Real>* gradient);
  void pool_backward(const Batch<Real>& batch, std::size_t j, const LayerOperator<Real>& op);
  void similarities_backward(const Batch<Real>& batch, std::size_t j, const LayerOperator<Real>& op,
                             LayerGradient<Real>* gradient);
  template <typename Body>
  void for_vector_parts(const Batch<Real>& batch, std::size_t j, std::size_t output, std::size_t q,
                        const Body& body) const;
  void give_psi(const Layer& next, BasicMatrix<Real>& d_psi) const;

  const BatchSource& source_;
  const ColourFeatures<Real>& input_;
  std::vector<Layer> layers_;
  std::vector<std::size_t> first_column_;  // of the graph vectors, by layer
  BasicMatrix<Real> vectors_;
};

}  // namespace gckn
