// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gckn/matrix.h"
#include "util/random.h"

namespace gckn {
namespace {

// Weights are whole numbers, so that sums are exact in any order.
SparseRows<double> random_rows(std::size_t rows, std::size_t columns, Random& random, DoubleMatrix& dense) {
  SparseRows<double> sparse;
  sparse.columns = columns;
  dense = DoubleMatrix(rows, columns);
  std::vector<std::pair<std::uint32_t, double>> entries;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::uint64_t e = random.below(9); e-- > 0;) {  // some rows are empty, some repeat an index
      entries.emplace_back(random.below(columns), static_cast<double>(random.below(5)) + 1);
      dense(i, entries.back().first) += entries.back().second;
    }
    sparse.add_row(entries);
  }
  return sparse;
}

TEST(SparseRows, AppendPutsRowsBehind) {
  Random random(3);
  DoubleMatrix dense;
  const SparseRows<double> whole = random_rows(20, 7, random, dense);
  SparseRows<double> joined;
  joined.columns = 7;
  for (const auto& [first, last] : {std::pair{0, 6}, {6, 6}, {6, 20}}) {
    SparseRows<double> part;
    std::vector<std::pair<std::uint32_t, double>> entries;
    for (int i = first; i < last; ++i) {
      const auto row = whole.row(static_cast<std::size_t>(i));
      for (std::size_t e = 0; e < row.size(); ++e) entries.emplace_back(row.index[e], row.weight[e]);
      part.add_row(entries);
    }
    joined.append(part);
  }
  EXPECT_EQ(joined.begin, whole.begin);
  EXPECT_EQ(joined.index, whole.index);
  EXPECT_EQ(joined.weight, whole.weight);
}

TEST(SparseRows, AddRowSortsAndAddsUpEqualIndices) {
  SparseRows<double> rows;
  rows.columns = 9;
  std::vector<std::pair<std::uint32_t, double>> entries{{7, 1.0}, {2, 0.5}, {7, 2.0}};
  rows.add_row(entries);
  EXPECT_TRUE(entries.empty());
  rows.add_row(entries);
  ASSERT_EQ(rows.rows(), 2U);
  EXPECT_EQ(rows.index, (std::vector<std::uint32_t>{2, 7}));
  EXPECT_EQ(rows.weight, (std::vector<double>{0.5, 3.0}));
  EXPECT_EQ(rows.row(1).size(), 0U);
}

TEST(SparseRows, TransposedIsThatOfTheDenseMatrix) {
  Random random(1);
  DoubleMatrix dense;
  const SparseRows<double> transposed = random_rows(1200, 40, random, dense).transposed();
  ASSERT_EQ(transposed.rows(), 40U);
  DoubleMatrix back(1200, 40);
  for (std::size_t k = 0; k < 40; ++k) {
    const auto row = transposed.row(k);
    for (std::size_t e = 0; e < row.size(); ++e) back(row.index[e], k) = row.weight[e];
  }
  EXPECT_TRUE(std::ranges::equal(back.values(), dense.values()));
}

TEST(SparseRows, TransposedTwiceIsTheSame) {
  Random random(2);
  DoubleMatrix dense;
  const SparseRows<double> sparse = random_rows(50, 30, random, dense);
  const SparseRows<double> twice = sparse.transposed().transposed();
  EXPECT_EQ(twice.columns, sparse.columns);
  EXPECT_EQ(twice.begin, sparse.begin);
  EXPECT_EQ(twice.index, sparse.index);
  EXPECT_EQ(twice.weight, sparse.weight);
}

}  // namespace
}  // namespace gckn
