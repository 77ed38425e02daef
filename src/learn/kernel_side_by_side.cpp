// SPDX-License-Identifier: BSD-3-Clause
#include "learn/kernel_side_by_side.h"

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

// For one Newton step: a machine takes about five for one C, and then its own factors are no slower.
constexpr int kMostKernelProducts = 60;
constexpr int kTrialKernelProducts = 20;  // after so many they show whether it is worth going on
constexpr std::size_t kKernelRowTile = 128;

constexpr const char* kLinearModels = "linear models";

Matrix rounded(const DoubleMatrix& m) {
  auto result = Matrix::uninitialised(m.rows(), m.cols());
  parallel_tiles(m.rows(), kKernelRowTile, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin * m.cols(); i < end * m.cols(); ++i) {
      result.data()[i] = static_cast<float>(m.data()[i]);
    }
  });
  return result;
}

// Sums by column of what `body` adds for each row. In parallel, always in the same order.
template <typename Body>
std::vector<double> column_sums(std::size_t rows, std::size_t columns, const Body& body) {
  const std::size_t tiles = (rows + kKernelRowTile - 1) / kKernelRowTile;
  DoubleMatrix parts(tiles, columns);
  parallel_tiles(rows, kKernelRowTile, [&](std::size_t begin, std::size_t end) {
    double* sums = parts.row(begin / kKernelRowTile);
    for (std::size_t i = begin; i < end; ++i) body(i, sums);
  });
  std::vector<double> sums(columns, 0.0);
  for (std::size_t tile = 0; tile < tiles; ++tile) add_scaled(sums.data(), parts.row(tile), 1.0, columns);
  return sums;
}

// Whether some machine will need too many products if its residual goes on to shrink as it did.
bool is_hopeless(int products, const std::vector<double>& square, const std::vector<double>& at_first,
                 const std::vector<double>& enough) {
  for (std::size_t j = 0; j < square.size(); ++j) {
    if (square[j] <= enough[j]) continue;
    const double shrunk = std::log(at_first[j] / square[j]);
    if (shrunk * kMostKernelProducts < std::log(at_first[j] / enough[j]) * products) return true;
  }
  return false;
}

}  // namespace

SideBySide::SideBySide(const DoubleMatrix& kernel, std::span<KernelMachine> machines, const RunOptions& options)
    : kernel_(kernel),
      machines_(machines),
      options_(options),
      rounded_kernel_(rounded(kernel)),
      sketch_(kernel, options),
      rounded_rows_(rounded(sketch_.rows)),
      rounded_transposed_(transposed(rounded_rows_)),
      systems_(machines.size()) {}

