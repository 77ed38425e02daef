// SPDX-License-Identifier: BSD-3-Clause
// Learning a network layer by layer, without labels.
#include "network/fit.h"

#include "gckn/error.h"
#include "gckn/network.h"
#include "network/anchors.h"
#include "network/forward_pass.h"
#include "util/parallel.h"

namespace gckn {
namespace {

// Fits on the training graphs; embeds all graphs into `vectors` on the way if it is given.
template <typename Real>
BasicNetwork<Real> fit(const GraphSet& graphs, const NetworkConfig& config, std::span<const char> is_training,
                       const CompiledLayers* compiled, const FitOptions& fit_options, AnchorStore<Real>* anchors,
                       const RunOptions& options, BasicMatrix<Real>* vectors) {
  const InputEncoding encoding = fit_encoding(graphs, config, is_training);
  RunOptions pass_options = options;
  // Patterns are what is learnt from; the plain evaluator has none.
  if (options.evaluator == Evaluator::plain) pass_options.evaluator = Evaluator::automatic;
  ForwardPass<Real> pass(graphs, encoding, pass_options, compiled);
  std::vector<BasicLayer<Real>> layers;
  std::vector<AnchorReport> reports;
  std::vector<BasicMatrix<Real>> pooled;  // by layer whose output belongs to the graph vectors
  NetworkConfig fitted = config;
  fitted.features = encoding.features;
  for (std::size_t j = 0; j < config.layers.size(); ++j) {
    const bool is_last = j + 1 == config.layers.size();
    const bool is_pooled = vectors != nullptr && (is_last || config.concat_layers);
    const std::shared_ptr<const std::vector<Patterns>> patterns = pass.compile(config.layers[j]);
    // Each layer has a stream of its own, so that one more layer does not change those before it.
    const LearntLayer<Real>* known = anchors == nullptr ? nullptr : anchors->find(config, j);
    LearntLayer<Real> learnt = known != nullptr
                                   ? *known
                                   : learn_anchors(pass, *patterns, config.layers[j], encoding, fit_options,
                                                   fit_options.seed * 1000003 + j, is_training);
    if (anchors != nullptr && known == nullptr) anchors->keep(config, j, learnt);
    reports.push_back(learnt.report);
    layers.push_back(std::move(learnt.layer));
    fitted.layers[j] = layers.back().config;
    if (is_last && !is_pooled) break;
    report_progress(pass.layer_options(), "preparing", 0, 1);
    const LayerOperator<Real> layer(layers.back());
    std::size_t width = 0;
    for (const Patterns& block : *patterns) width += block.lengths.size() * layer.filters;
    BasicMatrix<Real> rows(is_pooled ? graphs.num_graphs() : 0, is_pooled ? width : 0);
    pass.apply(layer, *patterns, {is_last, is_pooled, config.global_pooling}, rows, 0);
    if (is_pooled) pooled.push_back(std::move(rows));
  }
  BasicNetwork<Real> network(std::move(fitted), encoding, std::move(layers));
  network.set_anchor_reports(std::move(reports));
  if (vectors == nullptr) return network;
  if (pooled.size() == 1) {
    *vectors = std::move(pooled[0]);
    return network;
  }
  *vectors = BasicMatrix<Real>(graphs.num_graphs(), network.vector_size());
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    Real* to = vectors->row(g);
    for (const BasicMatrix<Real>& rows : pooled) to = std::copy_n(rows.row(g), rows.cols(), to);
  }
  return network;
}

}  // namespace

template <typename Real>
BasicNetwork<Real> fit_network(const GraphSet& graphs, const NetworkConfig& config, const FitOptions& fit_options,
                               const RunOptions& options) {
  validate(config);
  const ThreadScope threads(options);
  return fit<Real>(graphs, config, {}, nullptr, fit_options, nullptr, options, nullptr);
}

template <typename Real>
std::pair<BasicNetwork<Real>, BasicMatrix<Real>> fit_and_embed(const GraphSet& graphs, const NetworkConfig& config,
                                                               const FitOptions& fit_options,
                                                               const RunOptions& options) {
  validate(config);
  const ThreadScope threads(options);
  BasicMatrix<Real> vectors;
  BasicNetwork<Real> network = fit<Real>(graphs, config, {}, nullptr, fit_options, nullptr, options, &vectors);
  return {std::move(network), std::move(vectors)};
}

FittedNetwork fit_on_and_embed(const GraphSet& graphs, const NetworkConfig& config, std::span<const char> is_training,
                               const CompiledLayers& compiled, const FitOptions& fit_options,
                               AnchorStore<float>& anchors, const RunOptions& options) {
  Matrix vectors;
  Network network = fit<float>(graphs, config, is_training, &compiled, fit_options, &anchors, options, &vectors);
  return {std::move(network), std::move(vectors)};
}

#define GCKN_INSTANTIATE(Real)                                                                                   \
  template BasicNetwork<Real> fit_network(const GraphSet&, const NetworkConfig&, const FitOptions&,              \
                                          const RunOptions&);                                                    \
  template std::pair<BasicNetwork<Real>, BasicMatrix<Real>> fit_and_embed(const GraphSet&, const NetworkConfig&, \
                                                                          const FitOptions&, const RunOptions&);
GCKN_INSTANTIATE(float)
GCKN_INSTANTIATE(double)
#undef GCKN_INSTANTIATE

}  // namespace gckn
