// SPDX-License-Identifier: BSD-3-Clause
// A network knows labels by their names where it can, and by their numbers otherwise.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "gckn/datasets.h"
#include "gckn/io.h"
#include "gckn/model_file.h"
#include "gckn/network.h"
#include "support/files.h"

namespace gckn {
namespace {

// The motif set, whose labels are 0, 1, 2, ...
GraphSet numbers() {
  return make_motif_set({.graphs = 20, .nodes = 8});
}

// The same with names.
GraphSet named() {
  GraphSet graphs = numbers();
  graphs.name_labels({{0, "C"}, {1, "N"}, {2, "O"}}, {});
  return graphs;
}

// The same with words for labels, which have other numbers.
GraphSet words() {
  const test::TempDir folder;
  write_graphs_jsonl(named(), folder / "words.jsonl");
  return read_graphs(folder / "words.jsonl");
}

Network fitted_on(const GraphSet& graphs) {
  return fit_network(graphs, subtree({.path_length = 2, .filters = 8}));
}

TEST(KnownLabels, ByNameWhereBothHaveNames) {
  const Network network = fitted_on(named());
  EXPECT_TRUE(std::ranges::equal(network.embed(words()).values(), network.embed(named()).values()));
  EXPECT_EQ(unknown_labels(network.input(), words()).nodes, 0U);
}

TEST(KnownLabels, ByNumberOtherwise) {
  const Network network = fitted_on(named());
  EXPECT_TRUE(std::ranges::equal(network.embed(numbers()).values(), network.embed(named()).values()));
  const Network plain = fitted_on(numbers());
  EXPECT_TRUE(std::ranges::equal(plain.embed(named()).values(), plain.embed(numbers()).values()));
}

TEST(KnownLabels, NamesDoNotChangeTheNetwork) {
  EXPECT_TRUE(
      std::ranges::equal(fitted_on(named()).embed(named()).values(), fitted_on(numbers()).embed(numbers()).values()));
}

TEST(KnownLabels, WordsMeanNothingToNumbers) {
  const UnknownLabels unknown = unknown_labels(fitted_on(numbers()).input(), words());
  EXPECT_GT(unknown.nodes, 0U);
  EXPECT_NE(std::ranges::find(unknown.node_labels, "C"), unknown.node_labels.end());
}

TEST(KnownLabels, UnknownOnesAreCountedAndNamed) {
  const Network network = fitted_on(words());
  const test::TempDir folder;
  const GraphSet other = read_graphs(folder.write(
      "o.jsonl", "{\"num_nodes\": 4, \"edges\": [[0, 1]], \"node_labels\": [\"C\", \"Xe\", \"Xe\", \"Kr\"]}\n"));
  const UnknownLabels unknown = unknown_labels(network.input(), other);
  EXPECT_EQ(unknown.nodes, 3U);
  std::vector<std::string> names = unknown.node_labels;
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"Kr", "Xe"}));
}

TEST(KnownLabels, DegreesCount) {
  NetworkConfig config = subtree({.path_length = 1, .filters = 4});
  config.features = Features::degree;
  const test::TempDir folder;
  const GraphSet pairs = read_graphs(folder.write("p.jsonl", "{\"num_nodes\": 2, \"edges\": [[0, 1]]}\n"));
  const GraphSet star =
      read_graphs(folder.write("s.jsonl", "{\"num_nodes\": 4, \"edges\": [[0, 1], [0, 2], [0, 3]]}\n"));
  const UnknownLabels unknown = unknown_labels(fit_network(pairs, config).input(), star);
  EXPECT_EQ(unknown.nodes, 1U);
  EXPECT_EQ(unknown.node_labels, (std::vector<std::string>{"3"}));
}

TEST(KnownLabels, AreKeptInModelFiles) {
  const test::TempDir folder;
  const Network network = fitted_on(words());
  save_network(network, folder / "words.gckn");
  const Network loaded = load_network(folder / "words.gckn");
  EXPECT_EQ(loaded.input(), network.input());
  EXPECT_EQ(loaded.learnt_from(), network.learnt_from());
  EXPECT_EQ(loaded.learnt_from().data, "words");
  EXPECT_EQ(loaded.learnt_from().graphs, 20U);
  EXPECT_TRUE(std::ranges::equal(loaded.embed(named()).values(), network.embed(words()).values()));
}

}  // namespace
}  // namespace gckn
