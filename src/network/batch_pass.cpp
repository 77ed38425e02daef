// SPDX-License-Identifier: BSD-3-Clause
#include "network/batch_pass.h"

#include <algorithm>
#include <cmath>

#include "linalg/gradient_ops.h"
#include "linalg/vector_ops.h"

namespace gckn {
namespace {

// The maximum of weighted rows of a table.
template <typename Real>
void weighted_row_max(const Real* table, std::size_t q, typename SparseRows<Real>::Row row, Real* out) {
  for (std::size_t k = 0; k < q; ++k) out[k] = row.weight[0] * table[row.index[0] * q + k];
  for (std::size_t e = 1; e < row.size(); ++e) {
    const Real* values = table + row.index[e] * q;
    for (std::size_t k = 0; k < q; ++k) out[k] = std::max(out[k], row.weight[e] * values[k]);
  }
}

// Pools rows of a table (of q columns); zeros for an empty row. masked: weights multiply before a maximum, too.
template <typename Real>
void pool_rows(const SparseRows<Real>& rows, const Real* table, std::size_t q, Pooling pooling, bool masked,
               BasicMatrix<Real>& out) {
  out.reshape(rows.rows(), q);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = rows.row(i);
    if (row.size() == 0) {
      std::fill_n(out.row(i), q, Real{0});
    } else if (pooling == Pooling::max && masked) {
      weighted_row_max(table, q, row, out.row(i));
    } else if (pooling == Pooling::max) {
      row_max(table, q, row.index.data(), row.size(), out.row(i));
    } else {
      weighted_row_sum(table, q, row.index.data(), row.weight.data(), row.size(), out.row(i));
    }
  }
}

// The entry of a row that a maximum was taken from, which has its bits: the first of equals. None (the size of the row)
// if it is not a number.
template <typename Real>
std::size_t winner_of(typename SparseRows<Real>::Row row, const Real* table, std::size_t q, std::size_t column,
                      bool masked, Real maximum) {
  std::size_t e = 0;
  while (e < row.size() && (masked ? row.weight[e] : Real{1}) * table[row.index[e] * q + column] != maximum) ++e;
  return e;
}

// Adds what the table gets back.
template <typename Real>
void pool_rows_backward(const SparseRows<Real>& rows, const Real* table, std::size_t q, Pooling pooling, bool masked,
                        const BasicMatrix<Real>& out, const BasicMatrix<Real>& d_out, Real* d_table) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = rows.row(i);
    if (pooling != Pooling::max) {
      scatter_weighted_row(d_out.row(i), q, row.index.data(), row.weight.data(), row.size(), d_table);
      continue;
    }
    for (std::size_t k = 0; row.size() > 0 && k < q; ++k) {
      const std::size_t e = winner_of(row, table, q, k, masked, out(i, k));
      if (e < row.size()) d_table[row.index[e] * q + k] += (masked ? row.weight[e] : Real{1}) * d_out(i, k);
    }
  }
}

template <typename Real>
void reshape_to_zeros(BasicMatrix<Real>& matrix, std::size_t rows, std::size_t cols) {
  matrix.reshape(rows, cols);
  matrix.fill(0);
}

}  // namespace

template <typename Real>
BatchPass<Real>::BatchPass(const BatchSource& source, const ColourFeatures<Real>& input)
    : source_(source), input_(input), layers_(source.config().layers.size()), first_column_{0} {
  for (std::size_t j = 0; j < layers_.size(); ++j) {
    const LayerPatterns& blocks = *source.compiled().layers[j];
    const LayerConfig& config = source.config().layers[j];
    const auto positions = static_cast<std::size_t>(config.path_length) + 1;
    layers_[j].table.resize(positions);
    layers_[j].similarity.resize(positions);
    layers_[j].outputs.resize(blocks.front().lengths.size());
  }
}

