// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/explanation_page.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "report/explanation_page_text.h"

namespace gckn {
namespace {

using Json = nlohmann::ordered_json;

// What is not known is left out, which keeps the island small; the scripts treat it like null.
void add(Json& object, const char* key, const std::optional<double>& value) {
  if (value) object[key] = *value;
}

void add(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

void add_index(Json& object, const char* key, std::int32_t index, [[maybe_unused]] std::size_t size) {
  assert(index >= -1 && index < static_cast<std::int64_t>(size));
  if (index >= 0) object[key] = index;
}

Json to_json(const PageMotif& motif, const ExplanationPage& page) {
  assert(motif.share_by_class.empty() || motif.share_by_class.size() == page.classes.size());
  assert(std::ranges::all_of(motif.graphs, [&](std::uint32_t graph) { return graph < page.graphs.size(); }));
  Json object = {{"name", motif.name}, {"contribution", motif.contribution}, {"graphs", motif.graphs}};
  add_index(object, "explained_class", motif.explained_class, page.classes.size());
  if (!motif.share_by_class.empty()) object["share_by_class"] = motif.share_by_class;
  add(object, "enrichment", motif.enrichment);
  if (motif.nodes > 0) object["nodes"] = motif.nodes;
  add(object, "smiles", motif.smiles);
  add(object, "picture", motif.picture);
  return object;
}

Json to_json(const PageGraph& graph, const ExplanationPage& page) {
  Json object = {{"id", graph.id}, {"number", graph.number}};
  if (graph.error.empty()) object["score"] = graph.score;
  add_index(object, "predicted", graph.predicted, page.classes.size());
  add_index(object, "truth", graph.truth, page.classes.size());
  add_index(object, "motif", graph.motif, page.motifs.size());
  add(object, "probability", graph.probability);
  add(object, "true_number", graph.true_number);
  add(object, "strange_class", graph.strange_class);
  add(object, "smiles", graph.smiles);
  add(object, "fidelity_plus", graph.fidelity_plus);
  add(object, "fidelity_minus", graph.fidelity_minus);
  add(object, "sparsity", graph.sparsity);
  add(object, "node_auc", graph.node_auc);
  add(object, "jaccard", graph.jaccard);
  add(object, "picture", graph.picture);
  add(object, "error", graph.error);
  return object;
}

Json to_json(const PageAnchor& anchor, const ExplanationPage& page) {
  Json object = {{"path", anchor.path}, {"similarity", anchor.similarity}, {"length", anchor.length}};
  add(object, "weight", anchor.weight);
  add_index(object, "its_class", anchor.its_class, page.classes.size());
  return object;
}

Json to_json(const ExplanationPage& page) {
  Json object = {{"title", page.title},   {"model", page.model},     {"data", page.data},      {"method", page.method},
                 {"target", page.target}, {"classes", page.classes}, {"remarks", page.remarks}};
  Json figures = Json::array(), motifs = Json::array(), graphs = Json::array(), anchors = Json::array();
  for (const PageFigure& figure : page.figures)
    figures.push_back({{"name", figure.name}, {"value", figure.value}, {"meaning", figure.meaning}});
  for (const PageMotif& motif : page.motifs) motifs.push_back(to_json(motif, page));
  for (const PageGraph& graph : page.graphs) graphs.push_back(to_json(graph, page));
  for (const PageAnchor& anchor : page.anchors) anchors.push_back(to_json(anchor, page));
  add(object, "anchor_weights", page.anchor_weights);
  object["figures"] = std::move(figures);
  object["motifs"] = std::move(motifs);
  object["graphs"] = std::move(graphs);
  object["anchors"] = std::move(anchors);
  return object;
}

// JSON in which no text can end the script element that holds it, or start a comment or another one in it: outside of
// strings JSON has none of these characters, and in strings the escape means the same. U+2028 and U+2029 end a line in
// older JavaScript. Appends to `html`.
void append_island(std::string_view json, std::string& html) {
  std::size_t done = 0;
  const auto replace = [&](std::size_t at, std::size_t length, std::string_view by) {
    html.append(json, done, at - done);
    html += by;
    done = at + length;
  };
  for (std::size_t i = json.find_first_of("<>&\xE2"); i != json.npos; i = json.find_first_of("<>&\xE2", i + 1)) {
    if (json[i] == '<')
      replace(i, 1, "\\u003c");
    else if (json[i] == '>')
      replace(i, 1, "\\u003e");
    else if (json[i] == '&')
      replace(i, 1, "\\u0026");
    else if (json.substr(i, 3) == "\xE2\x80\xA8")
      replace(i, 3, "\\u2028");
    else if (json.substr(i, 3) == "\xE2\x80\xA9")
      replace(i, 3, "\\u2029");
  }
  html.append(json, done);
}

}  // namespace

std::string explanation_page_html(const ExplanationPage& page) {
  const std::string json = to_json(page).dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string_view text = explanation_page_text();
  const std::size_t place = text.find(kExplanationPageData);
  assert(place != text.npos);
  std::string html;
  html.reserve(text.size() + json.size() + json.size() / 4);
  html += text.substr(0, place);
  append_island(json, html);
  html += text.substr(place + kExplanationPageData.size());
  return html;
}

}  // namespace gckn
