// SPDX-License-Identifier: BSD-3-Clause
// Which graphs contain a motif.
//
// For every node of the motif a set of bits says which nodes of the graph it may be: those of its label whose
// neighbours can be its neighbours. A node whose neighbour may be nothing that is joined with it in the right way is
// struck out, again and again; what is left is searched, node by node, each next to those before it. Nodes of the motif
// that can be exchanged (leaves of one label at one node) are mapped in ascending order only.
#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "explain/motif_catalogue.h"
#include "util/parallel.h"

namespace gckn {

namespace {

constexpr std::uint64_t kSteps = 50'000;     // of the search in one graph
constexpr int kRounds = 8;                   // of striking out; more hardly ever find anything
constexpr std::size_t kGraphsPerTile = 128;  // that a thread looks through at a time
constexpr std::size_t kNone = ~std::size_t{0};

// A motif, and what of it can be known before any graph is seen. Threads may share it.
struct Pattern {
  // Neighbours that a node must have at least.
  struct Need {
    std::uint32_t node_label = 0, edge_label = 0;
    std::uint32_t count = 0;

    bool operator==(const Need&) const = default;
    bool operator<(const Need& other) const {
      return std::tie(node_label, edge_label, count) < std::tie(other.node_label, other.edge_label, other.count);
    }
  };
  // Nodes of one label with equal needs have the same candidates at first.
  struct Role {
    std::uint32_t label = 0;
    std::vector<Need> needs{};
    std::size_t degree = 0;

    bool operator<(const Role& other) const {
      return std::tie(label, needs, degree) < std::tie(other.label, other.needs, other.degree);
    }
  };

  explicit Pattern(const MotifGraph& graph) : motif(graph), neighbours(graph), twins(graph.num_nodes()) {
    find_roles();
    find_twins();
    for (const std::uint32_t label : motif.node_labels) {
      if (label >= label_counts.size()) label_counts.resize(label + 1);
      ++label_counts[label];
    }
  }

  const MotifGraph& motif;
  MotifNeighbours neighbours;
  std::vector<std::uint32_t> label_counts;  // by label
  std::vector<Role> roles;
  std::vector<std::uint32_t> role_of;    // by node
  std::vector<std::uint32_t> role_size;  // nodes, by role
  std::vector<std::uint32_t> twins;      // by node: a number that nodes share if any two of them can be exchanged

 private:
  void find_roles() {
    std::map<Role, std::uint32_t> known;
    for (std::uint32_t u = 0; u < motif.num_nodes(); ++u) {
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> counts;
      for (const MotifNeighbours::Arc& arc : neighbours[u]) ++counts[{motif.node_labels[arc.to], arc.label}];
      Role role{.label = motif.node_labels[u], .degree = neighbours[u].size()};
      for (const auto& [labels, count] : counts) role.needs.push_back({labels.first, labels.second, count});
      const auto [found, is_new] = known.emplace(role, static_cast<std::uint32_t>(roles.size()));
      if (is_new) {
        roles.push_back(std::move(role));
        role_size.push_back(0);
      }
      role_of.push_back(found->second);
      ++role_size[found->second];
    }
  }

