// SPDX-License-Identifier: BSD-3-Clause
#include "explain_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "console.h"
#include "explain_anchors.h"
#include "gckn/error.h"
#include "gckn/io.h"

namespace gckn::cli {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string error_line(std::size_t row, const std::string& name, const std::string& error) {
  return line_of({{"graph", row}, {"id", name}, {"error", error}});
}

// Those that a run has written, and the folder if nothing else is in it: what is not ours stays.
void remove_pictures(const fs::path& folder) {
  if (!fs::is_directory(folder)) return;
  std::vector<fs::path> ours;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string number = entry.path().stem().string();
    const bool is_number = !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
    if (is_number && entry.path().extension() == ".svg" && entry.is_regular_file()) ours.push_back(entry.path());
  }
  for (const fs::path& path : ours) fs::remove(path);
  if (!fs::is_symlink(folder) && fs::is_empty(folder)) fs::remove(folder);
}

Json substructure_json(const Substructure& part, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  Json pairs = Json::array();
  for (const std::uint32_t e : part.edges) pairs.push_back({edges[e].first, edges[e].second});
  return {{"nodes", part.nodes}, {"edges", std::move(pairs)}};
}

}  // namespace

ExplainedSet::ExplainedSet(const Model& explained_model, std::size_t explained_target, ExplainMethod by,
                           DataBlock block)
    : model(explained_model),
      target(explained_target),
      method(by),
      graphs(std::move(block.graphs)),
      names(graphs.num_graphs()),
      row_of_graph(graphs.num_graphs()),
      sources(std::move(block.sources)) {
  for (std::size_t i = 0; i < block.num_rows(); ++i) {
    if (block.is_graph(i)) {
      names[block.graph_of_row[i]] = block.names[i];
      row_of_graph[block.graph_of_row[i]] = i;
    } else {
      bad_rows.push_back({i, block.names[i], block.errors[i]});
    }
  }
  truth = truth_for(model, graphs)[target];
}

std::vector<std::uint32_t> ExplainedSet::select(const std::vector<std::uint32_t>& rows) {
  std::vector<std::uint32_t> found;
  if (rows.empty()) return found;
  for (const std::uint32_t row : rows) {
    if (std::ranges::count(rows, row) > 1) throw UsageError(fmt::format("--graph {}: is named twice", row));
    const auto at = std::ranges::lower_bound(row_of_graph, row);
    if (at != row_of_graph.end() && *at == row) {
      found.push_back(static_cast<std::uint32_t>(at - row_of_graph.begin()));
    } else if (std::ranges::find(bad_rows, row, &BadRow::row) == bad_rows.end()) {
      throw InputError(fmt::format("--graph {}: there {} {}, numbered from 0", row,
                                   graphs.num_graphs() == 1 ? "is" : "are", counted(graphs.num_graphs(), "graph")));
    }
  }
  std::erase_if(bad_rows, [&](const BadRow& bad) { return std::ranges::find(rows, bad.row) == rows.end(); });
  return found;
}

void ExplainedSet::measure(const RunOptions& run) {
  predictions = model.predict(graphs, run);
  fidelities = fidelity(model, graphs, explanations, target, run);
  for (const Explanation& explanation : explanations) {
    agreements.push_back(graphs.truth().empty() ? std::nullopt
                                                : agreement(explanation, graphs.truth()[explanation.graph]));
  }
  catalogue = motif_catalogue(model, graphs, explanations, fidelities, {.target = target}, run);
}

std::size_t ExplainedSet::num_explained() const {
  return static_cast<std::size_t>(std::ranges::count(explanations, "", &Explanation::error));
}

bool ExplainedSet::is_right(std::size_t explanation) const {
  const Explanation& of = explanations[explanation];
  return of.explained_class < 0 || !truth.known || truth.text[of.graph].empty() ||
         truth.class_of_graph[of.graph] == of.explained_class;
}

