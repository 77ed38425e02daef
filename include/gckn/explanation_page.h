// SPDX-License-Identifier: BSD-3-Clause
// The page of explanations, `index.html` of `gckn explain`: a catalogue of motifs, the graphs with their predictions,
// and what the model has learnt. One file that needs nothing else: the skeleton, style and scripts of src/report/page/
// are joined at build time (cmake/EmbedPage.cmake), the data follow as one JSON island.
//
// All texts may come from users' files and may be anything: the island is escaped, the page writes texts as texts only
// and shows pictures as images, in which no script runs, and its Content-Security-Policy forbids every other script.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gckn {

// A substructure found in one or more graphs. Its place in ExplanationPage::motifs is its number on the page.
struct PageMotif {
  std::string name;                    // short: "C6 ring", or the formula of its labels
  std::string smiles;                  // of molecules; otherwise empty
  std::int32_t explained_class = -1;   // index into classes; -1 where the target is a number
  double contribution = 0;             // mean change of the score when it is taken out of its graphs
  std::vector<double> share_by_class;  // of the graphs of each true class, the part that contains it; empty: not known
  // How much more often graphs of the explained class contain it than others, as MotifKind has it; nothing: not known.
  std::optional<double> enrichment;
  std::vector<std::uint32_t> graphs;  // where it was found: indices into ExplanationPage::graphs, in the order shown
  std::string picture;                // SVG; empty: the page says that there is none
  std::uint32_t nodes = 0;            // its size, to sort by; 0: not known
};

struct PageGraph {
  std::string id;
  std::uint64_t number = 0;                 // in the set, from 0
  std::int32_t predicted = -1, truth = -1;  // indices into classes; -1: the target is a number, or it is not known
  double score = 0;                         // of the predicted class, or the predicted number
  std::optional<double> probability;        // of the predicted class
  std::optional<double> true_number;        // where the target is a number
  std::string strange_class;                // what it is, if the model does not know that class
  std::string smiles;                       // of molecules; otherwise empty
  std::int32_t motif = -1;                  // its own motif, index into ExplanationPage::motifs; -1: none
  std::optional<double> fidelity_plus, fidelity_minus, sparsity, node_auc, jaccard;
  std::string picture;  // SVG; empty: the page says that there is none
  std::string error;    // why there is no explanation; empty: there is one
};

// What an anchor of the first layer stands for.
struct PageAnchor {
  std::string path;              // the closest one, in names: "C – N+ = O"
  std::optional<double> weight;  // in the linear model, where that has a meaning
  std::int32_t its_class = -1;   // index into classes: whose weight it is, where each class has its own
  double similarity = 0;         // of path and anchor, at most 1
  int length = 1;                // vertices of the path
};

// A figure of the whole set, at the top of the page.
struct PageFigure {
  std::string name, value, meaning;
};

struct ExplanationPage {
  std::string title, model, data, method, target;
  std::vector<std::string> classes;  // names; empty: the target is a number
  std::vector<PageFigure> figures;
  std::vector<PageMotif> motifs;
  std::vector<PageGraph> graphs;
  std::vector<PageAnchor> anchors;
  std::string anchor_weights;        // what their weight is, to end a sentence with
  std::vector<std::string> remarks;  // what was left out, and why
};

// The whole page. Indices must be in range (asserted). Bytes that are not UTF-8 become U+FFFD; numbers that are not
// finite are shown as unknown.
std::string explanation_page_html(const ExplanationPage& page);

}  // namespace gckn
