// SPDX-License-Identifier: BSD-3-Clause
// Memory of the library as NumPy arrays, which then own it, and the other way round.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gckn/matrix.h"

namespace gckn::python {

namespace nb = nanobind;

template <typename Value>
using Array = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename Value>
using Table = nb::ndarray<const Value, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename Value>
std::vector<Value> values_of(const Array<Value>& array) {
  return {array.data(), array.data() + array.size()};
}
template <typename Value>
std::vector<Value> values_of(const std::optional<Array<Value>>& array) {
  return array ? values_of(*array) : std::vector<Value>{};
}

// The array owns what it shows, and nothing is copied.
template <typename Value, typename Owner>
nb::object owned_array(std::unique_ptr<Owner> owner, Value* data, std::initializer_list<std::size_t> shape) {
  const nb::capsule holder(owner.release(), [](void* held) noexcept { delete static_cast<Owner*>(held); });
  return nb::cast(nb::ndarray<nb::numpy, Value>(data, shape, holder), nb::rv_policy::reference);
}

template <typename Real>
nb::object to_array(BasicMatrix<Real> matrix) {
  auto owner = std::make_unique<BasicMatrix<Real>>(std::move(matrix));
  Real* data = owner->data();
  const std::size_t rows = owner->rows();
  const std::size_t cols = owner->cols();
  return owned_array(std::move(owner), data, {rows, cols});
}

template <typename Value>
nb::object to_array(std::vector<Value> values) {
  auto owner = std::make_unique<std::vector<Value>>(std::move(values));
  Value* data = owner->data();
  const std::size_t size = owner->size();
  return owned_array(std::move(owner), data, {size});
}

template <typename Value>
nb::object to_table(std::vector<Value> values, std::size_t rows, std::size_t cols) {
  auto owner = std::make_unique<std::vector<Value>>(std::move(values));
  Value* data = owner->data();
  return owned_array(std::move(owner), data, {rows, cols});
}

template <typename Value>
nb::object copy_to_array(std::span<const Value> values) {
  return to_array(std::vector<Value>(values.begin(), values.end()));
}

}  // namespace gckn::python
