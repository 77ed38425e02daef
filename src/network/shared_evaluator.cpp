// SPDX-License-Identifier: BSD-3-Clause
// Evaluates a layer on distinct patterns: one vector addition per trie node, one exp per pattern and filter, one sparse
// sum per distinct state. A is applied to patterns, states or, by the caller, to graphs: whichever are fewest.
#include <algorithm>
#include <numeric>

#include "network/evaluators.h"
#include "network/gmp.h"
#include "util/parallel.h"

namespace gckn {
namespace {

constexpr std::size_t kTile = 512;  // rows per task

// s of the patterns of one length from those of the length before: s(child) = s(parent) + edge row + colour row.
template <typename Real>
BasicMatrix<Real> extend_similarities(const LayerOperator<Real>& layer, const TrieLevel& level, std::size_t t,
                                      const BasicMatrix<Real>& table, const BasicMatrix<Real>& shorter) {
  const std::size_t q = layer.filters;
  auto longer = BasicMatrix<Real>::uninitialised(level.size(), q);
  parallel_tiles(level.size(), kTile, [&](std::size_t begin, std::size_t end) {
    gather_add(shorter.data(), level.parent.data() + begin, table.data(), level.colour.data() + begin, end - begin, q,
               longer.row(begin));
    if (level.edge.empty()) return;
    const BasicMatrix<Real>& edges = layer.edge_tables[t - 1];
    for (std::size_t p = begin; p < end; ++p) add_scaled(longer.row(p), edges.row(level.edge[p]), Real{1}, q);
  });
  return longer;
}

// kappa of every pattern in place of its similarities, times the norm of its start unless pooling does that later.
template <typename Real>
void to_kernel_values(const LayerOperator<Real>& layer, int length, const std::vector<std::uint32_t>& start,
                      const ColourFeatures<Real>& features, bool times_norm, BasicMatrix<Real>& similarity) {
  const auto slope = static_cast<Real>(layer.slope(length));
  const auto offset = static_cast<Real>(layer.offset(length));
  const std::size_t q = layer.filters;
  parallel_tiles(similarity.rows(), kTile, [&](std::size_t begin, std::size_t end) {
    exponential(similarity.row(begin), (end - begin) * q, slope, offset);
    for (std::size_t p = begin; times_norm && !features.norm.empty() && p < end; ++p) {
      scale(similarity.row(p), features.norm[start[p]], q);
    }
  });
}

template <typename Real>
BasicMatrix<Real> pool_states(const LayerOperator<Real>& layer, const StateTable& states, const BasicMatrix<Real>& rows,
                              const std::vector<std::uint32_t>& start, const ColourFeatures<Real>& features) {
  const std::size_t q = layer.filters;
  auto pooled = BasicMatrix<Real>::uninitialised(states.count, q);
  const Pooling pooling = layer.config.pooling;
  parallel_tiles(states.count, kTile, [&](std::size_t begin, std::size_t end) {
    std::vector<Real> weights;
    GmpPool<Real> gmp(q, layer.config.gmp_lambda);
    for (std::size_t s = begin; s < end; ++s) {
      const std::size_t count = states.begin[s + 1] - states.begin[s];
      const std::uint32_t* pattern = states.pattern.data() + states.begin[s];
      const std::uint32_t* multiplicity = states.multiplicity.data() + states.begin[s];
      Real* out = pooled.row(s);
      if (count == 0) {
        std::fill_n(out, q, Real{0});
      } else if (pooling == Pooling::max) {
        row_max(rows.data(), q, pattern, count, out);
      } else if (pooling == Pooling::gmp) {
        gmp.clear();
        for (std::size_t i = 0; i < count; ++i) gmp.add(rows.row(pattern[i]), multiplicity[i]);
        gmp.solve(out);
        scale(out, features.norm_of(start[pattern[0]]), q);
      } else {
        weights.assign(multiplicity, multiplicity + count);
        if (pooling == Pooling::mean) {
          const double total = std::accumulate(multiplicity, multiplicity + count, 0.0);
          for (Real& weight : weights) weight = static_cast<Real>(weight / total);
        }
        weighted_row_sum(rows.data(), q, pattern, weights.data(), count, out);
      }
    }
  });
  return pooled;
}

// One output block from the similarities of its patterns, which it uses up.
template <typename Real>
BlockOutput<Real> evaluate_block(const LayerOperator<Real>& layer, int length, const StateTable& states,
                                 BasicMatrix<Real> kappa, const std::vector<std::uint32_t>& start,
                                 const ColourFeatures<Real>& features, const Deferral& deferral) {
  const bool gmp = layer.config.pooling == Pooling::gmp;
  const bool linear = layer.config.pooling == Pooling::sum || layer.config.pooling == Pooling::mean;
  to_kernel_values(layer, length, start, features, !gmp, kappa);
  BlockOutput<Real> output;
  // A commutes with linear pooling: it goes where there are the fewest rows.
  const std::size_t graph_rows = deferral.possible && !gmp ? deferral.num_graphs : states.count;
  const std::size_t rows_after = std::min<std::size_t>(states.count, graph_rows);
  if (gmp || (linear && kappa.rows() < rows_after)) {
    apply_transform(layer.transform(length), kappa);
    output.transformed = true;
  }
  // Sums of sums are sums: graphs can add up patterns without a row for every state.
  if (linear && deferral.possible && !states.identity && kappa.rows() < states.count) {
    output.by_pattern = true;
    output.rows = std::move(kappa);
    return output;
  }
  if (states.identity && !gmp) {
    output.rows = std::move(kappa);
  } else if (states.identity) {
    StateTable singles;  // generalised max pooling changes even a single pattern
    singles.count = states.count;
    singles.begin.resize(states.count + std::size_t{1});
    std::iota(singles.begin.begin(), singles.begin.end(), 0U);
    singles.pattern.resize(states.count);
    std::iota(singles.pattern.begin(), singles.pattern.end(), 0U);
    singles.multiplicity.assign(states.count, 1);
    output.rows = pool_states(layer, singles, kappa, start, features);
  } else {
    output.rows = pool_states(layer, states, kappa, start, features);
  }
  if (!output.transformed && (!deferral.possible || states.count < graph_rows)) {
    apply_transform(layer.transform(length), output.rows);
    output.transformed = true;
  }
  return output;
}

}  // namespace

template <typename Real>
void apply_transform(const PackedMatrix<Real>& transform, BasicMatrix<Real>& rows) {
  auto result = BasicMatrix<Real>::uninitialised(rows.rows(), rows.cols());
  multiply(rows.data(), rows.rows(), transform, result.data());
  rows = std::move(result);
}

template <typename Real>
const BasicMatrix<Real>& similarity_table(const LayerOperator<Real>& layer, const ColourFeatures<Real>& features,
                                          std::size_t t, BasicMatrix<Real>& storage) {
  if (features.one_hot) return layer.tables[t];
  storage = BasicMatrix<Real>::uninitialised(features.unit.rows(), layer.filters);
  multiply(features.unit.data(), features.unit.rows(), layer.packed[t], storage.data());
  return storage;
}

template <typename Real>
std::vector<BlockOutput<Real>> evaluate_shared(const LayerOperator<Real>& layer, const Patterns& patterns,
                                               const ColourFeatures<Real>& features, const Deferral& deferral) {
  std::vector<BlockOutput<Real>> outputs;
  BasicMatrix<Real> similarity;
  BasicMatrix<Real> storage;
  std::vector<std::uint32_t> start = patterns.levels[0].colour;  // the first colour of every pattern
  for (int length = 1; length <= patterns.vertices; ++length) {
    const auto t = static_cast<std::size_t>(length) - 1;
    const BasicMatrix<Real>& table = similarity_table(layer, features, t, storage);
    if (t == 0) {
      similarity = features.one_hot ? table : std::move(storage);
    } else {
      const TrieLevel& level = patterns.levels[t];
      similarity = extend_similarities(layer, level, t, table, similarity);
      std::vector<std::uint32_t> longer(level.size());
      for (std::size_t p = 0; p < longer.size(); ++p) longer[p] = start[level.parent[p]];
      start = std::move(longer);
    }
    const auto wanted = std::find(patterns.lengths.begin(), patterns.lengths.end(), length);
    if (wanted == patterns.lengths.end()) continue;
    const StateTable& states = patterns.states[static_cast<std::size_t>(wanted - patterns.lengths.begin())];
    if (length == patterns.vertices) {  // the last length needs the similarities no more
      outputs.push_back(evaluate_block(layer, length, states, std::move(similarity), start, features, deferral));
      break;
    }
    outputs.push_back(evaluate_block(layer, length, states, similarity, start, features, deferral));
  }
  return outputs;
}

#define GCKN_INSTANTIATE(Real)                                                                                \
  template void apply_transform(const PackedMatrix<Real>&, BasicMatrix<Real>&);                               \
  template const BasicMatrix<Real>& similarity_table(const LayerOperator<Real>&, const ColourFeatures<Real>&, \
                                                     std::size_t, BasicMatrix<Real>&);                        \
  template std::vector<BlockOutput<Real>> evaluate_shared(const LayerOperator<Real>&, const Patterns&,        \
                                                          const ColourFeatures<Real>&, const Deferral&);
GCKN_INSTANTIATE(float)
GCKN_INSTANTIATE(double)
#undef GCKN_INSTANTIATE

}  // namespace gckn
