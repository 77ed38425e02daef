// SPDX-License-Identifier: BSD-3-Clause
// Second half of compilation: merges the tries of all chunks into one with canonical numbers, and interns the
// multisets as states. Everything is by sorting, so the numbers depend on contents alone.
#include "pattern/patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "pattern/enumerate.h"
#include "util/counted.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// Interning is tried where enumeration visits at most this many paths, or where there cannot be more patterns than
// kFewPatterns. It is kept if there are at most kMostPatterns patterns and fewer than kRepeat of the visits were new.
constexpr double kMostVisits = 64e6;
constexpr double kFewPatterns = 65536;
constexpr std::uint64_t kMostPatterns = 2'000'000;
constexpr std::uint64_t kMostEntries = 64'000'000;
constexpr double kRepeat = 0.6;

std::shared_ptr<const std::vector<std::uint32_t>> iota(std::size_t count) {
  auto values = std::make_shared<std::vector<std::uint32_t>>(count);
  std::iota(values->begin(), values->end(), 0U);
  return values;
}

bool worth_trying(const ClassGraph& graph, const Colouring& colours, const CompileRequest& request) {
  if (2.0 * colours.count > static_cast<double>(graph.num_classes())) return false;  // colours hardly repeat
  const double symbols = static_cast<double>(colours.count) * (request.edge_labels ? request.num_edge_labels : 1);
  if (std::pow(symbols, request.vertices) <= kFewPatterns) return true;
  // The largest degree settles most cases without counting.
  const std::uint64_t degree = graph.degree.empty() ? 0 : *std::max_element(graph.degree.begin(), graph.degree.end());
  const double most = static_cast<double>(graph.num_classes()) *
                      std::pow(static_cast<double>(std::max<std::uint64_t>(degree, 2)), request.vertices - 1) * 2;
  return most <= kMostVisits || enumeration_bound(graph, request.vertices) <= kMostVisits;
}

// Fills `patterns` for direct evaluation: single nodes are their colours, longer states are the classes.
void fill_direct(const ClassGraph& graph, const Colouring& colours, Patterns& patterns) {
  patterns.shared = false;
  const auto classes = iota(graph.num_classes());
  for (const int length : patterns.lengths) {
    patterns.colouring.push_back(length == 1 ? colours
                                             : Colouring{static_cast<std::uint32_t>(graph.num_classes()), classes});
  }
}

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

