// SPDX-License-Identifier: BSD-3-Clause
#include "explain/graph_states.h"

#include <algorithm>

#include "gckn/error.h"
#include "network/fit.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::size_t kMostPaths = std::size_t{1} << 24;  // that are listed of one graph

}  // namespace

GraphStates::GraphStates(const GraphSet& graphs, std::size_t g, const InputEncoding& input, std::size_t rounds,
                         const RunOptions& options)
    : graphs_(graphs),
      first_(graphs.graph_begin(g)),
      nodes_(graphs.graph_begin(g + 1) - graphs.graph_begin(g)),
      rounds_(rounds),
      paths_(rounds + 1),
      starting_(nodes_ * (rounds + 1)) {
  const GraphRange only{g, g + 1};
  const NodeStates states =
      node_states(StateKind::path, graphs, only, encoding_of_states(input), static_cast<int>(rounds), options);
  counts_ = count_states(states, graphs, only);
  for (const std::uint64_t name : states.names) {
    state_.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(counts_.name, name) - counts_.name.begin()));
  }
  for (std::size_t k = 0; k <= rounds_; ++k) paths_[k].length = k + 1;
  std::vector<std::uint32_t> path;
  for (std::uint32_t u = 0; u < nodes_; ++u) {
    path.assign(1, u);
    extend(path);
    for (std::size_t k = 1; k <= rounds_; ++k) starting_[u * (rounds_ + 1) + k] += starting_[u * (rounds_ + 1) + k - 1];
  }
}

void GraphStates::extend(std::vector<std::uint32_t>& path) {
  const std::size_t edges = path.size() - 1;
  if (start_.size() >= kMostPaths) throw LimitError("it has too many paths to list");
  if ((start_.size() & 0xfff) == 0) check_cancelled();
  paths_[edges].nodes.insert(paths_[edges].nodes.end(), path.begin(), path.end());
  paths_[edges].variable.push_back(static_cast<std::uint32_t>(start_.size()));
  start_.push_back(path.front());
  edges_.push_back(static_cast<std::uint8_t>(edges));
  ++starting_[path.front() * (rounds_ + 1) + edges];
  if (edges == rounds_) return;
  for (const std::uint32_t next : graphs_.neighbours(first_ + path.back())) {
    if (std::ranges::find(path, next - first_) != path.end()) continue;
    path.push_back(next - first_);
    extend(path);
    path.pop_back();
  }
}

double GraphStates::part(std::uint32_t u, std::size_t k) const {
  return 1.0 /
         (static_cast<double>(counts_.count[state(u, k)]) * static_cast<double>(starting_[u * (rounds_ + 1) + k]));
}

std::vector<double> GraphStates::present(std::span<const double> masks) const {
  std::vector<double> sum(nodes_ * (rounds_ + 1));  // of masks, by node and edges
  for (std::size_t p = 0; p < masks.size(); ++p) sum[start_[p] * (rounds_ + 1) + edges_[p]] += masks[p];
  std::vector<double> present(size());
  for (std::uint32_t u = 0; u < nodes_; ++u) {
    double so_far = 0;
    for (std::size_t k = 0; k <= rounds_; ++k) {
      so_far += sum[u * (rounds_ + 1) + k];
      present[state(u, k)] += so_far * part(u, k);
    }
  }
  return present;
}

void GraphStates::backward(std::span<const double> d_present, std::span<double> d_masks) const {
  std::vector<double> each(nodes_ * (rounds_ + 1));  // what a path of at most so many edges gets, by node
  for (std::uint32_t u = 0; u < nodes_; ++u) {
    double from_longer = 0;
    for (std::size_t k = rounds_ + 1; k-- > 0;) {
      from_longer += d_present[state(u, k)] * part(u, k);
      each[u * (rounds_ + 1) + k] = from_longer;
    }
  }
  for (std::size_t p = 0; p < d_masks.size(); ++p) d_masks[p] = each[start_[p] * (rounds_ + 1) + edges_[p]];
}

}  // namespace gckn
