// SPDX-License-Identifier: BSD-3-Clause
// Second half of compilation: merges the tries of all chunks into one with canonical numbers, and interns the
// multisets as states. Everything is by sorting, so the numbers depend on contents alone.
#include "pattern/patterns.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "pattern/choice.h"
#include "pattern/enumerate.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::uint64_t kHashStep = 0x9e3779b97f4a7c15ULL;

TrieLevel first_level(std::uint32_t num_colours) {
  TrieLevel level;
  level.colour.resize(num_colours);
  std::iota(level.colour.begin(), level.colour.end(), 0U);
  return level;
}

// Maps the local pattern numbers of every chunk to canonical ones, for one length.
using Renumbering = std::vector<std::vector<std::uint32_t>>;

// Canonical numbers for the patterns of one length; `parents` is the renumbering of the length before.
TrieLevel merge_level(const std::vector<PatternChunk>& chunks, std::size_t t, std::uint32_t num_colours,
                      bool edge_labels, const Renumbering& parents, Renumbering& to_global) {
  std::vector<std::vector<std::uint64_t>> keys(chunks.size());
  parallel_for(chunks.size(), [&](std::size_t k) {
    keys[k] = chunks[k].levels[t].keys;
    if (t > 0) {  // the parents of length 1 are colours, which are global already
      for (std::uint64_t& key : keys[k]) {
        key = std::uint64_t{parents[k][key >> 32]} << 32 | (key & 0xffffffffU);
      }
    }
  });
  std::vector<std::uint64_t> all;
  for (const auto& chunk_keys : keys) {
    std::vector<std::uint64_t> sorted = chunk_keys;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::uint64_t> merged;
    merged.reserve(all.size() + sorted.size());
    std::set_union(all.begin(), all.end(), sorted.begin(), sorted.end(), std::back_inserter(merged));
    all = std::move(merged);
  }
  to_global.resize(chunks.size());
  parallel_for(chunks.size(), [&](std::size_t k) {
    to_global[k].resize(keys[k].size());
    for (std::size_t i = 0; i < keys[k].size(); ++i) {
      to_global[k][i] = static_cast<std::uint32_t>(std::lower_bound(all.begin(), all.end(), keys[k][i]) - all.begin());
    }
  });
  TrieLevel level;
  level.parent.resize(all.size());
  level.colour.resize(all.size());
  if (edge_labels) level.edge.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto symbol = static_cast<std::uint32_t>(all[i]);
    level.parent[i] = static_cast<std::uint32_t>(all[i] >> 32);
    level.colour[i] = symbol % num_colours;
    if (edge_labels) level.edge[i] = symbol / num_colours;
  }
  return level;
}

// One multiset, wherever it lies.
struct MultisetView {
  std::span<const std::uint32_t> pattern;
  std::span<const std::uint32_t> multiplicity;

  friend bool operator==(const MultisetView& a, const MultisetView& b) {
    return std::ranges::equal(a.pattern, b.pattern) && std::ranges::equal(a.multiplicity, b.multiplicity);
  }
  friend bool operator<(const MultisetView& a, const MultisetView& b) {
    if (!std::ranges::equal(a.pattern, b.pattern)) return std::ranges::lexicographical_compare(a.pattern, b.pattern);
    return std::ranges::lexicographical_compare(a.multiplicity, b.multiplicity);
  }
};

class StateInterner {
 public:
  StateInterner(const std::vector<PatternChunk>& chunks, std::size_t t, std::size_t num_classes)
      : chunks_(chunks), t_(t), chunk_of_class_(num_classes) {
    for (std::uint32_t k = 0; k < chunks.size(); ++k) {
      std::fill(chunk_of_class_.begin() + chunks[k].first_class, chunk_of_class_.begin() + chunks[k].last_class, k);
    }
  }

