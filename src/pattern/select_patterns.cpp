// SPDX-License-Identifier: BSD-3-Clause
#include "pattern/select_patterns.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gckn {
namespace {

// Calls body(class of the whole, class of the part) for the classes of selected graph k.
template <typename Body>
void for_classes(const GraphSelection& graphs, std::size_t k, const Body& body) {
  const std::uint32_t begin = graphs.whole.graph_begin[graphs.graphs[k]];
  const std::uint32_t part_begin = graphs.part.graph_begin[k];
  const std::uint32_t count = graphs.part.graph_begin[k + 1] - part_begin;
  for (std::uint32_t c = 0; c < count; ++c) body(begin + c, part_begin + c);
}

std::shared_ptr<const std::vector<std::uint64_t>> select_hashes(const Colouring& whole, const NewNumbers& number) {
  auto hash = std::make_shared<std::vector<std::uint64_t>>();
  hash->reserve(number.size());
  for (const std::uint32_t old : number.old()) hash->push_back((*whole.hash)[old]);
  return hash;
}

class PatternSelection {
 public:
  PatternSelection(const Patterns& whole, const GraphSelection& graphs, const SelectedColours& colours)
      : whole_(whole), graphs_(graphs), colours_(colours), used_(whole.levels.size()) {}

  Patterns run(std::vector<SelectedColours>& outputs) {
    part_.kind = whole_.kind;
    part_.vertices = whole_.vertices;
    part_.lengths = whole_.lengths;
    mark_direct();
    part_.states.resize(whole_.states.size());
    for (std::size_t i = 0; i < part_.states.size(); ++i) {
      outputs.push_back(select_states(i));
      part_.colouring.push_back(outputs.back().colours);
    }
    part_.histograms.resize(whole_.histograms.size());
    for (std::size_t i = 0; i < part_.histograms.size(); ++i) select_histograms(i);
    select_levels();
    return std::move(part_);
  }

 private:
  [[nodiscard]] std::size_t level_of(std::size_t output) const {
    return static_cast<std::size_t>(whole_.lengths[output]) - 1;
  }

  void mark_direct() {
    for (std::uint32_t k = 0; k < graphs_.graphs.size(); ++k) {
      is_direct_.push_back(std::ranges::binary_search(whole_.direct_graphs, graphs_.graphs[k]) ? 1 : 0);
      if (is_direct_[k] == 0) continue;
      part_.direct_graphs.push_back(k);
      part_.direct_begin.push_back(part_.direct_begin.back() + graphs_.part.graph_begin[k + 1] -
                                   graphs_.part.graph_begin[k]);
    }
  }

  // States and colours of one output length.
  SelectedColours select_states(std::size_t output) {
    const StateTable& whole = whole_.states[output];
    StateTable& part = part_.states[output];
    part.identity = whole.identity;
    part.count = colours_.colours.count;
    if (whole.identity) return colours_;

    const Colouring& whole_colours = whole_.colouring[output];
    auto number = std::make_shared<NewNumbers>(graphs_.part.num_classes());
    auto of_class = std::make_shared<std::vector<std::uint32_t>>(graphs_.part.num_classes());
    for (std::size_t k = 0; k < is_direct_.size(); ++k) {
      if (is_direct_[k] != 0) continue;
      for_classes(graphs_, k, [&](std::uint32_t c, std::uint32_t to) {
        (*of_class)[to] = number->use((*whole_colours.of_class)[c]);
      });
    }
    const std::vector<std::uint32_t> sorted = number->sort();
    part.count = static_cast<std::uint32_t>(number->size());
    for (std::size_t k = 0; k < is_direct_.size(); ++k) {
      for_classes(graphs_, k, [&](std::uint32_t c, std::uint32_t to) {
        std::uint32_t& state = (*of_class)[to];
        state = is_direct_[k] != 0 ? number->use((*whole_colours.of_class)[c]) : sorted[state];
      });
    }

    copy_rows(whole.patterns, number->old().first(part.count), level_of(output), part.patterns);
    Colouring colours{static_cast<std::uint32_t>(number->size()), std::move(of_class),
                      select_hashes(whole_colours, *number), whole_colours.labels};
    return {std::move(colours), std::move(number)};
  }

