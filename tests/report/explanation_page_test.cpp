// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/explanation_page.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace gckn {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kOpening = "<script id=\"data\" type=\"application/json\">";

// What a browser takes as the text of the JSON island: up to the first thing that ends a script element.
std::string island(const std::string& html) {
  const std::size_t start = html.find(kOpening);
  EXPECT_NE(start, html.npos);
  const std::size_t text = start + kOpening.size(), end = html.find("</script", text);
  EXPECT_NE(end, html.npos);
  EXPECT_EQ(html.find(kOpening, text), html.npos) << "a second island";
  return html.substr(text, end - text);
}

Json data_of(const ExplanationPage& page) {
  return Json::parse(island(explanation_page_html(page)));
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t i = text.find(part); i != text.npos; i = text.find(part, i + part.size())) ++found;
  return found;
}

ExplanationPage small_page() {
  ExplanationPage page;
  page.title = "Explanations of a set";
  page.model = "model.gckn";
  page.data = "set.csv";
  page.method = "exact";
  page.target = "active";
  page.classes = {"no", "yes"};
  page.figures = {{"Sparsity", "0.5", "outside the motif"}, {"Accuracy", "90 %", ""}};
  page.remarks = {"nothing was left out"};
  PageMotif motif;
  motif.name = "C6 ring";
  motif.smiles = "c1ccccc1";
  motif.explained_class = 1;
  motif.contribution = 0.1;
  motif.share_by_class = {0.25, 1.0 / 3};
  motif.enrichment = -1.5;
  motif.graphs = {1, 0};
  motif.picture = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>";
  motif.nodes = 6;
  page.motifs.push_back(motif);
  PageGraph full;
  full.id = "first";
  full.number = 4;
  full.predicted = 1;
  full.truth = 0;
  full.score = -2.5;
  full.probability = 0.75;
  full.smiles = "Cc1ccccc1";
  full.motif = 0;
  full.fidelity_plus = 0.5;
  full.fidelity_minus = -0.125;
  full.sparsity = 0.625;
  full.node_auc = 1;
  full.jaccard = 0;
  full.picture = "<svg/>";
  PageGraph bare;
  bare.id = "second";
  bare.error = "the graph has no paths";
  bare.strange_class = "maybe";
  page.graphs = {full, bare};
  PageAnchor anchor;
  anchor.path = "C – N+ = O";
  anchor.weight = -1.25;
  anchor.similarity = 0.9;
  anchor.length = 3;
  page.anchors = {anchor, PageAnchor{}};
  page.anchors[1].its_class = 1;
  page.anchor_weights = "what it adds";
  return page;
}

TEST(ExplanationPage, IslandHasEveryValue) {
  const Json expected = Json::parse(R"json({
    "title": "Explanations of a set", "model": "model.gckn", "data": "set.csv", "method": "exact", "target": "active",
    "classes": ["no", "yes"], "remarks": ["nothing was left out"],
    "figures": [{"name": "Sparsity", "value": "0.5", "meaning": "outside the motif"},
                {"name": "Accuracy", "value": "90 %", "meaning": ""}],
    "motifs": [{"name": "C6 ring", "smiles": "c1ccccc1", "explained_class": 1, "contribution": 0.1, "nodes": 6,
                "share_by_class": [0.25, 0.3333333333333333], "enrichment": -1.5, "graphs": [1, 0],
                "picture": "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"}],
    "graphs": [{"id": "first", "number": 4, "predicted": 1, "truth": 0, "score": -2.5, "probability": 0.75, "smiles": "Cc1ccccc1",
                "motif": 0, "fidelity_plus": 0.5, "fidelity_minus": -0.125, "sparsity": 0.625, "node_auc": 1.0,
                "jaccard": 0.0, "picture": "<svg/>"},
               {"id": "second", "number": 0, "strange_class": "maybe", "error": "the graph has no paths"}],
    "anchors": [{"path": "C – N+ = O", "weight": -1.25, "similarity": 0.9, "length": 3},
                {"path": "", "similarity": 0.0, "length": 1, "its_class": 1}],
    "anchor_weights": "what it adds"})json");
  EXPECT_EQ(data_of(small_page()), expected);
}

TEST(ExplanationPage, NumbersAsTarget) {
  ExplanationPage page;
  page.motifs.emplace_back().name = "ring";
  page.graphs.emplace_back().true_number = 1e-300;
  const Json data = data_of(page);
  EXPECT_EQ(data["classes"], Json::array());
  EXPECT_EQ(data["graphs"][0]["true_number"], 1e-300);
  EXPECT_FALSE(data["graphs"][0].contains("predicted"));
  EXPECT_FALSE(data["motifs"][0].contains("explained_class"));
  EXPECT_FALSE(data["motifs"][0].contains("share_by_class"));
  EXPECT_FALSE(data["motifs"][0].contains("enrichment"));
}

TEST(ExplanationPage, EmptyPageIsWhole) {
  const std::string html = explanation_page_html({});
  EXPECT_TRUE(html.starts_with("<!doctype html>"));
  EXPECT_EQ(html.substr(html.find("</html>")), "</html>\n");
  const Json data = data_of({});
  for (const char* list : {"classes", "figures", "motifs", "graphs", "anchors", "remarks"})
    EXPECT_EQ(data.at(list), Json::array()) << list;
}

