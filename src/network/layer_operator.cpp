// SPDX-License-Identifier: BSD-3-Clause
#include "network/layer_operator.h"

#include <cmath>

#include "util/parallel.h"

namespace gckn {
namespace {

// Anchors of one position, q x width, as a (width + 1) x q table whose last row is zero.
template <typename Real>
BasicMatrix<Real> make_table(const Real* anchors, std::size_t filters, std::size_t width) {
  BasicMatrix<Real> table(width + 1, filters);
  for (std::size_t i = 0; i < filters; ++i) {
    for (std::size_t k = 0; k < width; ++k) table(k, i) = anchors[i * width + k];
  }
  return table;
}

// gram += Z Z^T for one position.
template <typename Real>
void add_similarities(const Real* anchors, std::size_t filters, std::size_t width, DoubleMatrix& gram) {
  DoubleMatrix rows(filters, width);
  DoubleMatrix columns(width, filters);
  for (std::size_t i = 0; i < filters; ++i) {
    for (std::size_t k = 0; k < width; ++k) rows(i, k) = columns(k, i) = static_cast<double>(anchors[i * width + k]);
  }
  const PackedMatrix<double> packed(columns.data(), width, filters, filters);
  std::vector<const double*> row(filters);
  for (std::size_t i = 0; i < filters; ++i) row[i] = rows.row(i);
  multiply_rows(row.data(), filters, packed, gram.data(), filters, true);
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
LayerOperator<Real>::LayerOperator(const BasicLayer<Real>& layer, bool for_training)
    : config(layer.config),
      vertices(layer.config.path_length + 1),
      filters(static_cast<std::size_t>(layer.config.filters)),
      input_width(layer.input_width),
      edge_width(layer.edge_width) {
  // Similarities of the anchors up to every length, then A of the lengths that give blocks.
  DoubleMatrix similarity(filters, filters);
  for (std::size_t t = 0; t < static_cast<std::size_t>(vertices); ++t) {
    const Real* anchors = layer.anchors.data() + t * filters * input_width;
    if (t > 0 && edge_width > 0) {
      const Real* edge_anchors = layer.edge_anchors.data() + (t - 1) * filters * edge_width;
      edge_tables.push_back(make_table(edge_anchors, filters, edge_width));
      add_similarities(edge_anchors, filters, edge_width, similarity);
    }
    tables.push_back(make_table(anchors, filters, input_width));
    packed.emplace_back(tables.back().data(), input_width, filters, filters);
    add_similarities(anchors, filters, input_width, similarity);
    const int length = static_cast<int>(t) + 1;
    if (config.all_lengths || length == vertices) {
      DoubleMatrix gram = similarity;
      exponential(gram.data(), gram.size(), slope(length), offset(length));
      grams.push_back(std::move(gram));
    }
  }
  transforms.resize(grams.size());
  if (for_training) roots.resize(grams.size());
  parallel_for(grams.size(), [&](std::size_t i) {
    InverseSquareRoot root = inverse_square_root(
        grams[i], config.regularisation == Regularisation::root ? RootKind::root : RootKind::gram, config.eps);
    BasicMatrix<Real> rounded(filters, filters);
    for (std::size_t k = 0; k < rounded.size(); ++k) rounded.data()[k] = static_cast<Real>(root.matrix.data()[k]);
    transforms[i].pack(rounded.data(), filters, filters, filters);
    if (for_training) roots[i] = std::move(root);
  });
  if (!for_training) grams.clear();
}

template struct LayerOperator<float>;
template struct LayerOperator<double>;

}  // namespace gckn
