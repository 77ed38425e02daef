// SPDX-License-Identifier: BSD-3-Clause
// Attributes of any finite size become vectors that tell them apart.
#include "network/encoding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gckn/network.h"
#include "network/compiled_set.h"
#include "network/embed.h"
#include "support/files.h"

namespace gckn {
namespace {

// Triangles of nodes with these rows of attributes, `columns` numbers each.
GraphSet triangles(const std::vector<double>& attributes, std::size_t columns) {
  GraphSetParts parts;
  parts.name = "triangles";
  parts.node_attribute_columns = columns;
  parts.node_attributes = attributes;
  for (std::uint32_t first = 0; first < attributes.size() / columns; first += 3) {
    parts.graph_sizes.push_back(3);
    for (std::uint32_t u = 0; u < 3; ++u) {
      parts.edge_from.push_back(first + u);
      parts.edge_to.push_back(first + (u + 1) % 3);
    }
  }
  return GraphSet(std::move(parts));
}

NetworkConfig on_attributes(NetworkConfig config = path({.path_length = 1, .filters = 4})) {
  config.features = Features::attributes;
  return config;
}

// Inner products of the graphs' vectors. Every pattern is an anchor, so that which comes first is of no consequence.
std::vector<double> kernel_of(const GraphSet& graphs, bool unit = true) {
  NetworkConfig config = on_attributes(path({.path_length = 1, .filters = 64}));
  config.unit_attributes = unit;
  const auto [network, vectors] = fit_and_embed<double>(graphs, config);
  EXPECT_TRUE(network.anchor_reports()[0].exact);
  std::vector<double> products;
  for (std::size_t g = 0; g < vectors.rows(); ++g) {
    for (std::size_t h = 0; h < vectors.rows(); ++h) {
      products.push_back(std::inner_product(vectors.row(g), vectors.row(g) + vectors.cols(), vectors.row(h), 0.0));
    }
  }
  return products;
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected, double what) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-9) << what;
}

// A column times any factor is the same to a network.
TEST(Encoding, SizeOfAColumnDoesNotMatter) {
  const std::vector<double> rows{1, 2, -3, 0.5, 1, 5, 2, 2, -1, 4, 0, -2};  // 6 nodes, 2 columns
  const std::vector<double> expected = kernel_of(triangles(rows, 2));
  for (const double factor : {1e155, 1e300, 1e-155, 1e-200, 1e-300}) {
    std::vector<double> scaled = rows;
    for (std::size_t i = 0; i < rows.size(); i += 2) scaled[i] *= factor;
    const GraphSet graphs = triangles(scaled, 2);
    const InputEncoding encoding = fit_encoding(graphs, on_attributes());
    for (const double scale : encoding.scale) EXPECT_TRUE(std::isfinite(scale) && scale > 0) << factor;
    expect_near(kernel_of(graphs), expected, factor);
  }
}

// A constant column adds nothing, whatever its value; nor does one that varies in the last digits only.
TEST(Encoding, ConstantColumnsAreZero) {
  const std::vector<double> varying{1, -3, 0.5, 5, 2, -1};
  const auto with_constant = [&](double value, double other) {
    std::vector<double> rows;
    for (std::size_t i = 0; i < varying.size(); ++i) rows.insert(rows.end(), {varying[i], i % 2 == 0 ? value : other});
    return triangles(rows, 2);
  };
  const GraphSet reference = with_constant(1.0, 1.0);
  const std::vector<double> expected = kernel_of(reference);
  const std::vector<double> expected_lengths = kernel_of(reference, false);
  for (const double value : {0.1, 1.0 / 3, 1e20, -1e20 / 3, 1e300, -1e-300}) {
    expect_near(kernel_of(with_constant(value, value)), expected, value);
    expect_near(kernel_of(with_constant(value, value), false), expected_lengths, value);
    const GraphSet graphs = with_constant(value, value);
    const InputEncoding encoding = fit_encoding(graphs, on_attributes());
    EXPECT_EQ(encoding.mean[1], value);
    EXPECT_EQ(encoding.scale[1], 1.0);
    const EncodedSet set = encode(graphs, {0, graphs.num_graphs()}, encoding);
    const ColourFeatures<double> features = input_features<double>(set.input, encoding);
    for (std::size_t c = 0; c < features.unit.rows(); ++c) EXPECT_EQ(features.unit(c, 1), 0.0) << value;
  }
  for (const double value : {0.3, 1e20}) {
    const GraphSet graphs = with_constant(value, std::nextafter(value, 2e20));
    const InputEncoding encoding = fit_encoding(graphs, on_attributes());
    const EncodedSet set = encode(graphs, {0, graphs.num_graphs()}, encoding);
    const ColourFeatures<double> features = input_features<double>(set.input, encoding);
    for (std::size_t c = 0; c < features.unit.rows(); ++c) EXPECT_NEAR(features.unit(c, 1), 0.0, 1e-12) << value;
  }
}

