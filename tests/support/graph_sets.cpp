// SPDX-License-Identifier: BSD-3-Clause
#include "support/graph_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace gckn::test {

void expect_same_structure(const GraphSet& expected, const GraphSet& actual) {
  EXPECT_TRUE(std::ranges::equal(expected.graph_begins(), actual.graph_begins()));
  EXPECT_TRUE(std::ranges::equal(expected.arc_begins(), actual.arc_begins()));
  EXPECT_TRUE(std::ranges::equal(expected.arcs(), actual.arcs()));
  EXPECT_TRUE(std::ranges::equal(expected.node_labels(), actual.node_labels()));
}

void expect_same_set(const GraphSet& expected, const GraphSet& actual) {
  expect_same_structure(expected, actual);
  EXPECT_TRUE(std::ranges::equal(expected.node_label_values(), actual.node_label_values()));
  EXPECT_TRUE(std::ranges::equal(expected.edge_label_values(), actual.edge_label_values()));
  EXPECT_TRUE(std::ranges::equal(expected.arc_labels(), actual.arc_labels()));
  EXPECT_EQ(expected.node_attribute_columns(), actual.node_attribute_columns());
  EXPECT_TRUE(std::ranges::equal(expected.node_attributes(), actual.node_attributes()));
  EXPECT_EQ(expected.edge_attribute_columns(), actual.edge_attribute_columns());
  EXPECT_TRUE(std::ranges::equal(expected.arc_attributes(), actual.arc_attributes()));
  EXPECT_EQ(expected.graph_attribute_columns(), actual.graph_attribute_columns());
  EXPECT_TRUE(std::ranges::equal(expected.graph_attributes(), actual.graph_attributes()));
  EXPECT_EQ(expected.ids(), actual.ids());
  const Targets& a = expected.targets();
  const Targets& b = actual.targets();
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.class_names, b.class_names);
  EXPECT_EQ(a.class_of_graph, b.class_of_graph);
  EXPECT_EQ(a.columns, b.columns);
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  EXPECT_TRUE(std::ranges::equal(a.numbers, b.numbers, same));
}

}  // namespace gckn::test