TEST(ExplanationPage, NeedsNothingElseAndAllowsNothingElse) {
  const std::string html = explanation_page_html(small_page());
  EXPECT_EQ(html.find(" src="), html.npos);
  EXPECT_EQ(html.find("rel=\"stylesheet\""), html.npos);
  EXPECT_EQ(html.find("{{"), html.npos) << "a place that was not filled";
  EXPECT_EQ(html.find("unsafe-inline"), html.npos);
  EXPECT_NE(html.find("default-src 'none'"), html.npos);
  // One hash for every style sheet and script.
  EXPECT_EQ(count(html, "'sha256-"), count(html, "<style>") + count(html, "<script>"));
  EXPECT_GE(count(html, "'sha256-"), 2u);
}

// Every text that comes from a user's file.
std::vector<std::string*> texts_of(ExplanationPage& page) {
  PageMotif& motif = page.motifs[0];
  PageGraph& graph = page.graphs[0];
  return {&page.title,
          &page.model,
          &page.data,
          &page.method,
          &page.target,
          &page.classes[0],
          &page.remarks[0],
          &motif.name,
          &motif.smiles,
          &motif.picture,
          &graph.id,
          &graph.smiles,
          &graph.picture,
          &graph.error,
          &graph.strange_class,
          &page.anchor_weights,
          &page.anchors[0].path,
          &page.figures[0].name,
          &page.figures[0].value,
          &page.figures[0].meaning};
}

TEST(ExplanationPage, TextsCannotLeaveTheIsland) {
  const std::string texts[] = {"</script><script>alert(1)</script>",
                               "<!--<script>",
                               "]]> --> &lt;/script&gt; &amp;",
                               "\"\\\n\r\t\x01\x7f'`",
                               "\xE2\x80\xA8 and \xE2\x80\xA9, not \xE2\x80\xA7 or \xE2\x82\xAC",
                               "{{data}} \xF0\x9F\xA7\xAA",
                               std::string("a\0b", 3)};
  for (const std::string& text : texts) {
    ExplanationPage page = small_page();
    const std::size_t elements = count(explanation_page_html(page), "<");
    for (std::string* place : texts_of(page)) *place = text;
    const std::string html = explanation_page_html(page);
    const std::string json = island(html);
    EXPECT_EQ(json.find_first_of("<>&"), json.npos) << text;
    EXPECT_EQ(json.find("\xE2\x80\xA8"), json.npos);
    EXPECT_EQ(json.find("\xE2\x80\xA9"), json.npos);
    EXPECT_EQ(count(html, "<"), elements) << "markup outside of the island: " << text;
    const Json data = Json::parse(json);
    EXPECT_EQ(data["title"], text);
    EXPECT_EQ(data["classes"][0], text);
    EXPECT_EQ(data["graphs"][0]["id"], text);
    EXPECT_EQ(data["graphs"][0]["error"], text);
    EXPECT_EQ(data["graphs"][0]["picture"], text);
    EXPECT_EQ(data["motifs"][0]["name"], text);
    EXPECT_EQ(data["anchors"][0]["path"], text);
    EXPECT_EQ(data["figures"][0]["meaning"], text);
  }
}

TEST(ExplanationPage, DamagedUtf8IsReplaced) {
  const std::pair<std::string, std::string> cases[] = {{"a\xff"
                                                        "b",
                                                        "a\xEF\xBF\xBD"
                                                        "b"},
                                                       {"cut \xE2\x80", "cut \xEF\xBF\xBD"},
                                                       {"\xE2", "\xEF\xBF\xBD"},
                                                       {"caf\xE9", "caf\xEF\xBF\xBD"}};
  for (const auto& [bytes, expected] : cases) {
    ExplanationPage page = small_page();
    for (std::string* place : texts_of(page)) *place = bytes;
    const Json data = data_of(page);
    EXPECT_EQ(data["graphs"][0]["id"], expected);
    EXPECT_EQ(data["title"], expected);
  }
}

TEST(ExplanationPage, NumbersThatAreNotFiniteAreUnknown) {
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()}) {
    ExplanationPage page = small_page();
    page.graphs[0].score = value;
    page.graphs[0].probability = value;
    page.motifs[0].contribution = value;
    page.motifs[0].share_by_class[1] = value;
    page.motifs[0].enrichment = value;
    page.anchors[0].weight = value;
    const Json data = data_of(page);
    EXPECT_TRUE(data["graphs"][0]["score"].is_null());
    EXPECT_TRUE(data["graphs"][0]["probability"].is_null());
    EXPECT_TRUE(data["motifs"][0]["contribution"].is_null());
    EXPECT_TRUE(data["motifs"][0]["share_by_class"][1].is_null());
    EXPECT_TRUE(data["motifs"][0]["enrichment"].is_null());
    EXPECT_TRUE(data["anchors"][0]["weight"].is_null());
  }
}

}  // namespace
}  // namespace gckn
