// SPDX-License-Identifier: BSD-3-Clause
#include "network/layer_operator.h"

#include <algorithm>
#include <cmath>

#include "linalg/gradient_ops.h"
#include "linalg/vector_ops.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// Anchors of one position, q x width, as a (width + 1) x q table whose last row is zero.
template <typename Real>
void set_table(const Real* anchors, std::size_t filters, std::size_t width, BasicMatrix<Real>& table) {
  table.reshape(width + 1, filters);
  for (std::size_t i = 0; i < filters; ++i) {
    for (std::size_t k = 0; k < width; ++k) table(k, i) = anchors[i * width + k];
    table(width, i) = 0;
  }
}

template <typename From, typename To>
void convert(const BasicMatrix<From>& from, BasicMatrix<To>& to) {
  to.reshape(from.rows(), from.cols());
  for (std::size_t k = 0; k < from.size(); ++k) to.data()[k] = static_cast<To>(from.data()[k]);
}

}  // namespace

template <typename Real>
double LayerOperator<Real>::slope(int length) const {
  const double alpha = 1.0 / (config.sigma * config.sigma);
  return config.path_scaling == PathScaling::mean ? alpha / positions(length) : alpha;
}

template <typename Real>
double LayerOperator<Real>::offset(int length) const {
  const double alpha = 1.0 / (config.sigma * config.sigma);
  return config.path_scaling == PathScaling::mean ? -alpha : -alpha * positions(length);
}

template <typename Real>
LayerOperator<Real>::LayerOperator(const BasicLayer<Real>& layer, bool training)
    : config(layer.config),
      for_training(training),
      vertices(layer.config.path_length + 1),
      filters(static_cast<std::size_t>(layer.config.filters)),
      input_width(layer.input_width),
      edge_width(layer.edge_width) {
  const auto positions = static_cast<std::size_t>(vertices);
  const std::size_t outputs = config.all_lengths ? positions : 1;
  tables.resize(positions);
  packed.resize(positions);
  edge_tables.resize(edge_width > 0 ? positions - 1 : 0);
  grams.resize(outputs);
  transforms.resize(outputs);
  roots.resize(outputs);
  rounded_.resize(outputs);
  if (for_training) packed_anchors.resize(positions);
  update(layer);
  if (for_training) return;
  grams.clear();
  roots.clear();
  rounded_.clear();
  similarity_ = {};
  double_table_ = {};
}

template <typename Real>
void LayerOperator<Real>::update(const BasicLayer<Real>& layer) {
  // Similarities of the anchors up to every length, then A of the lengths that give blocks.
  similarity_.reshape(filters, filters);
  similarity_.fill(0);
  for (std::size_t t = 0; t < static_cast<std::size_t>(vertices); ++t) {
    const Real* anchors = layer.anchors.data() + t * filters * input_width;
    if (t > 0 && edge_width > 0) {
      set_table(layer.edge_anchors.data() + (t - 1) * filters * edge_width, filters, edge_width, edge_tables[t - 1]);
      add_similarities(edge_tables[t - 1]);
    }
    set_table(anchors, filters, input_width, tables[t]);
    packed[t].pack(tables[t].data(), input_width, filters, filters);
    if (for_training) packed_anchors[t].pack(anchors, filters, input_width, input_width);
    add_similarities(tables[t]);
    const int length = static_cast<int>(t) + 1;
    if (config.all_lengths || length == vertices) {
      DoubleMatrix& gram = grams[output_of(length)];
      gram = similarity_;
      exponential(gram.data(), gram.size(), slope(length), offset(length));
    }
  }
  parallel_for(grams.size(), [&](std::size_t i) { invert(i); });
}

// similarity += Z Z' for one position.
template <typename Real>
void LayerOperator<Real>::add_similarities(const BasicMatrix<Real>& table) {
  convert(table, double_table_);
  constexpr std::size_t kTile = 96;
  const double* z = double_table_.data();
  parallel_tiles(filters, kTile, [&](std::size_t first, std::size_t last) {
    add_transposed_product(z + first, filters, table.rows(), last - first, z, filters, filters, similarity_.row(first),
                           filters);
  });
}

template <typename Real>
void LayerOperator<Real>::invert(std::size_t output) {
  inverse_square_root(grams[output], config.regularisation == Regularisation::root ? RootKind::root : RootKind::gram,
                      config.eps, roots[output]);
  convert(roots[output].matrix, rounded_[output]);
  transforms[output].pack(rounded_[output].data(), filters, filters, filters);
}

