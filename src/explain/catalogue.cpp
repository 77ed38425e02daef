// SPDX-License-Identifier: BSD-3-Clause
// The motifs of many explanations, equal ones together.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "explain/motif_catalogue.h"
#include "explain/motif_graph.h"
#include "explain/reduced_graphs.h"
#include "gckn/explain.h"
#include "gckn/scoring.h"
#include "util/parallel.h"

namespace gckn {
namespace {

MotifGraph motif_of(const GraphSet& graphs, const Explanation& explanation) {
  const Substructure motif = explanation.motif();
  const auto edges = graph_edges(graphs, explanation.graph);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> of_motif;
  for (const std::uint32_t e : motif.edges) of_motif.push_back(edges[e]);
  return cut_out(graphs, explanation.graph, motif.nodes,
                 std::span<const std::pair<std::uint32_t, std::uint32_t>>(of_motif));
}

// By graph of the set: its class as the set has it or, where that is not known, as the model predicts it; -1: neither.
std::vector<std::int32_t> classes_of_graphs(const Model& model, const GraphSet& graphs,
                                            const std::vector<Explanation>& explanations, std::size_t target) {
  const Truth truth = truth_for(model, graphs)[target];
  if (truth.known) return truth.class_of_graph;
  std::vector<std::int32_t> classes(graphs.num_graphs(), -1);
  for (const Explanation& explanation : explanations) {
    if (explanation.error.empty()) classes[explanation.graph] = explanation.explained_class;
  }
  return classes;
}

std::vector<double> shares_by_class(const std::vector<char>& contains, const std::vector<std::int32_t>& class_of_graph,
                                    std::size_t num_classes) {
  std::vector<double> found(num_classes), all(num_classes);
  for (std::size_t g = 0; g < class_of_graph.size(); ++g) {
    if (class_of_graph[g] < 0) continue;
    all[static_cast<std::size_t>(class_of_graph[g])] += 1;
    found[static_cast<std::size_t>(class_of_graph[g])] += contains[g];
  }
  for (std::size_t c = 0; c < num_classes; ++c) found[c] = all[c] > 0 ? found[c] / all[c] : NAN;
  return found;
}

// class_of_graph: by graph of the set, -1 where it is not known.
MotifCatalogue catalogue_of(const Model& model, const GraphSet& graphs, const std::vector<std::int32_t>& class_of_graph,
                            const std::vector<Explanation>& explanations,
                            const std::vector<std::optional<Fidelity>>& fidelities, const CatalogueOptions& options,
                            const RunOptions& run) {
  std::vector<MotifGraph> motifs;
  std::vector<std::uint32_t> of_explanation;  // by motif
  for (std::uint32_t i = 0; i < explanations.size(); ++i) {
    if (!fidelities[i]) continue;
    motifs.push_back(motif_of(graphs, explanations[i]));
    of_explanation.push_back(i);
  }
  const std::vector<std::uint32_t> structure = group_isomorphic(motifs, run);
  std::map<std::pair<std::uint32_t, std::int32_t>, std::size_t> number_of;  // by structure and class
  MotifCatalogue catalogue;
  std::vector<std::uint32_t> example;  // by kind: the first of its motifs
  for (std::uint32_t m = 0; m < motifs.size(); ++m) {
    const std::int32_t its_class = explanations[of_explanation[m]].explained_class;
    const auto [found, is_new] = number_of.try_emplace({structure[m], its_class}, catalogue.kinds.size());
    if (is_new) {
      catalogue.kinds.push_back({motif_name(motifs[m], graphs), its_class, {}, 0, {}});
      example.push_back(m);
    }
    MotifKind& kind = catalogue.kinds[found->second];
    kind.explanations.push_back(of_explanation[m]);
    kind.contribution += fidelities[of_explanation[m]]->score_without;
  }
  for (MotifKind& kind : catalogue.kinds) kind.contribution /= static_cast<double>(kind.explanations.size());

  std::vector<std::uint32_t> order(catalogue.kinds.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::uint32_t x, std::uint32_t y) {
    const MotifKind& a = catalogue.kinds[x];
    const MotifKind& b = catalogue.kinds[y];
    if (a.explanations.size() != b.explanations.size()) return a.explanations.size() > b.explanations.size();
    return a.contribution > b.contribution;
  });
  std::vector<MotifKind> sorted;
  for (const std::uint32_t k : order) sorted.push_back(std::move(catalogue.kinds[k]));
  catalogue.kinds = std::move(sorted);
  catalogue.kind_of.assign(explanations.size(), -1);
  for (std::size_t k = 0; k < catalogue.kinds.size(); ++k) {
    for (const std::uint32_t i : catalogue.kinds[k].explanations) catalogue.kind_of[i] = static_cast<std::int32_t>(k);
  }

  const std::size_t num_classes = model.targets()[options.target].class_names.size();
  if (num_classes == 0) return catalogue;
  const std::size_t searched = std::min(options.most_searched, catalogue.kinds.size());
  RunOptions within = run;
  within.progress = nullptr;
  std::map<std::uint32_t, std::vector<double>> shares;  // by structure, which two classes may have in common
  for (std::size_t k = 0; k < searched; ++k) {
    report_progress(run, "searching for motifs", k, searched);
    const std::uint32_t m = example[order[k]];
    if (!shares.contains(structure[m])) {
      Containment found = graphs_that_contain(graphs, motifs[m], within);
      catalogue.unknown += found.unknown;
      // Where it was found, whatever became of the search.
      for (const std::uint32_t i : catalogue.kinds[k].explanations) found.contains[explanations[i].graph] = 1;
      shares[structure[m]] = shares_by_class(found.contains, class_of_graph, num_classes);
    }
    catalogue.kinds[k].share_by_class = shares[structure[m]];
  }
  return catalogue;
}

}  // namespace

MotifCatalogue motif_catalogue(const Model& model, const GraphSet& graphs, const std::vector<Explanation>& explanations,
                               const std::vector<std::optional<Fidelity>>& fidelities, const CatalogueOptions& options,
                               const RunOptions& run) {
  const ThreadScope threads(run);
  // Edge labels that the network does not read tell no motifs apart.
  if (graphs.has_edge_labels() && !model.network().input().uses_edge_labels) {
    ReducedGraphs without(graphs, false);
    for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
      without.add(g, std::vector<char>(graphs.graph_begin(g + 1) - graphs.graph_begin(g), 1));
    }
    return catalogue_of(model, without.take(), classes_of_graphs(model, graphs, explanations, options.target),
                        explanations, fidelities, options, run);
  }
  return catalogue_of(model, graphs, classes_of_graphs(model, graphs, explanations, options.target), explanations,
                      fidelities, options, run);
}

}  // namespace gckn