std::string ExplainedSet::json_line(std::size_t i, const OutputParts& parts) const {
  const Explanation& explanation = explanations[i];
  const std::vector<std::string>& classes = model.targets()[target].class_names;
  if (!explanation.error.empty()) {
    return error_line(row_of_graph[explanation.graph], names[explanation.graph], explanation.error);
  }
  Json json{{"graph", row_of_graph[explanation.graph]}, {"id", names[explanation.graph]}};
  const auto edges = graph_edges(graphs, explanation.graph);
  if (explanation.explained_class >= 0) {
    json["predicted"] = classes[static_cast<std::size_t>(explanation.explained_class)];
    const DoubleMatrix& probabilities = predictions.targets[target].probabilities;
    if (!probabilities.empty()) {
      json["probability"] = probabilities(explanation.graph, static_cast<std::size_t>(explanation.explained_class));
    }
  }
  if (truth.known && !truth.text[explanation.graph].empty()) json["truth"] = truth.text[explanation.graph];
  json["score"] = explanation.score;
  json["empty_score"] = explanation.empty_score;
  json["method"] = to_string(method);
  json["node_scores"] = explanation.node_scores;
  json["edges"] = edges;
  json["edge_scores"] = explanation.edge_scores;
  json["motif"] = substructure_json(explanation.motif(), edges);
  if (catalogue.kind_of[i] >= 0) {
    json["motif"]["kind"] = catalogue.kind_of[i];
    json["motif"]["name"] = catalogue.kinds[static_cast<std::size_t>(catalogue.kind_of[i])].name;
  }
  if (parts.all_components) {
    json["components"] = Json::array();
    for (const Substructure& part : explanation.parts) json["components"].push_back(substructure_json(part, edges));
  }
  if (const std::optional<Fidelity>& measured = fidelities[i]) {
    json["fidelity"] = {{"score_without", measured->score_without},
                        {"score_alone", measured->score_alone},
                        {"class_changes_without", measured->class_changes_without},
                        {"class_changes_alone", measured->class_changes_alone},
                        {"sparsity", measured->sparsity}};
  }
  if (const std::optional<TruthAgreement>& known = agreements[i]) {
    json["agreement"] = {{"jaccard", known->jaccard}};
    if (known->node_auc) json["agreement"]["node_auc"] = *known->node_auc;
  }
  if (explanation.minimisation) {
    json["minimisation"] = {{"objective", explanation.minimisation->objective},
                            {"steps", explanation.minimisation->steps},
                            {"converged", explanation.minimisation->converged}};
  }
  if (parts.paths) {
    json["paths"] = Json::array();
    for (const ExplainedPath& path : explanation.paths) {
      json["paths"].push_back({{"layer", path.layer}, {"nodes", path.nodes}, {"value", path.value}});
    }
  }
  return line_of(json);
}

// In the order of rows.
std::string ExplainedSet::json_lines(const OutputParts& parts, const RunOptions& run) const {
  std::string lines;
  auto bad = bad_rows.begin();
  const auto put_bad_rows_before = [&](std::size_t row) {
    for (; bad != bad_rows.end() && bad->row < row; ++bad) lines += error_line(bad->row, bad->name, bad->error);
  };
  for (std::size_t i = 0; i < explanations.size(); ++i) {
    if (run.progress && !run.progress({"writing explanations", i, explanations.size()})) throw Cancelled();
    put_bad_rows_before(row_of_graph[explanations[i].graph]);
    lines += json_line(i, parts);
  }
  put_bad_rows_before(std::numeric_limits<std::size_t>::max());
  return lines;
}

// By explanation; "" for what cannot be drawn.
std::vector<std::string> ExplainedSet::draw(const RunOptions& run) const {
  std::vector<PictureScores> scores;
  for (std::size_t i = 0; i < explanations.size(); ++i) scores.push_back(picture_scores(explanations[i]));
  if (!sources.empty()) {
    std::vector<MoleculeSource> drawn;
    std::vector<MoleculeHighlights> highlights;
    for (std::size_t i = 0; i < explanations.size(); ++i) {
      drawn.push_back(sources[explanations[i].graph]);
      highlights.push_back({std::move(scores[i].nodes), std::move(scores[i].node_in_motif),
                            graph_edges(graphs, explanations[i].graph), std::move(scores[i].edges),
                            std::move(scores[i].edge_in_motif)});
    }
    return draw_molecules(drawn, graphs.molecules().value(), highlights, run);
  }
  std::vector<PictureGraph> pictures;
  for (const Explanation& explanation : explanations) pictures.push_back(picture_graph(graphs, explanation.graph));
  return graph_svgs(pictures, scores, run);
}

PageGraph ExplainedSet::page_graph(std::size_t i) const {
  const Explanation& explanation = explanations[i];
  const std::uint32_t g = explanation.graph;
  const bool has_classes = !model.targets()[target].class_names.empty();
  PageGraph graph;
  graph.id = names[g];
  graph.number = row_of_graph[g];
  graph.error = explanation.error;
  if (!sources.empty() && !sources[g].is_mol_block) graph.smiles = sources[g].text;
  if (truth.known && has_classes) {
    graph.truth = truth.class_of_graph[g];
    if (graph.truth < 0) graph.strange_class = truth.text[g];
  }
  if (truth.known && !has_classes && std::isfinite(truth.number_of_graph[g])) {
    graph.true_number = truth.number_of_graph[g];
  }
  if (!explanation.error.empty()) return graph;
  graph.predicted = explanation.explained_class;
  graph.score = explanation.score;
  const DoubleMatrix& probabilities = predictions.targets[target].probabilities;
  if (!probabilities.empty() && explanation.explained_class >= 0) {
    graph.probability = probabilities(g, static_cast<std::size_t>(explanation.explained_class));
  }
  graph.motif = catalogue.kind_of[i];
  if (fidelities[i]) {
    graph.fidelity_plus = fidelities[i]->score_without;
    graph.fidelity_minus = fidelities[i]->score_alone;
    graph.sparsity = fidelities[i]->sparsity;
  }
  if (agreements[i]) {
    graph.jaccard = agreements[i]->jaccard;
    graph.node_auc = agreements[i]->node_auc;
  }
  return graph;
}