  // hashes: by class. Gives every class its state, every state its hash, and fills the table of states.
  StateTable run(const std::vector<std::uint64_t>& hashes, std::vector<std::uint32_t>& of_class,
                 std::vector<std::uint64_t>& hash_of_state) const {
    const std::size_t n = hashes.size();
    // Buckets by the leading bits of the hash, sorted in parallel: the whole is in order of hashes.
    std::vector<std::uint32_t> bucket_begin(kBuckets + 1);
    for (const std::uint64_t hash : hashes) ++bucket_begin[(hash >> kBucketShift) + 1];
    std::partial_sum(bucket_begin.begin(), bucket_begin.end(), bucket_begin.begin());
    std::vector<Item> items(n);
    std::vector<std::uint32_t> next(bucket_begin.begin(), bucket_begin.end() - 1);
    for (std::uint32_t c = 0; c < n; ++c) items[next[hashes[c] >> kBucketShift]++] = {hashes[c], c};

    std::vector<std::uint32_t> states_in_bucket(kBuckets);
    of_class.resize(n);
    parallel_tiles(kBuckets, 64, [&](std::size_t first, std::size_t last) {
      for (std::size_t b = first; b < last; ++b) {
        const std::span<Item> bucket(items.data() + bucket_begin[b], items.data() + bucket_begin[b + 1]);
        states_in_bucket[b] = number_bucket(bucket, of_class);
      }
    });
    std::vector<std::uint32_t> first_state(kBuckets + 1);
    std::partial_sum(states_in_bucket.begin(), states_in_bucket.end(), first_state.begin() + 1);

    StateTable table;
    table.count = first_state.back();
    std::vector<std::uint32_t> representative(table.count, kNone);
    for (std::uint32_t c = 0; c < n; ++c) {
      of_class[c] += first_state[hashes[c] >> kBucketShift];
      if (representative[of_class[c]] == kNone) representative[of_class[c]] = c;
    }
    SparseRows<std::uint32_t>& rows = table.patterns;
    rows.begin.reserve(table.count + std::size_t{1});
    hash_of_state.reserve(table.count);
    for (const std::uint32_t c : representative) {
      rows.begin.push_back(rows.begin.back() + view(c).pattern.size());
      hash_of_state.push_back(hashes[c]);
    }
    rows.index.resize(rows.begin.back());
    rows.weight.resize(rows.begin.back());
    parallel_tiles(table.count, 4096, [&](std::size_t first, std::size_t last) {
      for (std::size_t s = first; s < last; ++s) {
        const MultisetView multiset = view(representative[s]);
        std::ranges::copy(multiset.pattern, rows.index.begin() + static_cast<std::ptrdiff_t>(rows.begin[s]));
        std::ranges::copy(multiset.multiplicity, rows.weight.begin() + static_cast<std::ptrdiff_t>(rows.begin[s]));
      }
    });
    return table;
  }

 private:
  struct Item {
    std::uint64_t hash;
    std::uint32_t class_id;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr int kBucketShift = 52;
  static constexpr std::size_t kBuckets = std::size_t{1} << (64 - kBucketShift);

  [[nodiscard]] MultisetView view(std::uint32_t c) const {
    const PatternChunk& chunk = chunks_[chunk_of_class_[c]];
    const PatternChunk::Level& level = chunk.levels[t_];
    const std::uint64_t begin = level.begin[c - chunk.first_class];
    const std::uint64_t size = level.begin[c - chunk.first_class + 1] - begin;
    return {{level.pattern.data() + begin, size}, {level.multiplicity.data() + begin, size}};
  }

  // Numbers the distinct multisets of one bucket from 0 in order of hash, then contents. Returns how many there are.
  std::uint32_t number_bucket(std::span<Item> bucket, std::vector<std::uint32_t>& of_class) const {
    std::sort(bucket.begin(), bucket.end(), [](const Item& a, const Item& b) {
      return a.hash != b.hash ? a.hash < b.hash : a.class_id < b.class_id;
    });
    std::uint32_t states = 0;
    for (std::size_t i = 0; i < bucket.size();) {
      std::size_t j = i + 1;
      bool collision = false;
      for (; j < bucket.size() && bucket[j].hash == bucket[i].hash; ++j) {
        collision |= !(view(bucket[j].class_id) == view(bucket[i].class_id));
      }
      if (collision) {
        std::stable_sort(bucket.begin() + static_cast<std::ptrdiff_t>(i),
                         bucket.begin() + static_cast<std::ptrdiff_t>(j),
                         [&](const Item& a, const Item& b) { return view(a.class_id) < view(b.class_id); });
      }
      for (std::size_t m = i; m < j; ++m) {
        if (collision && m > i && !(view(bucket[m].class_id) == view(bucket[m - 1].class_id))) ++states;
        of_class[bucket[m].class_id] = states;
      }
      ++states;
      i = j;
    }
    return states;
  }

