// SPDX-License-Identifier: BSD-3-Clause
// The second moments of the training rows of every fold, from those of all rows.
//
// Folds of one set share most of their rows but standardise them differently. With x the rows as they are, z = (x -
// m)/s standardised by all rows and z_f = (x - m_f)/s_f by a fold's, each followed by the constant 1,
//   z_f = a z + b,  a = s / s_f,  b = (m - m_f) / s_f   by column,
// so the fold's moments follow from those of z over its rows, which are those over all rows less the rows it leaves
// out: a tenth of the work with ten folds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gckn/matrix.h"
#include "learn/standardise.h"

namespace gckn {

class FoldMoments {
 public:
  // vectors must outlive this. Works on all threads.
  FoldMoments(const Matrix& vectors, std::vector<std::uint32_t> rows);

  // Z' Z, upper triangle, of the given rows as the standardiser brings them, with the ones. Nothing if computing it
  // afresh is as good: rows that are not among ours, too many left out, or a column on which the fold varies so much
  // less than all rows that the difference would lose digits.
  [[nodiscard]] std::optional<DoubleMatrix> of(std::span<const std::uint32_t> rows,
                                               const Standardiser& standardiser) const;

 private:
  const Matrix& vectors_;
  std::vector<std::uint32_t> rows_;
  Standardiser all_;      // keeps every column
  DoubleMatrix moments_;  // upper triangle
};

}  // namespace gckn