  // Nodes with the same neighbours, or with the same ones and each other.
  void find_twins() {
    using Arcs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
    std::map<std::pair<std::uint32_t, Arcs>, std::vector<std::uint32_t>> open;
    std::map<std::pair<std::uint32_t, Arcs>, std::vector<std::uint32_t>> closed;
    for (std::uint32_t u = 0; u < motif.num_nodes(); ++u) {
      Arcs arcs;
      for (const MotifNeighbours::Arc& arc : neighbours[u]) arcs.emplace_back(arc.to, arc.label);
      open[{motif.node_labels[u], arcs}].push_back(u);
      // Of those that are joined only the ones whose edges all have one label, for which it is easy to tell.
      const auto has_label = [&](const auto& arc) { return arc.second == arcs.front().second; };
      if (arcs.empty() || !std::ranges::all_of(arcs, has_label)) continue;
      arcs.emplace_back(u, arcs.front().second);
      std::ranges::sort(arcs);
      closed[{motif.node_labels[u], std::move(arcs)}].push_back(u);
    }
    std::iota(twins.begin(), twins.end(), 0U);
    for (const auto* classes : {&open, &closed}) {
      for (const auto& [key, members] : *classes) {
        if (members.size() < 2) continue;
        for (const std::uint32_t u : members) twins[u] = members.front();
      }
    }
  }
};

enum class Answer { no, yes, unknown };

// Looks for a pattern in one graph after the other. One per thread.
class ContainmentSearch {
 public:
  ContainmentSearch(const GraphSet& graphs, const Pattern& pattern) : graphs_(graphs), pattern_(pattern) {}

  Answer look_in(std::size_t g) {
    begin_ = graphs_.graph_begin(g);
    end_ = graphs_.graph_begin(g + 1);
    const std::size_t nodes = pattern_.motif.num_nodes();
    if (nodes == 0) return Answer::yes;
    if (nodes > end_ - begin_ || !has_labels()) return Answer::no;
    words_ = (end_ - begin_ + 63) / 64;
    if (!find_candidates() || !strike_out()) return Answer::no;
    choose_order();
    return search();
  }

 private:
  struct Place {
    std::uint32_t node = 0;
    std::size_t anchor = kNone;         // an earlier place that it is a neighbour of
    std::size_t twin = kNone;           // the place before it of a node that it can be exchanged with
    std::size_t back_begin = 0;         // in back_
    std::uint32_t neighbours_left = 0;  // of the motif, in later places
  };
  struct Back {
    std::size_t place = 0;
    std::uint32_t label = 0;
  };

  [[nodiscard]] std::uint32_t label(std::uint32_t v) const {
    return graphs_.has_node_labels() ? graphs_.node_labels()[v] : 0;
  }
  [[nodiscard]] std::uint32_t arc_label(std::uint64_t arc) const {
    return graphs_.has_edge_labels() ? graphs_.arc_labels()[arc] : 0;
  }
  [[nodiscard]] std::span<std::uint64_t> candidates(std::uint32_t u) {
    return std::span(bits_).subspan(u * words_, words_);
  }
  static bool has(std::span<const std::uint64_t> bits, std::uint32_t v) { return (bits[v / 64] >> (v % 64) & 1) != 0; }

  bool has_labels() {
    const std::vector<std::uint32_t>& needed = pattern_.label_counts;
    missing_.assign(needed.begin(), needed.end());
    std::size_t missing = pattern_.motif.num_nodes();
    for (std::uint32_t v = begin_; v < end_ && missing > 0; ++v) {
      const std::uint32_t here = label(v);
      if (here >= missing_.size() || missing_[here] == 0) continue;
      --missing_[here];
      --missing;
    }
    return missing == 0;
  }

  [[nodiscard]] bool may_play(std::uint32_t v, const Pattern::Role& role) const {
    if (label(v) != role.label || graphs_.degree(v) < role.degree) return false;
    return std::ranges::all_of(role.needs, [&](const Pattern::Need& need) {
      std::uint32_t count = 0;
      for (std::uint64_t a = graphs_.arc_begin(v); a < graphs_.arc_begin(v + 1); ++a) {
        count += arc_label(a) == need.edge_label && label(graphs_.arcs()[a]) == need.node_label ? 1 : 0;
      }
      return count >= need.count;
    });
  }