bool SideBySide::solve(double c, const std::vector<std::size_t>& machines) {
  solved_ = machines;
  const std::size_t n = kernel_.rows();
  const std::size_t m = machines.size();
  if (sketch_.rank() > 0) {
    parallel_for(m, [&](std::size_t j) { prepare(c, machines[j]); });
  }
  DoubleMatrix ridge(n, m);  // V^-1 / (2 C) in A; 0 outside it
  x_ = DoubleMatrix(n, m);
  std::vector<double> enough(m, 0.0);
  for (std::size_t j = 0; j < m; ++j) {
    const KernelMachine& machine = machines_[machines[j]];
    for (std::size_t i = 0; i < machine.a.size(); ++i) {
      if (machine.active[i] == 0) continue;
      const std::size_t row = machine.problem->train[i];
      x_(row, j) = machine.a[i];
      ridge(row, j) = 0.5 / (c * machine.v[i]);
      enough[j] += machine.accuracy * machine.accuracy;
    }
  }
  DoubleMatrix residual(n, m);
  std::vector<double> square = set_residual(ridge, residual);
  const std::vector<double> at_first = square;
  int most = kMostKernelProducts;
  bool is_exact = true;  // residual and kx_ are those of x_, not only of rounded products
  DoubleMatrix direction(n, m);
  std::vector<double> scaled(m, 0.0);  // residual times preconditioned residual
  std::vector<std::size_t> open;       // columns whose residual is still too large: work is for these alone
  for (int products = 0;; ++products) {
    open.clear();
    for (std::size_t j = 0; j < m; ++j) {
      if (square[j] > enough[j]) open.push_back(j);
    }
    if (open.empty() && is_exact) return true;
    if (open.empty()) {
      square = set_residual(ridge, residual);
      is_exact = true;
      std::ranges::fill(scaled, 0.0);  // directions begin anew
      most += kMostKernelProducts / 2;
      for (std::size_t j = 0; j < m; ++j) {  // a point that need not be accurate is good enough as it is
        if (machines_[machines[j]].accuracy > kKernelResidual) square[j] = 0;
      }
      continue;
    }
    if (products >= most) return false;
    if (products == kTrialKernelProducts && is_hopeless(products, square, at_first, enough)) return false;
    const std::size_t o = open.size();
    const Matrix z = precondition(residual, ridge, open);
    const std::vector<double> next = column_sums(n, o, [&](std::size_t i, double* sums) {
      for (std::size_t k = 0; k < o; ++k) sums[k] += residual(i, open[k]) * static_cast<double>(z(i, k));
    });
    auto d = DoubleMatrix::uninitialised(n, o);  // of the open columns, as z
    parallel_tiles(n, kKernelRowTile, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t k = 0; k < o; ++k) {
          const double kept = scaled[open[k]] > 0 ? next[k] / scaled[open[k]] : 0.0;
          d(i, k) = direction(i, open[k]) = static_cast<double>(z(i, k)) + kept * direction(i, open[k]);
        }
      }
    });
    for (std::size_t k = 0; k < o; ++k) scaled[open[k]] = next[k];
    const Matrix kd = rounded_product(d);
    is_exact = false;
    // The system's product is that of the kernel within A, and the ridge.
    const std::vector<double> curvature = column_sums(n, o, [&](std::size_t i, double* sums) {
      for (std::size_t k = 0; k < o; ++k) sums[k] += d(i, k) * (kd(i, k) + ridge(i, open[k]) * d(i, k));
    });
    std::vector<double> step(o, 0.0);
    for (std::size_t k = 0; k < o; ++k) step[k] = curvature[k] > 0 ? next[k] / curvature[k] : 0.0;
    const std::vector<double> squares = column_sums(n, o, [&](std::size_t i, double* sums) {
      for (std::size_t k = 0; k < o; ++k) {
        const std::size_t j = open[k];
        x_(i, j) += step[k] * d(i, k);
        kx_(i, j) += step[k] * kd(i, k);
        const double within = ridge(i, j) > 0 ? step[k] : 0.0;
        residual(i, j) -= within * (kd(i, k) + ridge(i, j) * d(i, k));
        sums[k] += residual(i, j) * residual(i, j);
      }
    });
    for (std::size_t k = 0; k < o; ++k) square[open[k]] = squares[k];
  }
}

std::vector<double> SideBySide::set_residual(const DoubleMatrix& ridge, DoubleMatrix& residual) {
  report_progress(options_, kLinearModels, 0, 0);
  const std::size_t n = kernel_.rows();
  const std::size_t m = x_.cols();
  kx_ = DoubleMatrix::uninitialised(n, m);
  multiply(kernel_.data(), n, PackedMatrix<double>(x_.data(), n, m, m), kx_.data());
  for (std::size_t j = 0; j < m; ++j) {
    const KernelMachine& machine = machines_[solved_[j]];
    for (std::size_t i = 0; i < machine.a.size(); ++i) {
      if (machine.active[i] == 0) continue;
      const std::size_t row = machine.problem->train[i];
      residual(row, j) = machine.problem->labels[i] - kx_(row, j) - ridge(row, j) * x_(row, j);
    }
  }
  return column_sums(n, m, [&](std::size_t i, double* sums) {
    for (std::size_t j = 0; j < m; ++j) sums[j] += residual(i, j) * residual(i, j);
  });
}

std::vector<double> SideBySide::point(std::size_t j) const {
  std::vector<double> values;
  for (const std::uint32_t row : machines_[solved_[j]].problem->train) values.push_back(x_(row, j));
  return values;
}

