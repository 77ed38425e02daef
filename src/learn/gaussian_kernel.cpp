// SPDX-License-Identifier: BSD-3-Clause
#include "learn/gaussian_kernel.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "linalg/moments.h"
#include "linalg/transposed.h"
#include "linalg/vector_ops.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr double kGamma = 2;
constexpr std::size_t kGaussianTile = 64;  // rows

PackedMatrix<double> packed_transpose(const DoubleMatrix& rows) {
  const DoubleMatrix columns = transposed(rows);
  return {columns.data(), columns.rows(), columns.cols(), columns.cols()};
}

// By the same chain of additions as the products, so that equal rows are at distance 0 exactly.
std::vector<double> squares_of(const DoubleMatrix& rows) {
  std::vector<double> squares(rows.rows());
  parallel_for(rows.rows(), [&](std::size_t i) {
    double sum = 0;
    for (std::size_t k = 0; k < rows.cols(); ++k) sum = std::fma(rows(i, k), rows(i, k), sum);
    squares[i] = sum;
  });
  return squares;
}

}  // namespace

double mean_state_distance(const DoubleMatrix& assignment, std::span<const std::uint32_t> graphs) {
  constexpr double kPerOctave = 8;
  if (graphs.size() < 2) return 1;
  std::vector<double> sum(graphs.size());
  parallel_for(graphs.size(), [&](std::size_t i) {
    for (std::size_t j = 0; j < graphs.size(); ++j) {
      if (j != i) sum[i] += 1 - assignment(graphs[i], graphs[j]);
    }
  });
  const auto n = static_cast<double>(graphs.size());
  const double mean = std::accumulate(sum.begin(), sum.end(), 0.0) / (n * (n - 1));
  // All graphs alike: any scale will do.
  return mean > 0 ? std::exp2(std::round(kPerOctave * std::log2(mean)) / kPerOctave) : 1;
}

SquaredDistances::SquaredDistances(const DoubleMatrix& rows)
    : count_(rows.rows()), transposed_(packed_transpose(rows)), squares_(squares_of(rows)) {}

DoubleMatrix SquaredDistances::from(const DoubleMatrix& rows) const {
  const std::vector<double> squares = squares_of(rows);
  auto distances = DoubleMatrix::uninitialised(rows.rows(), count_);
  multiply(rows.data(), rows.rows(), transposed_, distances.data());
  parallel_tiles(rows.rows(), kGaussianTile, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < count_; ++j) {
        distances(i, j) = std::max(0.0, (squares[i] + squares_[j]) - 2 * distances(i, j));
      }
    }
  });
  return distances;
}

DoubleMatrix SquaredDistances::between(const DoubleMatrix& rows) {
  const std::vector<double> squares = squares_of(rows);
  DoubleMatrix distances = inner_products(rows);
  parallel_tiles(rows.rows(), kGaussianTile, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = i; j < rows.rows(); ++j) {
        distances(i, j) = std::max(0.0, (squares[i] + squares[j]) - 2 * distances(i, j));
      }
    }
  });
  mirror_upper_triangle(distances);
  return distances;
}

double gaussian_slope(const GaussianScales& scales) {
  return -kGamma / ((scales.states > 0 ? 1 : 0) + (scales.vectors > 0 ? 1 : 0));
}

DoubleMatrix gaussian_of(const DoubleMatrix& assignment, DoubleMatrix distances, const GaussianScales& scales) {
  const bool by_vectors = scales.vectors > 0;
  const bool by_states = scales.states > 0;
  const bool is_given = !distances.empty();
  DoubleMatrix kernel =
      is_given ? std::move(distances) : DoubleMatrix::uninitialised(assignment.rows(), assignment.cols());
  const double slope = gaussian_slope(scales);
  parallel_tiles(kernel.rows(), kGaussianTile, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double* row = kernel.row(i);
      const std::size_t n = kernel.cols();
      if (by_vectors) {
        scale(row, 1 / scales.vectors, n);
      } else {
        std::fill_n(row, n, 0.0);
      }
      if (by_states) {
        const double* of_states = assignment.row(i);
        for (std::size_t j = 0; j < n; ++j) row[j] += (1 - of_states[j]) / scales.states;
      }
      if (by_vectors || by_states) {
        exponential(row, n, slope, 0.0);
      } else {
        std::fill_n(row, n, 1.0);
      }
    }
  });
  return kernel;
}

GaussianKernel::GaussianKernel(const FittedNetwork& fitted, std::span<const std::uint32_t> learnt_from)
    : fitted_(fitted) {
  if (fitted.states) scales_.states = mean_state_distance(fitted.states->assignment, learnt_from);
  if (fitted.vectors.empty()) return;
  standardiser_.emplace(fitted.vectors, learnt_from);
  const auto varying = std::ranges::count_if(standardiser_->scale, [](double scale) { return scale > 0; });
  const auto n = static_cast<double>(learnt_from.size());
  // Standardised columns have variance 1.
  scales_.vectors = n > 1 ? 2 * static_cast<double>(varying) * n / (n - 1) : 0;
}

DoubleMatrix GaussianKernel::with_constant() const {
  const DoubleMatrix nothing;
  DoubleMatrix distances;
  if (standardiser_) {
    std::vector<std::uint32_t> all(fitted_.vectors.rows());
    std::iota(all.begin(), all.end(), std::uint32_t{0});
    const DoubleMatrix z = standardiser_->apply(fitted_.vectors, all);
    distances = SquaredDistances::between(z);
  }
  DoubleMatrix kernel =
      gaussian_of(fitted_.states ? fitted_.states->assignment : nothing, std::move(distances), scales_);
  parallel_tiles(kernel.rows(), kGaussianTile, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin * kernel.cols(); i < end * kernel.cols(); ++i) kernel.data()[i] += 1;
  });
  return kernel;
}

}  // namespace gckn
