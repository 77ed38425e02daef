// SPDX-License-Identifier: BSD-3-Clause
#include "network/forward_pass.h"

#include <fmt/format.h>

#include <algorithm>

#include "network/gmp.h"
#include "util/parallel.h"

namespace gckn {

template <typename Real>
ForwardPass<Real>::ForwardPass(const GraphSet& graphs, const InputEncoding& encoding, const RunOptions& options)
    : graphs_(graphs), encoding_(encoding), options_(options) {
  report_progress(options, "encoding", 0, 1);
  Block input;
  const EncodedGraphs encoded = encode(graphs, encoding, input.features);
  class_graph_ = make_class_graph(graphs, encoded.colour_of_node, encoded.arc_label);
  input.colours = {encoded.num_colours, std::make_shared<const std::vector<std::uint32_t>>(class_graph_.colour)};
  blocks_.push_back(std::move(input));
  begin_layer();
}

template <typename Real>
void ForwardPass<Real>::begin_layer() {
  layer_options_ = options_;
  if (!options_.progress) return;
  const std::size_t number = ++layer_number_;
  layer_options_.progress = [this, number](const Progress& progress) {
    const std::string stage = fmt::format("layer {}: {}", number, progress.stage);
    return options_.progress({stage, progress.done, progress.total});
  };
}

template <typename Real>
std::vector<Patterns> ForwardPass<Real>::compile(const LayerConfig& layer) {
  report_progress(layer_options_, "reading patterns", 0, 1);
  CompileRequest request;
  request.kind = layer.kind;
  request.vertices = layer.path_length + 1;
  request.all_lengths = layer.all_lengths;
  request.edge_labels = encoding_.uses_edge_labels && layer.path_length > 0;
  request.num_edge_labels = static_cast<std::uint32_t>(encoding_.edge_labels.size() + 1);
  std::vector<Patterns> patterns;
  patterns.reserve(blocks_.size());
  for (const Block& block : blocks_) {
    patterns.push_back(compile_patterns(class_graph_, block.colours, request, layer_options_));
  }
  return patterns;
}

template <typename Real>
std::size_t ForwardPass<Real>::apply(const LayerOperator<Real>& layer, const std::vector<Patterns>& patterns,
                                     const Output& output, BasicMatrix<Real>& vectors, std::size_t column) {
  report_progress(layer_options_, "evaluating", 0, patterns.size());
  // Linear pooling over graphs commutes with A.
  TransformChoice choice;
  choice.may_defer = output.is_last && output.pooled &&
                     (output.global_pooling == Pooling::sum || output.global_pooling == Pooling::mean);
  choice.deferred_rows = class_graph_.num_graphs();
  std::vector<Block> next;
  for (std::size_t b = 0; b < patterns.size(); ++b) {
    std::vector<BlockOutput<Real>> outputs =
        patterns[b].shared ? evaluate_shared(layer, patterns[b], blocks_[b].features, choice)
                           : evaluate_direct(layer, patterns[b], class_graph_, blocks_[b].colours, blocks_[b].features,
                                             choice, layer_options_);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Colouring& colours = patterns[b].colouring[i];
      if (output.pooled) {
        pool(layer, patterns[b].lengths[i], outputs[i], colours, output.global_pooling, vectors, column);
        column += layer.filters;
      }
      if (!output.is_last) next.push_back({colours, split_norms(std::move(outputs[i].rows))});
    }
    blocks_[b].features = {};  // not needed any more, and large
    report_progress(layer_options_, "evaluating", b + 1, patterns.size());
  }
  blocks_ = std::move(next);
  begin_layer();
  return column;
}

template <typename Real>
void ForwardPass<Real>::pool(const LayerOperator<Real>& layer, int length, const BlockOutput<Real>& output,
                             const Colouring& colours, Pooling pooling, BasicMatrix<Real>& vectors,
                             std::size_t column) const {
  const std::size_t q = layer.filters;
  constexpr std::size_t kTile = 64;  // graphs per task
  parallel_tiles(class_graph_.num_graphs(), kTile, [&](std::size_t first, std::size_t last) {
    BasicMatrix<Real> pooled(last - first, q);
    std::vector<std::uint64_t> nodes;  // colour << 32 | number of nodes
    std::vector<std::uint32_t> indices;
    std::vector<Real> weights;
    GmpPool<Real> gmp(q, layer.config.gmp_lambda);
    for (std::size_t g = first; g < last; ++g) {
      // Colours in ascending order: equal graphs are summed in equal order, however their nodes are numbered.
      nodes.clear();
      double total = 0;
      for (std::uint32_t c = class_graph_.graph_begin[g]; c < class_graph_.graph_begin[g + 1]; ++c) {
        nodes.push_back(std::uint64_t{(*colours.of_class)[c]} << 32 | class_graph_.size[c]);
        total += class_graph_.size[c];
      }
      if (nodes.empty()) continue;
      std::sort(nodes.begin(), nodes.end());
      indices.clear();
      weights.clear();
      for (const std::uint64_t entry : nodes) {
        const auto colour = static_cast<std::uint32_t>(entry >> 32);
        const auto count = static_cast<Real>(static_cast<std::uint32_t>(entry));
        if (!indices.empty() && indices.back() == colour) {
          weights.back() += count;
        } else {
          indices.push_back(colour);
          weights.push_back(count);
        }
      }
      Real* out = pooled.row(g - first);
      if (pooling == Pooling::max) {
        row_max(output.rows.data(), q, indices.data(), indices.size(), out);
      } else if (pooling == Pooling::gmp) {
        gmp.clear();
        for (std::size_t i = 0; i < indices.size(); ++i) gmp.add(output.rows.row(indices[i]), weights[i]);
        gmp.solve(out);
      } else {
        if (pooling == Pooling::mean) {
          for (Real& weight : weights) weight = static_cast<Real>(weight / total);
        }
        weighted_row_sum(output.rows.data(), q, indices.data(), weights.data(), indices.size(), out);
      }
    }
    if (!output.transformed) apply_transform(layer.transform(length), pooled);
    for (std::size_t g = first; g < last; ++g) std::copy_n(pooled.row(g - first), q, vectors.row(g) + column);
  });
}

template <typename Real>
BasicMatrix<Real> ForwardPass<Real>::node_rows() const {
  const std::size_t width = blocks_.empty() ? 0 : blocks_[0].features.width;
  BasicMatrix<Real> rows(graphs_.num_nodes(), blocks_.size() * width);
  for (std::size_t u = 0; u < graphs_.num_nodes(); ++u) {
    const std::uint32_t c = class_graph_.class_of_node[u];
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const std::uint32_t colour = (*blocks_[b].colours.of_class)[c];
      const ColourFeatures<Real>& features = blocks_[b].features;
      const Real norm = std::max(features.norm_of(colour), static_cast<Real>(kTinyNorm));
      for (std::size_t k = 0; k < width; ++k) rows(u, b * width + k) = norm * features.unit(colour, k);
    }
  }
  return rows;
}

template class ForwardPass<float>;
template class ForwardPass<double>;

}  // namespace gckn
