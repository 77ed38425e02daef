// SPDX-License-Identifier: BSD-3-Clause
#include "network/node_states.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

#include "gckn/error.h"
#include "network/encoding.h"
#include "pattern/choice.h"
#include "util/flat_map.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;
constexpr std::size_t kTileGraphs = 16;

// Whole numbers modulo the prime 2^61 - 1.
constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
__extension__ typedef unsigned __int128 WideNumber;

std::uint64_t reduced(std::uint64_t x) {
  x = (x & kPrime) + (x >> 61);
  return x >= kPrime ? x - kPrime : x;
}
std::uint64_t sum(std::uint64_t x, std::uint64_t y) {
  const std::uint64_t result = x + y;
  return result >= kPrime ? result - kPrime : result;
}
std::uint64_t difference(std::uint64_t x, std::uint64_t y) {
  return x >= y ? x - y : x + kPrime - y;
}
std::uint64_t product(std::uint64_t x, std::uint64_t y) {
  const WideNumber wide = static_cast<WideNumber>(x) * y;
  return sum(static_cast<std::uint64_t>(wide) & kPrime, static_cast<std::uint64_t>(wide >> 61));
}

std::uint64_t next_name(std::uint64_t name, std::uint64_t contents) {
  return mix_bits(name * kStep + contents);
}

// Graphs as both kinds of states see them; nodes and arcs are counted from the first of the range.
struct LabelledGraphs {
  const GraphSet& graphs;
  const GraphRange range;
  const EncodedNodes nodes;
  const std::uint32_t first_node;
  const std::uint64_t first_arc;

  LabelledGraphs(const GraphSet& of, GraphRange in, const InputEncoding& encoding)
      : graphs(of),
        range(in),
        nodes(encode_nodes(of, in, encoding)),
        first_node(of.graph_begin(in.first)),
        first_arc(of.arc_begin(first_node)) {}

  [[nodiscard]] std::size_t num_nodes() const { return nodes.colour_of_node.size(); }
  // Ascending.
  [[nodiscard]] std::span<const std::uint32_t> neighbours(std::size_t u) const {
    return graphs.neighbours(first_node + u);
  }
  // Of the i-th arc of node u: 0 without edge labels.
  [[nodiscard]] std::uint64_t edge(std::size_t u, std::size_t i) const {
    return nodes.arc_label.empty()
               ? 0
               : nodes.arc_label[graphs.arc_begin(first_node + u) - first_arc + i] + std::uint64_t{1};
  }
  [[nodiscard]] std::uint64_t colour_hash(std::size_t u) const { return nodes.colours.hash[nodes.colour_of_node[u]]; }
  // The first node of a graph, counted from the first of the range.
  [[nodiscard]] std::uint32_t first_of(std::size_t g) const { return graphs.graph_begin(range.first + g) - first_node; }
};

// A limit on what all threads together visit.
class VisitLimit {
 public:
  VisitLimit(int vertices, std::uint64_t limit) : vertices_(vertices), limit_(limit) {}

  void add(std::uint64_t visits) {
    if ((visited_ += visits) > limit_) throw_too_many(LayerKind::path, vertices_, limit_);
  }

 private:
  const int vertices_;
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> visited_{0};
};

// The values of the polynomials of one node after the other.
class PathPolynomials {
 public:
  // last: by node, from last_sums().
  PathPolynomials(const LabelledGraphs& graphs, std::size_t rounds, const std::vector<std::uint64_t>& last,
                  VisitLimit& limit)
      : graphs_(graphs), rounds_(rounds), last_(last), limit_(limit) {}

  // By node: what all its neighbours add as the last vertex of a path.
  static std::vector<std::uint64_t> last_sums(const LabelledGraphs& graphs, std::size_t rounds) {
    std::vector<std::uint64_t> sums(graphs.num_nodes());
    parallel_tiles(sums.size(), 4096, [&](std::size_t first, std::size_t end) {
      for (std::size_t u = first; u < end; ++u) {
        for (std::size_t i = 0; i < graphs.neighbours(u).size(); ++i) {
          sums[u] = sum(sums[u], value_at(graphs, rounds, u, i));
        }
      }
    });
    return sums;
  }

  // Writes those of 1 .. rounds edges.
  void evaluate(std::uint32_t u, std::uint64_t* values) {
    std::fill_n(values, rounds_, std::uint64_t{0});
    values_ = values;
    path_.assign(1, u);
    extend(1);  // the label of u itself is in its first name
    limit_.add(std::exchange(visits_, 0));
  }

 private:
  // x_{t, label} of the vertex that the i-th arc of node u leads to: the random point. The label of an edge counts as a
  // part of the label of the vertex that it leads to.
  static std::uint64_t value_at(const LabelledGraphs& graphs, std::size_t t, std::size_t u, std::size_t i) {
    const std::uint64_t label = graphs.colour_hash(graphs.neighbours(u)[i] - graphs.first_node);
    return reduced(mix_bits(mix_bits(label + t * kStep) + graphs.edge(u, i) * kStep));
  }