// Graphs in the order of rows, with those that are none.
ExplanationPage ExplainedSet::page(const std::string& model_file, std::vector<std::string> pictures,
                                   const RunOptions& run) const {
  ExplanationPage page;
  page.title = fmt::format("{}: {}", graphs.name(), model.targets()[target].name);
  page.model = fs::path(model_file).filename().string();
  page.data = graphs.name();
  page.method = to_string(method);
  page.target = model.targets()[target].name;
  page.classes = model.targets()[target].class_names;
  page.anchors = named_anchors(model, target);
  page.anchor_weights = meaning_of_weights(model, target);
  std::vector<std::uint32_t> place_of(explanations.size());
  auto bad = bad_rows.begin();
  const auto put_bad_rows_before = [&](std::size_t row) {
    for (; bad != bad_rows.end() && bad->row < row; ++bad) {
      PageGraph& graph = page.graphs.emplace_back();
      graph.id = bad->name;
      graph.number = bad->row;
      graph.error = bad->error;
    }
  };
  for (std::size_t i = 0; i < explanations.size(); ++i) {
    put_bad_rows_before(row_of_graph[explanations[i].graph]);
    place_of[i] = static_cast<std::uint32_t>(page.graphs.size());
    page.graphs.push_back(page_graph(i));
  }
  put_bad_rows_before(std::numeric_limits<std::size_t>::max());
  page.motifs = page_motifs(place_of, pictures, run);
  for (std::size_t i = 0; i < pictures.size(); ++i) page.graphs[place_of[i]].picture = std::move(pictures[i]);
  return page;
}

// Each is shown in the first of its graphs. place_of: by explanation, its graph's on the page.
std::vector<PageMotif> ExplainedSet::page_motifs(const std::vector<std::uint32_t>& place_of,
                                                 const std::vector<std::string>& pictures,
                                                 const RunOptions& run) const {
  std::vector<PageMotif> motifs;
  std::vector<MoleculeSource> examples;
  std::vector<std::vector<std::uint32_t>> atoms;
  for (const MotifKind& kind : catalogue.kinds) {
    const Explanation& example = explanations[kind.explanations.front()];
    PageMotif& motif = motifs.emplace_back();
    motif.name = kind.name;
    motif.explained_class = kind.explained_class;
    motif.contribution = kind.contribution;
    motif.share_by_class = kind.share_by_class;
    if (!std::isnan(kind.enrichment)) motif.enrichment = kind.enrichment;
    for (const std::uint32_t i : kind.explanations) motif.graphs.push_back(place_of[i]);
    if (!pictures.empty()) motif.picture = pictures[kind.explanations.front()];
    motif.nodes = static_cast<std::uint32_t>(example.motif().nodes.size());
    if (sources.empty()) continue;
    examples.push_back(sources[example.graph]);
    atoms.push_back(example.motif().nodes);
  }
  if (examples.empty()) return motifs;
  std::vector<std::string> smiles = fragment_smiles(examples, graphs.molecules().value(), atoms, run);
  for (std::size_t k = 0; k < smiles.size(); ++k) motifs[k].smiles = std::move(smiles[k]);
  return motifs;
}

// In the place of those of an earlier run, when all are made. They are small, many, and can be drawn again, so that
// each is not worth waiting for the disk.
void ExplainedSet::write_pictures(const std::vector<std::string>& pictures, const fs::path& folder,
                                  const RunOptions& run) const {
  fs::path part = folder;
  part += ".part";
  remove_pictures(part);
  std::vector<fs::path> written;
  if (!pictures.empty()) fs::create_directories(part);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    if (run.progress && !run.progress({"writing pictures", i, pictures.size()})) {
      remove_pictures(part);
      throw Cancelled();
    }
    if (pictures[i].empty()) continue;
    written.emplace_back(fmt::format("{}.svg", row_of_graph[explanations[i].graph]));
    std::ofstream file(part / written.back(), std::ios::binary);
    file << pictures[i];
    if (!file.flush()) throw std::runtime_error(fmt::format("cannot write {}", (part / written.back()).string()));
  }
  remove_pictures(folder);
  if (pictures.empty()) return;
  fs::create_directories(folder);
  for (const fs::path& name : written) fs::rename(part / name, folder / name);
  remove_pictures(part);
}

void ExplainedSet::write(const std::string& folder, const std::string& model_file, const OutputParts& parts,
                         std::vector<PageFigure> figures, std::vector<std::string> remarks,
                         const RunOptions& run) const {
  const fs::path to = folder;
  fs::create_directories(to);
  std::vector<std::string> pictures;
  if (parts.pictures) pictures = draw(run);
  const std::string lines = json_lines(parts, run);
  ExplanationPage contents = page(model_file, pictures, run);
  contents.figures = std::move(figures);
  contents.remarks = std::move(remarks);
  const std::string html = explanation_page_html(contents);
  write_pictures(pictures, to / kPicturesFolder, run);
  write_text(lines, to / kExplanationsFile);
  write_text(html, to / kPageFile);
}

}  // namespace gckn::cli
