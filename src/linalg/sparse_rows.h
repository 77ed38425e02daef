// SPDX-License-Identifier: BSD-3-Clause
// Weighted sparse rows: states as multisets of patterns, graphs as histograms of states or patterns.
//
// Sums run in the order of a row's entries, so equal rows give equal bits wherever they stand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gckn {

template <typename Weight>
struct SparseRows {
  std::size_t columns = 0;
  std::vector<std::uint64_t> begin{0};  // entries of row i: begin[i] .. begin[i + 1]
  std::vector<std::uint32_t> index;     // ascending within a row, below `columns`
  std::vector<Weight> weight;           // by entry

  struct Row {
    std::span<const std::uint32_t> index;
    std::span<const Weight> weight;
    [[nodiscard]] std::size_t size() const { return index.size(); }
  };

  [[nodiscard]] std::size_t rows() const { return begin.size() - 1; }
  [[nodiscard]] std::size_t entries() const { return index.size(); }
  [[nodiscard]] Row row(std::size_t i) const {
    const std::size_t size = begin[i + 1] - begin[i];
    return {{index.data() + begin[i], size}, {weight.data() + begin[i], size}};
  }

  // Appends a row of entries that may repeat an index, in any order; sorts them and adds up the weights of equals.
  // Leaves `entries` empty, with its memory for the next row.
  void add_row(std::vector<std::pair<std::uint32_t, Weight>>& entries);

  // Appends the rows of another.
  void append(const SparseRows& other);

  // columns x rows.
  [[nodiscard]] SparseRows transposed() const;
};

}  // namespace gckn
