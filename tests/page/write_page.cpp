// SPDX-License-Identifier: BSD-3-Clause
// write_page KIND FILE [GRAPHS]: a page of explanations with made-up contents, for the browser test and for looking at.
//   sample    classes, as of a set of molecules
//   hostile   the same, with markup, scripts and damaged bytes wherever a text or picture comes from a user's file
//   numbers   a number as target
//   anchors   what a model has learnt, without data
//   empty     nothing
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <tuple>

#include "gckn/explanation_page.h"
#include "page/drawings.h"
#include "util/random.h"

namespace gckn {
namespace {

void add_anchors(ExplanationPage& page) {
  const char* paths[] = {"C – C – C – C", "C = C – N+ = O", "C – N+ – O−", "C – C – Cl",
                         "C – O – H",     "C – N – H",      "N = N – C"};
  for (int i = 0; i < 96; ++i) {
    PageAnchor anchor;
    anchor.path = paths[i % 7];
    anchor.similarity = 1 - 0.02 * (i % 9);
    anchor.length = 2 + i % 4;
    if (i % 11 != 5) anchor.weight = 1.7 * std::sin(i * 1.3) / (1 + i * 0.02);
    page.anchors.push_back(std::move(anchor));
  }
}

void add_graphs(ExplanationPage& page, std::uint32_t count, bool numbers) {
  Random random(12);
  // Small numbers are more frequent.
  const auto below = [&](std::uint64_t bound) {
    return static_cast<int>(std::min(random.below(bound), random.below(bound)));
  };
  std::map<std::tuple<int, int, bool>, std::int32_t> known;
  for (std::uint32_t i = 0; i < count; ++i) {
    const int group = below(6), rings = 1 + below(3);
    const bool with_rings = random.below(3) == 0;
    const double score = (group == 0 || group == 4 ? 1.1 : -0.7) + 0.5 * rings + 3 * (random.uniform() - 0.5) - 0.6;
    MadeUpMolecule molecule = make_up_molecule(rings, 1 + below(4), group, with_rings, i);
    PageGraph graph;
    graph.id = fmt::format("mol-{:05}", i + 1);
    graph.number = i;
    graph.score = score;
    graph.smiles = molecule.smiles;
    const std::int32_t predicted = score > 0 ? 1 : 0;
    if (numbers) {
      graph.true_number = score + 0.4 * (random.uniform() - 0.5);
    } else {
      graph.predicted = predicted;
      graph.truth = random.uniform() < 0.17 ? 1 - predicted : predicted;
      graph.probability = 1 / (1 + std::exp(-2 * std::abs(score)));
    }
    graph.fidelity_plus = 0.2 + 0.7 * random.uniform();
    graph.fidelity_minus = 0.3 * random.uniform() - 0.05;
    graph.sparsity = 0.4 + 0.5 * random.uniform();
    if (i % 3 == 0) graph.node_auc = 0.9 + 0.1 * random.uniform(), graph.jaccard = 0.6 + 0.4 * random.uniform();
    const auto [place, added] = known.try_emplace({group, with_rings ? rings : 0, score > 0}, page.motifs.size());
    if (added) {
      const char* ring_names[] = {"", "benzene with ", "naphthalene with ", "anthracene with "};
      const int motif_rings = with_rings ? rings : 1;
      MadeUpMolecule drawn = make_up_molecule(motif_rings, 1, group, with_rings, i);
      PageMotif motif;
      motif.name = fmt::format("{}{}", ring_names[with_rings ? rings : 0], group_name(group));
      motif.smiles = drawn.smiles;
      motif.explained_class = numbers ? -1 : predicted;
      motif.contribution = (numbers && score < 0 ? -1 : 1) * (0.1 + random.uniform());
      motif.picture = std::move(drawn.picture);
      motif.nodes = static_cast<std::uint32_t>(3 + 4 * motif_rings);
      page.motifs.push_back(std::move(motif));
    }
    graph.motif = place->second;
    page.motifs[graph.motif].graphs.push_back(i);
    graph.picture = std::move(molecule.picture);
    page.graphs.push_back(std::move(graph));
  }
  if (numbers) return;
  // The last ones as those that were not searched for.
  constexpr std::size_t kNotSearched = 3;
  for (std::size_t i = 0; i + kNotSearched < page.motifs.size(); ++i) {
    PageMotif& motif = page.motifs[i];
    const double own = std::min(0.9, 2 * static_cast<double>(motif.graphs.size()) / count);
    motif.share_by_class = {own * 0.2, own * 0.2};
    motif.share_by_class[motif.explained_class] = own;
    motif.enrichment = 12 * std::cos(static_cast<double>(i));
  }
}

ExplanationPage make_page(const std::string& kind, std::uint32_t count) {
  ExplanationPage page;
  if (kind == "empty") return page;
  page.model = "mutagens.gckn · path, k = 4, 128 filters";
  page.title = kind == "anchors" ? "What mutagens.gckn has learnt" : "Explanations of Mutagenicity";
  add_anchors(page);
  if (kind == "anchors") return page;
  page.data = "Mutagenicity.zip";
  page.method = kind == "masks" ? "masks" : "exact shares of nodes and edges";
  page.target = kind == "numbers" ? "solubility" : "mutagen or not";
  if (kind != "numbers") page.classes = {"non-mutagen", "mutagen"};
  add_graphs(page, count, kind == "numbers");
  if (kind == "masks") {
    page.graphs[0].truth = -1;
    page.graphs[0].strange_class = "unclear";
  }
  if (kind == "bare") {
    for (PageGraph& graph : page.graphs) graph.picture.clear();
    for (PageMotif& motif : page.motifs) motif.picture.clear();
  }
  page.figures = {{"Graphs explained", fmt::format("{}", count), "3 have no explanation"},
                  {"Accuracy", "83.1 %", "of the predictions that can be compared"},
                  {"Fidelity +", "0.548", "mean change of the score without the motif"},
                  {"Fidelity −", "0.097", "mean change of the score with the motif only"},
                  {"Sparsity", "0.651", "mean part of the graph outside the motif"}};
  if (count > 100) {
    page.remarks = {"3 graphs without paths have a prediction, but no explanation."};
    for (const std::uint32_t i : {40u, 41u, 99u}) {
      PageGraph& graph = page.graphs[i];
      graph.error = "the graph has no paths of this length";
      graph.picture.clear();
      graph.fidelity_plus = graph.fidelity_minus = graph.sparsity = std::nullopt;
    }
  }
  return page;
}

// Every text of the page that a user's file can bring, as somebody would write it who means harm.
void make_hostile(ExplanationPage& page) {
  const std::string script = "</script><script>window.hacked=1</script>";
  const std::string image = "<img src=x onerror=\"window.hacked=2\">";
  page.title += " " + script;
  page.data += " " + image;
  page.model += " <!--<script>";
  page.method += " &lt;b&gt;";
  page.target += " {{data}}";
  page.classes[1] += " <b onmouseover=window.hacked=3>x</b>";
  page.figures[0].meaning = script + image;
  page.remarks.push_back(image + script);
  page.motifs[1].name = "<svg onload=window.hacked=4>" + script;
  page.motifs[2].smiles = "javascript:window.hacked=5";
  page.anchors[0].path = script + image;
  page.graphs[0].id = script;
  page.graphs[1].id = image;
  page.graphs[2].id = "javascript:window.hacked=6";
  page.graphs[3].id = "\xff\xfe damaged \xe2\x80\xa8 line";
  page.graphs[4].id = std::string(600, 'W');
  page.graphs[5].smiles = image + "\"'`" + std::string(300, 'C');
  page.graphs[6].id.clear();
  page.graphs[7].error = script;
  page.graphs[8].score = std::numeric_limits<double>::quiet_NaN();
  page.graphs[9].score = std::numeric_limits<double>::infinity();
  page.graphs[10].picture =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\" onload=\"parent.hacked=7\">"
      "<script>parent.hacked=8;fetch('http://example.invalid/a')</script>"
      "<image href=\"http://example.invalid/b.png\" width=\"9\" height=\"9\"/><circle r=\"9\"/></svg>";
  page.graphs[11].picture = "not a picture # % \" <";
  page.motifs[0].picture = page.graphs[10].picture;
}

}  // namespace
}  // namespace gckn

int main(int count, char** arguments) {
  if (count < 3) {
    std::fputs("usage: write_page sample|hostile|numbers|masks|bare|anchors|empty FILE [GRAPHS]\n", stderr);
    return 2;
  }
  const std::string kind = arguments[1];
  const unsigned long graphs = count > 3 ? std::strtoul(arguments[3], nullptr, 10) : 5000;
  gckn::ExplanationPage page = gckn::make_page(kind, static_cast<std::uint32_t>(graphs));
  if (kind == "hostile") gckn::make_hostile(page);
  std::ofstream file(arguments[2], std::ios::binary);
  file << gckn::explanation_page_html(page);
  return file.flush() ? 0 : 1;
}
