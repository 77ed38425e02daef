// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/cholesky.h"

#include <array>
#include <cmath>
#include <stdexcept>

#include "linalg/moments.h"
#include "linalg/product.h"
#include "linalg/vector_ops.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::size_t kSmall = 32;   // sizes up to this are done row by row
constexpr std::size_t kNarrow = 16;  // right sides up to this many, too
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

// U'^-1 of the blocks on the diagonal of a factor, where recursive halving meets them: dividing many right sides by
// such a block is then a product with a small matrix, too.
class DiagonalInverses {
 public:
  explicit DiagonalInverses(std::size_t n) : rows_(n, kSmall) {}

  // Of the block `u` that begins at row `at`.
  void invert(const Block& u, std::size_t at) {
    for (std::size_t i = 0; i < u.rows; ++i) {
      double* row = rows_.row(at + i);  // row i of U'^-1, which ends at column i
      for (std::size_t p = 0; p < i; ++p) add_scaled(row, rows_.row(at + p), -u.row(p)[i], p + 1);
      scale(row, 1.0 / u.row(i)[i], i);
      row[i] = 1.0 / u.row(i)[i];
    }
  }

  // All of a factor's.
  void invert_all(const Block& u, std::size_t at);

  // B := U'^-1 B for the block of b.rows rows that begins at row `at`.
  void divide(std::size_t at, const Block& b) const {
    std::array<const double*, kSmall> rows{};
    for (std::size_t i = 0; i < b.rows; ++i) rows[i] = rows_.row(at + i);
    const PackedMatrix<double> right(b.data, b.rows, b.cols, b.stride);
    multiply_rows(rows.data(), b.rows, right, b.data, b.stride, false);
  }

 private:
  DoubleMatrix rows_;  // n x kSmall
};

void DiagonalInverses::invert_all(const Block& u, std::size_t at) {
  if (u.rows <= kSmall) {
    invert(u, at);
    return;
  }
  const std::size_t half = half_of(u.rows);
  const std::size_t rest = u.rows - half;
  invert_all(u.part(0, 0, half, half), at);
  invert_all(u.part(half, half, rest, rest), at + half);
}

// B := U'^-1 B; u begins at row `at` of the whole factor. Without inverses: for few right sides.
void solve_lower(const Block& u, std::size_t at, const DiagonalInverses* inverses, const Block& b) {
  if (u.rows <= kSmall) {
    if (inverses != nullptr) {
      inverses->divide(at, b);
      return;
    }
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
  solve_lower(u.part(0, 0, half, half), at, inverses, upper);
  const Block corner = u.part(0, half, half, rest);
  add_transposed_product({corner.data, corner.stride, rest}, {upper.data, upper.stride, b.cols}, half, nullptr, -1.0,
                         lower.data, lower.stride, Triangle::both);
  solve_lower(u.part(half, half, rest, rest), at + half, inverses, lower);
}

// m begins at row `at` of the whole matrix.
bool factor(const Block& m, std::size_t at, DiagonalInverses& inverses, const RunOptions& options, Workers workers) {
  if (m.rows <= kSmall) {
    for (std::size_t i = 0; i < m.rows; ++i) {
      for (std::size_t p = 0; p < i; ++p) add_scaled(m.row(i) + i, m.row(p) + i, -m.row(p)[i], m.rows - i);
      const double pivot = m.row(i)[i];
      if (!(pivot > 0) || !std::isfinite(pivot)) return false;
      scale(m.row(i) + i, 1.0 / std::sqrt(pivot), m.rows - i);
    }
    inverses.invert(m, at);
    return true;
  }
  const std::size_t half = half_of(m.rows);
  const std::size_t rest = m.rows - half;
  const Block first = m.part(0, 0, half, half);
  const Block right = m.part(0, half, half, rest);
  const Block second = m.part(half, half, rest, rest);
  if (!factor(first, at, inverses, options, workers)) return false;
  const std::size_t strip = workers == Workers::one || half < kManyRows ? rest : kStrip;
  parallel_tiles(rest, strip, options, "factoring", [&](std::size_t begin, std::size_t end) {
    solve_lower(first, at, &inverses, right.part(0, begin, half, end - begin));
  });
  // The upper triangle of `second`, in strips of columns down to their last row.
  parallel_tiles(rest, strip, options, "factoring", [&](std::size_t begin, std::size_t end) {
    const RowBlock above{right.data, right.stride, begin};
    const RowBlock own{right.data + begin, right.stride, end - begin};
    double* to = second.data + begin;
    if (begin > 0) add_transposed_product(above, own, half, nullptr, -1.0, to, second.stride, Triangle::both);
    add_transposed_product(own, own, half, nullptr, -1.0, to + begin * second.stride, second.stride, Triangle::upper);
  });
  return factor(second, at + half, inverses, options, workers);
}

}  // namespace

bool factor_positive_definite(DoubleMatrix& m, const RunOptions& options, Workers workers) {
  DiagonalInverses inverses(m.rows());
  return factor({m.data(), m.cols(), m.rows(), m.cols()}, 0, inverses, options, workers);
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

void solve_upper_transposed(const DoubleMatrix& factor, double* rhs) {
  const std::size_t n = factor.rows();
  for (std::size_t i = 0; i < n; ++i) {
    rhs[i] /= factor(i, i);
    add_scaled(rhs + i + 1, factor.row(i) + i + 1, -rhs[i], n - i - 1);
  }
}

std::vector<double> multiply_factored(const DoubleMatrix& factor, const std::vector<double>& x) {
  const std::size_t n = factor.rows();
  std::vector<double> result(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double* row = factor.row(i) + i;
    add_scaled(result.data() + i, row, dot(row, x.data() + i, n - i), n - i);
  }
  return result;
}

void solve_lower(const DoubleMatrix& factor, DoubleMatrix& b) {
  // The factor is only read; a Block is of mutable data because most are written to.
  auto* u = const_cast<double*>(factor.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  const Block whole{u, factor.cols(), factor.rows(), factor.cols()};
  const Block right{b.data(), b.cols(), b.rows(), b.cols()};
  if (b.cols() <= kNarrow) {
    solve_lower(whole, 0, nullptr, right);
    return;
  }
  DiagonalInverses inverses(factor.rows());
  inverses.invert_all(whole, 0);
  solve_lower(whole, 0, &inverses, right);
}

void solve_positive_definite(DoubleMatrix& m, std::vector<double>& rhs) {
  if (!factor_positive_definite(m)) throw std::runtime_error("a matrix that should be positive definite is not");
  solve_factored(m, rhs.data());
}

}  // namespace gckn