template <typename Real>
const BasicMatrix<Real>& BatchPass<Real>::forward(const Batch<Real>& batch,
                                                  const std::vector<LayerOperator<Real>>& layers) {
  first_column_.resize(1);
  for (std::size_t j = 0; j < layers.size(); ++j) {
    const std::size_t blocks = batch.layers[j].block_of_slot.size() * batch.layers[j].outputs.size();
    first_column_.push_back(first_column_.back() + (source_.plan(j).pooled ? blocks * layers[j].filters : 0));
  }
  vectors_.reshape(batch.num_graphs, first_column_.back());
  set_input(batch, layers[0]);
  layers_forward(batch, layers, 0, false);
  return vectors_;
}

template <typename Real>
void BatchPass<Real>::layers_forward(const Batch<Real>& batch, const std::vector<LayerOperator<Real>>& layers,
                                     std::size_t first, bool has_kappa) {
  for (std::size_t j = first; j < layers.size(); ++j) {
    if (j > first) take_psi(layers_[j - 1].psi, layers_[j]);
    if (j > first || !has_kappa) similarities_forward(batch, j, layers[j]);
    pool_forward(batch, j, layers[j]);
    if (source_.plan(j).pooled) graphs_forward(batch, j, layers[j]);
  }
}

template <typename Real>
void BatchPass<Real>::backward(const Batch<Real>& batch, const std::vector<LayerOperator<Real>>& layers,
                               const BasicMatrix<Real>& d_vectors, std::vector<LayerGradient<Real>>& gradients) {
  for (std::size_t j = layers.size(); j-- > 0;) {
    clear_backward(j);
    if (source_.plan(j).pooled) graphs_backward(batch, j, layers[j], d_vectors, &gradients[j]);
    transform_backward(batch, j, layers[j], &gradients[j]);
    pool_backward(batch, j, layers[j]);
    similarities_backward(batch, j, layers[j], &gradients[j]);
  }
}

template <typename Real>
const BasicMatrix<Real>& BatchPass<Real>::forward_with_masks(const Batch<Real>& batch,
                                                             const std::vector<LayerOperator<Real>>& layers,
                                                             std::size_t first_masked) {
  layers_forward(batch, layers, first_masked, true);
  return vectors_;
}

template <typename Real>
void BatchPass<Real>::backward_to_masks(const Batch<Real>& batch, const std::vector<LayerOperator<Real>>& layers,
                                        const BasicMatrix<Real>& d_vectors, std::size_t first_masked) {
  for (std::size_t j = layers.size(); j-- > first_masked;) {
    clear_backward(j);
    if (source_.plan(j).pooled) graphs_backward(batch, j, layers[j], d_vectors, nullptr);
    transform_backward(batch, j, layers[j], nullptr);
    if (j == first_masked) break;  // what its paths are compared by is not asked for
    pool_backward(batch, j, layers[j]);
    similarities_backward(batch, j, layers[j], nullptr);
  }
}

template <typename Real>
void BatchPass<Real>::mask_gradient(const Batch<Real>& batch, std::size_t layer, std::size_t output,
                                    std::vector<Real>& d_weights) const {
  const SparseRows<Real>& rows = batch.layers[layer].outputs[output].states;
  const Output& of = layers_[layer].outputs[output];
  const std::size_t q = of.kappa.cols();
  const bool is_max = source_.config().layers[layer].pooling == Pooling::max;
  d_weights.assign(rows.entries(), Real{0});
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = rows.row(i);
    Real* d_row = d_weights.data() + rows.begin[i];
    for (std::size_t e = 0; !is_max && e < row.size(); ++e) {
      d_row[e] = dot(of.d_pooled.row(i), of.kappa.row(row.index[e]), q);
    }
    for (std::size_t k = 0; is_max && row.size() > 0 && k < q; ++k) {
      const std::size_t e = winner_of(row, of.kappa.data(), q, k, true, of.pooled(i, k));
      if (e < row.size()) d_row[e] += of.d_pooled(i, k) * of.kappa(row.index[e], k);
    }
  }
}

