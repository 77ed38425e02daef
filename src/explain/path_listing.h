// SPDX-License-Identifier: BSD-3-Clause
// All paths of one graph in a layer of a batch, node by node, each with the entries of the state tables that count it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gckn/graph_set.h"
#include "network/batch.h"
#include "pattern/class_graph.h"

namespace gckn {

// The paths of one layer and length.
struct ListedPaths {
  std::size_t length = 1;            // vertices
  std::vector<std::uint32_t> nodes;  // paths x length, numbered within the graph; paths from one node follow each other
  std::vector<std::uint32_t> entry;  // paths x slots: of BatchOutput::states
};

class PathListing {
 public:
  // graph: of the set. classes: those of its nodes, by node of the graph. The batch is the one that `maker` made last
  // (or a copy of it), of this graph alone. All must outlive this.
  PathListing(const GraphSet& graphs, std::size_t graph, const ClassGraph& classes,
              std::span<const std::uint32_t> class_of_node, const BatchMaker<double>& maker,
              const BatchLayer<double>& batch, std::size_t layer, LayerKind kind);

  // By output. Throws LimitError if there are more than most_paths, those of all lengths together.
  std::vector<ListedPaths> run(std::uint64_t most_paths);

 private:
  void grow();
  void keep();
  bool step(std::size_t level, std::uint32_t edge, std::uint32_t v);
  [[nodiscard]] std::uint32_t child(std::size_t level, std::uint32_t parent, std::uint32_t edge,
                                    std::uint32_t colour) const;
  [[nodiscard]] std::uint32_t edge_label(std::uint32_t from, std::uint32_t to) const;

  const GraphSet& graphs_;
  const ClassGraph& classes_;
  const std::span<const std::uint32_t> class_of_node_;
  const BatchMaker<double>& maker_;
  const BatchLayer<double>& batch_;
  const std::size_t layer_;
  const LayerKind kind_;
  const std::uint32_t first_node_;
  const std::uint32_t num_nodes_;
  const std::size_t slots_;
  const std::size_t vertices_;

  std::vector<std::vector<std::uint32_t>> first_child_;  // by level and parent
  std::vector<std::size_t> output_of_length_;            // the number of outputs where there is none
  std::vector<std::uint32_t> colour_;                    // by slot and node
  std::vector<std::uint32_t> state_;                     // of the first node: by output and slot
  std::vector<std::uint32_t> path_;
  std::vector<std::uint32_t> pattern_;  // of the path and its beginnings: by length and slot
  std::vector<std::uint32_t> times_used_;
  std::uint64_t visited_ = 0, most_paths_ = 0;
  std::vector<ListedPaths> listed_;
};

}  // namespace gckn
