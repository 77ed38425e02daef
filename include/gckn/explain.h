// SPDX-License-Identifier: BSD-3-Clause
// Which substructures carry a prediction: scores of the nodes and edges of a graph, and the motif that stands out.
//
//   gckn::Model model = gckn::load_model("mutag.gckn");
//   std::vector<gckn::Explanation> explanations = gckn::explain(model, graphs, {});
//
// docs/explaining.md says what the methods mean, and docs/mathematics.md how they are computed.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/model.h"
#include "gckn/run_options.h"

namespace gckn {

enum class ExplainMethod {
  automatic,  // exact where that is possible, otherwise gradient, otherwise occlusion
  // Shares of the score, one for each path: they add up to the score minus that of the empty graph. Both are one
  // backward pass; with a Gaussian head of the mean gradient on the way from the empty graph to the whole.
  exact,     // states of nodes, and networks with sum or mean over the nodes of a graph
  gradient,  // any network without generalised max pooling: the gradient of the score by the weights of the paths
  // The paper's: weights in [0, 1] on all paths, as few as possible and still the same prediction.
  masks,
  // How the score changes when a node or an edge is taken out of the graph. For any model.
  occlusion,
};
std::string_view to_string(ExplainMethod method);
// Throws UsageError listing the possible words.
ExplainMethod parse_explain_method(std::string_view word);

struct ExplainOptions {
  ExplainMethod method = ExplainMethod::automatic;
  std::size_t target = 0;  // of the model: which of its targets is explained

  // Masks: minimise loss + mu * (sum of the weights of all paths). The larger, the fewer paths are left; 0.01 is the
  // paper's.
  double mu = 0.01;
  int most_steps = 500;          // of the minimisation
  double tolerance = 1e-5;       // of the projected gradient, at which it stops
  double selected_weight = 0.1;  // paths with a larger weight are selected, as in the authors' code

  // Other methods: nodes whose score (Explanation::carrying_scores) is larger than this part of the largest are
  // selected; without it, those on the upper side of the split of the graph's scores that leaves the least variance
  // within both sides (Otsu 1979).
  std::optional<double> selected_share = std::nullopt;

  bool all_paths = false;  // list every path with its share or weight, not scores of nodes and edges alone
};

struct ExplainedPath {
  std::uint32_t layer = 0;           // of the network, from 0
  std::vector<std::uint32_t> nodes;  // within the graph
  double value = 0;                  // its share of the score, or its weight
};

// Some nodes of a graph and edges between them, both ascending: nodes within the graph, edges as graph_edges has them.
struct Substructure {
  std::vector<std::uint32_t> nodes{};
  std::vector<std::uint32_t> edges{};

  bool operator==(const Substructure&) const = default;
};

struct Explanation {
  std::uint32_t graph = 0;
  std::string error{};  // why there is no explanation, or empty

  std::int32_t explained_class = -1;  // the predicted one; -1 where the target is a number
  double score = 0;        // of that class (of two classes: minus that of the other), or the predicted number
  double empty_score = 0;  // what a graph without nodes gets

  // Positive: supports the class, or raises the number. By node of the graph, and by edge as graph_edges has them.
  std::vector<double> node_scores{};
  std::vector<double> edge_scores{};

  // What stands out: connected parts, the motif first. Empty where nothing speaks for the prediction.
  std::vector<Substructure> parts{};
  [[nodiscard]] Substructure motif() const { return parts.empty() ? Substructure{} : parts.front(); }
  // The nodes of all parts, ascending.
  [[nodiscard]] std::vector<std::uint32_t> selected_nodes() const;
  // node_scores by what carries the prediction: a number below that of the empty graph is carried by what lowers it,
  // and has them with the other sign. Masks have no sign.
  [[nodiscard]] std::vector<double> carrying_scores() const;

  // Of masks.
  struct Minimisation {
    double objective = 0;
    int steps = 0;
    bool converged = false;
  };
  std::optional<Minimisation> minimisation{};

