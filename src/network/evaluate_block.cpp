// SPDX-License-Identifier: BSD-3-Clause
// Evaluates a layer on distinct patterns: one vector addition per trie node, one exp per pattern and filter, one sparse
// sum per distinct state; and hands the graphs without shared patterns to the direct evaluation.
#include <algorithm>
#include <utility>

#include "network/evaluators.h"
#include "network/stages.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// Generalised max pooling of single rows a: xi = a / (|a|^2 + lambda).
template <typename Real>
void pool_singles(double lambda, BasicMatrix<Real>& rows) {
  parallel_tiles(rows.rows(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      double square = 0;
      for (std::size_t k = 0; k < rows.cols(); ++k) square += static_cast<double>(rows(p, k)) * rows(p, k);
      scale(rows.row(p), static_cast<Real>(1.0 / (square + lambda)), rows.cols());
    }
  });
}

// Makes room for `extra` rows behind those of a matrix.
template <typename Real>
BasicMatrix<Real> with_room_behind(BasicMatrix<Real> rows, std::size_t extra) {
  if (extra == 0) return rows;
  auto larger = BasicMatrix<Real>::uninitialised(rows.rows() + extra, rows.cols());
  std::copy_n(rows.data(), rows.size(), larger.data());
  return larger;
}

template <typename Real>
class BlockEvaluation {
 public:
  BlockEvaluation(const LayerOperator<Real>& layer, const LayerPlan& plan, const Patterns& patterns,
                  const ColourFeatures<Real>& features)
      : layer_(layer), plan_(plan), patterns_(patterns), features_(features) {}

  // The shared part of every output; classes of direct graphs have rows behind it that are still to be filled, from
  // first_direct_row on.
  std::vector<BlockOutput<Real>> run(std::vector<std::size_t>& first_direct_row) {
    std::vector<BlockOutput<Real>> outputs;
    BasicMatrix<Real> similarity;
    BasicMatrix<Real> storage;
    std::vector<std::uint32_t> start = patterns_.levels[0].colour;  // the first colour of every pattern
    for (int length = 1; length <= patterns_.vertices; ++length) {
      const auto t = static_cast<std::size_t>(length) - 1;
      const TrieLevel& level = patterns_.levels[t];
      const BasicMatrix<Real>& table = similarity_table(layer_, features_, t, storage);
      if (t == 0) {
        similarity = features_.one_hot ? table : std::move(storage);
      } else {
        similarity = similarity_forward(layer_, level, t, table, similarity);
        std::vector<std::uint32_t> longer(level.size());
        for (std::size_t p = 0; p < longer.size(); ++p) longer[p] = start[level.parent[p]];
        start = std::move(longer);
      }
      if (outputs.size() == patterns_.lengths.size() || patterns_.lengths[outputs.size()] != length) continue;
      const std::size_t direct = length == 1 ? 0 : patterns_.num_direct_classes();
      // The last length needs the similarities no more.
      BasicMatrix<Real> rows = length == patterns_.vertices ? std::exchange(similarity, {}) : similarity;
      outputs.push_back(output(outputs.size(), length, start, std::move(rows), direct));
      first_direct_row.push_back(outputs.back().rows.rows() - direct);
    }
    return outputs;
  }

 private:
  BlockOutput<Real> output(std::size_t i, int length, const std::vector<std::uint32_t>& start, BasicMatrix<Real> kappa,
                           std::size_t direct) {
    kappa_forward(layer_, length, std::span(start), plan_.is_gmp ? nullptr : &features_, kappa);
    BlockOutput<Real> output;
    if (plan_.transform_at(length) == TransformAt::patterns) {
      transform_forward(layer_.transform(length), kappa, 0, kappa.rows());
      output.transformed = true;
    }
    if (plan_.by_histogram) {
      output.rows = with_room_behind(std::move(kappa), direct);
    } else if (patterns_.states[i].identity) {
      if (plan_.is_gmp) {
        pool_singles(layer_.config.gmp_lambda, kappa);
        for (std::size_t c = 0; c < kappa.rows(); ++c) scale(kappa.row(c), features_.norm_of(c), kappa.cols());
      }
      output.rows = std::move(kappa);
    } else {
      const SparseRows<std::uint32_t>& states = patterns_.states[i].patterns;
      output.rows = BasicMatrix<Real>::uninitialised(states.rows() + direct, layer_.filters);
      pool_forward(layer_, states, kappa, output.rows.data());
      for (std::size_t s = 0; plan_.is_gmp && s < states.rows(); ++s) {  // the norm stays outside
        const auto row = states.row(s);
        if (row.size() > 0) scale(output.rows.row(s), features_.norm_of(start[row.index[0]]), layer_.filters);
      }
    }
    return output;
  }

  const LayerOperator<Real>& layer_;
  const LayerPlan& plan_;
  const Patterns& patterns_;
  const ColourFeatures<Real>& features_;
};

}  // namespace

template <typename Real>
std::vector<BlockOutput<Real>> evaluate_block(const LayerOperator<Real>& layer, const LayerPlan& plan,
                                              const Patterns& patterns, const ClassGraph& graph,
                                              const Colouring& colours, const ColourFeatures<Real>& features,
                                              const RunOptions& options) {
  std::vector<std::size_t> first_direct_row;
  std::vector<BlockOutput<Real>> outputs = BlockEvaluation<Real>(layer, plan, patterns, features).run(first_direct_row);
  if (!patterns.direct_graphs.empty()) {
    evaluate_direct(layer, patterns, graph, colours, features, options, first_direct_row, outputs);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const int length = patterns.lengths[i];
    if (plan.is_gmp) continue;  // has used A kappa, of direct graphs as well
    BasicMatrix<Real>& rows = outputs[i].rows;
    // The rows that still have to be transformed: all, or those of direct graphs, which have no patterns to do it at.
    const TransformAt at = plan.transform_at(length);
    const std::size_t first = at == TransformAt::states ? 0 : first_direct_row[i];
    const std::size_t last = at == TransformAt::graphs ? first : rows.rows();
    transform_forward(layer.transform(length), rows, first, last);
    outputs[i].transformed = at != TransformAt::graphs;
  }
  return outputs;
}

#define GCKN_INSTANTIATE(Real)                                                                                 \
  template std::vector<BlockOutput<Real>> evaluate_block(const LayerOperator<Real>&, const LayerPlan&,         \
                                                         const Patterns&, const ClassGraph&, const Colouring&, \
                                                         const ColourFeatures<Real>&, const RunOptions&);
GCKN_INSTANTIATE(float)
GCKN_INSTANTIATE(double)
#undef GCKN_INSTANTIATE

}  // namespace gckn
