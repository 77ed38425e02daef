// SPDX-License-Identifier: BSD-3-Clause
// Columns brought to mean 0 and variance 1, with the statistics of given rows (the training graphs).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gckn/matrix.h"

namespace gckn {

struct Standardiser {
  std::vector<double> mean;
  std::vector<double> scale;  // 0: the column is constant on the training rows and is left out

  // Statistics of the given rows. A column whose deviation is below 1e-4 of its mean magnitude counts as constant:
  // what varies there is rounding.
  Standardiser(const Matrix& vectors, std::span<const std::uint32_t> rows);

  // Leaves vectors of this many columns as they are.
  static Standardiser identity(std::size_t columns);

  // The given rows, standardised; left-out columns are dropped and a column of ones is added at the end.
  [[nodiscard]] DoubleMatrix apply(const Matrix& vectors, std::span<const std::uint32_t> rows) const;

  // <w, z_i> of the same rows z, from the vectors as they are: half the memory to read. w: by column of apply().
  [[nodiscard]] std::vector<double> products(const Matrix& vectors, std::span<const std::uint32_t> rows,
                                             std::span<const double> w) const;

 private:
  Standardiser() = default;
  [[nodiscard]] std::size_t num_kept() const;
};

}  // namespace gckn
