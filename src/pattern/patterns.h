// SPDX-License-Identifier: BSD-3-Clause
// The distinct things of one layer and input block: colour sequences in a trie, and multisets of them as node states.
//
// Length l here counts vertices, 1 <= l <= P. A pattern of length l is a pattern of length l - 1 plus an edge label
// (if used) plus a colour. The state of length l of a class is the multiset of patterns of length l that start at its
// nodes. Numbers are canonical: patterns are in lexicographic order of their colours, states in order of a hash of
// what they contain. The hash follows contents down to the input's labels and attributes, never numbers, so states (and
// with them colours and patterns of later layers) stand in the same order in whatever company a graph is compiled.
//
// Graphs whose patterns hardly repeat, or that are too dense to list their paths, are left out of the trie: they are
// evaluated directly. Which ones follows from each graph alone (pattern/choice.h), so a graph is evaluated in the same
// way in any set. Their classes are states of their own, behind those that are shared.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gckn/network.h"
#include "gckn/run_options.h"
#include "linalg/sparse_rows.h"
#include "pattern/class_graph.h"

namespace gckn {

// A colour for every class.
struct Colouring {
  std::uint32_t count = 0;  // colours are 0 .. count - 1; some may not occur
  std::shared_ptr<const std::vector<std::uint32_t>> of_class;
  std::shared_ptr<const std::vector<std::uint64_t>> hash;  // by colour: of what it stands for
  bool labels = false;                                     // input labels: few, and the same ones in many graphs
};

// The patterns of one length. They are sorted parent first, then edge, then colour. So the children of a pattern are
// contiguous, and so are all patterns with the same beginning: sums over children (gradients of a parent) are sums over
// a segment, and whoever goes through the children of one parent after the other goes through the level in order.
struct TrieLevel {
  // By pattern of this length. Length 1: pattern = colour, no parents.
  std::vector<std::uint32_t> parent;  // pattern of length l - 1, ascending
  std::vector<std::uint32_t> colour;
  std::vector<std::uint32_t> edge;  // label of the edge that leads to the last vertex; empty where not used

  [[nodiscard]] std::size_t size() const { return colour.size(); }
};

// Distinct multisets of patterns of one length.
struct StateTable {
  bool identity = false;  // state s is the single pattern s; `patterns` is empty
  std::uint32_t count = 0;
  SparseRows<std::uint32_t> patterns;  // states x patterns: multiplicities
};

// How often the patterns of one length occur in each graph, for pooling that needs no states: graphs x patterns.
struct GraphHistograms {
  SparseRows<double> paths;  // number of paths, of all nodes together
  std::vector<double> mean;  // by entry: each node's paths have weight 1 together
};

struct Patterns {
  LayerKind kind = LayerKind::path;
  int vertices = 1;               // P
  std::vector<int> lengths;       // the lengths that give output blocks: 1 .. P, or P alone
  std::uint64_t visited = 0;      // paths walked through while compiling
  std::vector<TrieLevel> levels;  // of lengths 1 .. P

  // By output length, where asked for. Colourings count the classes of direct graphs, in order, behind the states;
  // single nodes (length 1) are their colours in all graphs.
  std::vector<StateTable> states;
  std::vector<Colouring> colouring;
  std::vector<GraphHistograms> histograms;  // empty rows for direct graphs, but for length 1

  std::vector<std::uint32_t> direct_graphs;  // ascending
  std::vector<std::uint32_t> direct_begin{
      0};  // their classes, numbered through: direct_begin[i] .. direct_begin[i + 1]

  [[nodiscard]] std::uint32_t num_direct_classes() const { return direct_begin.back(); }
};

struct CompileRequest {
  LayerKind kind = LayerKind::path;
  int vertices = 1;
  bool all_lengths = true;
  bool edge_labels = false;  // read ClassGraph::arc_label
  std::uint32_t num_edge_labels = 0;
  bool states = true;       // what another layer, or pooling that is not linear, builds on
  bool histograms = false;  // what linear pooling over graphs needs
  // Patterns that may be listed, those of every node or graph counted alone: what bounds the memory.
  std::uint64_t most_entries = std::uint64_t{1} << 27;
};

// Compiles one layer on one colouring of the classes. Throws LimitError, before the work, where there are more than
// options.max_paths paths to visit, and as soon as there are more than request.most_entries patterns to keep.
Patterns compile_patterns(const ClassGraph& graph, const Colouring& colours, const CompileRequest& request,
                          const RunOptions& options);

// The colour (and edge label) sequence of a pattern of length l = colours.size(); edges has l - 1 places or none.
void read_pattern(const Patterns& patterns, std::uint32_t pattern, std::span<std::uint32_t> colours,
                  std::span<std::uint32_t> edges);

// How often each full-length pattern occurs in the graphs that count (empty: all), those of direct graphs left out.
std::vector<double> pattern_totals(const Patterns& patterns, const ClassGraph& graph,
                                   std::span<const char> counts = {});

}  // namespace gckn