  // False if there are fewer of them than nodes that need one.
  bool find_candidates() {
    role_bits_.assign(pattern_.roles.size() * words_, 0);
    for (std::size_t r = 0; r < pattern_.roles.size(); ++r) {
      check_cancelled();
      std::uint32_t count = 0;
      for (std::uint32_t v = begin_; v < end_; ++v) {
        if (!may_play(v, pattern_.roles[r])) continue;
        role_bits_[r * words_ + (v - begin_) / 64] |= std::uint64_t{1} << ((v - begin_) % 64);
        ++count;
      }
      if (count < pattern_.role_size[r]) return false;
    }
    bits_.resize(pattern_.motif.num_nodes() * words_);
    for (std::uint32_t u = 0; u < pattern_.motif.num_nodes(); ++u) {
      std::ranges::copy(std::span(role_bits_).subspan(pattern_.role_of[u] * words_, words_), candidates(u).begin());
    }
    return true;
  }

  // Whether v has a neighbour that the other end of the motif's arc may be.
  bool has_partner(std::uint32_t v, const MotifNeighbours::Arc& arc) {
    const std::span<const std::uint64_t> partners = candidates(arc.to);
    for (std::uint64_t a = graphs_.arc_begin(begin_ + v); a < graphs_.arc_begin(begin_ + v + 1); ++a) {
      if (arc_label(a) == arc.label && has(partners, graphs_.arcs()[a] - begin_)) return true;
    }
    return false;
  }

  // False if a node has no candidate left.
  bool strike_out() {
    bool changed = true;
    for (int round = 0; round < kRounds && changed; ++round) {
      changed = false;
      for (std::uint32_t u = 0; u < pattern_.motif.num_nodes(); ++u) {
        check_cancelled();
        const std::span<std::uint64_t> own = candidates(u);
        std::uint64_t any = 0;
        for (std::size_t word = 0; word < words_; ++word) {
          for (std::uint64_t rest = own[word]; rest != 0; rest &= rest - 1) {
            const auto v = static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
            const auto fits = [&](const MotifNeighbours::Arc& arc) { return has_partner(v, arc); };
            if (std::ranges::all_of(pattern_.neighbours[u], fits)) continue;
            own[word] &= ~(std::uint64_t{1} << (v % 64));
            changed = true;
          }
          any |= own[word];
        }
        if (any == 0) return false;
      }
    }
    return true;
  }

  // Always a node with most neighbours before it; of these the one with fewest candidates.
  void choose_order() {
    const std::size_t nodes = pattern_.motif.num_nodes();
    std::vector<std::size_t> choices(nodes, 0);
    for (std::uint32_t u = 0; u < nodes; ++u) {
      for (const std::uint64_t word : candidates(u)) choices[u] += static_cast<std::size_t>(std::popcount(word));
    }
    place_of_.assign(nodes, kNone);
    last_twin_.assign(nodes, kNone);
    joined_.assign(nodes, 0);
    order_.clear();
    back_.clear();
    for (std::size_t at = 0; at < nodes; ++at) {
      std::size_t best = kNone;
      for (std::size_t u = 0; u < nodes; ++u) {
        if (place_of_[u] != kNone) continue;
        if (best == kNone || std::pair(joined_[best], choices[u]) < std::pair(joined_[u], choices[best])) best = u;
      }
      const auto u = static_cast<std::uint32_t>(best);
      Place place{.node = u, .back_begin = back_.size()};
      place_of_[u] = at;
      for (const MotifNeighbours::Arc& arc : pattern_.neighbours[u]) {
        ++joined_[arc.to];
        if (place_of_[arc.to] == kNone) {
          ++place.neighbours_left;
          continue;
        }
        back_.push_back({place_of_[arc.to], arc.label});
        place.anchor = place_of_[arc.to];
      }
      place.twin = std::exchange(last_twin_[pattern_.twins[u]], at);
      order_.push_back(place);
    }
  }

  Answer search() {
    const std::size_t nodes = order_.size();
    image_.assign(nodes, 0);
    taken_.assign(end_ - begin_, 0);
    cursor_.assign(nodes, 0);
    steps_ = kSteps;
    std::size_t at = 0;
    while (at < nodes) {
      if (advance(at)) {
        taken_[image_[at]] = 1;
        if (++at < nodes) cursor_[at] = 0;
        continue;
      }
      if (steps_ == 0) return Answer::unknown;
      if (at == 0) return Answer::no;
      taken_[image_[--at]] = 0;
    }
    return Answer::yes;
  }