template <typename Real>
void BatchPass<Real>::clear_backward(std::size_t j) {
  Layer& layer = layers_[j];
  reshape_to_zeros(layer.d_psi, layer.psi.rows(), layer.psi.cols());
  if (j + 1 < layers_.size()) give_psi(layers_[j + 1], layer.d_psi);
  for (Output& output : layer.outputs) {
    reshape_to_zeros(output.d_kappa, output.kappa.rows(), output.kappa.cols());
    reshape_to_zeros(output.d_pooled, output.pooled.rows(), output.pooled.cols());
  }
}

template <typename Real>
void BatchPass<Real>::set_input(const Batch<Real>& batch, const LayerOperator<Real>& op) {
  Layer& layer = layers_[0];
  const std::vector<std::uint32_t>& colours = batch.input_colours;
  if (!input_.one_hot) {
    layer.unit.reshape(colours.size(), input_.width);
    for (std::size_t c = 0; c < colours.size(); ++c) {
      std::copy_n(input_.unit.row(colours[c]), input_.width, layer.unit.row(c));
    }
  }
  for (std::size_t t = 0; input_.one_hot && t < layer.table.size(); ++t) {
    layer.table[t].reshape(colours.size(), op.filters);
    for (std::size_t c = 0; c < colours.size(); ++c) {
      std::copy_n(op.tables[t].row(colours[c]), op.filters, layer.table[t].row(c));
    }
  }
  if (input_.norm.empty()) return;
  layer.norm.resize(colours.size());
  for (std::size_t c = 0; c < colours.size(); ++c) layer.norm[c] = input_.norm[colours[c]];
}

template <typename Real>
void BatchPass<Real>::take_psi(const BasicMatrix<Real>& psi, Layer& next) const {
  next.unit.reshape(psi.rows(), psi.cols());
  next.norm.resize(psi.rows());
  for (std::size_t c = 0; c < psi.rows(); ++c) {
    next.norm[c] = std::sqrt(dot(psi.row(c), psi.row(c), psi.cols()));
    std::copy_n(psi.row(c), psi.cols(), next.unit.row(c));
    scale(next.unit.row(c), Real{1} / std::max(next.norm[c], static_cast<Real>(kTinyNorm)), psi.cols());
  }
}

template <typename Real>
void BatchPass<Real>::give_psi(const Layer& next, BasicMatrix<Real>& d_psi) const {
  const std::size_t d = d_psi.cols();
  constexpr auto kTiny = static_cast<Real>(kTinyNorm);
  for (std::size_t c = 0; c < d_psi.rows(); ++c) {
    const Real norm = next.norm[c];
    if (norm == 0) continue;  // nothing depends on it: a node without a path, or similarities of zero
    const Real length = std::max(norm, kTiny);
    const Real along = norm > kTiny ? dot(next.unit.row(c), next.d_unit.row(c), d) : Real{0};
    add_scaled(d_psi.row(c), next.d_unit.row(c), Real{1} / length, d);
    // The direction of the norm is unit * length / norm.
    add_scaled(d_psi.row(c), next.unit.row(c), next.d_norm[c] * length / norm - along / length, d);
  }
}

