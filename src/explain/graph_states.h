// SPDX-License-Identifier: BSD-3-Clause
// The states of the nodes of one graph, and the paths that they stand for.
//
// State s_k(u) stands for the paths of 0 .. k edges that start at u, in equal parts; a state that several nodes have
// stands for those of all of them, in equal parts. So with masks on the paths
//   y_s = mean over the nodes u that have s, at k, of  mean over the paths of 0 .. k edges from u of their masks
// is how much of a state is there: linear in the masks, and 1 for the whole graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "explain/masked_graph.h"
#include "gckn/graph_set.h"
#include "gckn/network.h"
#include "network/node_states.h"

namespace gckn {

class GraphStates {
 public:
  // input: of the network that compares states up to paths of `rounds` edges. The graphs must outlive this. Throws
  // LimitError for too many paths.
  GraphStates(const GraphSet& graphs, std::size_t g, const InputEncoding& input, std::size_t rounds,
              const RunOptions& options);

  // Which there are, and how many nodes have each.
  [[nodiscard]] const StateCounts& counts() const { return counts_; }
  [[nodiscard]] std::size_t size() const { return counts_.name.size(); }
  // By length, every path a variable of its own.
  [[nodiscard]] const std::vector<MaskedPaths>& paths() const { return paths_; }
  [[nodiscard]] std::size_t num_paths() const { return start_.size(); }

  // y by state, from masks by path.
  [[nodiscard]] std::vector<double> present(std::span<const double> masks) const;
  // The gradient by path, from that by state.
  void backward(std::span<const double> d_present, std::span<double> d_masks) const;

 private:
  void extend(std::vector<std::uint32_t>& path);
  // What the state of node u after k rounds has of each of its paths.
  [[nodiscard]] double part(std::uint32_t u, std::size_t k) const;
  [[nodiscard]] std::uint32_t state(std::uint32_t u, std::size_t k) const { return state_[u * (rounds_ + 1) + k]; }

  const GraphSet& graphs_;
  const std::uint32_t first_;  // node of the graph
  const std::uint32_t nodes_;
  const std::size_t rounds_;
  StateCounts counts_;
  std::vector<std::uint32_t> state_;  // nodes x (rounds + 1): places in counts_
  std::vector<MaskedPaths> paths_;
  std::vector<std::uint32_t> start_;   // by path
  std::vector<std::uint8_t> edges_;    // by path
  std::vector<std::size_t> starting_;  // nodes x (rounds + 1): paths of 0 .. k edges from u
};

}  // namespace gckn
