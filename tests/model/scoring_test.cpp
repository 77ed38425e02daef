// SPDX-License-Identifier: BSD-3-Clause
// Predictions beside the truth.
#include "gckn/scoring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gckn/datasets.h"
#include "gckn/io.h"
#include "support/files.h"

namespace gckn {
namespace {

Model model_of(const GraphSet& graphs) {
  return train(graphs, {.networks = {path({.path_length = 1, .filters = 4})}, .learning = {.C = {1}}, .folds = 2})
      .model;
}

double value_of(const TargetResult& result, Metric metric) {
  return std::ranges::find(result.methods.front().metrics, metric, &MetricSummary::metric)->mean;
}

TEST(Scoring, AccuracyIsTheShareOfRightOnesInAnyBlocks) {
  const GraphSet graphs = make_motif_set({.graphs = 30, .nodes = 6});
  const Model model = model_of(graphs);
  const Predictions predictions = model.predict(graphs);
  double right = 0;
  for (std::size_t g = 0; g < 30; ++g) {
    right += predictions.targets[0].predicted[g] == graphs.targets().class_of_graph[g] ? 1 : 0;
  }
  Scoring whole(model);
  whole.add(predictions, truth_for(model, graphs));
  EXPECT_EQ(whole.counts(), (std::vector<std::uint64_t>{30}));
  const TargetResult result = whole.results(0).front();
  EXPECT_DOUBLE_EQ(value_of(result, Metric::accuracy), right / 30);
  Scoring blocks(model);
  for (std::uint32_t first = 0; first < 30; first += 10) {
    std::vector<std::uint32_t> part;
    for (std::uint32_t g = first; g < first + 10; ++g) part.push_back(g);
    const GraphSet block = select_graphs(graphs, part);
    blocks.add(model.predict(block), truth_for(model, block));
  }
  const TargetResult again = blocks.results(0).front();
  for (std::size_t m = 0; m < result.methods[0].metrics.size(); ++m) {
    EXPECT_EQ(result.methods[0].metrics[m].mean, again.methods[0].metrics[m].mean);
    EXPECT_EQ(result.methods[0].metrics[m].low, again.methods[0].metrics[m].low);
  }
}

TEST(Scoring, GraphsWithoutATargetOrWithAnotherDoNotCount) {
  const test::TempDir folder;
  const GraphSet graphs = make_motif_set({.graphs = 30, .nodes = 6});
  const Model model = model_of(graphs);
  const GraphSet others =
      read_graphs(folder.write("o.jsonl",
                               "{\"num_nodes\": 1, \"edges\": [], \"node_labels\": [0], \"target\": 1}\n"
                               "{\"num_nodes\": 1, \"edges\": [], \"node_labels\": [0], \"target\": null}\n"
                               "{\"num_nodes\": 1, \"edges\": [], \"node_labels\": [0], \"target\": 7}\n"));
  const std::vector<Truth> truth = truth_for(model, others);
  ASSERT_TRUE(truth[0].known);
  EXPECT_EQ(truth[0].text, (std::vector<std::string>{"1", "", "7"}));
  EXPECT_EQ(truth[0].class_of_graph, (std::vector<std::int32_t>{1, -1, -1}));
  EXPECT_EQ(truth[0].strange, 1U);
  Scoring scoring(model);
  scoring.add(model.predict(others), truth);
  EXPECT_EQ(scoring.counts(), (std::vector<std::uint64_t>{1}));
  EXPECT_TRUE(std::isnan(scoring.results(0)[0].methods[0].metrics[0].low)) << "one graph says nothing of others";
  const GraphSet silent =
      read_graphs(folder.write("s.jsonl", "{\"num_nodes\": 1, \"edges\": [], \"node_labels\": [0]}\n"));
  EXPECT_FALSE(truth_for(model, silent)[0].known);
  Scoring nothing(model);
  nothing.add(model.predict(silent), truth_for(model, silent));
  EXPECT_TRUE(nothing.results(0)[0].methods.empty());
}

TEST(Scoring, TargetsAreFoundByName) {
  const test::TempDir folder;
  std::string text;
  std::string swapped;
  for (int i = 0; i < 20; ++i) {
    const std::string begin = "{\"num_nodes\": " + std::to_string(2 + i % 5) + ", \"edges\": [[0, 1]], \"target\": ";
    const std::string a = "\"a\": " + std::to_string(i % 5) + ".5";
    const std::string b = "\"b\": " + std::to_string(i % 3) + ".25";
    text += begin + "{" + a + ", " + b + "}}\n";
    swapped += begin + "{" + b + ", " + a + "}}\n";
  }
  const GraphSet graphs = read_graphs(folder.write("t.jsonl", text));
  const Model model = model_of(graphs);
  EXPECT_EQ(model.targets()[0].name, "a");
  const std::vector<Truth> truth = truth_for(model, graphs);
  const std::vector<Truth> other = truth_for(model, read_graphs(folder.write("s.jsonl", swapped)));
  for (std::size_t t = 0; t < 2; ++t) EXPECT_EQ(truth[t].number_of_graph, other[t].number_of_graph);
  EXPECT_EQ(truth[0].number_of_graph[1], 1.5);
  const GraphSet one =
      read_graphs(folder.write("o.jsonl", "{\"num_nodes\": 2, \"edges\": [[0, 1]], \"target\": {\"b\": 1.25}}\n"));
  EXPECT_FALSE(truth_for(model, one)[0].known);
  EXPECT_EQ(truth_for(model, one)[1].number_of_graph, (std::vector<double>{1.25}));
}

}  // namespace
}  // namespace gckn
