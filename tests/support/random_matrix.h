// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gckn/matrix.h"
#include "util/random.h"

namespace gckn::test {

// Numbers between -1 and 1.
template <typename Real>
BasicMatrix<Real> random_matrix(Random& random, std::size_t rows, std::size_t cols) {
  BasicMatrix<Real> matrix(rows, cols);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = static_cast<Real>(2 * random.uniform() - 1);
  return matrix;
}

template <typename Real>
BasicMatrix<Real> random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Random random(seed);
  return random_matrix<Real>(random, rows, cols);
}

template <typename Real>
std::vector<const Real*> row_pointers(const BasicMatrix<Real>& matrix) {
  std::vector<const Real*> rows;
  for (std::size_t i = 0; i < matrix.rows(); ++i) rows.push_back(matrix.row(i));
  return rows;
}

}  // namespace gckn::test
