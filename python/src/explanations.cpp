// SPDX-License-Identifier: BSD-3-Clause
// Explanations and their pictures.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "arrays.h"
#include "bindings.h"
#include "gckn/explain.h"
#include "gckn/graph_picture.h"
#include "gckn/molecules.h"
#include "run.h"

namespace gckn::python {
namespace {

std::vector<std::string> draw(const GraphSet& graphs, const std::vector<Explanation>& explanations,
                              const std::vector<std::string>& smiles, const RunOptions& run) {
  if (!smiles.empty() && graphs.molecules() && has_rdkit()) {
    std::vector<MoleculeSource> sources;
    std::vector<MoleculeHighlights> highlights;
    for (const Explanation& explanation : explanations) {
      PictureScores scores = picture_scores(explanation);
      sources.push_back({false, smiles[explanation.graph]});
      highlights.push_back({std::move(scores.nodes), std::move(scores.node_in_motif),
                            graph_edges(graphs, explanation.graph), std::move(scores.edges),
                            std::move(scores.edge_in_motif)});
    }
    return draw_molecules(sources, *graphs.molecules(), highlights, run);
  }
  std::vector<PictureGraph> pictures;
  std::vector<PictureScores> scores;
  for (const Explanation& explanation : explanations) {
    pictures.push_back(picture_graph(graphs, explanation.graph));
    scores.push_back(picture_scores(explanation));
  }
  return graph_svgs(pictures, scores, run);
}

std::vector<Explanation> explain_graphs(const Model& model, const GraphSet& graphs, const std::string& method,
                                        std::size_t target, double mu, bool all_paths, const nb::tuple& run) {
  ExplainOptions options;
  options.method = parse_explain_method(method);
  options.target = target;
  options.mu = mu;
  options.all_paths = all_paths;
  return run_unlocked(run, [&](const RunOptions& how) { return explain(model, graphs, options, {}, how); });
}

nb::list paths_of(const Explanation& explanation) {
  nb::list paths;
  for (const ExplainedPath& path : explanation.paths) {
    paths.append(nb::make_tuple(path.layer, path.nodes, path.value));
  }
  return paths;
}

}  // namespace

void bind_explanations(nb::module_& module) {
  nb::class_<Explanation>(module, "Explanation")
      .def_ro("graph", &Explanation::graph)
      .def_ro("error", &Explanation::error)
      .def_ro("explained_class", &Explanation::explained_class)
      .def_ro("score", &Explanation::score)
      .def_ro("empty_score", &Explanation::empty_score)
      .def_prop_ro("node_scores", [](const Explanation& of) { return to_array(std::vector<double>(of.node_scores)); })
      .def_prop_ro("edge_scores", [](const Explanation& of) { return to_array(std::vector<double>(of.edge_scores)); })
      .def_prop_ro("motif_nodes", [](const Explanation& of) { return of.motif().nodes; })
      .def_prop_ro("selected_nodes", &Explanation::selected_nodes)
      .def_prop_ro("paths", &paths_of);
  module.def("explain", &explain_graphs);
  module.def("method_for", [](const Model& model, const std::string& method) {
    return std::string(to_string(method_for(model, parse_explain_method(method))));
  });
  module.def("graph_edges", [](const GraphSet& graphs, std::size_t g) { return graph_edges(graphs, g); });
  // smiles: by graph, for molecules; otherwise empty.
  module.def("draw", [](const GraphSet& graphs, const std::vector<const Explanation*>& explanations,
                        const std::vector<std::string>& smiles, const nb::tuple& run) {
    std::vector<Explanation> copies;
    for (const Explanation* explanation : explanations) copies.push_back(*explanation);
    return run_unlocked(run, [&](const RunOptions& how) { return draw(graphs, copies, smiles, how); });
  });
}

}  // namespace gckn::python
