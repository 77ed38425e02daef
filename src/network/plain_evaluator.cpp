// SPDX-License-Identifier: BSD-3-Clause
#include "network/plain_evaluator.h"

#include <algorithm>
#include <atomic>

#include "linalg/vector_ops.h"
#include "network/gmp.h"
#include "network/stages.h"
#include "pattern/choice.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// All paths (or walks) of `length` vertices from one node: node sequences and the arcs between them.
class NodePaths {
 public:
  NodePaths(const GraphSet& graphs, LayerKind kind, int length)
      : graphs_(graphs), kind_(kind), length_(static_cast<std::size_t>(length)) {}

  void collect(std::uint32_t start) {
    nodes_.clear();
    arcs_.clear();
    path_.assign(1, start);
    arc_path_.clear();
    grow();
  }
  [[nodiscard]] std::size_t count() const { return nodes_.size() / length_; }
  [[nodiscard]] std::uint32_t node(std::size_t path, std::size_t t) const { return nodes_[path * length_ + t]; }
  [[nodiscard]] std::uint64_t arc(std::size_t path, std::size_t t) const { return arcs_[path * (length_ - 1) + t]; }

 private:
  void grow() {
    if (path_.size() == length_) {
      nodes_.insert(nodes_.end(), path_.begin(), path_.end());
      arcs_.insert(arcs_.end(), arc_path_.begin(), arc_path_.end());
      return;
    }
    const std::uint32_t at = path_.back();
    for (std::uint64_t a = graphs_.arc_begin(at); a < graphs_.arc_begin(at + 1); ++a) {
      const std::uint32_t to = graphs_.arcs()[a];
      if (kind_ == LayerKind::path && std::find(path_.begin(), path_.end(), to) != path_.end()) continue;
      path_.push_back(to);
      arc_path_.push_back(a);
      grow();
      path_.pop_back();
      arc_path_.pop_back();
    }
  }

  const GraphSet& graphs_;
  const LayerKind kind_;
  const std::size_t length_;
  std::vector<std::uint32_t> path_, nodes_;
  std::vector<std::uint64_t> arc_path_, arcs_;
};

// Pools rows as the formulas say; zeros if there are none.
template <typename Real>
void pool_rows(const BasicMatrix<Real>& rows, std::size_t count, Pooling pooling, double gmp_lambda, Real* out) {
  const std::size_t q = rows.cols();
  std::fill_n(out, q, Real{0});
  if (count == 0) return;
  if (pooling == Pooling::gmp) {
    GmpPool<Real> pool(q, gmp_lambda);
    for (std::size_t p = 0; p < count; ++p) pool.add(rows.row(p), 1.0);
    pool.solve(out);
    return;
  }
  std::copy_n(rows.row(0), q, out);
  for (std::size_t p = 1; p < count; ++p) {
    for (std::size_t j = 0; j < q; ++j) {
      out[j] = pooling == Pooling::max ? std::max(out[j], rows(p, j)) : out[j] + rows(p, j);
    }
  }
  if (pooling == Pooling::mean) scale(out, static_cast<Real>(1.0 / static_cast<double>(count)), q);
}

}  // namespace

template <typename Real>
std::vector<BasicMatrix<Real>> evaluate_plain(const LayerOperator<Real>& layer, const GraphSet& graphs,
                                              const std::vector<std::uint32_t>& arc_label,
                                              const std::vector<PlainBlock<Real>>& blocks, const RunOptions& options) {
  const std::size_t q = layer.filters;
  const std::size_t n = graphs.num_nodes();
  const bool gmp = layer.config.pooling == Pooling::gmp;
  std::atomic<std::uint64_t> visited{0};
  std::vector<BasicMatrix<Real>> result;
  for (const PlainBlock<Real>& block : blocks) {
    std::vector<BasicMatrix<Real>> storage(static_cast<std::size_t>(layer.vertices));
    std::vector<const BasicMatrix<Real>*> similarity;
    for (std::size_t t = 0; t < storage.size(); ++t) {
      similarity.push_back(&similarity_table(layer, block.features, t, storage[t]));
    }
    for (int length = layer.config.all_lengths ? 1 : layer.vertices; length <= layer.vertices; ++length) {
      BasicMatrix<Real> psi(n, q);
      parallel_tiles(n, 256, [&](std::size_t first, std::size_t last) {
        NodePaths paths(graphs, layer.config.kind, length);
        BasicMatrix<Real> kappa;
        for (std::size_t u = first; u < last; ++u) {
          paths.collect(static_cast<std::uint32_t>(u));
          if ((visited += paths.count()) > options.max_paths) {
            throw_too_many(layer.config.kind, length, options.max_paths);
          }
          if (kappa.rows() < paths.count()) kappa = BasicMatrix<Real>(2 * paths.count(), q);
          for (std::size_t p = 0; p < paths.count(); ++p) {
            Real* row = kappa.row(p);
            std::fill_n(row, q, Real{0});
            for (std::size_t t = 0; t < static_cast<std::size_t>(length); ++t) {
              add_scaled(row, similarity[t]->row(block.row_of_node[paths.node(p, t)]), Real{1}, q);
              if (layer.edge_width > 0 && t > 0) {
                add_scaled(row, layer.edge_tables[t - 1].row(arc_label[paths.arc(p, t - 1)]), Real{1}, q);
              }
            }
            exponential(row, q, static_cast<Real>(layer.slope(length)), static_cast<Real>(layer.offset(length)));
          }
          if (gmp) {
            std::vector<const Real*> rows(paths.count());
            for (std::size_t p = 0; p < rows.size(); ++p) rows[p] = kappa.row(p);
            BasicMatrix<Real> mapped(paths.count(), q);
            multiply_rows(rows.data(), rows.size(), layer.transform(length), mapped.data(), q, false);
            pool_rows(mapped, paths.count(), Pooling::gmp, layer.config.gmp_lambda, psi.row(u));
          } else {
            pool_rows(kappa, paths.count(), layer.config.pooling, layer.config.gmp_lambda, psi.row(u));
          }
          scale(psi.row(u), block.features.norm_of(block.row_of_node[u]), q);
        }
      });
      if (!gmp) transform_forward(layer.transform(length), psi, 0, psi.rows());
      result.push_back(std::move(psi));
    }
  }
  return result;
}

template <typename Real>
void pool_plain(const GraphSet& graphs, const BasicMatrix<Real>& rows, Pooling pooling, double gmp_lambda,
                BasicMatrix<Real>& vectors, std::size_t column) {
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    const std::size_t begin = graphs.graph_begin(g);
    const std::size_t count = graphs.graph_begin(g + 1) - begin;
    BasicMatrix<Real> own(count, rows.cols());
    std::copy_n(rows.row(begin), own.size(), own.data());
    pool_rows(own, count, pooling, gmp_lambda, vectors.row(g) + column);
  }
}

#define GCKN_INSTANTIATE(Real)                                                                                     \
  template std::vector<BasicMatrix<Real>> evaluate_plain(const LayerOperator<Real>&, const GraphSet&,              \
                                                         const std::vector<std::uint32_t>&,                        \
                                                         const std::vector<PlainBlock<Real>>&, const RunOptions&); \
  template void pool_plain(const GraphSet&, const BasicMatrix<Real>&, Pooling, double, BasicMatrix<Real>&, std::size_t);
GCKN_INSTANTIATE(float)
GCKN_INSTANTIATE(double)
#undef GCKN_INSTANTIATE

}  // namespace gckn
