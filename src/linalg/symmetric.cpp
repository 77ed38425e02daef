// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/symmetric.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "linalg/openblas.h"
#include "linalg/single_threaded_blas.h"
#include "linalg/vector_ops.h"

namespace gckn {
namespace {

// LAPACK may go on for ever with a NaN.
bool upper_triangle_has_nan(const DoubleMatrix& m) {
  for (std::size_t i = 0; i < m.rows(); ++i) {
    if (std::any_of(m.row(i) + i, m.row(i) + m.cols(), [](double value) { return std::isnan(value); })) return true;
  }
  return false;
}

// Asked with sizes of -1, LAPACK says how large its work spaces have to be.
bool solve_eigenproblem(DoubleMatrix& m, std::vector<double>& values) {
  const auto size = static_cast<int>(m.rows());
  int info = 0;
  const auto call = [&](double* work, int work_size, int* whole, int whole_size) {
    openblas().dsyevd("V", "L", &size, m.data(), &size, values.data(), work, &work_size, whole, &whole_size, &info, 1,
                      1);
  };
  double best_size = 0;
  int best_whole_size = 0;
  call(&best_size, -1, &best_whole_size, -1);
  if (info != 0) return false;
  std::vector<double> work(static_cast<std::size_t>(best_size));
  std::vector<int> whole(static_cast<std::size_t>(best_whole_size));
  call(work.data(), static_cast<int>(work.size()), whole.data(), static_cast<int>(whole.size()));
  return info == 0;
}

}  // namespace

std::vector<double> eigenvectors(DoubleMatrix& m) {
  const SingleThreadedBlas one_thread;
  std::vector<double> values(m.rows());
  // Row j becomes eigenvector j, since LAPACK's column-major view is transposed.
  if (!m.empty() && (upper_triangle_has_nan(m) || !solve_eigenproblem(m, values))) {
    throw std::runtime_error("the eigenvalue solver did not converge");
  }
  return values;
}

InverseSquareRoot inverse_square_root(const DoubleMatrix& gram, RootKind kind, double eps) {
  const std::size_t n = gram.rows();
  InverseSquareRoot root{DoubleMatrix(n, n), gram, {}, std::vector<double>(n)};
  root.values = eigenvectors(root.vectors);
  if (n == 0) return root;
  DoubleMatrix scaled_columns(n, n);  // V f, n x n with eigenvectors as columns
  for (std::size_t j = 0; j < n; ++j) {
    const double lambda = std::max(root.values[j], 0.0);
    root.inverse[j] = kind == RootKind::root ? 1.0 / (std::sqrt(lambda) + eps) : 1.0 / std::sqrt(lambda + eps);
    for (std::size_t i = 0; i < n; ++i) scaled_columns(i, j) = root.vectors(j, i) * root.inverse[j];
  }
  DoubleMatrix& result = root.matrix;
  multiply(scaled_columns.data(), n, PackedMatrix<double>(root.vectors.data(), n, n, n), result.data());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) result(i, j) = result(j, i) = 0.5 * (result(i, j) + result(j, i));
  }
  return root;
}

bool solve_indefinite(DoubleMatrix& m, double* rhs) {
  const SingleThreadedBlas one_thread;
  const auto size = static_cast<int>(m.rows());
  if (size == 0) return true;
  if (upper_triangle_has_nan(m) || std::any_of(rhs, rhs + size, [](double value) { return std::isnan(value); })) {
    return false;
  }
  std::vector<int> pivots(m.rows());
  int info = 0;
  // LAPACK counts by columns: its lower triangle is our upper one.
  const auto call = [&](double* work, int work_size) {
    constexpr int kOneRightSide = 1;
    openblas().dsysv("L", &size, &kOneRightSide, m.data(), &size, pivots.data(), rhs, &size, work, &work_size, &info,
                     1);
  };
  double best_size = 0;
  call(&best_size, -1);
  std::vector<double> work(static_cast<std::size_t>(best_size));
  call(work.data(), static_cast<int>(work.size()));
  return info == 0;
}

}  // namespace gckn
