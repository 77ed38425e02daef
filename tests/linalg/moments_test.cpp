// SPDX-License-Identifier: BSD-3-Clause
// Moments and inner products against plain loops, at sizes around the chunks they are made of.
#include "linalg/moments.h"

#include <gtest/gtest.h>

#include <vector>

#include "util/random.h"

namespace gckn {
namespace {

TEST(Moments, AreTheSumsTheyAreDefinedAs) {
  for (const auto& [n, dimension] : {std::pair<std::size_t, std::size_t>{3, 1}, {600, 17}, {150, 140}, {20, 530}}) {
    Random random(n);
    DoubleMatrix rows(n, dimension);
    std::vector<double> weights(n);
    for (std::size_t i = 0; i < rows.size(); ++i) rows.data()[i] = random.uniform() - 0.5;
    for (double& v : weights) v = random.uniform();
    DoubleMatrix moments = weighted_moments(rows, weights);
    mirror_upper_triangle(moments);
    for (std::size_t j = 0; j < dimension; ++j) {
      for (std::size_t k = 0; k < dimension; ++k) {
        double expected = 0;
        for (std::size_t i = 0; i < n; ++i) expected += weights[i] * rows(i, j) * rows(i, k);
        ASSERT_NEAR(moments(j, k), expected, 1e-12);
      }
    }
    DoubleMatrix products = inner_products(rows);
    mirror_upper_triangle(products);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double expected = 0;
        for (std::size_t k = 0; k < dimension; ++k) expected += rows(i, k) * rows(j, k);
        ASSERT_NEAR(products(i, j), expected, 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace gckn
