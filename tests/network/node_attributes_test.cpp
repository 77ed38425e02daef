// SPDX-License-Identifier: BSD-3-Clause
// Attributes of nodes from wherever features ask for them.
#include "network/node_attributes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "gckn/error.h"
#include "gckn/network.h"
#include "support/files.h"

namespace gckn {
namespace {

// A path 0 - 1 - 2 and a single node, with attributes of every kind.
GraphSet make_graphs() {
  GraphSetParts parts;
  parts.name = "set";
  parts.graph_sizes = {3, 1};
  parts.edge_from = {0, 1};
  parts.edge_to = {1, 2};
  parts.edge_attribute_columns = 2;
  parts.edge_attributes = {1, 10, 3, 30};
  parts.node_attribute_columns = 1;
  parts.node_attributes = {0.5, 1.5, 2.5, 3.5};
  parts.graph_attribute_columns = 1;
  parts.graph_attributes = {100, 200};
  return GraphSet(std::move(parts));
}

TEST(NodeAttributes, OwnMeanOfEdgesAndGraph) {
  const GraphSet graphs = make_graphs();
  const NodeAttributes all(graphs, {0, 2}, {true, true, true});
  EXPECT_EQ(all.columns(), 4U);
  EXPECT_TRUE(std::ranges::equal(all.rows(), std::vector<double>{0.5, 1, 10, 100,    //
                                                                 1.5, 2, 20, 100,    //
                                                                 2.5, 3, 30, 100,    //
                                                                 3.5, 0, 0, 200}));  // no edges
  const NodeAttributes second(graphs, {1, 2}, {false, true, true});
  EXPECT_TRUE(std::ranges::equal(second.rows(), std::vector<double>{0, 0, 200}));
  const NodeAttributes own(graphs, {1, 2}, {});
  EXPECT_EQ(own.rows().data(), graphs.node_attributes().data() + 3) << "nothing is copied";
}

// A network on joined attributes is the network on a set whose nodes have them.
TEST(NodeAttributes, ChangeNothingElse) {
  const GraphSet graphs = make_graphs();
  const NodeAttributes all(graphs, {0, 2}, {true, true, true});
  GraphSetParts parts;
  parts.name = "set";
  parts.graph_sizes = {3, 1};
  parts.edge_from = {0, 1};
  parts.edge_to = {1, 2};
  parts.node_attribute_columns = all.columns();
  parts.node_attributes.assign(all.rows().begin(), all.rows().end());
  const GraphSet joined(std::move(parts));
  NetworkConfig config = path({.path_length = 1, .filters = 3});
  config.features = Features::attributes;
  const Matrix expected = fit_network(joined, config).embed(joined);
  config.attributes = {true, true, true};
  const Network network = fit_network(graphs, config);
  EXPECT_TRUE(std::ranges::equal(network.embed(graphs).values(), expected.values()));
  test::expect_input_error(
      [&] { (void)network.embed(joined); },
      {"set has no edge attributes, which the features 'attributes+edge-attributes+graph-attributes"});
}

TEST(NodeAttributes, FeaturesInOneWord) {
  for (const char* word :
       {"auto", "labels", "degree", "attributes", "labels+attributes", "edge-attributes", "labels+edge-attributes",
        "attributes+edge-attributes", "labels+attributes+edge-attributes+graph-attributes", "graph-attributes"}) {
    const auto [features, sources] = parse_features_word(word);
    EXPECT_EQ(features_word(features, sources), word);
  }
  const auto [features, sources] = parse_features_word("graph-attributes+labels");
  EXPECT_EQ(features_word(features, sources), "labels+graph-attributes") << "in any order";
  for (const char* word : {"", "+", "labels+", "labels+labels", "degree+attributes", "colours", "labels,attributes"}) {
    EXPECT_THROW(parse_features_word(word), UsageError) << word;
  }
}

}  // namespace
}  // namespace gckn
