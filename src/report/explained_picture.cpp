// SPDX-License-Identifier: BSD-3-Clause
// From a graph of a set, and what explains its prediction, to what a picture shows of both.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gckn/graph_picture.h"

namespace gckn {
namespace {

std::string node_label_text(const GraphSet& graphs, std::uint32_t label) {
  return graphs.node_label_names().empty() ? fmt::to_string(graphs.node_label_values()[label])
                                           : graphs.node_label_names()[label];
}

std::string edge_label_text(const GraphSet& graphs, std::uint32_t label) {
  return graphs.edge_label_names().empty() ? fmt::to_string(graphs.edge_label_values()[label])
                                           : graphs.edge_label_names()[label];
}

std::vector<double> scaled(std::vector<double> scores) {
  double largest = 0;
  for (const double score : scores) largest = std::max(largest, std::abs(score));
  for (double& score : scores) score = largest > 0 ? score / largest : 0;
  return scores;
}

}  // namespace

PictureGraph picture_graph(const GraphSet& graphs, std::size_t g) {
  PictureGraph picture;
  const std::uint32_t first = graphs.graph_begin(g);
  for (std::uint32_t u = first; u < graphs.graph_begin(g + 1); ++u) {
    picture.node_labels.push_back(graphs.has_node_labels() ? node_label_text(graphs, graphs.node_labels()[u]) : "");
    for (std::uint64_t a = graphs.arc_begin(u); a < graphs.arc_begin(u + 1); ++a) {
      const std::uint32_t v = graphs.arcs()[a];
      if (v < u) continue;
      picture.edges.emplace_back(u - first, v - first);
      if (graphs.has_edge_labels()) picture.edge_labels.push_back(edge_label_text(graphs, graphs.arc_labels()[a]));
    }
  }
  return picture;
}

PictureScores picture_scores(const Explanation& explanation) {
  PictureScores picture{scaled(explanation.node_scores), scaled(explanation.edge_scores),
                        std::vector<char>(explanation.node_scores.size()),
                        std::vector<char>(explanation.edge_scores.size())};
  const Substructure motif = explanation.motif();
  for (const std::uint32_t u : motif.nodes) picture.node_in_motif[u] = 1;
  for (const std::uint32_t e : motif.edges) picture.edge_in_motif[e] = 1;
  return picture;
}

}  // namespace gckn
