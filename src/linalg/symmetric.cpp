// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/symmetric.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "linalg/gradient_ops.h"
#include "linalg/openblas.h"
#include "linalg/single_threaded_blas.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// LAPACK may go on for ever with a NaN.
bool upper_triangle_has_nan(const DoubleMatrix& m) {
  for (std::size_t i = 0; i < m.rows(); ++i) {
    if (std::any_of(m.row(i) + i, m.row(i) + m.cols(), [](double value) { return std::isnan(value); })) return true;
  }
  return false;
}

// Asked with sizes of -1, LAPACK says how large its work spaces have to be. Every thread keeps its own: training asks
// for small ones a thousand times a second.
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
  thread_local std::vector<double> work;
  thread_local std::vector<int> whole;
  work.resize(static_cast<std::size_t>(best_size));
  whole.resize(static_cast<std::size_t>(best_whole_size));
  call(work.data(), static_cast<int>(work.size()), whole.data(), static_cast<int>(whole.size()));
  return info == 0;
}

}  // namespace

void eigenvectors(DoubleMatrix& m, std::vector<double>& values) {
  const SingleThreadedBlas one_thread;
  values.resize(m.rows());
  // Row j becomes eigenvector j, since LAPACK's column-major view is transposed.
  if (!m.empty() && (upper_triangle_has_nan(m) || !solve_eigenproblem(m, values))) {
    throw std::runtime_error("the eigenvalue solver did not converge");
  }
}

std::vector<double> eigenvectors(DoubleMatrix& m) {
  std::vector<double> values;
  eigenvectors(m, values);
  return values;
}

InverseSquareRoot inverse_square_root(const DoubleMatrix& gram, RootKind kind, double eps) {
  InverseSquareRoot root;
  inverse_square_root(gram, kind, eps, root);
  return root;
}

void inverse_square_root(const DoubleMatrix& gram, RootKind kind, double eps, InverseSquareRoot& root) {
  const std::size_t n = gram.rows();
  root.vectors = gram;
  eigenvectors(root.vectors, root.values);
  root.inverse.resize(n);
  DoubleMatrix& scaled = root.scratch;  // f V^T
  scaled.reshape(n, n);
  for (std::size_t j = 0; j < n; ++j) {
    const double lambda = std::max(root.values[j], 0.0);
    root.inverse[j] = kind == RootKind::root ? 1.0 / (std::sqrt(lambda) + eps) : 1.0 / std::sqrt(lambda + eps);
    for (std::size_t i = 0; i < n; ++i) scaled(j, i) = root.vectors(j, i) * root.inverse[j];
  }
  DoubleMatrix& result = root.matrix;
  result.reshape(n, n);
  result.fill(0);
  constexpr std::size_t kTile = 96;
  parallel_tiles(n, kTile, [&](std::size_t first, std::size_t last) {
    add_transposed_product(scaled.data() + first, n, n, last - first, root.vectors.data(), n, n, result.row(first), n);
  });
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) result(i, j) = result(j, i) = 0.5 * (result(i, j) + result(j, i));
  }
}

void inverse_square_root_backward(const InverseSquareRoot& root, const DoubleMatrix& d_matrix, DoubleMatrix& d_gram,
                                  DoubleMatrix& scratch) {
  const std::size_t n = root.matrix.rows();
  const auto add_square = [n](const double* a, const double* b, double* c) {
    add_transposed_product(a, n, n, n, b, n, n, c, n);
  };
  // Only the symmetric part of d_gram is of use, so D is made symmetric first. Products come as A' B; D and M are
  // their own transposes.
  DoubleMatrix& symmetric = d_gram;
  symmetric.reshape(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) symmetric(i, j) = symmetric(j, i) = 0.5 * (d_matrix(i, j) + d_matrix(j, i));
  }
  scratch.reshape(3 * n, n);
  double* const columns = scratch.data();      // V: eigenvectors as columns
  double* const half = columns + n * n;        // D V, then M V^T
  double* const middle = columns + 2 * n * n;  // V^T D V, then M = -F o it
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) columns[i * n + j] = root.vectors(j, i);
  }
  std::fill_n(half, 2 * n * n, 0.0);
  add_square(symmetric.data(), columns, half);
  add_square(columns, half, middle);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double fi = root.inverse[i];
      const double fj = root.inverse[j];
      middle[i * n + j] *= -fi * fi * fj * fj / (fi + fj);
    }
  }
  std::fill_n(half, n * n, 0.0);
  add_square(middle, root.vectors.data(), half);
  d_gram.fill(0);
  add_square(root.vectors.data(), half, d_gram.data());
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
