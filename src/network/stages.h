// SPDX-License-Identifier: BSD-3-Clause
// The stages of a layer on distinct patterns, each a function of its own:
//   similarity  s(child) = s(parent) + table row of the edge label + table row of the colour     patterns x q
//   kappa       kappa = r exp(slope s + offset), r the norm of the start                         patterns x q
//   pool        c = pooled kappa over the patterns of each state (or graph)                      states x q
//   transform   psi = c A                                                                        states x q
// Every element of a result is computed in an order that follows from its own inputs, so equal inputs give equal bits.
#pragma once

#include <span>
#include <vector>

#include "gckn/matrix.h"
#include "linalg/sparse_rows.h"
#include "network/encoding.h"
#include "network/gmp.h"
#include "network/layer_operator.h"
#include "pattern/patterns.h"

namespace gckn {

// Similarities of every colour with the anchors of position t: colours x q. For one-hot colours this is the layer's own
// table, which is returned without a copy; otherwise `storage` is filled.
template <typename Real>
const BasicMatrix<Real>& similarity_table(const LayerOperator<Real>& layer, const ColourFeatures<Real>& features,
                                          std::size_t t, BasicMatrix<Real>& storage);

// s of the patterns of one length from those of the length before. table: of position t, the last of the pattern.
template <typename Real>
BasicMatrix<Real> similarity_forward(const LayerOperator<Real>& layer, const TrieLevel& level, std::size_t t,
                                     const BasicMatrix<Real>& table, const BasicMatrix<Real>& shorter);

// kappa of every pattern in place of its similarities. start: the first colour of every pattern; features: whose norms
// multiply, or null where pooling does that later.
template <typename Real>
void kappa_forward(const LayerOperator<Real>& layer, int length, std::span<const std::uint32_t> start,
                   const ColourFeatures<Real>* features, BasicMatrix<Real>& similarity);

// Pools weighted rows of a table one row of results at a time. Not thread-safe: one per thread.
template <typename Real>
class RowPool {
 public:
  RowPool(std::size_t width, Pooling pooling, double gmp_lambda)
      : pooling_(pooling), width_(width), gmp_(width, gmp_lambda) {}

  // weight[i] * factor is the weight of table row index[i]; zeros if there are none. Max pooling has no use for them.
  template <typename Weight>
  void pool(const BasicMatrix<Real>& table, std::span<const std::uint32_t> index, std::span<const Weight> weight,
            double factor, Real* out);

 private:
  const Pooling pooling_;
  const std::size_t width_;
  GmpPool<Real> gmp_;
  std::vector<Real> weights_;
};

// c of every state of more than one pattern, states x q, to `out`.
template <typename Real>
void pool_forward(const LayerOperator<Real>& layer, const SparseRows<std::uint32_t>& states,
                  const BasicMatrix<Real>& kappa, Real* out);

// rows first .. last times A, in place.
template <typename Real>
void transform_forward(const PackedMatrix<Real>& transform, BasicMatrix<Real>& rows, std::size_t first,
                       std::size_t last);

}  // namespace gckn
