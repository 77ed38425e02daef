// SPDX-License-Identifier: BSD-3-Clause
// A dense row-major matrix that owns its memory, aligned to 64 bytes so that vector code sees the same
// alignment in every run. Rows are contiguous and not padded.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace gckn {

template <typename Real>
class BasicMatrix {
 public:
  BasicMatrix() = default;

  // Zeros.
  BasicMatrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), data_(allocate(rows * cols)) {
    std::fill_n(data_.get(), rows * cols, Real{0});
  }

  BasicMatrix(const BasicMatrix& other) : rows_(other.rows_), cols_(other.cols_), data_(allocate(other.size())) {
    std::copy_n(other.data(), other.size(), data_.get());
  }
  BasicMatrix& operator=(const BasicMatrix& other) {
    if (this != &other) *this = BasicMatrix(other);
    return *this;
  }
  BasicMatrix(BasicMatrix&& other) noexcept
      : rows_(std::exchange(other.rows_, 0)), cols_(std::exchange(other.cols_, 0)), data_(std::move(other.data_)) {}
  BasicMatrix& operator=(BasicMatrix&& other) noexcept {
    rows_ = std::exchange(other.rows_, 0);
    cols_ = std::exchange(other.cols_, 0);
    data_ = std::move(other.data_);
    return *this;
  }
  ~BasicMatrix() = default;

  // Memory that the caller promises to fill.
  static BasicMatrix uninitialised(std::size_t rows, std::size_t cols) {
    BasicMatrix matrix;
    matrix.rows_ = rows;
    matrix.cols_ = cols;
    matrix.data_ = allocate(rows * cols);
    return matrix;
  }

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t cols() const { return cols_; }
  [[nodiscard]] std::size_t size() const { return rows_ * cols_; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] Real* data() { return data_.get(); }
  [[nodiscard]] const Real* data() const { return data_.get(); }
  [[nodiscard]] Real* row(std::size_t i) { return data_.get() + i * cols_; }
  [[nodiscard]] const Real* row(std::size_t i) const { return data_.get() + i * cols_; }
  [[nodiscard]] std::span<const Real> values() const { return {data(), size()}; }
  Real& operator()(std::size_t i, std::size_t j) {
    assert(i < rows_ && j < cols_);
    return data_[i * cols_ + j];
  }
  const Real& operator()(std::size_t i, std::size_t j) const {
    assert(i < rows_ && j < cols_);
    return data_[i * cols_ + j];
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(Real* p) const { ::operator delete[](p, kAlignment); }
  };
  using Storage = std::unique_ptr<Real[], Free>;

  static Storage allocate(std::size_t count) {
    return Storage(count == 0 ? nullptr : static_cast<Real*>(::operator new[](count * sizeof(Real), kAlignment)));
  }

  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  Storage data_;
};

using Matrix = BasicMatrix<float>;
using DoubleMatrix = BasicMatrix<double>;

}  // namespace gckn
