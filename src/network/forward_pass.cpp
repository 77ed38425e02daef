// SPDX-License-Identifier: BSD-3-Clause
#include "network/forward_pass.h"

#include <fmt/format.h>

#include <algorithm>

#include "network/stages.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// Pools one output block over graphs.
template <typename Real>
class GraphPooling {
 public:
  GraphPooling(const ClassGraph& graph, const Patterns& patterns, std::size_t output, const BlockOutput<Real>& rows,
               const LayerOperator<Real>& layer, const LayerPlan& plan, Pooling global_pooling)
      : graph_(graph),
        patterns_(patterns),
        output_(output),
        rows_(rows),
        layer_(layer),
        plan_(plan),
        global_pooling_(global_pooling) {}

  // Writes to columns column .. of rows first_row .. of `vectors`.
  void run(BasicMatrix<Real>& vectors, std::size_t first_row, std::size_t column) const {
    const std::size_t q = layer_.filters;
    parallel_tiles(graph_.num_graphs(), kTileGraphs, [&](std::size_t first, std::size_t last) {
      auto pooled = BasicMatrix<Real>::uninitialised(last - first, q);
      RowPool<Real> pool(q, global_pooling_, layer_.config.gmp_lambda);
      SparseRows<double> scratch;
      std::vector<std::pair<std::uint32_t, double>> entries;
      auto direct = std::ranges::lower_bound(patterns_.direct_graphs, first) - patterns_.direct_graphs.begin();
      for (std::size_t g = first; g < last; ++g) {
        const double factor = global_pooling_ == Pooling::mean ? 1.0 / std::max(1.0, num_nodes(g)) : 1.0;
        const auto i = static_cast<std::size_t>(direct);
        const bool is_direct = i < patterns_.direct_graphs.size() && patterns_.direct_graphs[i] == g;
        if (is_direct) ++direct;
        Real* out = pooled.row(g - first);
        if (plan_.by_histogram && (!is_direct || patterns_.lengths[output_] == 1)) {
          const GraphHistograms& histograms = patterns_.histograms[output_];
          const auto row = histograms.paths.row(g);
          const std::span<const double> mean(histograms.mean.data() + histograms.paths.begin[g], row.size());
          pool.pool(rows_.rows, row.index, layer_.config.pooling == Pooling::mean ? mean : row.weight, factor, out);
          continue;
        }
        // The classes' own rows: behind those of the patterns, or as the colouring says.
        const std::uint32_t begin = graph_.graph_begin[g];
        for (std::uint32_t c = begin; c < graph_.graph_begin[g + 1]; ++c) {
          const std::size_t row = plan_.by_histogram ? first_direct_row() + patterns_.direct_begin[i] + (c - begin)
                                                     : (*patterns_.colouring[output_].of_class)[c];
          entries.emplace_back(static_cast<std::uint32_t>(row), graph_.size[c]);
        }
        scratch = {};
        scratch.add_row(entries);
        const auto row = scratch.row(0);
        pool.pool(rows_.rows, row.index, row.weight, factor, out);
      }
      if (!rows_.transformed) {
        transform_forward(layer_.transform(patterns_.lengths[output_]), pooled, 0, pooled.rows());
      }
      for (std::size_t g = first; g < last; ++g) {
        std::copy_n(pooled.row(g - first), q, vectors.row(first_row + g) + column);
      }
    });
  }

 private:
  static constexpr std::size_t kTileGraphs = 64;

  [[nodiscard]] double num_nodes(std::size_t g) const {
    double nodes = 0;
    for (std::uint32_t c = graph_.graph_begin[g]; c < graph_.graph_begin[g + 1]; ++c) nodes += graph_.size[c];
    return nodes;
  }

  [[nodiscard]] std::size_t first_direct_row() const { return rows_.rows.rows() - patterns_.num_direct_classes(); }

  const ClassGraph& graph_;
  const Patterns& patterns_;
  const std::size_t output_;
  const BlockOutput<Real>& rows_;
  const LayerOperator<Real>& layer_;
  const LayerPlan& plan_;
  const Pooling global_pooling_;
};

}  // namespace

template <typename Real>
ForwardPass<Real>::ForwardPass(const CompiledSet& compiled, const InputEncoding& encoding, const RunOptions& options)
    : compiled_(compiled), options_(options) {
  blocks_.push_back({compiled.set->colours, input_features<Real>(compiled.set->input, encoding)});
  begin_layer();
}

template <typename Real>
void ForwardPass<Real>::begin_layer() {
  layer_options_ = with_prefix(options_, fmt::format("layer {}: ", layer_ + 1));
}

template <typename Real>
std::size_t ForwardPass<Real>::apply(const LayerOperator<Real>& layer, const LayerPlan& plan, Pooling global_pooling,
                                     BasicMatrix<Real>& vectors, std::size_t first_row, std::size_t column) {
  const LayerPatterns& all = patterns();
  report_progress(layer_options_, "evaluating", 0, all.size());
  std::vector<Block> next;
  for (std::size_t b = 0; b < all.size(); ++b) {
    std::vector<BlockOutput<Real>> outputs =
        evaluate_block(layer, plan, all[b], class_graph(), blocks_[b].colours, blocks_[b].features, layer_options_);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (plan.pooled) {
        GraphPooling<Real>(class_graph(), all[b], i, outputs[i], layer, plan, global_pooling)
            .run(vectors, first_row, column);
        column += layer.filters;
      }
      if (plan.feeds_layer) next.push_back({all[b].colouring[i], split_norms(std::move(outputs[i].rows))});
      outputs[i] = {};
    }
    blocks_[b].features = {};  // not needed any more, and large
    report_progress(layer_options_, "evaluating", b + 1, all.size());
  }
  blocks_ = std::move(next);
  ++layer_;
  begin_layer();
  return column;
}

template <typename Real>
BasicMatrix<Real> ForwardPass<Real>::node_rows() const {
  const ClassGraph& graph = class_graph();
  const std::size_t width = blocks_.empty() ? 0 : blocks_[0].features.width;
  BasicMatrix<Real> rows(graph.class_of_node.size(), blocks_.size() * width);
  for (std::size_t u = 0; u < rows.rows(); ++u) {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const std::uint32_t colour = (*blocks_[b].colours.of_class)[graph.class_of_node[u]];
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