  const std::vector<PatternChunk>& chunks_;
  const std::size_t t_;
  std::vector<std::uint32_t> chunk_of_class_;
};

// The hash of every pattern of one length from those of the length before.
std::vector<std::uint64_t> extend_hashes(const TrieLevel& level, const std::vector<std::uint64_t>& shorter,
                                         const std::vector<std::uint64_t>& hash_of_colour) {
  std::vector<std::uint64_t> hashes(level.size());
  parallel_tiles(level.size(), 8192, [&](std::size_t first, std::size_t last) {
    for (std::size_t p = first; p < last; ++p) {
      const std::uint64_t edge = level.edge.empty() ? 0 : level.edge[p] + std::uint64_t{1};
      hashes[p] = mix_bits(shorter[level.parent[p]] * kHashStep + hash_of_colour[level.colour[p]] + edge * kHashStep);
    }
  });
  return hashes;
}

// Renumbers the multisets of a chunk and sorts each by pattern. Writes a hash of each: the sum over its entries, which
// does not depend on their order.
void renumber(PatternChunk::Level& level, const std::vector<std::uint32_t>& to_global,
              const std::vector<std::uint64_t>& hash_of_pattern, std::uint64_t* hashes) {
  std::vector<std::uint64_t> row;
  for (std::size_t i = 0; i + 1 < level.begin.size(); ++i) {
    row.clear();
    std::uint64_t hash = 0;
    for (std::uint64_t e = level.begin[i]; e < level.begin[i + 1]; ++e) {
      const std::uint32_t pattern = to_global[level.pattern[e]];
      row.push_back(std::uint64_t{pattern} << 32 | level.multiplicity[e]);
      hash += mix_bits(hash_of_pattern[pattern] + level.multiplicity[e] * kHashStep);
    }
    if (row.size() > 1) std::sort(row.begin(), row.end());
    for (std::size_t j = 0; j < row.size(); ++j) {
      level.pattern[level.begin[i] + j] = static_cast<std::uint32_t>(row[j] >> 32);
      level.multiplicity[level.begin[i] + j] = static_cast<std::uint32_t>(row[j]);
    }
    hashes[i] = mix_bits(hash);
  }
}

// The histograms of all chunks in one, with canonical numbers and each row sorted by them.
GraphHistograms join_histograms(std::vector<PatternChunk>& chunks, std::size_t t, const Renumbering& to_global,
                                std::size_t num_patterns) {
  GraphHistograms result;
  result.paths.columns = num_patterns;
  std::vector<std::uint64_t> first_entry(chunks.size());
  for (std::size_t k = 0; k < chunks.size(); ++k) {
    first_entry[k] = result.paths.begin.back();
    for (std::size_t i = 1; i < chunks[k].levels[t].graph_begin.size(); ++i) {
      result.paths.begin.push_back(first_entry[k] + chunks[k].levels[t].graph_begin[i]);
    }
  }
  result.paths.index.resize(result.paths.begin.back());
  result.paths.weight.resize(result.paths.begin.back());
  result.mean.resize(result.paths.begin.back());
  parallel_for(chunks.size(), [&](std::size_t k) {
    PatternChunk::Level& level = chunks[k].levels[t];
    std::vector<std::pair<std::uint32_t, std::uint64_t>> row;  // pattern, entry
    for (std::size_t i = 0; i + 1 < level.graph_begin.size(); ++i) {
      row.clear();
      for (std::uint64_t e = level.graph_begin[i]; e < level.graph_begin[i + 1]; ++e) {
        row.emplace_back(to_global[k][level.graph_pattern[e]], e);
      }
      std::sort(row.begin(), row.end());
      std::uint64_t place = first_entry[k] + level.graph_begin[i];
      for (const auto& [pattern, e] : row) {
        result.paths.index[place] = pattern;
        result.paths.weight[place] = level.graph_paths[e];
        result.mean[place++] = level.graph_mean[e];
      }
    }
  });
  return result;
}

// Counts of colours in every graph: the histograms of single nodes.
GraphHistograms single_node_histograms(const ClassGraph& graph, const Colouring& colours) {
  constexpr std::size_t kTileGraphs = 256;
  std::vector<SparseRows<double>> tiles((graph.num_graphs() + kTileGraphs - 1) / kTileGraphs);
  parallel_tiles(graph.num_graphs(), kTileGraphs, [&](std::size_t first, std::size_t last) {
    SparseRows<double>& rows = tiles[first / kTileGraphs];
    std::vector<std::pair<std::uint32_t, double>> entries;
    for (std::size_t g = first; g < last; ++g) {
      for (std::uint32_t c = graph.graph_begin[g]; c < graph.graph_begin[g + 1]; ++c) {
        entries.emplace_back((*colours.of_class)[c], graph.size[c]);
      }
      rows.add_row(entries);
    }
  });
  GraphHistograms result;
  result.paths.columns = colours.count;
  for (const SparseRows<double>& rows : tiles) result.paths.append(rows);
  result.mean = result.paths.weight;  // every node has one path
  return result;
}

// Gives the classes of direct graphs states of their own, behind the others, in order.
void append_direct_classes(const ClassGraph& graph, const Patterns& patterns, std::uint32_t num_states,
                           std::vector<std::uint32_t>& of_class, std::vector<std::uint64_t>& hash) {
  std::uint32_t next = num_states;
  for (const std::uint32_t g : patterns.direct_graphs) {
    for (std::uint32_t c = graph.graph_begin[g]; c < graph.graph_begin[g + 1]; ++c) {
      of_class[c] = next++;
      hash.push_back(mix_bits(c - graph.graph_begin[g]));  // only classes of the same graph ever meet
    }
  }
}

// Compiles the patterns of more than one vertex.
class Compilation {
 public:
  Compilation(const ClassGraph& graph, const Colouring& colours, const CompileRequest& request, Patterns& patterns)
      : graph_(graph), colours_(colours), request_(request), patterns_(patterns) {}

