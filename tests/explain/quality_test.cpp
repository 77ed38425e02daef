// SPDX-License-Identifier: BSD-3-Clause
// Explanations of graphs in which something was planted: do they find it?
#include <gtest/gtest.h>

#include "gckn/datasets.h"
#include "gckn/explain.h"
#include "gckn/scoring.h"
#include "support/index_range.h"

namespace gckn {
namespace {

// The mean ROC-AUC of node scores over the graphs of class "1" that were not learnt from and are predicted rightly.
double node_auc(const GraphSet& graphs, const NetworkConfig& network, double c, ExplainMethod method) {
  const auto count = static_cast<std::uint32_t>(graphs.num_graphs());
  TrainOptions options;
  options.networks = {network};
  options.learning.C = {c};
  const Model model = train(select_graphs(graphs, test::range(0, count * 3 / 4)), options).model;
  const GraphSet others = select_graphs(graphs, test::range(count * 3 / 4, count));
  double sum = 0;
  int explained = 0;
  for (const Explanation& explanation : explain(model, others, {.method = method})) {
    const std::int32_t its_class = others.targets().class_of_graph[explanation.graph];
    if (its_class != 1 || explanation.explained_class != 1) continue;
    sum += agreement(explanation, others.truth()[explanation.graph]).value().node_auc.value();
    ++explained;
  }
  EXPECT_GT(explained, static_cast<int>(count) / 12);
  return sum / explained;
}

TEST(ExplanationQuality, FindsThePlantedRing) {
  const GraphSet graphs = make_motif_set({.graphs = 400, .seed = 1});
  const NetworkConfig network = subtree({.path_length = 4, .filters = 128, .pooling = Pooling::mean});
  EXPECT_GT(node_auc(graphs, network, 0.05, ExplainMethod::exact), 0.95);
  EXPECT_GT(node_auc(graphs, network, 0.05, ExplainMethod::masks), 0.9);
}

TEST(ExplanationQuality, FindsThePlantedHouse) {
  const GraphSet graphs = make_house_set({.graphs = 800, .seed = 1});
  const NetworkConfig network = subtree({.path_length = 2, .filters = 128, .pooling = Pooling::sum});
  EXPECT_GT(node_auc(graphs, network, 0.001, ExplainMethod::exact), 0.95);
  EXPECT_GT(node_auc(graphs, network, 0.001, ExplainMethod::masks), 0.9);
}

TEST(ExplanationQuality, AgreementWithAlternatives) {
  Explanation explanation;
  explanation.node_scores = {0.9, 0.8, 0.1, 0.7, 0.0};
  explanation.parts = {{{0, 1}, {}}, {{3}, {}}};
  const TruthAgreement found = agreement(explanation, {{0, 1}, {0, 1, 3}, {4}}).value();
  EXPECT_DOUBLE_EQ(found.jaccard, 1);  // with the second
  // Nodes 0, 1, 3 and 4 are on one side; of the four pairs with node 2 three are in order.
  EXPECT_DOUBLE_EQ(found.node_auc.value(), 0.75);
  EXPECT_FALSE(agreement(explanation, {}));
  EXPECT_FALSE(agreement(explanation, {{0, 1, 2, 3, 4}})->node_auc);
  explanation.error = "too large";
  EXPECT_FALSE(agreement(explanation, {{0}}));
}

}  // namespace
}  // namespace gckn
