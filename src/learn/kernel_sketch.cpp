// SPDX-License-Identifier: BSD-3-Clause
#include "learn/kernel_sketch.h"

#include <algorithm>
#include <cmath>

#include "linalg/cholesky.h"
#include "linalg/moments.h"
#include "linalg/product.h"
#include "linalg/transposed.h"
#include "linalg/vector_ops.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::size_t kMostRank = 384;  // its systems, one for each machine, should take a small part of the time
constexpr std::size_t kRowsPerRank = 8;
constexpr double kJitter = 1e-13;  // of the trace: kernels may have a lower rank than asked for

// B := U'^-1 B for M = U' U, in strips of columns for the threads; false if M is not positive definite.
bool divide_by_root(DoubleMatrix m, DoubleMatrix& b, const RunOptions& options) {
  double trace = 0;
  for (std::size_t i = 0; i < m.rows(); ++i) trace += m(i, i);
  for (std::size_t i = 0; i < m.rows(); ++i) m(i, i) += kJitter * trace;
  if (!factor_positive_definite(m, options)) return false;
  constexpr std::size_t kStrip = 512;
  parallel_tiles(b.cols(), kStrip, [&](std::size_t begin, std::size_t end) {
    auto strip = DoubleMatrix::uninitialised(b.rows(), end - begin);
    for (std::size_t i = 0; i < b.rows(); ++i) std::copy(b.row(i) + begin, b.row(i) + end, strip.row(i));
    solve_lower(m, strip);
    for (std::size_t i = 0; i < b.rows(); ++i) std::copy_n(strip.row(i), strip.cols(), b.row(i) + begin);
  });
  return true;
}

}  // namespace

KernelSketch::KernelSketch(const DoubleMatrix& kernel, const RunOptions& options) {
  const std::size_t n = kernel.rows();
  const std::size_t r = std::min(kMostRank, n / kRowsPerRank);
  if (r == 0) return;
  auto basis = DoubleMatrix::uninitialised(r, n);  // K of every so many rows, then Q'
  auto corner = DoubleMatrix::uninitialised(r, r);
  for (std::size_t i = 0; i < r; ++i) {
    std::copy_n(kernel.row(i * n / r), n, basis.row(i));
    for (std::size_t j = 0; j < r; ++j) corner(i, j) = kernel(i * n / r, j * n / r);
  }
  if (!divide_by_root(std::move(corner), basis, options)) return;
  if (!divide_by_root(inner_products(basis), basis, options)) return;

  const DoubleMatrix q = transposed(basis);
  auto kq = DoubleMatrix::uninitialised(n, r);
  multiply(kernel.data(), n, PackedMatrix<double>(q.data(), n, r, r), kq.data());
  DoubleMatrix qkq(r, r);
  multiply(basis.data(), r, PackedMatrix<double>(kq.data(), n, r, r), qkq.data());
  DoubleMatrix v = transposed(kq);
  if (!divide_by_root(std::move(qkq), v, options)) return;
  rows = transposed(v);
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) {
    trace += kernel(i, i);
    tail += kernel(i, i) - dot(rows.row(i), rows.row(i), r);
  }
  constexpr double kLeastTail = 1e-12;  // where rounding has nothing left over
  tail = std::max(tail, kLeastTail * trace) / static_cast<double>(n);
}

}  // namespace gckn
