// SPDX-License-Identifier: BSD-3-Clause
// Optimal assignment of nodes by their states,
//   OA(g, h) = sum over rounds k and states s of  min(c_{k,s}(g), c_{k,s}(h)),
// with c_{k,s} the number of nodes of a graph that have state s after k rounds: the weight of the best one-to-one
// assignment of their nodes, where two nodes weigh as much as they have states in common (Kriege et al. 2016). A
// minimum of counts is an inner product of indicators [c >= 1], [c >= 2], ..., so every graph is a sparse row of ones.
//
// Where there are too many indicators to give each a column, they are hashed: an indicator goes to one of 2^b columns,
// times 1 or -1, both by its hash (Weinberger et al. 2009). Columns then need no names, and inner products are those
// above plus noise of mean 0 and deviation about |x| |x'| / sqrt(2^b).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gckn/matrix.h"
#include "gckn/run_options.h"
#include "linalg/sparse_rows.h"
#include "network/node_states.h"

namespace gckn {

inline constexpr int kHashedStateBits = 18;  // of models whose training graphs have too many states

// A column for every state and t = 1 .. the most nodes of one graph that have it, by ascending names. Or hashed.
class AssignmentColumns {
 public:
  explicit AssignmentColumns(const StateCounts& counts);

  // As they were saved. Throws UsageError if names do not ascend, or a name has no column.
  AssignmentColumns(std::vector<std::uint64_t> names, const std::vector<std::uint64_t>& columns_of_name);

  // 2^bits columns for whatever states there are. Throws UsageError for bits outside 1 .. 31.
  static AssignmentColumns hashed(int bits);

  [[nodiscard]] std::size_t size() const { return is_hashed() ? std::size_t{1} << bits_ : first_.back(); }
  [[nodiscard]] bool is_hashed() const { return bits_ > 0; }
  [[nodiscard]] int bits() const { return bits_; }  // 0 if they are not hashed
  // None if they are hashed.
  [[nodiscard]] const std::vector<std::uint64_t>& names() const { return names_; }
  // The columns of name i are first(i) .. first(i + 1).
  [[nodiscard]] std::uint32_t first(std::size_t i) const { return first_[i]; }

  // Whether it has a column. Hashed columns are for all.
  [[nodiscard]] bool knows(std::uint64_t name) const { return is_hashed() || find(name) < names_.size(); }

  // body(column, value): for every indicator of a state that `count` nodes have, value being 1, or -1 where hashed.
  template <typename Body>
  void for_columns(std::uint64_t name, std::uint32_t count, const Body& body) const {
    if (is_hashed()) {
      for (std::uint32_t t = 0; t < count; ++t) {
        const std::uint64_t hash = hash_of(name, t);
        body(static_cast<std::uint32_t>(hash >> (64 - bits_)), (hash & 1) != 0 ? 1.0 : -1.0);
      }
      return;
    }
    const std::size_t s = find(name);
    if (s == names_.size()) return;
    const std::uint32_t end = std::min(first_[s + 1] - first_[s], count) + first_[s];
    for (std::uint32_t column = first_[s]; column < end; ++column) body(column, 1.0);
  }

  // A one where a graph has at least t nodes of the state; what no column stands for is left out. normalised: divided
  // by the norm of the whole row, what is left out included, so that inner products are OA / sqrt(OA OA).
  [[nodiscard]] SparseRows<double> rows(const StateCounts& counts, bool normalised) const;

 private:
  AssignmentColumns() = default;

  static std::uint64_t hash_of(std::uint64_t name, std::uint32_t t);
  // Its number, or names().size() if it is not known.
  [[nodiscard]] std::size_t find(std::uint64_t name) const;
  [[nodiscard]] SparseRows<double> hashed_rows(const StateCounts& counts, bool normalised) const;

  int bits_ = 0;
  std::vector<std::uint64_t> names_;  // ascending
  std::vector<std::uint32_t> first_;  // by name: its first column, and behind the last one their number
};

// What a one of a graph is divided by to normalise its row: the root of the number of states of all its nodes.
double assignment_norm(const StateCounts& counts, std::size_t graph);

// K_ij / sqrt(K(i, i) K(j, j)), given those of the rows and of the columns; 0 where one of them is 0. Equal graphs are
// exactly 1 alike, and others at most. In parallel.
void normalise_kernel(const std::vector<double>& of_row, const std::vector<double>& of_column,
                      const RunOptions& options, DoubleMatrix& k);

// The normalised assignment between all graphs, given the rows of each with every one of its states; 1 between two
// graphs without nodes. In parallel.
DoubleMatrix assignment_matrix(const SparseRows<double>& rows, const RunOptions& options);

}  // namespace gckn
