// SPDX-License-Identifier: BSD-3-Clause
#include "network/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gckn/error.h"
#include "pattern/select_patterns.h"

namespace gckn {
namespace {

void require_distinct_graphs(std::span<const std::uint32_t> selected, std::size_t num_graphs) {
  std::vector<std::uint32_t> sorted(selected.begin(), selected.end());
  std::ranges::sort(sorted);
  if (!sorted.empty() && sorted.back() >= num_graphs) {
    throw UsageError(fmt::format("there is no graph {} to select among {}", sorted.back(), num_graphs));
  }
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) throw UsageError(fmt::format("graph {} is selected twice", *twice));
}

InputColours select_input(const InputColours& whole, const NewNumbers& number) {
  if (whole.one_hot) return whole;
  InputColours part;
  part.count = static_cast<std::uint32_t>(number.size());
  part.attributes = DoubleMatrix::uninitialised(number.size(), whole.attributes.cols());
  for (std::size_t c = 0; c < number.size(); ++c) {
    const std::uint32_t old = number.old()[c];
    part.hash.push_back(whole.hash[old]);
    std::copy_n(whole.attributes.row(old), whole.attributes.cols(), part.attributes.row(c));
    if (!whole.label.empty()) part.label.push_back(whole.label[old]);
    part.node.push_back(whole.node[old]);  // as numbered in the file, for messages
  }
  part.first_graph = whole.first_graph;
  part.graph_begin = whole.graph_begin;
  return part;
}

}  // namespace

CompiledSet select_graphs(const CompiledSet& whole, std::span<const std::uint32_t> selected) {
  require_distinct_graphs(selected, whole.graph().num_graphs());
  auto graph = std::make_shared<ClassGraph>(select_graphs(whole.graph(), selected));
  const GraphSelection graphs{whole.graph(), *graph, selected};
  std::vector<SelectedColours> blocks{select_colours(whole.set->colours, graphs, whole.set->input.one_hot)};
  graph->colour = *blocks[0].colours.of_class;

  EncodedSet set{graph, blocks[0].colours, select_input(whole.set->input, *blocks[0].number), {}};
  for (const std::uint32_t place : selected) {
    if (!whole.set->order.empty()) set.order.push_back(whole.set->order[place]);
  }
  CompiledSet part{std::make_shared<const EncodedSet>(std::move(set)), {}};
  for (const std::shared_ptr<const LayerPatterns>& layer : whole.layers) {
    auto patterns = std::make_shared<LayerPatterns>();
    std::vector<SelectedColours> outputs;
    for (std::size_t b = 0; b < layer->size(); ++b) {
      patterns->push_back(select_patterns((*layer)[b], graphs, blocks[b], outputs));
    }
    part.layers.push_back(std::move(patterns));
    blocks = std::move(outputs);
  }
  return part;
}

}  // namespace gckn