TEST(Encoding, ZeroHasNoSign) {
  const auto vectors = [](double first, double second) {
    return fit_and_embed<double>(triangles({first, 1, -1, second, 2, -2}, 1), on_attributes()).second;
  };
  const DoubleMatrix expected = vectors(0.0, 0.0);
  for (const double first : {0.0, -0.0}) {
    EXPECT_TRUE(std::ranges::equal(vectors(first, -0.0).values(), expected.values())) << first;
  }
}

// New graphs may have any values: they are standardised, or refused by name.
TEST(Encoding, NewGraphsOfAnySize) {
  const double most = std::numeric_limits<double>::max();
  const NetworkConfig config = on_attributes();
  const Network network = fit_network(triangles({1, 2, -3, 4, 0, -2}, 1), config);
  for (const double value : {1e30, 1e155, -1e300, most}) {
    const Matrix vectors = network.embed(triangles({value, 1, -1}, 1));
    EXPECT_TRUE(std::ranges::all_of(vectors.values(), [](float x) { return std::isfinite(x); })) << value;
  }
  // Where both ends of what a double holds meet, the difference alone would overflow.
  const Network wide = fit_network(triangles({-most, -most, most, 0, 0, -most}, 1), config);
  const Matrix vectors = wide.embed(triangles({most, most, most, 0, 0, 0}, 1));
  EXPECT_TRUE(std::ranges::all_of(vectors.values(), [](float x) { return std::isfinite(x); }));
  EXPECT_GT(vectors(0, 0), 0);

  const Network fine = fit_network(triangles({1e-200, 2e-200, -3e-200, 4e-200, 0, -2e-200}, 1), config);
  const std::vector<double> two{0, 0, 0, 0, 1e200, 0};
  test::expect_input_error([&] { (void)fine.embed(triangles(two, 1)); },
                           {"triangles: graph 1: the attributes of node 1 are too large for the network's scale"});
  test::expect_input_error([&] { (void)fine.embed(triangles(two, 1), 1, 2); },
                           {"triangles: graph 1: the attributes of node 1"});
  std::vector<ImpossibleGraph> impossible;  // the other graph has its vector
  const Matrix rows = embed_in_blocks(fine, triangles(two, 1), {0, 2}, {}, &impossible);
  ASSERT_EQ(impossible.size(), 1U);
  EXPECT_EQ(impossible[0].graph, 1U);
  EXPECT_EQ(impossible[0].reason, "the attributes of node 1 are too large for the network's scale");
  EXPECT_TRUE(std::isfinite(rows(0, 0)) && std::isnan(rows(1, 0)));
  NetworkConfig as_they_are = config;
  as_they_are.unit_attributes = false;
  const Network lengths = fit_network(triangles({1, 2, -3, 4, 0, -2}, 1), as_they_are);
  test::expect_input_error(
      [&] {
        (void)lengths.embed(triangles({0, 0, 1e39}, 1));
      },
      {"triangles: graph 0: the attributes of node 2 are too large"});
}

// What is wrong is said: there are paths, but nothing to tell them by.
TEST(Encoding, NothingToLearnFrom) {
  test::expect_input_error([] { fit_network(triangles(std::vector<double>(6, 0.1), 1), on_attributes()); },
                           {"the attributes of every node that a path of 1 edge starts at are zero"});
  test::expect_input_error(
      [] {
        fit_network(triangles(std::vector<double>(6, 0.1), 1), on_attributes(path({.path_length = 5, .filters = 4})));
      },
      {"the graphs have no path of 5 edges to learn from"});
  // One anchor between opposite vectors is like neither of them, which a small sigma makes not similar at all.
  GraphSetParts parts;
  parts.name = "line";
  parts.graph_sizes = {4};
  parts.edge_from = {0, 1, 2};
  parts.edge_to = {1, 2, 3};
  parts.node_attribute_columns = 1;
  parts.node_attributes = {1, -1, 1, -1};
  const GraphSet line(std::move(parts));
  const Architecture arch{.path_length = 1, .filters = 1, .sigma = 0.01};
  test::expect_input_error(
      [&] { fit_network(line, on_attributes(three_layer(arch))); },
      {"layer 1 gives every node that a path of 2 edges starts at a zero vector (is sigma too small?)"});
  test::expect_input_error([&] { fit_network(line, on_attributes(subtree(arch))); },
                           {"layer 1 gives every node a zero vector (is sigma too small?)"});
}

}  // namespace
}  // namespace gckn
