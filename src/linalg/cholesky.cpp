// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/cholesky.h"

#include <cmath>
#include <stdexcept>

#include "linalg/moments.h"
#include "linalg/vector_ops.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::size_t kSmall = 16;  // sizes up to this are done row by row
// From this size on, products are cut into strips of columns for the threads.
constexpr std::size_t kManyRows = 768;
constexpr std::size_t kStrip = 256;

// A part of a row-major matrix.
struct Block {
  double* data;
  std::size_t stride;
  std::size_t rows;
  std::size_t cols;

  [[nodiscard]] double* row(std::size_t i) const { return data + i * stride; }
  [[nodiscard]] Block part(std::size_t i, std::size_t j, std::size_t part_rows, std::size_t part_cols) const {
    return {data + i * stride + j, stride, part_rows, part_cols};
  }
};

// Where to halve: a multiple of kSmall, so that blocks stay whole.
std::size_t half_of(std::size_t n) {
  return (n / 2 + kSmall - 1) / kSmall * kSmall;
}

// B := U'^-1 B.
void solve_lower(const Block& u, const Block& b) {
  if (u.rows <= kSmall) {
    for (std::size_t i = 0; i < u.rows; ++i) {
      for (std::size_t p = 0; p < i; ++p) add_scaled(b.row(i), b.row(p), -u.row(p)[i], b.cols);
      scale(b.row(i), 1.0 / u.row(i)[i], b.cols);
    }
    return;
  }
  const std::size_t half = half_of(u.rows);
  const std::size_t rest = u.rows - half;
  const Block upper = b.part(0, 0, half, b.cols);
  const Block lower = b.part(half, 0, rest, b.cols);
  solve_lower(u.part(0, 0, half, half), upper);
  const Block corner = u.part(0, half, half, rest);
  add_transposed_product({corner.data, corner.stride, rest}, {upper.data, upper.stride, b.cols}, half, nullptr, -1.0,
                         lower.data, lower.stride, Triangle::both);
  solve_lower(u.part(half, half, rest, rest), lower);
}

bool factor(const Block& m, const RunOptions& options, Workers workers) {
  if (m.rows <= kSmall) {
    for (std::size_t i = 0; i < m.rows; ++i) {
      for (std::size_t p = 0; p < i; ++p) add_scaled(m.row(i) + i, m.row(p) + i, -m.row(p)[i], m.rows - i);
      const double pivot = m.row(i)[i];
      if (!(pivot > 0) || !std::isfinite(pivot)) return false;
      scale(m.row(i) + i, 1.0 / std::sqrt(pivot), m.rows - i);
    }
    return true;
  }
  const std::size_t half = half_of(m.rows);
  const std::size_t rest = m.rows - half;
  const Block first = m.part(0, 0, half, half);
  const Block right = m.part(0, half, half, rest);
  const Block second = m.part(half, half, rest, rest);
  if (!factor(first, options, workers)) return false;
  const std::size_t strip = workers == Workers::one || half < kManyRows ? rest : kStrip;
  parallel_tiles(rest, strip, options, "factoring", [&](std::size_t begin, std::size_t end) {
    solve_lower(first, right.part(0, begin, half, end - begin));
  });
  // The upper triangle of `second`, in strips of columns down to their last row.
  parallel_tiles(rest, strip, options, "factoring", [&](std::size_t begin, std::size_t end) {
    const RowBlock above{right.data, right.stride, begin};
    const RowBlock own{right.data + begin, right.stride, end - begin};
    double* to = second.data + begin;
    if (begin > 0) add_transposed_product(above, own, half, nullptr, -1.0, to, second.stride, Triangle::both);
    add_transposed_product(own, own, half, nullptr, -1.0, to + begin * second.stride, second.stride, Triangle::upper);
  });
  return factor(second, options, workers);
}

}  // namespace

bool factor_positive_definite(DoubleMatrix& m, const RunOptions& options, Workers workers) {
  return factor({m.data(), m.cols(), m.rows(), m.cols()}, options, workers);
}

void solve_factored(const DoubleMatrix& factor, double* rhs, std::size_t count) {
  const std::size_t n = factor.rows();
  // All right sides row by row of the factor, which is read from memory once.
  for (std::size_t i = 0; i < n; ++i) {  // U' y = rhs
    for (double* x = rhs; x != rhs + count * n; x += n) {
      x[i] /= factor(i, i);
      add_scaled(x + i + 1, factor.row(i) + i + 1, -x[i], n - i - 1);
    }
  }
  for (double* x = rhs; x != rhs + count * n; x += n) solve_upper(factor, x);
}

void solve_upper(const DoubleMatrix& factor, double* rhs) {
  const std::size_t n = factor.rows();
  for (std::size_t i = n; i-- > 0;) {
    rhs[i] = (rhs[i] - dot(factor.row(i) + i + 1, rhs + i + 1, n - i - 1)) / factor(i, i);
  }
}

void solve_lower(const DoubleMatrix& factor, DoubleMatrix& b) {
  // The factor is only read; a Block is of mutable data because most are written to.
  auto* u = const_cast<double*>(factor.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  solve_lower(Block{u, factor.cols(), factor.rows(), factor.cols()}, Block{b.data(), b.cols(), b.rows(), b.cols()});
}

DoubleMatrix inverse_of_factored(const DoubleMatrix& factor, const RunOptions& options) {
  const std::size_t n = factor.rows();
  auto* u = const_cast<double*>(factor.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast): it is only read
  const Block whole{u, factor.cols(), n, n};
  DoubleMatrix root(n, n);  // U'^-1, which is lower triangular
  const Block below{root.data(), n, n, n};
  parallel_tiles(n, kStrip, options, "inverting", [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) root(i, i) = 1.0;
    const std::size_t rest = n - begin;
    solve_lower(whole.part(begin, begin, rest, rest), below.part(begin, begin, rest, end - begin));
  });
  DoubleMatrix inverse(n, n);
  parallel_tiles(n, kStrip, options, "inverting", [&](std::size_t begin, std::size_t end) {
    // Rows of the root before `begin` have nothing in these columns.
    const double* from = root.row(begin);
    add_transposed_product({from, n, end}, {from + begin, n, end - begin}, n - begin, nullptr, 1.0,
                           inverse.data() + begin, n, Triangle::both);
  });
  mirror_upper_triangle(inverse);
  return inverse;
}

void solve_positive_definite(DoubleMatrix& m, std::vector<double>& rhs) {
  if (!factor_positive_definite(m)) throw std::runtime_error("a matrix that should be positive definite is not");
  solve_factored(m, rhs.data());
}

}  // namespace gckn
