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
#include "learn/statistics.h"
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

// By class: the graphs that are known to be of it, and how many of them contain a motif.
struct ClassCounts {
  std::vector<double> all, containing;

  ClassCounts(const std::vector<char>& contains, const std::vector<std::int32_t>& class_of_graph,
              std::size_t num_classes)
      : all(num_classes), containing(num_classes) {
    for (std::size_t g = 0; g < class_of_graph.size(); ++g) {
      if (class_of_graph[g] < 0) continue;
      all[static_cast<std::size_t>(class_of_graph[g])] += 1;
      containing[static_cast<std::size_t>(class_of_graph[g])] += contains[g];
    }
  }

  [[nodiscard]] std::vector<double> shares() const {
    std::vector<double> shares;
    for (std::size_t c = 0; c < all.size(); ++c) shares.push_back(all[c] > 0 ? containing[c] / all[c] : NAN);
    return shares;
  }

  [[nodiscard]] double enrichment(std::size_t of_class) const {
    const double others = std::accumulate(all.begin(), all.end(), -all[of_class]);
    const double containing_others = std::accumulate(containing.begin(), containing.end(), -containing[of_class]);
    return signed_root_g(containing[of_class], all[of_class], containing_others, others);
  }
};

// The motifs of explanations; of_explanation and structure are by motif.
struct Motifs {
  std::vector<MotifGraph> graphs;
  std::vector<std::uint32_t> of_explanation;
  std::vector<std::uint32_t> structure;  // equal for equal motifs

  Motifs(const GraphSet& set, const std::vector<Explanation>& explanations,
         const std::vector<std::optional<Fidelity>>& fidelities, const RunOptions& run) {
    for (std::uint32_t i = 0; i < explanations.size(); ++i) {
      if (!fidelities[i]) continue;
      graphs.push_back(motif_of(set, explanations[i]));
      of_explanation.push_back(i);
    }
    structure = group_isomorphic(graphs, run);
  }
};

struct Entry {
  MotifKind kind;
  std::uint32_t example;  // the first of its motifs
};

// Those of the most graphs first, then the larger contribution.
std::vector<Entry> kinds_by_frequency(const Motifs& motifs, const GraphSet& graphs,
                                      const std::vector<Explanation>& explanations,
                                      const std::vector<std::optional<Fidelity>>& fidelities) {
  std::vector<Entry> entries;
  std::map<std::pair<std::uint32_t, std::int32_t>, std::size_t> number_of;  // by structure and class
  for (std::uint32_t m = 0; m < motifs.graphs.size(); ++m) {
    const std::uint32_t i = motifs.of_explanation[m];
    const std::int32_t its_class = explanations[i].explained_class;
    const auto [found, is_new] = number_of.try_emplace({motifs.structure[m], its_class}, entries.size());
    if (is_new) {
      entries.push_back({{.name = motif_name(motifs.graphs[m], graphs), .explained_class = its_class}, m});
    }
    MotifKind& kind = entries[found->second].kind;
    kind.explanations.push_back(i);
    kind.contribution += fidelities[i]->score_without;
  }
  for (Entry& entry : entries) entry.kind.contribution /= static_cast<double>(entry.kind.explanations.size());
  std::ranges::stable_sort(entries, [](const Entry& x, const Entry& y) {
    const std::size_t graphs_of_x = x.kind.explanations.size();
    const std::size_t graphs_of_y = y.kind.explanations.size();
    return graphs_of_x != graphs_of_y ? graphs_of_x > graphs_of_y : x.kind.contribution > y.kind.contribution;
  });
  return entries;
}

