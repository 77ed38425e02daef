// SPDX-License-Identifier: BSD-3-Clause
#include "network/stages.h"

#include <algorithm>
#include <numeric>

#include "linalg/vector_ops.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::size_t kRowTile = 512;  // rows per task

}  // namespace

template <typename Real>
const BasicMatrix<Real>& similarity_table(const LayerOperator<Real>& layer, const ColourFeatures<Real>& features,
                                          std::size_t t, BasicMatrix<Real>& storage) {
  if (features.one_hot) return layer.tables[t];
  storage = BasicMatrix<Real>::uninitialised(features.unit.rows(), layer.filters);
  multiply(features.unit.data(), features.unit.rows(), layer.packed[t], storage.data());
  return storage;
}

template <typename Real>
BasicMatrix<Real> similarity_forward(const LayerOperator<Real>& layer, const TrieLevel& level, std::size_t t,
                                     const BasicMatrix<Real>& table, const BasicMatrix<Real>& shorter) {
  const std::size_t q = layer.filters;
  auto longer = BasicMatrix<Real>::uninitialised(level.size(), q);
  parallel_tiles(level.size(), kRowTile, [&](std::size_t begin, std::size_t end) {
    gather_add(shorter.data(), level.parent.data() + begin, table.data(), level.colour.data() + begin, end - begin, q,
               longer.row(begin));
    if (level.edge.empty()) return;
    const BasicMatrix<Real>& edges = layer.edge_tables[t - 1];
    for (std::size_t p = begin; p < end; ++p) add_scaled(longer.row(p), edges.row(level.edge[p]), Real{1}, q);
  });
  return longer;
}

template <typename Real>
void kappa_forward(const LayerOperator<Real>& layer, int length, std::span<const std::uint32_t> start,
                   const ColourFeatures<Real>* features, BasicMatrix<Real>& similarity) {
  const auto slope = static_cast<Real>(layer.slope(length));
  const auto offset = static_cast<Real>(layer.offset(length));
  const std::size_t q = layer.filters;
  const bool has_norms = features != nullptr && !features->norm.empty();
  parallel_tiles(similarity.rows(), kRowTile, [&](std::size_t begin, std::size_t end) {
    exponential(similarity.row(begin), (end - begin) * q, slope, offset);
    for (std::size_t p = begin; has_norms && p < end; ++p) scale(similarity.row(p), features->norm[start[p]], q);
  });
}

template <typename Real>
template <typename Weight>
void RowPool<Real>::pool(const BasicMatrix<Real>& table, std::span<const std::uint32_t> index,
                         std::span<const Weight> weight, double factor, Real* out) {
  if (index.empty()) {
    std::fill_n(out, width_, Real{0});
  } else if (pooling_ == Pooling::max) {
    row_max(table.data(), width_, index.data(), index.size(), out);
  } else if (pooling_ == Pooling::gmp) {
    gmp_.clear();
    for (std::size_t i = 0; i < index.size(); ++i) {
      gmp_.add(table.row(index[i]), static_cast<double>(weight[i]) * factor);
    }
    gmp_.solve(out);
  } else {
    weights_.resize(index.size());
    for (std::size_t i = 0; i < index.size(); ++i) {
      weights_[i] = static_cast<Real>(static_cast<double>(weight[i]) * factor);
    }
    weighted_row_sum(table.data(), width_, index.data(), weights_.data(), index.size(), out);
  }
}

template <typename Real>
void pool_forward(const LayerOperator<Real>& layer, const SparseRows<std::uint32_t>& states,
                  const BasicMatrix<Real>& kappa, Real* out) {
  const std::size_t q = layer.filters;
  const Pooling pooling = layer.config.pooling;
  parallel_tiles(states.rows(), kRowTile, [&](std::size_t begin, std::size_t end) {
    RowPool<Real> pool(q, pooling, layer.config.gmp_lambda);
    for (std::size_t s = begin; s < end; ++s) {
      const auto row = states.row(s);
      double factor = 1;
      if (pooling == Pooling::mean && row.size() > 0) {
        factor /= std::accumulate(row.weight.begin(), row.weight.end(), 0.0);
      }
      pool.pool(kappa, row.index, row.weight, factor, out + s * q);
    }
  });
}

template <typename Real>
void transform_forward(const PackedMatrix<Real>& transform, BasicMatrix<Real>& rows, std::size_t first,
                       std::size_t last) {
  constexpr std::size_t kTransformTile = 192;
  parallel_tiles(last - first, kTransformTile, [&](std::size_t begin, std::size_t end) {
    const std::size_t count = end - begin;
    auto product = BasicMatrix<Real>::uninitialised(count, rows.cols());
    std::vector<const Real*> row(count);
    for (std::size_t i = 0; i < count; ++i) row[i] = rows.row(first + begin + i);
    multiply_rows(row.data(), count, transform, product.data(), product.cols(), false);
    std::copy_n(product.data(), product.size(), rows.row(first + begin));
  });
}

#define GCKN_INSTANTIATE(Real)                                                                                         \
  template const BasicMatrix<Real>& similarity_table(const LayerOperator<Real>&, const ColourFeatures<Real>&,          \
                                                     std::size_t, BasicMatrix<Real>&);                                 \
  template BasicMatrix<Real> similarity_forward(const LayerOperator<Real>&, const TrieLevel&, std::size_t,             \
                                                const BasicMatrix<Real>&, const BasicMatrix<Real>&);                   \
  template void kappa_forward(const LayerOperator<Real>&, int, std::span<const std::uint32_t>,                         \
                              const ColourFeatures<Real>*, BasicMatrix<Real>&);                                        \
  template class RowPool<Real>;                                                                                        \
  template void RowPool<Real>::pool(const BasicMatrix<Real>&, std::span<const std::uint32_t>,                          \
                                    std::span<const std::uint32_t>, double, Real*);                                    \
  template void RowPool<Real>::pool(const BasicMatrix<Real>&, std::span<const std::uint32_t>, std::span<const double>, \
                                    double, Real*);                                                                    \
  template void pool_forward(const LayerOperator<Real>&, const SparseRows<std::uint32_t>&, const BasicMatrix<Real>&,   \
                             Real*);                                                                                   \
  template void transform_forward(const PackedMatrix<Real>&, BasicMatrix<Real>&, std::size_t, std::size_t);
GCKN_INSTANTIATE(float)
GCKN_INSTANTIATE(double)
#undef GCKN_INSTANTIATE

}  // namespace gckn
