// SPDX-License-Identifier: BSD-3-Clause
// Kinds of motifs.
//
// Motifs are taken apart into connected pieces. Colour refinement gives every node a colour that isomorphic nodes
// share; pieces with the same colours are then compared one by one, with the first of every kind found so far, by a
// search for a mapping of nodes. Motifs are of one kind if their pieces are.
#include "explain/motif_catalogue.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "util/flat_map.h"
#include "util/parallel.h"

namespace gckn {

namespace {

constexpr std::uint64_t kPairSteps = 200'000;       // of one comparison
constexpr std::uint64_t kBucketSteps = 20'000'000;  // of all comparisons of pieces with the same colours

constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15ULL;

// A connected piece of a motif.
struct Piece {
  explicit Piece(MotifGraph cut) : graph(std::move(cut)), neighbours(graph), colours(refined_colours()) {
    std::vector<std::uint64_t> sorted = colours;
    std::ranges::sort(sorted);
    for (const std::uint64_t colour : sorted) hash = mix_bits(hash * kSpread + colour);
  }

  [[nodiscard]] auto key() const { return std::tuple(graph.num_nodes(), graph.edges.size(), hash); }

  MotifGraph graph;
  MotifNeighbours neighbours;
  std::vector<std::uint64_t> colours;
  std::uint64_t hash = 0;

 private:
  // Rounds until none tells more nodes apart: as many for isomorphic pieces.
  [[nodiscard]] std::vector<std::uint64_t> refined_colours() const {
    const std::size_t nodes = graph.num_nodes();
    std::vector<std::uint64_t> now(nodes);
    for (std::size_t u = 0; u < nodes; ++u) now[u] = mix_bits(graph.node_labels[u] + kSpread);
    std::size_t known = 0;
    for (std::size_t distinct = count_distinct(now); distinct > known && known < nodes;) {
      known = distinct;
      std::vector<std::uint64_t> next(nodes);
      for (std::size_t u = 0; u < nodes; ++u) {
        std::uint64_t around = 0;  // a sum, for the order of neighbours means nothing
        for (const MotifNeighbours::Arc& arc : neighbours[u])
          around += mix_bits(now[arc.to] + kSpread * (arc.label + 1));
        next[u] = mix_bits(now[u] * kSpread + mix_bits(around));
      }
      now = std::move(next);
      distinct = count_distinct(now);
    }
    return now;
  }

  static std::size_t count_distinct(std::vector<std::uint64_t> values) {
    std::ranges::sort(values);
    return static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
  }
};

std::vector<Piece> pieces_of(const MotifGraph& motif) {
  std::vector<std::uint32_t> piece_of;
  std::vector<MotifGraph> graphs(find_pieces(MotifNeighbours(motif), motif.num_nodes(), piece_of));
  std::vector<std::uint32_t> place(motif.num_nodes());
  for (std::size_t u = 0; u < motif.num_nodes(); ++u) {
    MotifGraph& graph = graphs[piece_of[u]];
    place[u] = static_cast<std::uint32_t>(graph.num_nodes());
    graph.node_labels.push_back(motif.node_labels[u]);
  }
  for (const MotifGraph::Edge& edge : motif.edges) {  // stay sorted, as places ascend
    graphs[piece_of[edge.from]].edges.push_back({place[edge.from], place[edge.to], edge.label});
  }
  std::vector<Piece> pieces;
  pieces.reserve(graphs.size());
  for (MotifGraph& graph : graphs) pieces.emplace_back(std::move(graph));
  return pieces;
}

// Looks for isomorphisms from one piece to others.
class IsomorphismSearch {
 public:
  // The piece must outlive this.
  explicit IsomorphismSearch(const Piece& piece) : piece_(piece) { choose_order(); }

