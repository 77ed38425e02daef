// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/moments.h"

#include <algorithm>
#include <vector>

#include "linalg/vector_ops.h"

namespace gckn {
namespace {

constexpr std::size_t kColumnChunk = 128;  // how finely the products keep to the upper triangle
constexpr std::size_t kMostRows = 512;     // summed over at a time, to bound the memory and stay in the cache

}  // namespace

DoubleMatrix weighted_moments(const DoubleMatrix& rows, std::span<const double> weights) {
  const std::size_t dimension = rows.cols();
  DoubleMatrix moments(dimension, dimension);
  for (std::size_t begin = 0; begin < rows.rows(); begin += kMostRows) {
    const std::size_t m = std::min(kMostRows, rows.rows() - begin);
    auto left = DoubleMatrix::uninitialised(dimension, m);
    std::vector<const double*> left_rows(dimension);
    for (std::size_t i = 0; i < m; ++i) {
      const double* row = rows.row(begin + i);
      const double v = weights[begin + i];
      for (std::size_t k = 0; k < dimension; ++k) left(k, i) = v * row[k];
    }
    for (std::size_t k = 0; k < dimension; ++k) left_rows[k] = left.row(k);
    for (std::size_t j = 0; j < dimension; j += kColumnChunk) {
      const std::size_t width = std::min(kColumnChunk, dimension - j);
      multiply_rows(left_rows.data(), j + width, PackedMatrix<double>(rows.row(begin) + j, m, width, dimension),
                    moments.data() + j, dimension, true);
    }
  }
  return moments;
}

DoubleMatrix inner_products(const DoubleMatrix& rows) {
  const std::size_t n = rows.rows();
  const std::size_t dimension = rows.cols();
  DoubleMatrix products(n, n);
  std::vector<const double*> pieces(n);
  for (std::size_t begin = 0; begin < dimension; begin += kMostRows) {
    const std::size_t depth = std::min(kMostRows, dimension - begin);
    for (std::size_t i = 0; i < n; ++i) pieces[i] = rows.row(i) + begin;
    for (std::size_t j = 0; j < n; j += kColumnChunk) {
      const std::size_t width = std::min(kColumnChunk, n - j);
      auto columns = DoubleMatrix::uninitialised(depth, width);
      for (std::size_t i = 0; i < width; ++i) {
        for (std::size_t k = 0; k < depth; ++k) columns(k, i) = pieces[j + i][k];
      }
      multiply_rows(pieces.data(), j + width, PackedMatrix<double>(columns.data(), depth, width, width),
                    products.data() + j, n, true);
    }
  }
  return products;
}

void mirror_upper_triangle(DoubleMatrix& m) {
  for (std::size_t i = 0; i < m.rows(); ++i) {
    for (std::size_t j = i + 1; j < m.cols(); ++j) m(j, i) = m(i, j);
  }
}

}  // namespace gckn