  void select_histograms(std::size_t output) {
    const GraphHistograms& whole = whole_.histograms[output];
    GraphHistograms& part = part_.histograms[output];
    copy_rows(whole.paths, graphs_.graphs, level_of(output), part.paths);
    part.mean.reserve(part.paths.index.size());
    for (const std::uint32_t g : graphs_.graphs) {
      const auto mean = std::span(whole.mean).subspan(whole.paths.begin[g], whole.paths.row(g).size());
      part.mean.insert(part.mean.end(), mean.begin(), mean.end());
    }
  }

  // These rows of patterns of level t, with the numbers that patterns have for the time being; colours have theirs.
  template <typename Weight>
  void copy_rows(const SparseRows<Weight>& whole, std::span<const std::uint32_t> rows, std::size_t t,
                 SparseRows<Weight>& part) {
    part.columns = colours_.colours.count;  // of longer patterns when their number is known
    part.begin.reserve(rows.size() + 1);
    for (const std::uint32_t row : rows) part.begin.push_back(part.begin.back() + whole.row(row).size());
    part.index.resize(part.begin.back());
    part.weight.resize(part.begin.back());
    std::size_t entry = 0;
    for (const std::uint32_t i : rows) {
      const auto row = whole.row(i);
      for (std::size_t e = 0; e < row.size(); ++e, ++entry) {
        part.index[entry] = t == 0 ? (*colours_.number)(row.index[e]) : used_[t].use(row.index[e]);
        part.weight[entry] = row.weight[e];
      }
    }
  }

  // All levels, once it is known which patterns are used; then the rows that list them.
  void select_levels() {
    const std::size_t num_levels = whole_.levels.size();
    std::vector<std::vector<std::uint32_t>> parent(num_levels);
    for (std::size_t t = num_levels; t-- > 1;) {
      for (const std::uint32_t pattern : used_[t].old()) {
        const std::uint32_t old = whole_.levels[t].parent[pattern];
        parent[t].push_back(t == 1 ? (*colours_.number)(old) : used_[t - 1].use(old));
      }
    }
    TrieLevel first;
    first.colour.resize(colours_.colours.count);
    std::iota(first.colour.begin(), first.colour.end(), 0U);
    part_.levels.push_back(std::move(first));
    std::vector<std::vector<std::uint32_t>> sorted(num_levels);
    for (std::size_t t = 1; t < num_levels; ++t) {
      if (t > 1) {
        for (std::uint32_t& number : parent[t]) number = sorted[t - 1][number];
      }
      part_.levels.push_back(select_level(t, parent[t], sorted[t]));
    }
    for (std::size_t i = 0; i < part_.lengths.size(); ++i) {
      const std::size_t t = level_of(i);
      if (t == 0) continue;
      const auto renumber = [&](auto& rows) {
        for (std::uint32_t& pattern : rows.index) pattern = sorted[t][pattern];
        rows.columns = used_[t].size();
      };
      if (!part_.states.empty()) renumber(part_.states[i].patterns);
      if (!part_.histograms.empty()) renumber(part_.histograms[i].paths);
    }
  }

  // parent: by pattern in the order of use; sorted: the pattern's final number.
  TrieLevel select_level(std::size_t t, const std::vector<std::uint32_t>& parent, std::vector<std::uint32_t>& sorted) {
    const TrieLevel& whole = whole_.levels[t];
    const std::size_t count = parent.size();
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;  // parent and edge, colour
    keys.reserve(count);
    for (std::size_t p = 0; p < count; ++p) {
      const std::uint32_t old = used_[t].old()[p];
      const std::uint32_t edge = whole.edge.empty() ? 0 : whole.edge[old];
      keys.emplace_back(std::uint64_t{parent[p]} << 32 | edge, (*colours_.number)(whole.colour[old]));
    }
    sorted = used_[t].sort(std::span(std::as_const(keys)));
    TrieLevel level;
    level.parent.resize(count);
    level.colour.resize(count);
    level.edge.resize(whole.edge.empty() ? 0 : count);
    for (std::size_t p = 0; p < count; ++p) {
      level.parent[sorted[p]] = parent[p];
      level.colour[sorted[p]] = keys[p].second;
      if (!level.edge.empty()) level.edge[sorted[p]] = static_cast<std::uint32_t>(keys[p].first);
    }
    return level;
  }

