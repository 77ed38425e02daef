// SPDX-License-Identifier: BSD-3-Clause
#include "model/support_graphs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gckn/error.h"
#include "util/parallel.h"

namespace gckn {
namespace {

DoubleMatrix in_double(const Matrix& matrix) {
  DoubleMatrix result(matrix.rows(), matrix.cols());
  std::copy_n(matrix.data(), matrix.size(), result.data());
  return result;
}

}  // namespace

SupportGraphs::SupportGraphs(Parts parts) : parts_(std::move(parts)) {
  const bool by_states = parts_.columns != nullptr;
  const bool by_vectors = !parts_.vectors.empty();
  if (!by_states && !by_vectors) throw UsageError("the support graphs have neither states nor vectors");
  for (const double scale : {parts_.scales.states, parts_.scales.vectors}) {
    if (!(scale >= 0) || !std::isfinite(scale)) throw UsageError("a scale of the Gaussian kernel is negative");
  }
  if (by_states) {
    if (parts_.rows.columns != parts_.columns->size()) throw UsageError("the support graphs have other columns");
    graphs_of_column_ = parts_.rows.transposed();
    for (std::size_t i = 0; i < parts_.rows.rows(); ++i) {
      sizes_.push_back(static_cast<double>(parts_.rows.row(i).size()));
    }
  }
  if (!by_vectors) return;
  if (by_states && parts_.vectors.rows() != parts_.rows.rows()) {
    throw UsageError("the support graphs have other numbers of vectors and rows of states");
  }
  if (parts_.mean.size() != parts_.vectors.cols() || parts_.scale.size() != parts_.vectors.cols()) {
    throw UsageError("the vectors of the support graphs and their scales have other numbers of columns");
  }
  if (std::ranges::any_of(parts_.scale, [](double scale) { return !(scale >= 0); })) {
    throw UsageError("a scale of the vectors is negative");
  }
  distances_.emplace(standardised(in_double(parts_.vectors)));
}

std::size_t SupportGraphs::size() const {
  return parts_.columns ? parts_.rows.rows() : parts_.vectors.rows();
}

DoubleMatrix SupportGraphs::standardised(const DoubleMatrix& vectors) const {
  DoubleMatrix z(vectors.rows(), vectors.cols());
  parallel_for(vectors.rows(), [&](std::size_t i) {
    for (std::size_t k = 0; k < vectors.cols(); ++k) {
      if (parts_.scale[k] > 0) z(i, k) = (vectors(i, k) - parts_.mean[k]) / parts_.scale[k];
    }
  });
  return z;
}

DoubleMatrix SupportGraphs::assignment(const StateCounts& states) const {
  const AssignmentColumns& columns = *parts_.columns;
  const SparseRows<double> rows = columns.rows(states, false);
  DoubleMatrix result(rows.rows(), size());
  parallel_for(rows.rows(), [&](std::size_t i) {
    double* row = result.row(i);
    for (const std::uint32_t column : rows.row(i).index) {
      for (const std::uint32_t graph : graphs_of_column_.row(column).index) row[graph] += 1;
    }
    // Of all states of the graph, those that no support graph has included.
    const double norm = assignment_norm(states, i);
    const double own = norm * norm;
    for (std::size_t j = 0; j < result.cols(); ++j) {
      const double scale = norm * std::sqrt(sizes_[j]);
      if (scale > 0) {
        row[j] = std::min(1.0, row[j] / scale);
      } else {
        row[j] = own == sizes_[j] ? 1.0 : 0.0;
      }
    }
  });
  return result;
}

DoubleMatrix SupportGraphs::kernel(const StateCounts& states, const Matrix& vectors) const {
  return kernel(parts_.columns ? assignment(states) : DoubleMatrix{},
                distances_ ? standardised(in_double(vectors)) : DoubleMatrix{});
}

DoubleMatrix SupportGraphs::kernel(const DoubleMatrix& assignment, const DoubleMatrix& z) const {
  return gaussian_of(assignment, distances_ ? distances_->from(z) : DoubleMatrix{}, parts_.scales);
}

DoubleMatrix SupportGraphs::kernel_of_empty_graph() const {
  StateCounts none;
  none.begin.push_back(0);
  return kernel(none, Matrix(1, parts_.vectors.cols()));
}

}  // namespace gckn
