// SPDX-License-Identifier: BSD-3-Clause
#include "learn/standardise.h"

#include <algorithm>
#include <cmath>

#include "linalg/product.h"
#include "linalg/vector_ops.h"

namespace gckn {
namespace {

constexpr double kConstant = 1e-4;  // deviation over mean magnitude

}  // namespace

Standardiser::Standardiser(const Matrix& vectors, std::span<const std::uint32_t> rows)
    : mean(vectors.cols(), 0.0), scale(vectors.cols(), 0.0) {
  const std::size_t d = vectors.cols();
  const auto n = static_cast<double>(std::max<std::size_t>(rows.size(), 1));
  std::vector<double> magnitude(d, 0.0);
  for (const std::uint32_t i : rows) {
    const float* row = vectors.row(i);
    for (std::size_t k = 0; k < d; ++k) {
      mean[k] += static_cast<double>(row[k]) / n;
      magnitude[k] += std::abs(static_cast<double>(row[k])) / n;
    }
  }
  for (const std::uint32_t i : rows) {
    const float* row = vectors.row(i);
    for (std::size_t k = 0; k < d; ++k) {
      const double deviation = static_cast<double>(row[k]) - mean[k];
      scale[k] += deviation * deviation / n;
    }
  }
  for (std::size_t k = 0; k < d; ++k) {
    const double deviation = std::sqrt(scale[k]);
    scale[k] = deviation > kConstant * magnitude[k] ? deviation : 0.0;
  }
}

Standardiser Standardiser::identity(std::size_t columns) {
  Standardiser result;
  result.mean.assign(columns, 0.0);
  result.scale.assign(columns, 1.0);
  return result;
}

std::size_t Standardiser::num_kept() const {
  return static_cast<std::size_t>(std::count_if(scale.begin(), scale.end(), [](double s) { return s > 0; }));
}

DoubleMatrix Standardiser::apply(const Matrix& vectors, std::span<const std::uint32_t> rows) const {
  const std::size_t kept = num_kept();
  auto result = DoubleMatrix::uninitialised(rows.size(), kept + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const float* from = vectors.row(rows[i]);
    double* to = result.row(i);
    for (std::size_t k = 0; k < scale.size(); ++k) {
      if (scale[k] > 0) *to++ = (static_cast<double>(from[k]) - mean[k]) / scale[k];
    }
    *to = 1.0;
  }
  return result;
}

// <w, (x - m) / s> = <w / s, x> - <w / s, m>. A kept column has m below 1e4 s, so that few digits cancel.
std::vector<double> Standardiser::products(const Matrix& vectors, std::span<const std::uint32_t> rows,
                                           std::span<const double> w) const {
  std::vector<double> of_column(scale.size(), 0.0);
  double offset = w.back();
  for (std::size_t k = 0, kept = 0; k < scale.size(); ++k) {
    if (scale[k] == 0) continue;
    of_column[k] = w[kept++] / scale[k];
    offset -= of_column[k] * mean[k];
  }
  std::vector<const float*> pointers(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) pointers[i] = vectors.row(rows[i]);
  std::vector<double> result(rows.size());
  multiply_float_rows(pointers.data(), rows.size(), scale.size(), of_column.data(), result.data());
  for (double& value : result) value += offset;
  return result;
}

}  // namespace gckn