template <typename Real>
void BatchPass<Real>::similarities_forward(const Batch<Real>& batch, std::size_t j, const LayerOperator<Real>& op) {
  const BatchLayer<Real>& patterns = batch.layers[j];
  Layer& layer = layers_[j];
  const std::size_t q = op.filters;
  std::size_t next_output = 0;
  for (std::size_t t = 0; t < layer.table.size(); ++t) {
    if (j > 0 || !input_.one_hot) {
      layer.table[t].reshape(patterns.num_colours, q);
      multiply_rows(layer.unit.data(), patterns.num_colours, op.packed[t], layer.table[t].data(), false);
    }
    const BasicMatrix<Real>* similarity = layer.table.data();
    if (t > 0) {
      const TrieLevel& level = patterns.levels[t - 1];
      BasicMatrix<Real>& longer = layer.similarity[t];
      const BasicMatrix<Real>& shorter = t == 1 ? layer.table[0] : layer.similarity[t - 1];
      longer.reshape(level.size(), q);
      gather_add(shorter.data(), level.parent.data(), layer.table[t].data(), level.colour.data(), level.size(), q,
                 longer.data());
      for (std::size_t p = 0; p < level.edge.size(); ++p) {
        add_scaled(longer.row(p), op.edge_tables[t - 1].row(level.edge[p]), Real{1}, q);
      }
      similarity = &longer;
    }
    const int length = static_cast<int>(t) + 1;
    if (patterns.outputs[next_output].length != length) continue;
    BasicMatrix<Real>& kappa = layer.outputs[next_output].kappa;
    ++next_output;
    kappa.reshape(similarity->rows(), q);
    exponential(similarity->data(), kappa.data(), kappa.size(), static_cast<Real>(op.slope(length)),
                static_cast<Real>(op.offset(length)));
    for (std::size_t p = 0; !layer.norm.empty() && p < kappa.rows(); ++p) {
      scale(kappa.row(p), layer.norm[t == 0 ? p : patterns.start[t - 1][p]], q);
    }
  }
}

template <typename Real>
void BatchPass<Real>::pool_forward(const Batch<Real>& batch, std::size_t j, const LayerOperator<Real>& op) {
  const LayerPlan& plan = source_.plan(j);
  Layer& layer = layers_[j];
  std::size_t states = 0;
  for (std::size_t i = 0; i < layer.outputs.size(); ++i) {
    const BatchOutput<Real>& rows = batch.layers[j].outputs[i];
    states += rows.num_states;
    if (!plan.by_histogram && !rows.identity) {
      pool_rows(rows.states, layer.outputs[i].kappa.data(), op.filters, op.config.pooling, rows.masked,
                layer.outputs[i].pooled);
    }
  }
  if (plan.transforms_graphs) return;
  layer.psi.reshape(states, op.filters);
  std::size_t row = 0;
  for (std::size_t i = 0; i < layer.outputs.size(); ++i) {
    const BatchOutput<Real>& rows = batch.layers[j].outputs[i];
    const BasicMatrix<Real>& c = rows.identity ? layer.outputs[i].kappa : layer.outputs[i].pooled;
    multiply_rows(c.data(), c.rows(), op.transform(rows.length), layer.psi.data() + row * op.filters, false);
    row += rows.num_states;
  }
}

template <typename Real>
void BatchPass<Real>::transform_backward(const Batch<Real>& batch, std::size_t j, const LayerOperator<Real>& op,
                                         LayerGradient<Real>* gradient) {
  if (source_.plan(j).transforms_graphs) return;
  const std::size_t q = op.filters;
  Layer& layer = layers_[j];
  const Real* d_psi = layer.d_psi.data();
  for (std::size_t i = 0; i < layer.outputs.size(); ++i) {
    const BatchOutput<Real>& rows = batch.layers[j].outputs[i];
    Output& output = layer.outputs[i];
    const BasicMatrix<Real>& c = rows.identity ? output.kappa : output.pooled;
    BasicMatrix<Real>& d_c = rows.identity ? output.d_kappa : output.d_pooled;
    if (gradient != nullptr) {
      add_transposed_product(c.data(), q, c.rows(), q, d_psi, q, q, gradient->d_transforms[i].data(), q);
    }
    multiply_rows(d_psi, c.rows(), op.transform(rows.length), d_c.data(), true);  // A is symmetric
    d_psi += rows.num_states * q;
  }
}

