// SPDX-License-Identifier: BSD-3-Clause
// Pictures of explained graphs as SVG: colour and width show how much nodes and edges speak for a prediction (orange)
// or against it (blue), dark outlines what belongs to a motif. For molecules gckn/molecules.h has draw_molecules().
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gckn/explain.h"
#include "gckn/graph_set.h"
#include "gckn/run_options.h"

namespace gckn {

struct PictureGraph {
  // By node, "" for none. Those that do not fit are cut, and shown whole where a pointer rests on the node.
  std::vector<std::string> node_labels;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // node numbers within the graph
  // By edge; or empty. "double", "triple" and "aromatic" are drawn as chemists do; all are shown under the pointer.
  std::vector<std::string> edge_labels;
};

// Scores in [-1, 1]: shares divided by the largest in size. Positive ones support the prediction, negative ones speak
// against it, 0 (and what is no number) has no colour.
struct PictureScores {
  std::vector<double> nodes;        // by node; or empty
  std::vector<double> edges;        // by edge, in the order of the edges given; or empty
  std::vector<char> node_in_motif;  // 0 or 1; or empty
  std::vector<char> edge_in_motif;
};

// A graph of a set with the names of its labels, edges as graph_edges has them; and what an explanation says of it.
PictureGraph picture_graph(const GraphSet& graphs, std::size_t g);
PictureScores picture_scores(const Explanation& explanation);

// Its nodes are circles in the order of the graph; drawn for a light ground (report/svg.h). The same graph and scores
// give the same bytes, but for machines with another Graphviz. Throws nothing but std::bad_alloc; any number of
// threads may draw.
std::string graph_svg(const PictureGraph& graph, const PictureScores& scores);

// Many of them, on all threads; scores: one for each graph.
std::vector<std::string> graph_svgs(const std::vector<PictureGraph>& graphs, const std::vector<PictureScores>& scores,
                                    const RunOptions& run = {});

}  // namespace gckn
