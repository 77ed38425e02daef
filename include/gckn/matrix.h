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
  BasicMatrix(std::size_t rows, std::size_t cols) {
    reshape(rows, cols);
    fill(Real{0});
  }

  BasicMatrix(const BasicMatrix& other) { *this = other; }
  BasicMatrix& operator=(const BasicMatrix& other) {
    if (this == &other) return *this;
    reshape(other.rows_, other.cols_);
    std::copy_n(other.data(), other.size(), data_.get());
    return *this;
  }
  BasicMatrix(BasicMatrix&& other) noexcept
      : rows_(std::exchange(other.rows_, 0)),
        cols_(std::exchange(other.cols_, 0)),
        capacity_(std::exchange(other.capacity_, 0)),
        data_(std::move(other.data_)) {}
  BasicMatrix& operator=(BasicMatrix&& other) noexcept {
    rows_ = std::exchange(other.rows_, 0);
    cols_ = std::exchange(other.cols_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    data_ = std::move(other.data_);
    return *this;
  }
  ~BasicMatrix() = default;

  // Memory that the caller promises to fill.
  static BasicMatrix uninitialised(std::size_t rows, std::size_t cols) {
    BasicMatrix matrix;
    matrix.reshape(rows, cols);
    return matrix;
  }

  // Another shape, whose contents the caller promises to fill. Memory is kept where it is large enough and otherwise
  // grows by half at least, so that a matrix which is used again and again soon allocates none.
  void reshape(std::size_t rows, std::size_t cols) {
    if (rows * cols > capacity_) {
      const std::size_t capacity = std::max(rows * cols, capacity_ + capacity_ / 2);
      capacity_ = 0;  // if there is no memory
      data_ = allocate(capacity);
      capacity_ = capacity;
    }
    rows_ = rows;
    cols_ = cols;
  }

  void fill(Real value) { std::fill_n(data_.get(), size(), value); }

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
  std::size_t capacity_ = 0;
  Storage data_;
};

using Matrix = BasicMatrix<float>;
using DoubleMatrix = BasicMatrix<double>;

}  // namespace gckn
