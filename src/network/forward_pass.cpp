// SPDX-License-Identifier: BSD-3-Clause
#include "network/forward_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "network/gmp.h"
#include "util/parallel.h"

namespace gckn {

template <typename Real>
ForwardPass<Real>::ForwardPass(const GraphSet& graphs, const InputEncoding& encoding, const RunOptions& options,
                               const CompiledLayers* compiled)
    : graphs_(graphs), encoding_(encoding), options_(options), compiled_(compiled) {
  report_progress(options, "encoding", 0, 1);
  Block input;
  const EncodedGraphs encoded = encode(graphs, encoding, input.features);
  if (compiled != nullptr) {
    class_graph_ = compiled->graph;
    input.colours = compiled->colours;
  } else {
    class_graph_ =
        std::make_shared<const ClassGraph>(make_class_graph(graphs, encoded.colour_of_node, encoded.arc_label));
    input.colours = {encoded.num_colours, std::make_shared<const std::vector<std::uint32_t>>(class_graph_->colour)};
  }
  blocks_.push_back(std::move(input));
  begin_layer();
}

template <typename Real>
void ForwardPass<Real>::begin_layer() {
  layer_options_ = options_;
  const std::size_t number = ++layer_number_;
  if (!options_.progress) return;
  layer_options_.progress = [this, number](const Progress& progress) {
    const std::string stage = fmt::format("layer {}: {}", number, progress.stage);
    return options_.progress({stage, progress.done, progress.total});
  };
}

template <typename Real>
std::shared_ptr<const std::vector<Patterns>> ForwardPass<Real>::compile(const LayerConfig& layer) {
  if (compiled_ != nullptr) return compiled_->layers.at(layer_number_ - 1);
  report_progress(layer_options_, "reading patterns", 0, 1);
  const CompileRequest request = compile_request(layer, encoding_);
  auto patterns = std::make_shared<std::vector<Patterns>>();
  patterns->reserve(blocks_.size());
  for (const Block& block : blocks_) {
    patterns->push_back(compile_patterns(*class_graph_, block.colours, request, layer_options_));
  }
  return patterns;
}

template <typename Real>
std::size_t ForwardPass<Real>::apply(const LayerOperator<Real>& layer, const std::vector<Patterns>& patterns,
                                     const Output& output, BasicMatrix<Real>& vectors, std::size_t column) {
  report_progress(layer_options_, "evaluating", 0, patterns.size());
  Deferral deferral;
  deferral.possible = output.is_last && output.pooled &&
                      (output.global_pooling == Pooling::sum || output.global_pooling == Pooling::mean);
  deferral.num_graphs = class_graph_->num_graphs();
  std::vector<Block> next;
  for (std::size_t b = 0; b < patterns.size(); ++b) {
    std::vector<BlockOutput<Real>> outputs =
        patterns[b].shared ? evaluate_shared(layer, patterns[b], blocks_[b].features, deferral)
                           : evaluate_direct(layer, patterns[b], *class_graph_, blocks_[b].colours, blocks_[b].features,
                                             deferral, layer_options_);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Colouring& colours = patterns[b].colouring[i];
      if (output.pooled) {
        pool(layer, patterns[b], i, outputs[i], output.global_pooling, vectors, column);
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

namespace {

// The rows that one graph sums up, in ascending order: equal graphs are summed in equal order, however their nodes are
// numbered.
template <typename Real>
class GraphRows {
 public:
  explicit GraphRows(std::size_t num_rows) : weight_of_row_(num_rows) {}

  void add(std::uint32_t row, double weight) {
    if (weight_of_row_[row] == 0) indices_.push_back(row);
    weight_of_row_[row] += weight;
  }
  // Multiplies all weights and makes indices() and weights() ready.
  void finish(double factor) {
    std::sort(indices_.begin(), indices_.end());
    weights_.clear();
    for (const std::uint32_t row : indices_) weights_.push_back(static_cast<Real>(weight_of_row_[row] * factor));
  }
  void clear() {
    for (const std::uint32_t row : indices_) weight_of_row_[row] = 0;
    indices_.clear();
  }
  [[nodiscard]] const std::vector<std::uint32_t>& indices() const { return indices_; }
  [[nodiscard]] const std::vector<Real>& weights() const { return weights_; }

 private:
  std::vector<double> weight_of_row_;
  std::vector<std::uint32_t> indices_;
  std::vector<Real> weights_;
};

// Adds the patterns of `nodes` nodes of one state.
template <typename Real>
void add_patterns(const StateTable& states, std::uint32_t state, double nodes, Pooling local, GraphRows<Real>& rows) {
  const std::uint64_t begin = states.begin[state];
  const std::uint64_t end = states.begin[state + 1];
  if (local == Pooling::mean && begin < end) {
    nodes /= std::accumulate(states.multiplicity.begin() + static_cast<std::ptrdiff_t>(begin),
                             states.multiplicity.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
  }
  for (std::uint64_t e = begin; e < end; ++e) rows.add(states.pattern[e], nodes * states.multiplicity[e]);
}

}  // namespace

template <typename Real>
void ForwardPass<Real>::pool(const LayerOperator<Real>& layer, const Patterns& patterns, std::size_t block,
                             const BlockOutput<Real>& output, Pooling pooling, BasicMatrix<Real>& vectors,
                             std::size_t column) const {
  const std::size_t q = layer.filters;
  const std::vector<std::uint32_t>& state_of_class = *patterns.colouring[block].of_class;
  const std::size_t tile = std::max<std::size_t>(64, class_graph_->num_graphs() / 16);  // graphs per task
  parallel_tiles(class_graph_->num_graphs(), tile, [&](std::size_t first, std::size_t last) {
    BasicMatrix<Real> pooled(last - first, q);
    GraphRows<Real> rows(output.rows.rows());
    GmpPool<Real> gmp(q, layer.config.gmp_lambda);
    for (std::size_t g = first; g < last; ++g) {
      double nodes = 0;
      for (std::uint32_t c = class_graph_->graph_begin[g]; c < class_graph_->graph_begin[g + 1]; ++c) {
        nodes += class_graph_->size[c];
        if (output.by_pattern) {
          add_patterns(patterns.states[block], state_of_class[c], class_graph_->size[c], layer.config.pooling, rows);
        } else {
          rows.add(state_of_class[c], class_graph_->size[c]);
        }
      }
      rows.finish(pooling == Pooling::mean && nodes > 0 ? 1.0 / nodes : 1.0);
      const std::vector<std::uint32_t>& indices = rows.indices();
      Real* out = pooled.row(g - first);
      if (indices.empty()) {
        continue;  // no nodes: zeros
      } else if (pooling == Pooling::max) {
        row_max(output.rows.data(), q, indices.data(), indices.size(), out);
      } else if (pooling == Pooling::gmp) {
        gmp.clear();
        for (std::size_t i = 0; i < indices.size(); ++i) gmp.add(output.rows.row(indices[i]), rows.weights()[i]);
        gmp.solve(out);
      } else {
        weighted_row_sum(output.rows.data(), q, indices.data(), rows.weights().data(), indices.size(), out);
      }
      rows.clear();
    }
    if (!output.transformed) apply_transform(layer.transform(patterns.lengths[block]), pooled);
    for (std::size_t g = first; g < last; ++g) std::copy_n(pooled.row(g - first), q, vectors.row(g) + column);
  });
}

template <typename Real>
BasicMatrix<Real> ForwardPass<Real>::node_rows() const {
  const std::size_t width = blocks_.empty() ? 0 : blocks_[0].features.width;
  BasicMatrix<Real> rows(graphs_.num_nodes(), blocks_.size() * width);
  for (std::size_t u = 0; u < graphs_.num_nodes(); ++u) {
    const std::uint32_t c = class_graph_->class_of_node[u];
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