template <typename Real>
LayerGradient<Real>::LayerGradient(const LayerOperator<Real>& layer) {
  for (const auto& table : layer.tables) d_tables.emplace_back(table.rows(), table.cols());
  for (const auto& table : layer.edge_tables) d_edge_tables.emplace_back(table.rows(), table.cols());
  for (std::size_t i = 0; i < layer.transforms.size(); ++i) d_transforms.emplace_back(layer.filters, layer.filters);
}

template <typename Real>
void LayerGradient<Real>::clear() {
  for (auto* group : {&d_tables, &d_edge_tables, &d_transforms}) {
    for (BasicMatrix<Real>& matrix : *group) matrix.fill(0);
  }
}

template <typename Real>
void LayerGradient<Real>::add(const LayerGradient& other) {
  const auto add_all = [](std::vector<BasicMatrix<Real>>& to, const std::vector<BasicMatrix<Real>>& from) {
    for (std::size_t k = 0; k < to.size(); ++k) add_scaled(to[k].data(), from[k].data(), Real{1}, to[k].size());
  };
  add_all(d_tables, other.d_tables);
  add_all(d_edge_tables, other.d_edge_tables);
  add_all(d_transforms, other.d_transforms);
}

template <typename Real>
AnchorGradient<Real>::AnchorGradient(const LayerOperator<Real>& layer)
    : d_anchors(layer.tables.size() * layer.filters * layer.input_width),
      d_edge_anchors(layer.edge_tables.size() * layer.filters * layer.edge_width),
      outputs_(layer.transforms.size()),
      d_similarity_(layer.filters, layer.filters) {}

template <typename Real>
void AnchorGradient<Real>::backward(const LayerOperator<Real>& layer, const LayerGradient<Real>& gradient) {
  const std::size_t q = layer.filters;
  parallel_for(outputs_.size(), [&](std::size_t i) {
    convert(gradient.d_transforms[i], outputs_[i].d_transform);
    inverse_square_root_backward(layer.roots[i], outputs_[i].d_transform, outputs_[i].d_gram, outputs_[i].scratch);
  });
  // A position is part of all patterns that are longer than it.
  d_similarity_.fill(0);
  for (std::size_t t = layer.tables.size(); t-- > 0;) {
    const int length = static_cast<int>(t) + 1;
    if (layer.config.all_lengths || length == layer.vertices) {
      const std::size_t i = layer.output_of(length);
      const double twice_slope = 2 * layer.slope(length);  // d_gram is symmetric
      for (std::size_t k = 0; k < q * q; ++k) {
        d_similarity_.data()[k] += twice_slope * layer.grams[i].data()[k] * outputs_[i].d_gram.data()[k];
      }
    }
    finish_position(layer.tables[t], gradient.d_tables[t], d_anchors.data() + t * q * layer.input_width);
    if (t > 0 && layer.edge_width > 0) {
      finish_position(layer.edge_tables[t - 1], gradient.d_edge_tables[t - 1],
                      d_edge_anchors.data() + (t - 1) * q * layer.edge_width);
    }
  }
}

template <typename Real>
void AnchorGradient<Real>::finish_position(const BasicMatrix<Real>& table, const BasicMatrix<Real>& d_table,
                                           Real* d_anchors_here) {
  const std::size_t q = table.cols();
  const std::size_t width = table.rows() - 1;  // without the row of unknown labels, which is not learnt
  double_table_.reshape(q, width);
  for (std::size_t i = 0; i < q; ++i) {
    for (std::size_t k = 0; k < width; ++k) double_table_(i, k) = static_cast<double>(table(k, i));
  }
  product_.reshape(q, width);
  for (std::size_t i = 0; i < q; ++i) {
    for (std::size_t k = 0; k < width; ++k) product_(i, k) = static_cast<double>(d_table(k, i));
  }
  add_transposed_product(d_similarity_.data(), q, q, q, double_table_.data(), width, width, product_.data(), width);
  for (std::size_t k = 0; k < product_.size(); ++k) d_anchors_here[k] = static_cast<Real>(product_.data()[k]);
}

#define GCKN_INSTANTIATE(Real)         \
  template struct LayerOperator<Real>; \
  template struct LayerGradient<Real>; \
  template class AnchorGradient<Real>;
GCKN_INSTANTIATE(float)
GCKN_INSTANTIATE(double)
#undef GCKN_INSTANTIATE

}  // namespace gckn