template <typename Real>
void BatchPass<Real>::pool_backward(const Batch<Real>& batch, std::size_t j, const LayerOperator<Real>& op) {
  if (source_.plan(j).by_histogram) return;
  for (std::size_t i = 0; i < layers_[j].outputs.size(); ++i) {
    const BatchOutput<Real>& rows = batch.layers[j].outputs[i];
    Output& output = layers_[j].outputs[i];
    if (rows.identity) continue;
    pool_rows_backward(rows.states, output.kappa.data(), op.filters, op.config.pooling, rows.masked, output.pooled,
                       output.d_pooled, output.d_kappa.data());
  }
}

// Where graphs add up patterns, or states before A is applied, or psi of the states.
template <typename Real>
void BatchPass<Real>::graphs_forward(const Batch<Real>& batch, std::size_t j, const LayerOperator<Real>& op) {
  const LayerPlan& plan = source_.plan(j);
  const std::size_t q = op.filters;
  Layer& layer = layers_[j];
  const Real* psi = layer.psi.data();
  for (std::size_t i = 0; i < layer.outputs.size(); ++i) {
    const BatchOutput<Real>& rows = batch.layers[j].outputs[i];
    Output& output = layer.outputs[i];
    const BasicMatrix<Real>& c = plan.by_histogram || rows.identity ? output.kappa : output.pooled;
    pool_rows(rows.graphs, plan.transforms_graphs ? c.data() : psi, q, source_.config().global_pooling, false,
              output.graphs);
    psi += rows.num_states * q;
    const BasicMatrix<Real>* result = &output.graphs;
    if (plan.transforms_graphs) {
      output.mapped.reshape(output.graphs.rows(), q);
      multiply_rows(output.graphs.data(), output.graphs.rows(), op.transform(rows.length), output.mapped.data(), false);
      result = &output.mapped;
    }
    for_vector_parts(batch, j, i, q, [&](std::size_t row, std::size_t g, std::size_t column) {
      std::copy_n(result->row(row), q, vectors_.row(g) + column);
    });
  }
}

template <typename Real>
void BatchPass<Real>::graphs_backward(const Batch<Real>& batch, std::size_t j, const LayerOperator<Real>& op,
                                      const BasicMatrix<Real>& d_vectors, LayerGradient<Real>* gradient) {
  const LayerPlan& plan = source_.plan(j);
  const std::size_t q = op.filters;
  Layer& layer = layers_[j];
  const Real* psi = layer.psi.data();
  Real* d_psi = layer.d_psi.data();
  for (std::size_t i = 0; i < layer.outputs.size(); ++i) {
    const BatchOutput<Real>& rows = batch.layers[j].outputs[i];
    Output& output = layer.outputs[i];
    output.d_graphs.reshape(output.graphs.rows(), q);
    BasicMatrix<Real>& d_result = plan.transforms_graphs ? output.mapped : output.d_graphs;
    for_vector_parts(batch, j, i, q, [&](std::size_t row, std::size_t g, std::size_t column) {
      std::copy_n(d_vectors.row(g) + column, q, d_result.row(row));
    });
    if (plan.transforms_graphs) {
      const std::size_t count = output.graphs.rows();
      if (gradient != nullptr) {
        add_transposed_product(output.graphs.data(), q, count, q, d_result.data(), q, q,
                               gradient->d_transforms[i].data(), q);
      }
      multiply_rows(d_result.data(), count, op.transform(rows.length), output.d_graphs.data(), false);
    }
    const bool of_patterns = plan.by_histogram || rows.identity;
    const BasicMatrix<Real>& c = of_patterns ? output.kappa : output.pooled;
    BasicMatrix<Real>& d_c = of_patterns ? output.d_kappa : output.d_pooled;
    pool_rows_backward(rows.graphs, plan.transforms_graphs ? c.data() : psi, q, source_.config().global_pooling, false,
                       output.graphs, output.d_graphs, plan.transforms_graphs ? d_c.data() : d_psi);
    psi += rows.num_states * q;
    d_psi += rows.num_states * q;
  }
}

