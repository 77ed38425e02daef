// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/symmetric.h"

#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "linalg/single_threaded_blas.h"
#include "linalg/vector_ops.h"

namespace gckn {

std::vector<double> eigenvectors(DoubleMatrix& m) {
  const SingleThreadedBlas one_thread;
  std::vector<double> values(m.rows());
  const auto size = static_cast<lapack_int>(m.rows());
  // Row j becomes eigenvector j, since LAPACK's column-major view is transposed.
  if (size > 0 && LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', size, m.data(), size, values.data()) != 0) {
    throw std::runtime_error("the eigenvalue solver did not converge");
  }
  return values;
}

DoubleMatrix inverse_square_root(const DoubleMatrix& gram, RootKind kind, double eps) {
  const std::size_t n = gram.rows();
  if (n == 0) return {};
  DoubleMatrix vectors = gram;
  const std::vector<double> values = eigenvectors(vectors);
  DoubleMatrix scaled_columns(n, n);  // V f, n x n with eigenvectors as columns
  for (std::size_t j = 0; j < n; ++j) {
    const double lambda = std::max(values[j], 0.0);
    const double f = kind == RootKind::root ? 1.0 / (std::sqrt(lambda) + eps) : 1.0 / std::sqrt(lambda + eps);
    for (std::size_t i = 0; i < n; ++i) scaled_columns(i, j) = vectors(j, i) * f;
  }
  DoubleMatrix result(n, n);
  multiply(scaled_columns.data(), n, PackedMatrix<double>(vectors.data(), n, n, n), result.data());
  for (std::size_t i = 0; i < n; ++i) {  // symmetric to the last bit
    for (std::size_t j = 0; j < i; ++j) result(i, j) = result(j, i) = 0.5 * (result(i, j) + result(j, i));
  }
  return result;
}

bool solve_indefinite(DoubleMatrix& m, double* rhs) {
  const SingleThreadedBlas one_thread;
  const auto size = static_cast<lapack_int>(m.rows());
  if (size == 0) return true;
  std::vector<lapack_int> pivots(m.rows());
  // LAPACK counts by columns: its lower triangle is our upper one.
  return LAPACKE_dsysv(LAPACK_COL_MAJOR, 'L', size, 1, m.data(), size, pivots.data(), rhs, size) == 0;
}

}  // namespace gckn
