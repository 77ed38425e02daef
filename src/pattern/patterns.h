// SPDX-License-Identifier: BSD-3-Clause
// The distinct things of one layer and input block: colour sequences in a trie, and multisets of them as node states.
//
// Length l here counts vertices, 1 <= l <= P. A pattern of length l is a pattern of length l - 1 plus an edge label
// (if used) plus a colour. The state of length l of a class is the multiset of patterns of length l that start at its
// nodes. Numbers are canonical: patterns are in lexicographic order of their colours, states in order of a hash of
// their contents and then of the contents, so they depend on what the graphs contain and not on the order they come in.
//
// Where patterns hardly repeat nothing is interned (`shared` is false) and layers evaluate paths directly; the states
// of length 1 are the colours themselves, those of every other length the classes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gckn/network.h"
#include "gckn/run_options.h"
#include "pattern/class_graph.h"

namespace gckn {

// A colour for every class.
struct Colouring {
  std::uint32_t count = 0;  // colours are 0 .. count - 1; some may not occur
  std::shared_ptr<const std::vector<std::uint32_t>> of_class;
};

struct TrieLevel {
  // By pattern of this length. Length 1: pattern = colour, no parents.
  std::vector<std::uint32_t> parent;  // pattern of length l - 1
  std::vector<std::uint32_t> colour;
  std::vector<std::uint32_t> edge;  // label of the edge that leads to the last vertex; empty where not used

  [[nodiscard]] std::size_t size() const { return colour.size(); }
};

// Distinct multisets of patterns of one length.
struct StateTable {
  bool identity = false;  // state s is the single pattern s; the arrays below are empty
  std::uint32_t count = 0;
  std::vector<std::uint64_t> begin;  // entries of state s: begin[s] .. begin[s + 1]
  std::vector<std::uint32_t> pattern;
  std::vector<std::uint32_t> multiplicity;
};

struct Patterns {
  bool shared = false;
  LayerKind kind = LayerKind::path;
  int vertices = 1;                  // P
  std::vector<int> lengths;          // the lengths that give output blocks: 1 .. P, or P alone
  std::uint64_t visited = 0;         // paths walked through while compiling
  std::vector<TrieLevel> levels;     // of lengths 1 .. P, where shared
  std::vector<StateTable> states;    // by output length, where shared
  std::vector<Colouring> colouring;  // by output length: the state of every class
};

struct CompileRequest {
  LayerKind kind = LayerKind::path;
  int vertices = 1;
  bool all_lengths = true;
  bool edge_labels = false;  // read ClassGraph::arc_label
  std::uint32_t num_edge_labels = 0;
};

// Throws LimitError: more than `limit` paths or walks of so many vertices.
[[noreturn]] void throw_too_many(LayerKind kind, int vertices, std::uint64_t limit);

// Compiles one layer on one colouring of the classes. Throws InputError past options.max_paths visited paths.
Patterns compile_patterns(const ClassGraph& graph, const Colouring& colours, const CompileRequest& request,
                          const RunOptions& options);

// The colour (and edge label) sequence of a pattern of length l = colours.size(); edges has l - 1 places or none.
void read_pattern(const Patterns& patterns, std::uint32_t pattern, std::span<std::uint32_t> colours,
                  std::span<std::uint32_t> edges);

// How often each full-length pattern occurs in the classes that count (by class; empty: all). Only where shared.
std::vector<std::uint64_t> pattern_totals(const Patterns& patterns, const ClassGraph& graph,
                                          std::span<const char> counts = {});

}  // namespace gckn