  std::vector<ExplainedPath> paths{};  // if asked for: those of a share or weight that is not 0, the largest first
};

// The edges of a graph, each once: (u, v) with u < v, within the graph, ascending.
std::vector<std::pair<std::uint32_t, std::uint32_t>> graph_edges(const GraphSet& graphs, std::size_t g);

// The method that `automatic` stands for with this model; any other as it is. Throws UsageError for one that is not
// possible with it.
ExplainMethod method_for(const Model& model, ExplainMethod method);

// One explanation for each of these graphs (numbers within the set; empty: all), in their order. A graph that cannot be
// explained has an error, and does not keep the others from it. Throws InputError for a number that no graph has, and
// if the graphs lack what the network was fitted on. The same bits for any number of threads.
std::vector<Explanation> explain(const Model& model, const GraphSet& graphs, const ExplainOptions& options,
                                 const std::vector<std::uint32_t>& selected = {}, const RunOptions& run = {});

// How much a prediction depends on its motif: the graph without the motif's nodes, and with nothing else.
struct Fidelity {
  double sparsity = 0;  // share of the nodes that are not in the motif
  // By how much the score of the explained class, or the number, is lower: without the motif (far from 0 is good), with
  // the motif only (close to 0 is good).
  double score_without = 0, score_alone = 0;
  // Whether another class is predicted then; for numbers both are false.
  bool class_changes_without = false, class_changes_alone = false;
};

// By explanation; nothing for one with an error or without a motif. explanations: of these graphs and this target.
std::vector<std::optional<Fidelity>> fidelity(const Model& model, const GraphSet& graphs,
                                              const std::vector<Explanation>& explanations, std::size_t target,
                                              const RunOptions& run = {});

// How an explanation agrees with what is known (GraphSet::truth).
struct TruthAgreement {
  // Of the scores of nodes, with all nodes that any of the alternatives has on one side; nothing if that is all of
  // them.
  std::optional<double> node_auc{};
  double jaccard = 0;  // of the nodes that stand out with the alternative that they are most like
};
// Nothing where nothing is known of the graph, or there is no explanation.
std::optional<TruthAgreement> agreement(const Explanation& explanation, const NodeTruth& truth);

// Motifs that are equal (isomorphic with their labels) and explain the same class.
struct MotifKind {
  // What it consists of: "C6, 1 ring"; with a letter where others consist of the same: "C5 (a)".
  std::string name{};
  std::int32_t explained_class = -1;          // -1: numbers
  std::vector<std::uint32_t> explanations{};  // whose motif it is, as indices, ascending; the first is the example
  double contribution = 0;                    // mean change of the score when the motif is taken out of the graph
  // By class: share of its graphs (by what they are, where the set says so, otherwise by what was predicted) that
  // contain the motif anywhere; NaN for a class without graphs. Empty for numbers, and for kinds beyond
  // CatalogueOptions::most_searched.
  std::vector<double> share_by_class{};
  // How much more often graphs of the explained class contain the motif than those of all other classes: the signed
  // root of the likelihood-ratio statistic G of these counts, as docs/mathematics.md has it. About a standard normal
  // number if the motif told nothing of the class. NaN where there are no shares, and with graphs of one class only.
  double enrichment = NAN;
};

struct CatalogueOptions {
  std::size_t target = 0;
  std::size_t most_searched = 300;  // kinds, the frequent ones first, that all graphs are searched for
};

// The kinds of the motifs of these explanations: first those that tell their class from others best, by enrichment;
// then those without it. Kinds that are equal in that, and all kinds for numbers, go by the number of their graphs,
// then by contribution. fidelities: of the explanations.
struct MotifCatalogue {
  std::vector<MotifKind> kinds{};
  std::vector<std::int32_t> kind_of{};  // by explanation; -1 for one without a motif
  std::uint64_t unknown = 0;            // searches for a motif in a graph that were given up
};
MotifCatalogue motif_catalogue(const Model& model, const GraphSet& graphs, const std::vector<Explanation>& explanations,
                               const std::vector<std::optional<Fidelity>>& fidelities,
                               const CatalogueOptions& options = {}, const RunOptions& run = {});

// What the anchors of the first layer stand for: the path of known labels that each is most similar to.
struct ExplainedAnchor {
  std::uint32_t anchor = 0;
  std::vector<std::uint32_t> labels;       // indices into InputEncoding::labels, one for each vertex
  std::vector<std::uint32_t> edge_labels;  // ... into edge_labels, one for each edge; empty where they are not used
  double similarity = 0;                   // 1: they are equal
  // What one path that is equal to the anchor adds to the score of each output (of two classes: of the second), of a
  // graph with one node if the network has the mean over nodes: that of n is divided by n. Where the network has one
  // layer and adds paths up; otherwise empty.
  std::vector<double> weights;
};

// By anchor. Throws UsageError for a network that reads attributes, of which anchors have no names, and where states
// are compared, which need no anchors.
std::vector<ExplainedAnchor> explain_anchors(const Model& model, std::size_t target = 0);
std::vector<ExplainedAnchor> explain_anchors(const Network& network);

}  // namespace gckn
