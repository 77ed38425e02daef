// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/moments.h"

#include <algorithm>
#include <array>
#include <vector>

#include "linalg/product.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::size_t kColumnChunk = 128;   // packed at a time
constexpr std::size_t kTriangleChunk = 32;  // the same where products keep to the upper triangle
constexpr std::size_t kMostRows = 512;      // summed over at a time, to bound the memory and stay in the cache

// The transpose of A with row k times weights[k] (null: factor). Eight rows at a time, so that whole cache lines are
// written.
DoubleMatrix weighted_transpose(const RowBlock& a, std::size_t depth, const double* weights, double factor) {
  constexpr std::size_t kLine = 8;
  auto transposed = DoubleMatrix::uninitialised(a.cols, depth);
  const auto weight = [&](std::size_t k) { return weights == nullptr ? factor : weights[k]; };
  std::size_t k = 0;
  for (; k + kLine <= depth; k += kLine) {
    std::array<double, kLine> w{};
    for (std::size_t l = 0; l < kLine; ++l) w[l] = weight(k + l);
    const double* column = a.data + k * a.stride;
    for (std::size_t i = 0; i < a.cols; ++i) {
      double* to = transposed.row(i) + k;
      for (std::size_t l = 0; l < kLine; ++l) to[l] = w[l] * column[l * a.stride + i];
    }
  }
  for (; k < depth; ++k) {
    const double* row = a.data + k * a.stride;
    for (std::size_t i = 0; i < a.cols; ++i) transposed(i, k) = weight(k) * row[i];
  }
  return transposed;
}

void add_slice(const RowBlock& a, const RowBlock& b, std::size_t depth, const double* weights, double factor, double* c,
               std::size_t stride, Triangle triangle) {
  const DoubleMatrix transposed = weighted_transpose(a, depth, weights, factor);
  std::vector<const double*> rows(a.cols);
  for (std::size_t i = 0; i < a.cols; ++i) rows[i] = transposed.row(i);
  PackedMatrix<double> right;
  const std::size_t chunk = triangle == Triangle::upper ? kTriangleChunk : kColumnChunk;
  for (std::size_t begin = 0; begin < b.cols; begin += chunk) {
    const std::size_t width = std::min(chunk, b.cols - begin);
    const std::size_t height = triangle == Triangle::upper ? std::min(a.cols, begin + width) : a.cols;
    right.pack(b.data + begin, depth, width, b.stride);
    multiply_rows(rows.data(), height, right, c + begin, stride, true);
  }
}

}  // namespace

void add_transposed_product(const RowBlock& a, const RowBlock& b, std::size_t depth, const double* weights,
                            double factor, double* c, std::size_t stride, Triangle triangle) {
  for (std::size_t begin = 0; begin < depth; begin += kMostRows) {
    add_slice({a.data + begin * a.stride, a.stride, a.cols}, {b.data + begin * b.stride, b.stride, b.cols},
              std::min(kMostRows, depth - begin), weights == nullptr ? nullptr : weights + begin, factor, c, stride,
              triangle);
  }
}

DoubleMatrix weighted_moments(const DoubleMatrix& rows, std::span<const double> weights) {
  DoubleMatrix moments(rows.cols(), rows.cols());
  const RowBlock block{rows.data(), rows.cols(), rows.cols()};
  add_transposed_product(block, block, rows.rows(), weights.empty() ? nullptr : weights.data(), 1.0, moments.data(),
                         moments.cols(), Triangle::upper);
  return moments;
}

DoubleMatrix inner_products(const DoubleMatrix& rows) {
  const std::size_t n = rows.rows();
  const std::size_t dimension = rows.cols();
  DoubleMatrix products(n, n);
  const std::size_t chunks = (n + kColumnChunk - 1) / kColumnChunk;
  parallel_for(chunks, [&](std::size_t chunk) {
    const std::size_t j = (chunks - 1 - chunk) * kColumnChunk;  // the highest columns of the triangle first
    const std::size_t width = std::min(kColumnChunk, n - j);
    std::vector<const double*> pieces(j + width);
    PackedMatrix<double> packed;
    for (std::size_t begin = 0; begin < dimension; begin += kMostRows) {
      const std::size_t depth = std::min(kMostRows, dimension - begin);
      for (std::size_t i = 0; i < j + width; ++i) pieces[i] = rows.row(i) + begin;
      auto columns = DoubleMatrix::uninitialised(depth, width);
      for (std::size_t i = 0; i < width; ++i) {
        for (std::size_t k = 0; k < depth; ++k) columns(k, i) = pieces[j + i][k];
      }
      packed.pack(columns.data(), depth, width, width);
      multiply_rows(pieces.data(), j + width, packed, products.data() + j, n, true);
    }
  });
  return products;
}

void mirror_upper_triangle(DoubleMatrix& m) {
  constexpr std::size_t kTile = 64;  // square tiles, so that what is read and what is written both stay in the cache
  parallel_tiles(m.rows(), kTile, [&](std::size_t first, std::size_t last) {
    for (std::size_t begin = 0; begin < last; begin += kTile) {
      for (std::size_t i = first; i < last; ++i) {
        for (std::size_t j = begin; j < std::min(begin + kTile, i); ++j) m(i, j) = m(j, i);
      }
    }
  });
}

}  // namespace gckn
