// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/sparse_gram.h"

#include <algorithm>
#include <cassert>

#include "linalg/vector_ops.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// The rows by column. A column that many rows have is kept dense, because whole vectors are then faster to add than
// single elements.
class ColumnLists {
 public:
  explicit ColumnLists(const SparseRows<double>& rows) : lists_(rows.transposed()), dense_of_column_(rows.columns) {
    constexpr std::size_t kDenseShare = 4;  // from a quarter of the rows on
    std::size_t num_dense = 0;
    for (std::size_t c = 0; c < rows.columns; ++c) {
      const bool dense = lists_.row(c).size() * kDenseShare > rows.rows();
      dense_of_column_[c] = dense ? static_cast<std::uint32_t>(num_dense++) : kNone;
    }
    dense_ = DoubleMatrix(num_dense, rows.rows());
    for (std::size_t c = 0; c < rows.columns; ++c) {
      if (dense_of_column_[c] == kNone) continue;
      const auto column = lists_.row(c);
      for (std::size_t e = 0; e < column.size(); ++e) dense_(dense_of_column_[c], column.index[e]) = column.weight[e];
    }
  }

  // sums[j] += weight * S(j, c) for all rows j.
  void add(std::uint32_t c, double weight, double* sums) const {
    if (dense_of_column_[c] != kNone) {
      add_scaled(sums, dense_.row(dense_of_column_[c]), weight, dense_.cols());
      return;
    }
    const auto column = lists_.row(c);
    for (std::size_t e = 0; e < column.size(); ++e) sums[column.index[e]] += weight * column.weight[e];
  }

  // The same for all rows j >= i, where row i has an entry in column c.
  void add_from(std::size_t i, std::uint32_t c, double weight, double* sums) const {
    if (dense_of_column_[c] != kNone) {
      add_scaled(sums + i, dense_.row(dense_of_column_[c]) + i, weight, dense_.cols() - i);
      return;
    }
    const auto column = lists_.row(c);
    for (std::size_t e = column.size(); e-- > 0;) {  // from the end, where the rows after i are
      const std::uint32_t j = column.index[e];
      sums[j] += weight * column.weight[e];
      if (j == i) return;
    }
    assert(false);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  SparseRows<double> lists_;
  std::vector<std::uint32_t> dense_of_column_;  // row of dense_, or kNone
  DoubleMatrix dense_;
};

// A row takes as many products as there are entries, at most; a tile, after which progress is reported, no second.
std::size_t tile_rows(std::size_t entries) {
  constexpr std::size_t kTileProducts = std::size_t{1} << 27;
  return std::clamp<std::size_t>(kTileProducts / (entries + 1), 1, 16);
}

}  // namespace

void add_inner_products(const SparseRows<double>& rows, double factor, const RunOptions& options, DoubleMatrix& k) {
  assert(k.rows() == rows.rows() && k.cols() == rows.rows());
  const ColumnLists columns(rows);
  parallel_tiles(rows.rows(), tile_rows(rows.entries()), options, "comparing graphs",
                 [&](std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     const auto row = rows.row(i);
                     for (std::size_t e = 0; e < row.size(); ++e)
                       columns.add_from(i, row.index[e], factor * row.weight[e], k.row(i));
                   }
                 });
}

void add_inner_products(const SparseRows<double>& s, const SparseRows<double>& t, const RunOptions& options,
                        DoubleMatrix& k) {
  assert(k.rows() == s.rows() && k.cols() == t.rows() && s.columns == t.columns);
  const ColumnLists columns(t);
  parallel_tiles(s.rows(), tile_rows(t.entries()), options, "comparing graphs",
                 [&](std::size_t first, std::size_t last) {
                   for (std::size_t i = first; i < last; ++i) {
                     const auto row = s.row(i);
                     for (std::size_t e = 0; e < row.size(); ++e) columns.add(row.index[e], row.weight[e], k.row(i));
                   }
                 });
}

}  // namespace gckn