// Calls body(row of BatchOutput::graphs, graph, first column of the graph vector) for all parts of vectors that an
// output is.
template <typename Real>
template <typename Body>
void BatchPass<Real>::for_vector_parts(const Batch<Real>& batch, std::size_t j, std::size_t output, std::size_t q,
                                       const Body& body) const {
  const BatchLayer<Real>& layer = batch.layers[j];
  for (std::size_t s = 0; s < layer.block_of_slot.size(); ++s) {
    const std::size_t block = layer.block_of_slot[s] * layer.outputs.size() + output;
    for (std::size_t g = 0; g < batch.num_graphs; ++g) {
      body(s * batch.num_graphs + g, g, first_column_[j] + block * q);
    }
  }
}

template <typename Real>
void BatchPass<Real>::similarities_backward(const Batch<Real>& batch, std::size_t j, const LayerOperator<Real>& op,
                                            LayerGradient<Real>* gradient) {
  const BatchLayer<Real>& patterns = batch.layers[j];
  Layer& layer = layers_[j];
  const std::size_t q = op.filters;
  layer.d_norm.assign(layer.norm.size(), Real{0});
  std::size_t outputs_left = layer.outputs.size();
  for (std::size_t t = layer.table.size(); t-- > 0;) {
    const int length = static_cast<int>(t) + 1;
    // D of this length: first its own, in the place of d_kappa, then what the patterns that go on from here give back.
    const std::size_t count = t == 0 ? patterns.num_colours : patterns.levels[t - 1].size();
    BasicMatrix<Real>* d_similarity = &layer.d_similarity[t % 2];
    if (outputs_left > 0 && patterns.outputs[outputs_left - 1].length == length) {
      Output& output = layer.outputs[--outputs_left];
      d_similarity = &output.d_kappa;
      for (std::size_t p = 0; j > 0 && p < count; ++p) {
        const std::size_t start = t == 0 ? p : patterns.start[t - 1][p];
        if (layer.norm[start] > 0) {
          layer.d_norm[start] += dot(output.kappa.row(p), output.d_kappa.row(p), q) / layer.norm[start];
        }
      }
      scaled_product(output.kappa.data(), output.d_kappa.data(), static_cast<Real>(op.slope(length)),
                     output.kappa.size(), output.d_kappa.data());
    } else {
      reshape_to_zeros(*d_similarity, count, q);
    }
    if (t + 1 < layer.table.size()) {
      const TrieLevel& longer = patterns.levels[t];
      scatter_rows(layer.d_longer->data(), longer.size(), q, longer.parent.data(), d_similarity->data());
    }
    const BasicMatrix<Real>* d_table = d_similarity;  // single nodes are colours
    if (t > 0) {
      const TrieLevel& level = patterns.levels[t - 1];
      reshape_to_zeros(layer.d_table, patterns.num_colours, q);
      scatter_rows(d_similarity->data(), count, q, level.colour.data(), layer.d_table.data());
      if (!level.edge.empty() && gradient != nullptr) {
        scatter_rows(d_similarity->data(), count, q, level.edge.data(), gradient->d_edge_tables[t - 1].data());
      }
      d_table = &layer.d_table;
    }
    layer.d_longer = d_similarity;
    if (j == 0 && input_.one_hot) {
      if (gradient == nullptr) continue;
      scatter_rows(d_table->data(), patterns.num_colours, q, batch.input_colours.data(), gradient->d_tables[t].data());
      continue;
    }
    const std::size_t d = layer.unit.cols();
    if (gradient != nullptr) {
      add_transposed_product(layer.unit.data(), d, patterns.num_colours, d, d_table->data(), q, q,
                             gradient->d_tables[t].data(), q);
    }
    if (j == 0) continue;  // the input is not learnt
    layer.d_unit.reshape(patterns.num_colours, d);
    multiply_rows(d_table->data(), patterns.num_colours, op.packed_anchors[t], layer.d_unit.data(),
                  t + 1 < layer.table.size());
  }
}

template class BatchPass<float>;
template class BatchPass<double>;

}  // namespace gckn