  // The next node that may be the image of a place.
  bool advance(std::size_t at) {
    const Place& place = order_[at];
    const std::span<const std::uint64_t> own = candidates(place.node);
    if (place.anchor != kNone) {
      const std::span<const std::uint32_t> around = graphs_.neighbours(begin_ + image_[place.anchor]);
      while (cursor_[at] < around.size() && steps_ > 0) {
        const std::uint32_t v = around[cursor_[at]++] - begin_;
        if (has(own, v) && take(at, v)) return true;
      }
      return false;
    }
    while (cursor_[at] < end_ - begin_ && steps_ > 0) {
      const auto v = static_cast<std::uint32_t>(cursor_[at]++);
      if (has(own, v) && take(at, v)) return true;
    }
    return false;
  }

  bool take(std::size_t at, std::uint32_t v) {
    const Place& place = order_[at];
    if (taken_[v] != 0 || (place.twin != kNone && image_[place.twin] >= v)) return false;
    if ((--steps_ & 0x3FF) == 0) check_cancelled();
    const std::size_t back_end = at + 1 < order_.size() ? order_[at + 1].back_begin : back_.size();
    for (std::size_t i = place.back_begin; i < back_end; ++i) {
      if (!is_joined(v, image_[back_[i].place], back_[i].label)) return false;
    }
    std::uint32_t free = 0;
    for (const std::uint32_t w : graphs_.neighbours(begin_ + v)) free += taken_[w - begin_] == 0 ? 1 : 0;
    if (free < place.neighbours_left) return false;
    image_[at] = v;
    return true;
  }

  [[nodiscard]] bool is_joined(std::uint32_t v, std::uint32_t w, std::uint32_t edge_label) const {
    const std::span<const std::uint32_t> row = graphs_.neighbours(begin_ + v);
    const auto found = std::ranges::lower_bound(row, begin_ + w);
    if (found == row.end() || *found != begin_ + w) return false;
    return arc_label(graphs_.arc_begin(begin_ + v) + static_cast<std::uint64_t>(found - row.begin())) == edge_label;
  }

  const GraphSet& graphs_;
  const Pattern& pattern_;
  std::uint32_t begin_ = 0, end_ = 0;  // of the graph at hand; its nodes are otherwise numbered within it
  std::size_t words_ = 0;              // of a set of its nodes
  std::vector<std::uint32_t> missing_;
  std::vector<std::uint64_t> role_bits_, bits_;
  std::vector<Place> order_;
  std::vector<Back> back_;  // by place, one after the other: earlier places that it is joined with
  std::vector<std::size_t> place_of_, last_twin_, joined_;
  std::vector<std::uint32_t> image_;  // by place
  std::vector<char> taken_;           // by node of the graph
  std::vector<std::size_t> cursor_;   // by place: choices tried
  std::uint64_t steps_ = 0;           // that are left
};

}  // namespace

Containment graphs_that_contain(const GraphSet& graphs, const MotifGraph& motif, const RunOptions& run) {
  const ThreadScope threads(run);
  const Pattern pattern(motif);
  std::vector<Answer> answers(graphs.num_graphs());
  parallel_tiles(graphs.num_graphs(), kGraphsPerTile, run, "looking for motifs",
                 [&](std::size_t first, std::size_t last) {
                   ContainmentSearch search(graphs, pattern);
                   for (std::size_t g = first; g < last; ++g) {
                     check_cancelled();
                     answers[g] = search.look_in(g);
                   }
                 });
  Containment result;
  for (const Answer answer : answers) result.contains.push_back(answer == Answer::yes ? 1 : 0);
  result.unknown = static_cast<std::uint64_t>(std::ranges::count(answers, Answer::unknown));
  return result;
}

}  // namespace gckn