  void run(const RunOptions& options) {
    std::vector<char> direct = choose_direct(graph_, colours_, request_, options.evaluator);
    const std::uint64_t symbols = std::uint64_t{colours_.count} * (request_.edge_labels ? request_.num_edge_labels : 1);
    if (symbols >> 32 != 0) std::ranges::fill(direct, 1);  // numbers of symbols have 32 bits
    require_few_paths(direct, options);
    enumerate(direct, options);
    mark_direct(direct);
    merge();
    const auto first = static_cast<std::size_t>(patterns_.lengths.front() == 1 ? 1 : 0);
    parallel_for(patterns_.lengths.size() - first, [&](std::size_t i) { finish(first + i); });
  }

 private:
  // A direct evaluation visits everything but the last vertex, and walks need no visits at all.
  void require_few_paths(const std::vector<char>& direct, const RunOptions& options) {
    std::vector<int> depth(direct.size());
    const int direct_depth = request_.kind == LayerKind::walk ? 0 : request_.vertices - 1;
    for (std::size_t g = 0; g < depth.size(); ++g) depth[g] = direct[g] != 0 ? direct_depth : request_.vertices;
    const VisitCount count = count_visits(graph_, request_.kind, depth, options.max_paths, true, options);
    if (count.total > options.max_paths) throw_too_many(request_.kind, request_.vertices, options.max_paths);
  }

  void enumerate(std::vector<char>& direct, const RunOptions& options) {
    KeptPatterns kept{std::vector<bool>(static_cast<std::size_t>(request_.vertices) - 1), request_.states,
                      request_.histograms};
    for (const int length : patterns_.lengths) {
      if (length > 1) kept.is_output[static_cast<std::size_t>(length) - 2] = true;
    }
    const std::vector<std::uint32_t> ends = graph_.chunks();
    chunks_.resize(ends.size() - 1);
    std::atomic<std::uint64_t> entries{0};
    parallel_for(chunks_.size(), options, "reading patterns", [&](std::size_t k) {
      chunks_[k] = enumerate_chunk(graph_, colours_, request_, ends[k], ends[k + 1], direct, kept, entries);
    });
    for (const PatternChunk& chunk : chunks_) {
      patterns_.visited += chunk.visited;
      for (const std::uint32_t g : chunk.overflowed) direct[g] = 1;
    }
  }

  void mark_direct(const std::vector<char>& direct) {
    for (std::uint32_t g = 0; g < direct.size(); ++g) {
      if (direct[g] == 0) continue;
      patterns_.direct_graphs.push_back(g);
      patterns_.direct_begin.push_back(patterns_.direct_begin.back() + graph_.graph_begin[g + 1] -
                                       graph_.graph_begin[g]);
    }
  }

  // Patterns length by length, since a pattern's number depends on its parent's.
  void merge() {
    const auto num_levels = static_cast<std::size_t>(request_.vertices);
    to_global_.resize(num_levels);
    hashes_.resize(num_levels);
    hashes_[0] = *colours_.hash;
    for (std::size_t t = 0; t + 1 < num_levels; ++t) {
      patterns_.levels.push_back(
          merge_level(chunks_, t, colours_.count, request_.edge_labels, to_global_[t], to_global_[t + 1]));
      if (request_.states) hashes_[t + 1] = extend_hashes(patterns_.levels.back(), hashes_[t], *colours_.hash);
    }
  }

