// SPDX-License-Identifier: BSD-3-Clause
// The catalogue of motifs: which kinds there are, what tells classes apart, and in which order.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "gckn/error.h"
#include "gckn/explain.h"
#include "gckn/model.h"

namespace gckn {
namespace {

// Chains C - C, four of each class. Those of class 1, without the last, and the first of class 0 end in N.
GraphSetParts chains() {
  GraphSetParts parts;
  std::uint32_t first = 0;
  for (std::uint32_t g = 0; g < 8; ++g) {
    const bool has_n = g == 0 || (g >= 4 && g < 7);
    const std::uint32_t nodes = has_n ? 3 : 2;
    parts.graph_sizes.push_back(nodes);
    for (std::uint32_t u = 0; u < nodes; ++u) {
      parts.node_labels.push_back(u == 2 ? 1 : 0);
      if (u == 0) continue;
      parts.edge_from.push_back(first + u - 1);
      parts.edge_to.push_back(first + u);
    }
    first += nodes;
  }
  parts.node_label_names = {{0, "C"}, {1, "N"}};
  return parts;
}

GraphSet with_classes(GraphSetParts parts) {
  parts.targets.kind = Targets::Kind::classes;
  parts.targets.class_names = {"a", "b"};
  parts.targets.class_of_graph = {0, 0, 0, 0, 1, 1, 1, 1};
  return GraphSet(std::move(parts));
}

GraphSet with_numbers(GraphSetParts parts) {
  parts.targets.kind = Targets::Kind::numbers;
  parts.targets.columns = 1;
  parts.targets.numbers = {0, 1, 2, 3, 4, 5, 6, 7};
  return GraphSet(std::move(parts));
}

Model model_of(const GraphSet& graphs) {
  TrainOptions options;
  options.networks = {path({1, 2, 0.6, Pooling::sum, Pooling::sum, true})};
  options.learning.C = {1};
  options.folds = 2;
  return train(graphs, options).model;
}

struct Found {
  std::uint32_t graph;
  std::int32_t explained_class;
  Substructure motif;
  double contribution;
};

MotifCatalogue catalogue_of(const Model& model, const GraphSet& graphs, const std::vector<Found>& found,
                            const CatalogueOptions& options = {}, const RunOptions& run = {}) {
  std::vector<Explanation> explanations;
  std::vector<std::optional<Fidelity>> fidelities;
  for (const Found& one : found) {
    explanations.push_back({.graph = one.graph, .explained_class = one.explained_class, .parts = {one.motif}});
    fidelities.push_back(Fidelity{.score_without = one.contribution});
  }
  return motif_catalogue(model, graphs, explanations, fidelities, options, run);
}

const Substructure kCarbon{{0}, {}};
const Substructure kNitrogen{{2}, {}};
const Substructure kBoth{{1, 2}, {1}};

// Six graphs have carbon as their motif, three for each class.
std::vector<Found> motifs_of_classes() {
  return {{0, 0, kNitrogen, 0.5}, {1, 0, kCarbon, 1},   {2, 0, kCarbon, 1},   {3, 0, kCarbon, 1},
          {4, 1, kCarbon, 2},     {5, 1, kNitrogen, 1}, {6, 1, kNitrogen, 1}, {7, 1, kCarbon, 2}};
}

std::vector<std::string> names_of(const MotifCatalogue& catalogue) {
  std::vector<std::string> names;
  for (const MotifKind& kind : catalogue.kinds) {
    names.push_back(kind.name + (kind.explained_class < 0 ? "" : kind.explained_class == 0 ? " a" : " b"));
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(Catalogue, BeginsWithWhatTellsTheClassesApart) {
  const GraphSet graphs = with_classes(chains());
  const MotifCatalogue catalogue = catalogue_of(model_of(graphs), graphs, motifs_of_classes());
  // All graphs have carbon: these two go by their graphs.
  EXPECT_EQ(names_of(catalogue), (Names{"N1 b", "C1 a", "C1 b", "N1 a"}));
  EXPECT_EQ(catalogue.kind_of, (std::vector<std::int32_t>{3, 1, 1, 1, 2, 0, 0, 2}));
  EXPECT_EQ(catalogue.kinds[0].share_by_class, (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(catalogue.kinds[1].share_by_class, (std::vector<double>{1, 1}));
  // Three of four and one of four, where two of four were to be expected.
  const double root_g = std::sqrt(2 * (6 * std::log(1.5) + 2 * std::log(0.5)));
  EXPECT_NEAR(catalogue.kinds[0].enrichment, root_g, 1e-12);
  EXPECT_EQ(catalogue.kinds[1].enrichment, 0);
  EXPECT_EQ(catalogue.kinds[2].enrichment, 0);
  EXPECT_NEAR(catalogue.kinds[3].enrichment, -root_g, 1e-12);
}

TEST(Catalogue, KindsThatWereNotSearchedStandBehind) {
  const GraphSet graphs = with_classes(chains());
  std::vector<Found> found = motifs_of_classes();
  found[6].motif = kBoth;  // of one graph each now, as N for class a, whose contribution is smaller
  const MotifCatalogue catalogue = catalogue_of(model_of(graphs), graphs, found, {.most_searched = 3});
  EXPECT_EQ(names_of(catalogue), (Names{"N1 b", "C1 a", "C1 b", "C1 N1 b", "N1 a"}));
  for (std::size_t k = 3; k < 5; ++k) {
    EXPECT_TRUE(catalogue.kinds[k].share_by_class.empty());
    EXPECT_TRUE(std::isnan(catalogue.kinds[k].enrichment));
  }
}

TEST(Catalogue, WhereTheSetSaysNothingPredictionsAreTheClasses) {
  const Model model = model_of(with_classes(chains()));
  const GraphSet graphs(chains());
  EXPECT_GT(catalogue_of(model, graphs, motifs_of_classes()).kinds[0].enrichment, 1);
  // One class has no others.
  std::vector<Found> found = motifs_of_classes();
  for (Found& one : found) one.explained_class = 1;
  const MotifCatalogue catalogue = catalogue_of(model, graphs, found);
  EXPECT_EQ(names_of(catalogue), (Names{"C1 b", "N1 b"}));
  for (const MotifKind& kind : catalogue.kinds) EXPECT_TRUE(std::isnan(kind.enrichment));
}

TEST(Catalogue, NumbersGoByTheirGraphs) {
  const GraphSet graphs = with_numbers(chains());
  std::vector<Found> found = motifs_of_classes();
  for (Found& one : found) one.explained_class = -1;
  const MotifCatalogue catalogue = catalogue_of(model_of(graphs), graphs, found);
  EXPECT_EQ(names_of(catalogue), (Names{"C1", "N1"}));
  for (const MotifKind& kind : catalogue.kinds) {
    EXPECT_TRUE(kind.share_by_class.empty());
    EXPECT_TRUE(std::isnan(kind.enrichment));
  }
}

// Four nodes of one label each: stars, chains, and chains of three with a node beside them, by their first letters.
GraphSet small_trees(std::string_view kinds) {
  GraphSetParts parts;
  for (std::uint32_t g = 0; g < kinds.size(); ++g) {
    const std::uint32_t first = 4 * g;
    parts.graph_sizes.push_back(4);
    parts.edge_from.insert(parts.edge_from.end(), {first, first + 1});
    parts.edge_to.insert(parts.edge_to.end(), {first + 1, first + 2});
    if (kinds[g] != 'b') {
      parts.edge_from.push_back(first + (kinds[g] == 's' ? 1 : 2));
      parts.edge_to.push_back(first + 3);
    }
    parts.node_labels.insert(parts.node_labels.end(), 4, 0);
  }
  parts.node_label_names = {{0, "C"}};
  return GraphSet(std::move(parts));
}

const Substructure kTree{{0, 1, 2, 3}, {0, 1, 2}};
const Substructure kFirstEdge{{0, 1}, {0}};

TEST(Catalogue, DifferentMotifsOfTheSamePartsHaveLetters) {
  const MotifCatalogue catalogue = catalogue_of(
      model_of(with_numbers(chains())), small_trees("scccc"),
      {{0, -1, kTree, 1}, {1, -1, kTree, 1}, {2, -1, kTree, 1}, {3, -1, kFirstEdge, 0}, {4, -1, kTree, 1}});
  EXPECT_EQ(names_of(catalogue), (Names{"C4 (a)", "C4 (b)", "C2"}));
  EXPECT_EQ(catalogue.kind_of, (std::vector<std::int32_t>{1, 0, 0, 2, 0}));
}

TEST(Catalogue, EqualMotifsOfTwoClassesHaveOneName) {
  const Model model = model_of(with_classes(chains()));
  const MotifCatalogue one_structure = catalogue_of(model, small_trees("cc"), {{0, 0, kTree, 2}, {1, 1, kTree, 1}});
  EXPECT_EQ(names_of(one_structure), (Names{"C4 a", "C4 b"}));
  const MotifCatalogue two_structures = catalogue_of(model, small_trees("cccbcs"),
                                                     {{0, 0, kTree, 1},
                                                      {1, 0, kTree, 1},
                                                      {2, 0, kTree, 1},
                                                      {3, 0, kFirstEdge, 1},
                                                      {4, 1, kTree, 1},
                                                      {5, 1, kTree, 1}});
  EXPECT_EQ(names_of(two_structures), (Names{"C4 (a) b", "C4 (b) a", "C2 a", "C4 (b) b"}));
}

TEST(Catalogue, LettersGoOnBehindZ) {
  // Trees of 28 kinds: a chain of so many nodes, with one more at an inner node of it.
  constexpr std::uint32_t kKinds = 28;
  constexpr std::uint32_t kChain = 2 * kKinds + 1;
  GraphSetParts parts;
  std::vector<Found> found;
  Substructure whole;
  for (std::uint32_t u = 0; u <= kChain; ++u) whole.nodes.push_back(u);
  for (std::uint32_t e = 0; e < kChain; ++e) whole.edges.push_back(e);
  for (std::uint32_t g = 0; g < kKinds; ++g) {
    const std::uint32_t first = g * (kChain + 1);
    parts.graph_sizes.push_back(kChain + 1);
    for (std::uint32_t u = 1; u <= kChain; ++u) {
      parts.edge_from.push_back(first + (u < kChain ? u - 1 : g + 1));
      parts.edge_to.push_back(first + u);
    }
    found.push_back({g, -1, whole, static_cast<double>(kKinds - g)});
  }
  const MotifCatalogue catalogue = catalogue_of(model_of(with_numbers(chains())), GraphSet(std::move(parts)), found);
  ASSERT_EQ(catalogue.kinds.size(), kKinds);
  EXPECT_EQ(catalogue.kinds[0].name, "58 nodes (a)");
  EXPECT_EQ(catalogue.kinds[25].name, "58 nodes (z)");
  EXPECT_EQ(catalogue.kinds[26].name, "58 nodes (aa)");
  EXPECT_EQ(catalogue.kinds[27].name, "58 nodes (ab)");
}

// A search through a large set of dense graphs may take minutes for a single motif.
TEST(Catalogue, CanBeCancelledInTheMidstOfASearch) {
  const GraphSet graphs = with_classes(chains());
  const Model model = model_of(graphs);
  int reports_of_first_search = 0;
  RunOptions run;
  run.progress = [&](const Progress& progress) {
    if (progress.stage == "searching for motifs" && progress.done == 0) ++reports_of_first_search;
    return reports_of_first_search < 2;
  };
  EXPECT_THROW(catalogue_of(model, graphs, motifs_of_classes(), {}, run), Cancelled);
  EXPECT_EQ(reports_of_first_search, 2);
}

}  // namespace
}  // namespace gckn
