// SPDX-License-Identifier: BSD-3-Clause
// The training rows of a sparse linear problem on fewer columns, without changing the problem
//   minimise over w:  1/2 |w|^2 + any function of the outputs <w, x_i>.
// - Columns that no training row has are left out, as their weights are 0.
// - m columns that are equal in all training rows have equal weights: they become one column, times sqrt(m).
// - All columns that row i has alone become one column, s_i, of which u_i is the weight.
// What is left are k columns that rows share. Weights z of the reduced problem are those of the shared columns, then u
// of the n rows; |z| is |w| of the full one, and so it is for gradients.
//
// Where every row has one value, as rows of states do, x_ik is that of the row times sqrt(m) of the column, and entries
// are kept without values: products wait for memory. Any number of threads may read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linalg/sparse_rows.h"

namespace gckn {

class ReducedRows {
 public:
  ReducedRows(const SparseRows<double>& rows, std::span<const std::uint32_t> train);

  [[nodiscard]] std::size_t rows() const { return own_.size(); }
  [[nodiscard]] std::size_t shared() const { return shared_; }
  [[nodiscard]] std::size_t entries() const { return index_.size(); }  // of the shared columns
  [[nodiscard]] double own(std::size_t i) const { return own_[i]; }

  // <x_i, w> over the shared columns.
  [[nodiscard]] double product(std::size_t i, const double* w) const {
    if (has_values()) return row_sum(i, [&](std::uint64_t e) { return value_[e] * w[index_[e]]; });
    return row_value_[i] * row_sum(i, [&](std::uint64_t e) { return scale_[index_[e]] * w[index_[e]]; });
  }

  // to += factor x_i over the shared columns.
  void add(std::size_t i, double factor, double* to) const {
    for_row(i, [&](std::uint32_t k, double x) { to[k] += factor * x; });
  }

  // A product is made of both side by side: a row then finds them with half the cache misses. They are without the
  // columns' part of x where entries have no values.
  struct InAndOut {
    double in;
    double out;
  };

  // Before and after a product h = p + sum of what was bent: by shared column.
  void begin_product(const std::vector<double>& p, std::vector<InAndOut>& columns) const;
  void end_product(const std::vector<double>& p, const std::vector<InAndOut>& columns, std::vector<double>& h) const;

  // out += e <x_i, in> x_i over the shared columns; returns e <x_i, in>.
  double bend(std::size_t i, double e, InAndOut* columns) const {
    if (has_values()) {
      const double bent = e * row_sum(i, [&](std::uint64_t n) { return value_[n] * columns[index_[n]].in; });
      for (std::uint64_t n = begin_[i]; n < begin_[i + 1]; ++n) columns[index_[n]].out += bent * value_[n];
      return bent;
    }
    const double bent = e * row_value_[i] * row_sum(i, [&](std::uint64_t n) { return columns[index_[n]].in; });
    const double out = bent * row_value_[i];
    for (std::uint64_t n = begin_[i]; n < begin_[i + 1]; ++n) columns[index_[n]].out += out;
    return bent;
  }

  // body(k, x_ik), by ascending k.
  template <typename Body>
  void for_row(std::size_t i, const Body& body) const {
    if (has_values()) {
      for (std::uint64_t e = begin_[i]; e < begin_[i + 1]; ++e) body(index_[e], value_[e]);
    } else {
      for (std::uint64_t e = begin_[i]; e < begin_[i + 1]; ++e) body(index_[e], row_value_[i] * scale_[index_[e]]);
    }
  }

  // Outputs without bias.
  [[nodiscard]] std::vector<double> outputs(const std::vector<double>& z) const;

  // To the weights of the columns as they were; those of columns that are not used are left alone.
  void spread(const std::vector<double>& z, std::vector<double>& w) const;

 private:
  // Column `column` has the weight share * z[place].
  struct Origin {
    std::uint32_t column;
    std::size_t place;
    double share;
  };

  [[nodiscard]] bool has_values() const { return row_value_.empty(); }

  // The sum of term(e) over the entries of a row. Four partial sums, as every addition would wait for the one before.
  template <typename Term>
  [[nodiscard]] double row_sum(std::size_t i, const Term& term) const {
    double sums[4] = {};
    std::uint64_t e = begin_[i];
    const std::uint64_t end = begin_[i + 1];
    for (; e + 4 <= end; e += 4) {
      for (std::size_t k = 0; k < 4; ++k) sums[k] += term(e + k);
    }
    for (; e < end; ++e) sums[0] += term(e);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  void number_parts(std::vector<std::uint32_t>& part, const std::vector<std::uint32_t>& count);

  std::size_t shared_ = 0;
  std::vector<double> own_;           // s, by row
  std::vector<std::uint64_t> begin_;  // by row, of its entries
  std::vector<std::uint32_t> index_;  // ascending within a row
  std::vector<double> value_;         // x, by entry; or none
  std::vector<double> row_value_;     // by row, where entries have none
  std::vector<std::uint32_t> first_;  // by shared column: the first column it stands for
  std::vector<double> scale_;         // and the root of their number
  std::vector<Origin> origins_;
};

}  // namespace gckn
