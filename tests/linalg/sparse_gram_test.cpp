// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_gram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "util/parallel.h"
#include "util/random.h"

namespace gckn {
namespace {

// Column c is in a row with probability 1 / (c + 1): some columns in all rows, many in one or none.
SparseRows<double> skewed_rows(std::size_t rows, std::size_t columns, bool whole_numbers, std::uint64_t seed) {
  Random random(seed);
  SparseRows<double> sparse;
  sparse.columns = columns;
  std::vector<std::pair<std::uint32_t, double>> entries;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::uint32_t c = 0; c < columns && i % 10 != 3; ++c) {  // some rows are empty
      if (random.below(c + 1) != 0) continue;
      entries.emplace_back(c, whole_numbers ? static_cast<double>(1 + random.below(9)) : random.uniform());
    }
    sparse.add_row(entries);
  }
  return sparse;
}

DoubleMatrix inner_products_of(const SparseRows<double>& rows, double factor, int threads) {
  RunOptions options;
  options.threads = threads;
  const ThreadScope scope(options);
  DoubleMatrix k(rows.rows(), rows.rows());
  add_inner_products(rows, factor, options, k);
  return k;
}

TEST(SparseGram, AddsTheInnerProductsOfAllPairs) {
  const SparseRows<double> rows = skewed_rows(70, 90, true, 1);
  DoubleMatrix k(70, 70);
  k(3, 5) = 1000;
  add_inner_products(rows, 1.0, {}, k);
  add_inner_products(rows, 4.0, {}, k);
  k(3, 5) -= 1000;
  DoubleMatrix dense(70, 90);
  for (std::size_t i = 0; i < 70; ++i) {
    for (std::size_t e = 0; e < rows.row(i).size(); ++e) dense(i, rows.row(i).index[e]) = rows.row(i).weight[e];
  }
  for (std::size_t i = 0; i < 70; ++i) {
    for (std::size_t j = i; j < 70; ++j) {
      EXPECT_EQ(k(i, j), 5 * std::inner_product(dense.row(i), dense.row(i) + 90, dense.row(j), 0.0)) << i << " " << j;
    }
  }
}

TEST(SparseGram, SameBitsForAnyNumberOfThreads) {
  const SparseRows<double> rows = skewed_rows(200, 300, false, 2);
  EXPECT_TRUE(std::ranges::equal(inner_products_of(rows, 1.0, 1).values(), inner_products_of(rows, 1.0, 4).values()));
}

TEST(SparseGram, SameBitsForAnyOrderOfRows) {
  const SparseRows<double> rows = skewed_rows(60, 300, false, 3);
  std::vector<std::uint32_t> order(60);
  std::iota(order.begin(), order.end(), 0U);
  Random random(4);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  SparseRows<double> shuffled;
  shuffled.columns = rows.columns;
  for (const std::uint32_t i : order) {
    const auto row = rows.row(i);
    std::vector<std::pair<std::uint32_t, double>> entries;
    for (std::size_t e = 0; e < row.size(); ++e) entries.emplace_back(row.index[e], row.weight[e]);
    shuffled.add_row(entries);
  }
  const DoubleMatrix k = inner_products_of(rows, 1.0, 2);
  const DoubleMatrix of_shuffled = inner_products_of(shuffled, 1.0, 2);
  for (std::size_t i = 0; i < 60; ++i) {
    for (std::size_t j = i; j < 60; ++j) {
      EXPECT_EQ(of_shuffled(i, j), k(std::min(order[i], order[j]), std::max(order[i], order[j])));
    }
  }
}

}  // namespace
}  // namespace gckn
