// SPDX-License-Identifier: BSD-3-Clause
#include "network/layer_operator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/random_graphs.h"
#include "support/relative_difference.h"

namespace gckn {
namespace {

// A, unpacked.
DoubleMatrix unpacked(const PackedMatrix<double>& packed, std::size_t q) {
  DoubleMatrix identity(q, q);
  for (std::size_t i = 0; i < q; ++i) identity(i, i) = 1;
  DoubleMatrix result(q, q);
  multiply(identity.data(), q, packed, result.data());
  return result;
}

TEST(LayerOperator, KeepsGramMatricesAndRootsForTraining) {
  const GraphSet graphs = random_graphs({.graphs = 20, .most_nodes = 12, .labels = 3, .edge_labels = 2}, 1);
  for (const PathScaling scaling : {PathScaling::mean, PathScaling::sum}) {
    for (const bool all_lengths : {false, true}) {
      NetworkConfig config = path({.path_length = 3, .filters = 9, .sigma = 0.7});
      config.edge_labels = EdgeLabels::used;
      config.layers[0].path_scaling = scaling;
      config.layers[0].all_lengths = all_lengths;
      const auto network = fit_network<double>(graphs, config);
      const BasicLayer<double>& layer = network.layers()[0];
      const std::size_t q = 9;
      const std::size_t d = layer.input_width;
      const std::size_t e = layer.edge_width;
      const LayerOperator<double> trained(layer, true);
      const LayerOperator<double> plain(layer);
      EXPECT_TRUE(plain.grams.empty() && plain.roots.empty());
      ASSERT_EQ(trained.grams.size(), all_lengths ? 4U : 1U);
      ASSERT_EQ(trained.roots.size(), trained.grams.size());
      for (std::size_t i = 0; i < trained.grams.size(); ++i) {
        const std::size_t length = all_lengths ? i + 1 : 4;
        DoubleMatrix gram(q, q);
        for (std::size_t a = 0; a < q; ++a) {
          for (std::size_t b = 0; b < q; ++b) {
            double s = 0;
            for (std::size_t t = 0; t < length; ++t) {
              for (std::size_t k = 0; k < d; ++k) {
                s += layer.anchors[(t * q + a) * d + k] * layer.anchors[(t * q + b) * d + k];
              }
              for (std::size_t k = 0; t > 0 && k < e; ++k) {
                s += layer.edge_anchors[((t - 1) * q + a) * e + k] * layer.edge_anchors[((t - 1) * q + b) * e + k];
              }
            }
            const auto positions = static_cast<double>(2 * length - 1);
            gram(a, b) = std::exp((scaling == PathScaling::mean ? s / positions - 1 : s - positions) / 0.49);
          }
        }
        EXPECT_LT(test::relative_difference(trained.grams[i], gram), 1e-12);
        const InverseSquareRoot& root = trained.roots[i];
        DoubleMatrix rebuilt(q, q);
        for (std::size_t k = 0; k < q; ++k) {
          const double f = 1 / (std::sqrt(std::max(root.values[k], 0.0)) + 0.01);
          for (std::size_t a = 0; a < q; ++a) {
            for (std::size_t b = 0; b < q; ++b) rebuilt(a, b) += root.vectors(k, a) * f * root.vectors(k, b);
          }
        }
        const DoubleMatrix transform = unpacked(trained.transforms[i], q);
        EXPECT_LT(test::relative_difference(transform, rebuilt), 1e-12);
        EXPECT_TRUE(std::ranges::equal(transform.values(), unpacked(plain.transforms[i], q).values()));
      }
    }
  }
}

}  // namespace
}  // namespace gckn