// Renumbers the multisets of a chunk and sorts each by pattern. Returns a hash of each.
std::vector<std::uint64_t> renumber(PatternChunk::Level& level, const std::vector<std::uint32_t>& to_global) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(level.begin.size() - 1);
  std::vector<std::uint64_t> row;
  for (std::size_t i = 0; i + 1 < level.begin.size(); ++i) {
    row.clear();
    for (std::uint64_t e = level.begin[i]; e < level.begin[i + 1]; ++e) {
      row.push_back(std::uint64_t{to_global[level.pattern[e]]} << 32 | level.multiplicity[e]);
    }
    if (row.size() > 1) std::sort(row.begin(), row.end());
    std::uint64_t hash = row.size();
    for (std::size_t j = 0; j < row.size(); ++j) {
      hash = mix_bits(hash * 0x9e3779b97f4a7c15ULL + row[j]);
      level.pattern[level.begin[i] + j] = static_cast<std::uint32_t>(row[j] >> 32);
      level.multiplicity[level.begin[i] + j] = static_cast<std::uint32_t>(row[j]);
    }
    hashes.push_back(hash);
  }
  return hashes;
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

  // hashes: by class. Gives every class its state and fills the table of states.
  StateTable run(const std::vector<std::uint64_t>& hashes, std::vector<std::uint32_t>& of_class) const {
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
    table.begin.reserve(table.count + std::size_t{1});
    table.begin.push_back(0);
    for (const std::uint32_t c : representative) table.begin.push_back(table.begin.back() + view(c).pattern.size());
    table.pattern.resize(table.begin.back());
    table.multiplicity.resize(table.begin.back());
    parallel_tiles(table.count, 4096, [&](std::size_t first, std::size_t last) {
      for (std::size_t s = first; s < last; ++s) {
        const MultisetView multiset = view(representative[s]);
        std::ranges::copy(multiset.pattern, table.pattern.begin() + static_cast<std::ptrdiff_t>(table.begin[s]));
        std::ranges::copy(multiset.multiplicity,
                          table.multiplicity.begin() + static_cast<std::ptrdiff_t>(table.begin[s]));
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

// Enumerates all chunks; nothing if the patterns turn out not to repeat and interning was not asked for.
std::optional<std::vector<PatternChunk>> enumerate_all(const ClassGraph& graph, const Colouring& colours,
                                                       const CompileRequest& request,
                                                       const std::vector<bool>& keep_states, const RunOptions& options,
                                                       std::uint64_t& visited) {
  const std::vector<std::uint32_t> ends = graph.chunks();
  std::vector<PatternChunk> chunks(ends.size() - 1);
  parallel_for(chunks.size(), options, "reading patterns", [&](std::size_t k) {
    chunks[k] = enumerate_chunk(graph, colours, request, ends[k], ends[k + 1], keep_states, options.max_paths);
  });
  std::uint64_t distinct = 0;
  std::uint64_t entries = 0;
  bool overflow = false;
  for (const PatternChunk& chunk : chunks) {
    visited += chunk.visited;
    overflow |= chunk.overflow;
    for (const PatternChunk::Level& level : chunk.levels) {
      distinct += level.keys.size();
      entries += level.pattern.size();
    }
  }
  if (visited > options.max_paths) throw_too_many(request.kind, request.vertices, options.max_paths);
  if (overflow) return std::nullopt;
  if (options.evaluator == Evaluator::shared) return chunks;
  const bool repeats = static_cast<double>(distinct) <= kRepeat * static_cast<double>(visited) || visited < 100'000;
  if (!repeats || distinct > kMostPatterns || entries > kMostEntries) return std::nullopt;
  return chunks;
}

}  // namespace

void throw_too_many(LayerKind kind, int vertices, std::uint64_t limit) {
  throw LimitError(fmt::format("more than {} {}s of {}: shorten them or raise the limit of paths to visit", limit,
                               to_string(kind), counted(static_cast<std::uint64_t>(vertices - 1), "edge")));
}

Patterns compile_patterns(const ClassGraph& graph, const Colouring& colours, const CompileRequest& request,
                          const RunOptions& options) {
  Patterns patterns;
  patterns.kind = request.kind;
  patterns.vertices = request.vertices;
  for (int length = request.all_lengths ? 1 : request.vertices; length <= request.vertices; ++length) {
    patterns.lengths.push_back(length);
  }
  const auto num_levels = static_cast<std::size_t>(request.vertices);
  const std::uint64_t symbols = std::uint64_t{colours.count} * (request.edge_labels ? request.num_edge_labels : 1);
  const bool fits = symbols < (std::uint64_t{1} << 32);
  const bool trivial = request.vertices == 1;
  const bool wanted = options.evaluator == Evaluator::shared ||
                      (options.evaluator == Evaluator::automatic && worth_trying(graph, colours, request));

  std::vector<bool> keep_states(num_levels - 1);
  for (const int length : patterns.lengths) {
    if (length > 1) keep_states[static_cast<std::size_t>(length) - 2] = true;
  }
  std::optional<std::vector<PatternChunk>> chunks;
  if (trivial) {
    chunks.emplace();
  } else if (fits && wanted) {
    chunks = enumerate_all(graph, colours, request, keep_states, options, patterns.visited);
  }
  if (!chunks) {
    fill_direct(graph, colours, patterns);
    return patterns;
  }

  patterns.shared = true;
  patterns.levels.push_back(first_level(colours.count));
  if (patterns.lengths.front() == 1) {
    StateTable table;
    table.identity = true;
    table.count = colours.count;
    patterns.states.push_back(std::move(table));
    patterns.colouring.push_back(colours);
  }
  // Patterns first, length by length, since a pattern's number depends on its parent's.
  std::vector<Renumbering> to_global(num_levels);
  for (std::size_t t = 0; t + 1 < num_levels; ++t) {
    patterns.levels.push_back(
        merge_level(*chunks, t, colours.count, request.edge_labels, to_global[t], to_global[t + 1]));
  }
  // Then the states of all lengths side by side.
  const std::size_t first_output = patterns.states.size();
  patterns.states.resize(patterns.lengths.size());
  patterns.colouring.resize(patterns.lengths.size());
  parallel_for(patterns.lengths.size() - first_output, [&](std::size_t i) {
    const std::size_t output = first_output + i;
    const auto t = static_cast<std::size_t>(patterns.lengths[output]) - 2;
    std::vector<std::uint64_t> hashes(graph.num_classes());
    parallel_for(chunks->size(), [&](std::size_t k) {
      const std::vector<std::uint64_t> local = renumber((*chunks)[k].levels[t], to_global[t + 1][k]);
      std::ranges::copy(local, hashes.begin() + (*chunks)[k].first_class);
    });
    auto of_class = std::make_shared<std::vector<std::uint32_t>>();
    patterns.states[output] = StateInterner(*chunks, t, graph.num_classes()).run(hashes, *of_class);
    patterns.colouring[output] = {patterns.states[output].count, std::move(of_class)};
    for (PatternChunk& chunk : *chunks) chunk.levels[t] = PatternChunk::Level();
  });
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

std::vector<std::uint64_t> pattern_totals(const Patterns& patterns, const ClassGraph& graph,
                                          std::span<const char> counts) {
  const StateTable& states = patterns.states.back();
  const std::vector<std::uint32_t>& state_of_class = *patterns.colouring.back().of_class;
  std::vector<std::uint64_t> nodes(states.count);
  for (std::size_t c = 0; c < graph.num_classes(); ++c) {
    if (counts.empty() || counts[c] != 0) nodes[state_of_class[c]] += graph.size[c];
  }
  if (states.identity) return nodes;
  std::vector<std::uint64_t> totals(patterns.levels.back().size());
  for (std::size_t s = 0; s < states.count; ++s) {
    for (std::uint64_t e = states.begin[s]; e < states.begin[s + 1]; ++e) {
      totals[states.pattern[e]] += nodes[s] * states.multiplicity[e];
    }
  }
  return totals;
}

}  // namespace gckn