  // States and histograms of one output length.
  void finish(std::size_t output) {
    const auto t = static_cast<std::size_t>(patterns_.lengths[output]) - 2;
    if (request_.histograms) {
      patterns_.histograms[output] = join_histograms(chunks_, t, to_global_[t + 1], patterns_.levels[t + 1].size());
    }
    if (request_.states) {
      std::vector<std::uint64_t> hashes(graph_.num_classes());
      parallel_for(chunks_.size(), [&](std::size_t k) {
        renumber(chunks_[k].levels[t], to_global_[t + 1][k], hashes_[t + 1], hashes.data() + chunks_[k].first_class);
      });
      auto of_class = std::make_shared<std::vector<std::uint32_t>>();
      auto hash = std::make_shared<std::vector<std::uint64_t>>();
      StateTable& states = patterns_.states[output];
      states = StateInterner(chunks_, t, graph_.num_classes()).run(hashes, *of_class, *hash);
      states.patterns.columns = patterns_.levels[t + 1].size();
      append_direct_classes(graph_, patterns_, states.count, *of_class, *hash);
      patterns_.colouring[output] = {states.count + patterns_.num_direct_classes(), std::move(of_class),
                                     std::move(hash)};
    }
    for (PatternChunk& chunk : chunks_) chunk.levels[t] = PatternChunk::Level();
  }

  const ClassGraph& graph_;
  const Colouring& colours_;
  const CompileRequest& request_;
  Patterns& patterns_;
  std::vector<PatternChunk> chunks_;
  std::vector<Renumbering> to_global_;              // by length
  std::vector<std::vector<std::uint64_t>> hashes_;  // by length and pattern
};

}  // namespace

Patterns compile_patterns(const ClassGraph& graph, const Colouring& colours, const CompileRequest& request,
                          const RunOptions& options) {
  Patterns patterns;
  patterns.kind = request.kind;
  patterns.vertices = request.vertices;
  for (int length = request.all_lengths ? 1 : request.vertices; length <= request.vertices; ++length) {
    patterns.lengths.push_back(length);
  }
  patterns.levels.push_back(first_level(colours.count));
  patterns.states.resize(request.states ? patterns.lengths.size() : 0);
  patterns.colouring.resize(request.states ? patterns.lengths.size() : 0);
  patterns.histograms.resize(request.histograms ? patterns.lengths.size() : 0);
  if (patterns.lengths.front() == 1) {
    if (request.states) {
      patterns.states[0].identity = true;
      patterns.states[0].count = colours.count;
      patterns.colouring[0] = colours;
    }
    if (request.histograms) patterns.histograms[0] = single_node_histograms(graph, colours);
  }
  if (request.vertices > 1) Compilation(graph, colours, request, patterns).run(options);
  return patterns;
}

void read_pattern(const Patterns& patterns, std::uint32_t pattern, std::span<std::uint32_t> colours,
                  std::span<std::uint32_t> edges) {
  for (std::size_t t = colours.size(); t-- > 0;) {
    const TrieLevel& level = patterns.levels[t];
    colours[t] = level.colour[pattern];
    if (t == 0) break;
    if (!edges.empty()) edges[t - 1] = level.edge[pattern];
    pattern = level.parent[pattern];
  }
}

std::vector<double> pattern_totals(const Patterns& patterns, const ClassGraph& graph, std::span<const char> counts) {
  std::vector<double> totals(patterns.levels.back().size());
  const auto is_counted = [&](std::size_t g) { return counts.empty() || counts[g] != 0; };
  if (!patterns.histograms.empty()) {
    const SparseRows<double>& paths = patterns.histograms.back().paths;
    for (std::size_t g = 0; g < graph.num_graphs(); ++g) {
      if (!is_counted(g)) continue;
      const auto row = paths.row(g);
      for (std::size_t i = 0; i < row.size(); ++i) totals[row.index[i]] += row.weight[i];
    }
    return totals;
  }
  const StateTable& states = patterns.states.back();
  const std::vector<std::uint32_t>& state_of_class = *patterns.colouring.back().of_class;
  std::vector<double> nodes(patterns.colouring.back().count);
  for (std::size_t g = 0; g < graph.num_graphs(); ++g) {
    if (!is_counted(g)) continue;
    for (std::uint32_t c = graph.graph_begin[g]; c < graph.graph_begin[g + 1]; ++c) {
      nodes[state_of_class[c]] += graph.size[c];
    }
  }
  if (states.identity) return nodes;
  for (std::size_t s = 0; s < states.count; ++s) {
    const auto row = states.patterns.row(s);
    for (std::size_t i = 0; i < row.size(); ++i) totals[row.index[i]] += nodes[s] * row.weight[i];
  }
  return totals;
}

}  // namespace gckn
