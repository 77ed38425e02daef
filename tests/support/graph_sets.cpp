// SPDX-License-Identifier: BSD-3-Clause
#include "support/graph_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gckn::test {

namespace {

// What every node's or arc's label is called: words have other numbers in another file.
std::vector<std::string> label_texts(std::span<const std::uint32_t> labels, std::span<const std::int64_t> values,
                                     const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::uint32_t label : labels) {
    texts.push_back(names.empty() ? std::to_string(values[label]) : names[label]);
  }
  return texts;
}

std::vector<std::string> node_label_texts(const GraphSet& graphs) {
  return label_texts(graphs.node_labels(), graphs.node_label_values(), graphs.node_label_names());
}

std::vector<std::string> arc_label_texts(const GraphSet& graphs) {
  return label_texts(graphs.arc_labels(), graphs.edge_label_values(), graphs.edge_label_names());
}

void expect_same_arcs(const GraphSet& expected, const GraphSet& actual) {
  EXPECT_TRUE(std::ranges::equal(expected.graph_begins(), actual.graph_begins()));
  EXPECT_TRUE(std::ranges::equal(expected.arc_begins(), actual.arc_begins()));
  EXPECT_TRUE(std::ranges::equal(expected.arcs(), actual.arcs()));
}

}  // namespace

void expect_same_structure(const GraphSet& expected, const GraphSet& actual) {
  expect_same_arcs(expected, actual);
  EXPECT_TRUE(std::ranges::equal(expected.node_labels(), actual.node_labels()));
}

void expect_same_set(const GraphSet& expected, const GraphSet& actual) {
  expect_same_arcs(expected, actual);
  EXPECT_EQ(node_label_texts(expected), node_label_texts(actual));
  EXPECT_EQ(arc_label_texts(expected), arc_label_texts(actual));
  EXPECT_EQ(expected.targets().column_names, actual.targets().column_names);
  EXPECT_EQ(expected.node_attribute_columns(), actual.node_attribute_columns());
  EXPECT_TRUE(std::ranges::equal(expected.node_attributes(), actual.node_attributes()));
  EXPECT_EQ(expected.edge_attribute_columns(), actual.edge_attribute_columns());
  EXPECT_TRUE(std::ranges::equal(expected.arc_attributes(), actual.arc_attributes()));
  EXPECT_EQ(expected.graph_attribute_columns(), actual.graph_attribute_columns());
  EXPECT_TRUE(std::ranges::equal(expected.graph_attributes(), actual.graph_attributes()));
  EXPECT_EQ(expected.ids(), actual.ids());
  EXPECT_EQ(expected.truth(), actual.truth());
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