  const Patterns& whole_;
  const GraphSelection& graphs_;
  const SelectedColours& colours_;
  Patterns part_;
  std::vector<char> is_direct_;   // by selected graph
  std::vector<NewNumbers> used_;  // by level; not of the first, which is that of the colours
};

}  // namespace

ClassGraph select_graphs(const ClassGraph& whole, std::span<const std::uint32_t> selected) {
  ClassGraph part;
  part.graph_begin.reserve(selected.size() + 1);
  part.graph_begin.push_back(0);
  part.arc_begin.push_back(0);
  const auto append = [](auto& to, const auto& from, std::uint64_t begin, std::uint64_t end) {
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
              from.begin() + static_cast<std::ptrdiff_t>(end));
  };
  for (const std::uint32_t g : selected) {
    const std::uint32_t begin = whole.graph_begin[g];
    const std::uint32_t end = whole.graph_begin[g + 1];
    const std::uint32_t shift = part.graph_begin.back() - begin;  // modulo 2^32
    append(part.size, whole.size, begin, end);
    append(part.degree, whole.degree, begin, end);
    append(part.colour, whole.colour, begin, end);
    const std::uint64_t first_arc = whole.arc_begin[begin];
    const std::uint64_t last_arc = whole.arc_begin[end];
    for (std::uint32_t c = begin; c < end; ++c) {
      part.arc_begin.push_back(part.arc_to.size() + (whole.arc_begin[c + 1] - first_arc));
    }
    for (std::uint64_t a = first_arc; a < last_arc; ++a) part.arc_to.push_back(whole.arc_to[a] + shift);
    if (!whole.arc_label.empty()) append(part.arc_label, whole.arc_label, first_arc, last_arc);
    // The nodes of a graph are those up to the first with a class of a later one.
    const auto first_node = std::ranges::partition_point(whole.class_of_node, [&](auto c) { return c < begin; });
    const auto last_node = std::partition_point(first_node, whole.class_of_node.end(), [&](auto c) { return c < end; });
    for (auto node = first_node; node != last_node; ++node) part.class_of_node.push_back(*node + shift);
    part.graph_begin.push_back(end + shift);
  }
  return part;
}

SelectedColours select_colours(const Colouring& whole, const GraphSelection& graphs, bool keep_all) {
  auto number = std::make_shared<NewNumbers>(keep_all ? 0 : graphs.part.num_classes());
  if (keep_all) *number = NewNumbers::unchanged(whole.count);
  auto of_class = std::make_shared<std::vector<std::uint32_t>>(graphs.part.num_classes());
  for (std::size_t k = 0; k < graphs.graphs.size(); ++k) {
    for_classes(graphs, k, [&](std::uint32_t c, std::uint32_t to) {
      (*of_class)[to] = keep_all ? (*whole.of_class)[c] : number->use((*whole.of_class)[c]);
    });
  }
  if (!keep_all) {
    const std::vector<std::uint32_t> sorted = number->sort();
    for (std::uint32_t& colour : *of_class) colour = sorted[colour];
  }
  Colouring colours{static_cast<std::uint32_t>(number->size()), std::move(of_class), select_hashes(whole, *number),
                    whole.labels};
  return {std::move(colours), std::move(number)};
}

Patterns select_patterns(const Patterns& whole, const GraphSelection& graphs, const SelectedColours& colours,
                         std::vector<SelectedColours>& outputs) {
  return PatternSelection(whole, graphs, colours).run(outputs);
}

}  // namespace gckn