std::vector<double> SideBySide::outputs(std::size_t j) const {
  std::vector<double> values(kx_.rows());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = kx_(i, j);
  return values;
}

void SideBySide::prepare(double c, std::size_t which) {
  const KernelMachine& machine = machines_[which];
  const std::size_t r = sketch_.rank();
  SmallSystem& system = systems_[which];
  if (system.moments.empty()) {
    system.moments = DoubleMatrix(r, r);
    system.factor = DoubleMatrix(r, r);
    system.counted.assign(machine.active.size(), 0);
  }
  std::vector<std::size_t> changed;
  double inverse_weights = 0;
  for (std::size_t i = 0; i < machine.active.size(); ++i) {
    if (machine.active[i] != system.counted[i]) changed.push_back(i);
    inverse_weights += 1 / machine.v[i];
  }
  auto rows = DoubleMatrix::uninitialised(changed.size(), r);
  std::vector<double> sign(changed.size());
  for (std::size_t k = 0; k < changed.size(); ++k) {
    std::copy_n(sketch_.rows.row(machine.problem->train[changed[k]]), r, rows.row(k));
    sign[k] = machine.active[changed[k]] != 0 ? 1.0 : -1.0;
  }
  const RowBlock block{rows.data(), r, r};
  add_transposed_product(block, block, changed.size(), sign.data(), 1.0, system.moments.data(), r, Triangle::upper);
  system.counted = machine.active;
  system.shift = sketch_.tail + 0.5 / c * inverse_weights / static_cast<double>(machine.v.size());
  for (std::size_t i = 0; i < r; ++i) {
    std::copy_n(system.moments.row(i) + i, r - i, system.factor.row(i) + i);
    system.factor(i, i) += system.shift;
  }
  // Rows that entered and left again leave rounding behind, far below the shift unless C and the kernel are extreme.
  if (!factor_positive_definite(system.factor)) system.shift = 0;
}

Matrix SideBySide::rounded_product(const DoubleMatrix& columns) const {
  report_progress(options_, kLinearModels, 0, 0);
  const Matrix rounded_columns = rounded(columns);
  auto result = Matrix::uninitialised(kernel_.rows(), columns.cols());
  multiply(rounded_kernel_.data(), kernel_.rows(),
           PackedMatrix<float>(rounded_columns.data(), columns.rows(), columns.cols(), columns.cols()), result.data());
  return result;
}

Matrix SideBySide::precondition(const DoubleMatrix& residual, const DoubleMatrix& ridge,
                                const std::vector<std::size_t>& columns) const {
  const std::size_t n = residual.rows();
  const std::size_t m = columns.size();
  auto z = Matrix::uninitialised(n, m);
  const auto for_all = [&](const auto& body) {
    parallel_tiles(n, kKernelRowTile, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t k = 0; k < m; ++k) body(i, k);
      }
    });
  };
  for_all([&](std::size_t i, std::size_t k) { z(i, k) = static_cast<float>(residual(i, columns[k])); });
  const std::size_t r = sketch_.rank();
  if (r == 0) return z;
  auto small = Matrix::uninitialised(r, m);
  multiply(rounded_transposed_.data(), r, PackedMatrix<float>(z.data(), n, m, m), small.data());
  std::vector<double> scale(m, 1.0);
  parallel_for(m, [&](std::size_t k) {
    const SmallSystem& system = systems_[solved_[columns[k]]];
    std::vector<double> column(r, 0.0);
    if (system.shift > 0) {
      scale[k] = 1 / system.shift;
      for (std::size_t i = 0; i < r; ++i) column[i] = static_cast<double>(small(i, k));
      solve_factored(system.factor, column.data());
    }
    for (std::size_t i = 0; i < r; ++i) small(i, k) = static_cast<float>(column[i]);
  });
  multiply(rounded_rows_.data(), n, PackedMatrix<float>(small.data(), r, m, m), z.data());
  for_all([&](std::size_t i, std::size_t k) {
    const std::size_t j = columns[k];
    z(i, k) = ridge(i, j) > 0 ? static_cast<float>(scale[k] * (residual(i, j) - static_cast<double>(z(i, k)))) : 0.0F;
  });
  return z;
}

}  // namespace gckn