// Which graphs contain the first `searched` kinds. Returns how many searches were given up.
std::uint64_t search_graphs(std::vector<Entry>& entries, std::size_t searched, const Motifs& motifs,
                            const GraphSet& graphs, const std::vector<Explanation>& explanations,
                            const std::vector<std::int32_t>& class_of_graph, std::size_t num_classes,
                            const RunOptions& run) {
  std::uint64_t unknown = 0;
  std::map<std::uint32_t, ClassCounts> counts;  // by structure, which two classes may have in common
  for (std::size_t k = 0; k < searched; ++k) {
    const RunOptions step = for_step(run, "searching for motifs", k, searched);
    MotifKind& kind = entries[k].kind;
    const std::uint32_t structure = motifs.structure[entries[k].example];
    auto known = counts.find(structure);
    if (known == counts.end()) {
      Containment found = graphs_that_contain(graphs, motifs.graphs[entries[k].example], step);
      unknown += found.unknown;
      // Where it was found, whatever became of the search.
      for (std::size_t m = 0; m < motifs.graphs.size(); ++m) {
        if (motifs.structure[m] == structure) found.contains[explanations[motifs.of_explanation[m]].graph] = 1;
      }
      known = counts.emplace(structure, ClassCounts(found.contains, class_of_graph, num_classes)).first;
    }
    kind.share_by_class = known->second.shares();
    kind.enrichment = known->second.enrichment(static_cast<std::size_t>(kind.explained_class));
  }
  return unknown;
}

// "a" to "z", then "aa", "ab" and so on.
std::string letters_of(std::size_t number) {
  constexpr std::size_t kLetters = 26;
  const std::string before = number < kLetters ? "" : letters_of(number / kLetters - 1);
  return before + static_cast<char>('a' + number % kLetters);
}

// Names say what motifs consist of, which different ones may have in common: "C5 (a)" and "C5 (b)", in the order of the
// catalogue. Equal motifs of two classes keep one name.
void tell_names_apart(std::vector<Entry>& entries, const Motifs& motifs) {
  std::map<std::string, std::vector<std::uint32_t>> structures;  // by name
  for (const Entry& entry : entries) {
    std::vector<std::uint32_t>& of_name = structures[entry.kind.name];
    const std::uint32_t structure = motifs.structure[entry.example];
    if (std::ranges::find(of_name, structure) == of_name.end()) of_name.push_back(structure);
  }
  for (Entry& entry : entries) {
    const std::vector<std::uint32_t>& of_name = structures.at(entry.kind.name);
    if (of_name.size() == 1) continue;
    const auto place = std::ranges::find(of_name, motifs.structure[entry.example]) - of_name.begin();
    entry.kind.name += " (" + letters_of(static_cast<std::size_t>(place)) + ")";
  }
}

// class_of_graph: by graph of the set, -1 where it is not known.
MotifCatalogue catalogue_of(const Model& model, const GraphSet& graphs, const std::vector<std::int32_t>& class_of_graph,
                            const std::vector<Explanation>& explanations,
                            const std::vector<std::optional<Fidelity>>& fidelities, const CatalogueOptions& options,
                            const RunOptions& run) {
  const Motifs motifs(graphs, explanations, fidelities, run);
  std::vector<Entry> entries = kinds_by_frequency(motifs, graphs, explanations, fidelities);
  MotifCatalogue catalogue;
  const std::size_t num_classes = model.targets()[options.target].class_names.size();
  if (num_classes > 0) {
    catalogue.unknown = search_graphs(entries, std::min(options.most_searched, entries.size()), motifs, graphs,
                                      explanations, class_of_graph, num_classes, run);
  }
  std::ranges::stable_sort(entries, std::ranges::greater{}, [](const Entry& entry) {
    return std::isnan(entry.kind.enrichment) ? -INFINITY : entry.kind.enrichment;
  });
  tell_names_apart(entries, motifs);
  catalogue.kind_of.assign(explanations.size(), -1);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    for (const std::uint32_t i : entries[k].kind.explanations) catalogue.kind_of[i] = static_cast<std::int32_t>(k);
    catalogue.kinds.push_back(std::move(entries[k].kind));
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