  // Goes on from the path, whose product is `c`.
  void extend(std::uint64_t c) {
    if ((++visits_ & 0xfff) == 0) {
      check_cancelled();
      limit_.add(std::exchange(visits_, 0));
    }
    const std::size_t t = path_.size();  // of the vertex to come
    const std::uint32_t end = path_.back();
    const std::span<const std::uint32_t> neighbours = graphs_.neighbours(end);
    std::uint64_t total = 0;
    if (t == rounds_) {
      total = last_[end];
      for (const std::uint32_t node : path_) {
        const auto found = std::ranges::lower_bound(neighbours, node + graphs_.first_node);
        if (found == neighbours.end() || *found != node + graphs_.first_node) continue;
        total = difference(total, value_at(graphs_, t, end, static_cast<std::size_t>(found - neighbours.begin())));
      }
    } else {
      for (std::size_t i = 0; i < neighbours.size(); ++i) {
        const std::uint32_t next = neighbours[i] - graphs_.first_node;
        if (std::ranges::find(path_, next) != path_.end()) continue;
        const std::uint64_t x = value_at(graphs_, t, end, i);
        total = sum(total, x);
        path_.push_back(next);
        extend(product(c, x));
        path_.pop_back();
      }
    }
    values_[t - 1] = sum(values_[t - 1], product(c, total));
  }

  const LabelledGraphs& graphs_;
  const std::size_t rounds_;
  const std::vector<std::uint64_t>& last_;
  VisitLimit& limit_;
  std::vector<std::uint32_t> path_;
  std::uint64_t* values_ = nullptr;
  std::uint64_t visits_ = 0;
};

void name_by_paths(const LabelledGraphs& graphs, const RunOptions& options, NodeStates& states) {
  const std::size_t rounds = states.rounds;
  const std::vector<std::uint64_t> last = PathPolynomials::last_sums(graphs, rounds);
  VisitLimit limit(static_cast<int>(rounds), options.max_paths);
  parallel_tiles(graphs.range.size(), kTileGraphs, options, "states of nodes", [&](std::size_t first, std::size_t end) {
    PathPolynomials polynomials(graphs, rounds, last, limit);
    for (std::size_t u = graphs.first_of(first); u < graphs.first_of(end); ++u) {
      std::uint64_t* names = states.names.data() + u * (rounds + 1);
      polynomials.evaluate(static_cast<std::uint32_t>(u), names + 1);
      for (std::size_t k = 1; k <= rounds; ++k) names[k] = next_name(names[k - 1], names[k]);
    }
  });
}

void name_by_neighbours(const LabelledGraphs& graphs, const RunOptions& options, NodeStates& states) {
  const std::size_t rounds = states.rounds;
  parallel_tiles(graphs.range.size(), kTileGraphs, options, "states of nodes", [&](std::size_t first, std::size_t end) {
    for (std::size_t k = 1; k <= rounds; ++k) {
      check_cancelled();
      for (std::size_t u = graphs.first_of(first); u < graphs.first_of(end); ++u) {
        std::uint64_t contents = 0;
        for (std::size_t i = 0; i < graphs.neighbours(u).size(); ++i) {
          const std::uint64_t neighbour = states.of_node(graphs.neighbours(u)[i] - graphs.first_node)[k - 1];
          contents += mix_bits(mix_bits(neighbour) + graphs.edge(u, i) * kStep);
        }
        states.names[u * (rounds + 1) + k] = next_name(states.of_node(u)[k - 1], contents);
      }
    }
  });
}

}  // namespace

NodeStates node_states(StateKind kind, const GraphSet& graphs, GraphRange range, const InputEncoding& encoding,
                       int rounds, const RunOptions& options) {
  const LabelledGraphs labelled(graphs, range, encoding);
  if (!labelled.nodes.colours.one_hot) {
    throw InputError("states of nodes need labels or degrees, not attributes");
  }
  NodeStates states;
  states.rounds = static_cast<std::size_t>(rounds);
  states.names.resize(labelled.num_nodes() * (states.rounds + 1));
  for (std::size_t u = 0; u < labelled.num_nodes(); ++u) {
    states.names[u * (states.rounds + 1)] = mix_bits(labelled.colour_hash(u));
  }
  if (rounds == 0) return states;
  if (kind == StateKind::path) {
    name_by_paths(labelled, options, states);
  } else {
    name_by_neighbours(labelled, options, states);
  }
  return states;
}

StateCounts count_states(const NodeStates& states, const GraphSet& graphs, GraphRange range) {
  const std::size_t per_node = states.rounds + 1;
  const std::uint32_t first_node = graphs.graph_begin(range.first);
  StateCounts counts;
  std::vector<std::uint64_t> sorted = states.names;
  std::vector<std::uint64_t> distinct(range.size());
  const auto names_of = [&](std::size_t g) {
    const std::size_t begin = (graphs.graph_begin(range.first + g) - first_node) * per_node;
    const std::size_t end = (graphs.graph_begin(range.first + g + 1) - first_node) * per_node;
    return std::span(sorted).subspan(begin, end - begin);
  };
  parallel_tiles(range.size(), 64, [&](std::size_t first, std::size_t end) {
    for (std::size_t g = first; g < end; ++g) {
      const std::span<std::uint64_t> names = names_of(g);
      std::ranges::sort(names);
      for (std::size_t i = 0; i < names.size(); ++i) distinct[g] += i == 0 || names[i] != names[i - 1] ? 1 : 0;
    }
  });
  for (const std::uint64_t entries : distinct) counts.begin.push_back(counts.begin.back() + entries);
  counts.name.resize(counts.begin.back());
  counts.count.resize(counts.begin.back());
  parallel_tiles(range.size(), 64, [&](std::size_t first, std::size_t end) {
    for (std::size_t g = first; g < end; ++g) {
      std::uint64_t entry = counts.begin[g];
      for (const std::uint64_t name : names_of(g)) {
        if (entry == counts.begin[g] || counts.name[entry - 1] != name) counts.name[entry++] = name;
        ++counts.count[entry - 1];
      }
    }
  });
  return counts;
}

}  // namespace gckn
