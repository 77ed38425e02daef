// SPDX-License-Identifier: BSD-3-Clause
// Generalised max pooling of weighted rows a_p:
//   xi = argmin sum_p w_p (<a_p, xi> - 1)^2 + lambda |xi|^2 = (sum_p w_p a_p a_p^T + lambda I)^-1 sum_p w_p a_p
//      = R^T (R R^T + lambda W^-1)^-1 1,  whichever system is smaller.
#pragma once

#include <algorithm>
#include <vector>

#include "gckn/matrix.h"
#include "linalg/cholesky.h"
#include "linalg/vector_ops.h"

namespace gckn {

template <typename Real>
class GmpPool {
 public:
  GmpPool(std::size_t width, double lambda) : width_(width), lambda_(lambda) {}

  void clear() {
    rows_.clear();
    weights_.clear();
    folded_ = false;
  }

  void add(const Real* row, double weight) {
    if (weights_.size() == width_) fold();
    rows_.insert(rows_.end(), row, row + width_);
    weights_.push_back(weight);
  }

  // Writes xi, or zeros if nothing was added.
  void solve(Real* xi) {
    if (weights_.empty() && !folded_) {
      std::fill_n(xi, width_, Real{0});
    } else if (folded_) {
      fold();
      DoubleMatrix m = moment_;
      std::vector<double> x = sum_;
      for (std::size_t i = 0; i < width_; ++i) m(i, i) += lambda_;
      solve_positive_definite(m, x);
      for (std::size_t i = 0; i < width_; ++i) xi[i] = static_cast<Real>(x[i]);
    } else {
      solve_dual(xi);
    }
  }

 private:
  // Moves the rows collected so far into the moment matrix.
  void fold() {
    if (!folded_) {
      moment_ = DoubleMatrix(width_, width_);
      sum_.assign(width_, 0.0);
      folded_ = true;
    }
    std::vector<double> row(width_);
    for (std::size_t p = 0; p < weights_.size(); ++p) {
      std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>(p * width_), width_, row.begin());
      add_scaled(sum_.data(), row.data(), weights_[p], width_);
      for (std::size_t i = 0; i < width_; ++i) add_scaled(moment_.row(i), row.data(), weights_[p] * row[i], width_);
    }
    rows_.clear();
    weights_.clear();
  }

  void solve_dual(Real* xi) {
    const std::size_t n = weights_.size();
    const std::vector<double> rows(rows_.begin(), rows_.end());
    DoubleMatrix m(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        m(i, j) = m(j, i) = dot(rows.data() + i * width_, rows.data() + j * width_, width_);
      }
      m(i, i) += lambda_ / weights_[i];
    }
    std::vector<double> coefficients(n, 1.0);
    solve_positive_definite(m, coefficients);
    std::vector<double> x(width_, 0.0);
    for (std::size_t i = 0; i < n; ++i) add_scaled(x.data(), rows.data() + i * width_, coefficients[i], width_);
    for (std::size_t i = 0; i < width_; ++i) xi[i] = static_cast<Real>(x[i]);
  }

  std::size_t width_;
  double lambda_;
  std::vector<Real> rows_;
  std::vector<double> weights_;
  bool folded_ = false;
  DoubleMatrix moment_;
  std::vector<double> sum_;
};

}  // namespace gckn