  // Of another piece with the same colours; false if none was found in `steps`, which are counted down.
  bool finds(const Piece& other, std::uint64_t& steps) {
    const std::size_t nodes = order_.size();
    image_.assign(nodes, 0);
    taken_.assign(nodes, 0);
    cursor_.assign(nodes, 0);
    std::size_t at = 0;
    while (at < nodes) {
      if (advance(other, at, steps)) {
        taken_[image_[at]] = 1;
        if (++at < nodes) cursor_[at] = 0;
        continue;
      }
      if (at == 0 || steps == 0) return false;
      taken_[image_[--at]] = 0;
    }
    return true;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Place {
    std::uint32_t node = 0;
    std::size_t anchor = kNone;  // an earlier place that it is a neighbour of
    std::uint32_t anchor_label = 0;
    std::vector<std::pair<std::size_t, std::uint32_t>> back;  // earlier places that it is joined with, and the labels
  };

  // First the node of the rarest colour; then always one with most neighbours before it, for it has least choice.
  void choose_order() {
    const std::size_t nodes = piece_.graph.num_nodes();
    std::map<std::uint64_t, std::size_t> frequency;
    for (const std::uint64_t colour : piece_.colours) ++frequency[colour];
    std::vector<std::size_t> place_of(nodes, kNone);
    std::vector<std::size_t> joined(nodes, 0);
    for (std::size_t at = 0; at < nodes; ++at) {
      std::uint32_t best = 0;
      bool found = false;
      for (std::uint32_t u = 0; u < nodes; ++u) {
        if (place_of[u] != kNone) continue;
        const auto rank = [&](std::uint32_t v) { return std::pair(nodes - joined[v], frequency[piece_.colours[v]]); };
        if (!found || rank(u) < rank(best)) best = u;
        found = true;
      }
      Place& place = order_.emplace_back();
      place.node = best;
      place_of[best] = at;
      for (const MotifNeighbours::Arc& arc : piece_.neighbours[best]) {
        ++joined[arc.to];
        if (place_of[arc.to] == kNone) continue;
        place.back.emplace_back(place_of[arc.to], arc.label);
        place.anchor = place_of[arc.to];
        place.anchor_label = arc.label;
      }
    }
  }

  // The next node that may be the image of a place.
  bool advance(const Piece& other, std::size_t at, std::uint64_t& steps) {
    const Place& place = order_[at];
    const bool is_first = place.anchor == kNone;
    const std::span<const MotifNeighbours::Arc> around =
        is_first ? std::span<const MotifNeighbours::Arc>() : other.neighbours[image_[place.anchor]];
    const std::size_t choices = is_first ? order_.size() : around.size();
    while (cursor_[at] < choices && steps > 0) {
      const std::size_t choice = cursor_[at]++;
      const auto v = is_first ? static_cast<std::uint32_t>(choice) : around[choice].to;
      if (!is_first && around[choice].label != place.anchor_label) continue;
      if (taken_[v] != 0 || other.colours[v] != piece_.colours[place.node]) continue;
      --steps;
      if (!fits(other, place, v)) continue;
      image_[at] = v;
      return true;
    }
    return false;
  }

  // Labels, and edges to what is mapped already: the same ones, and no others.
  bool fits(const Piece& other, const Place& place, std::uint32_t v) const {
    if (other.graph.node_labels[v] != piece_.graph.node_labels[place.node]) return false;
    std::size_t joined = 0;
    for (const MotifNeighbours::Arc& arc : other.neighbours[v]) joined += taken_[arc.to] != 0 ? 1 : 0;
    if (joined != place.back.size()) return false;
    return std::ranges::all_of(place.back, [&](const auto& back) {
      const MotifNeighbours::Arc* arc = other.neighbours.find(v, image_[back.first]);
      return arc != nullptr && arc->label == back.second;
    });
  }

  const Piece& piece_;
  std::vector<Place> order_;
  std::vector<std::uint32_t> image_;  // by place
  std::vector<char> taken_;           // by node of the other
  std::vector<std::size_t> cursor_;   // by place: choices tried
};

// Sets for every piece of a bucket, all with the same colours, the first one of its kind.
void find_kinds(const std::vector<const Piece*>& pieces, std::span<const std::uint32_t> bucket,
                std::vector<std::uint32_t>& first_of_kind) {
  std::uint64_t left = kBucketSteps;
  std::vector<std::pair<std::uint32_t, IsomorphismSearch>> kinds;
  for (const std::uint32_t piece : bucket) {
    const auto is_of = [&](auto& kind) {
      check_cancelled();
      std::uint64_t steps = std::min(kPairSteps, left);
      const std::uint64_t before = steps;
      const bool found = kind.second.finds(*pieces[piece], steps);
      left -= before - steps;
      return found;
    };
    const auto kind = std::ranges::find_if(kinds, is_of);
    first_of_kind[piece] = kind == kinds.end() ? piece : kind->first;
    if (kind == kinds.end()) kinds.emplace_back(piece, IsomorphismSearch(*pieces[piece]));
  }
}

}  // namespace

std::vector<std::uint32_t> group_isomorphic(const std::vector<MotifGraph>& motifs, const RunOptions& run) {
  const ThreadScope threads(run);
  std::vector<std::vector<Piece>> pieces_by_motif(motifs.size());
  parallel_for(motifs.size(), run, "comparing motifs",
               [&](std::size_t i) { pieces_by_motif[i] = pieces_of(motifs[i]); });
  std::vector<const Piece*> pieces;
  for (const std::vector<Piece>& of_motif : pieces_by_motif) {
    for (const Piece& piece : of_motif) pieces.push_back(&piece);
  }

  std::vector<std::uint32_t> sorted(pieces.size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  const auto key = [&](std::uint32_t i) { return std::pair(pieces[i]->key(), i); };
  std::ranges::sort(sorted, {}, key);
  std::vector<std::span<const std::uint32_t>> buckets;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin;
    while (end < sorted.size() && pieces[sorted[end]]->key() == pieces[sorted[begin]]->key()) ++end;
    buckets.push_back(std::span(sorted).subspan(begin, end - begin));
    begin = end;
  }
  std::vector<std::uint32_t> first_of_kind(pieces.size());
  parallel_for(buckets.size(), run, "comparing motifs",
               [&](std::size_t b) { find_kinds(pieces, buckets[b], first_of_kind); });

  std::map<std::vector<std::uint32_t>, std::uint32_t> kind_of;
  std::vector<std::uint32_t> result;
  std::size_t next = 0;
  for (const std::vector<Piece>& of_motif : pieces_by_motif) {
    std::vector<std::uint32_t> kinds(first_of_kind.begin() + static_cast<std::ptrdiff_t>(next),
                                     first_of_kind.begin() + static_cast<std::ptrdiff_t>(next + of_motif.size()));
    next += of_motif.size();
    std::ranges::sort(kinds);
    const auto number = static_cast<std::uint32_t>(kind_of.size());
    result.push_back(kind_of.emplace(std::move(kinds), number).first->second);
  }
  return result;
}

}  // namespace gckn
