// SPDX-License-Identifier: BSD-3-Clause
// Learning a network layer by layer, without labels.
#include "network/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <optional>

#include "gckn/error.h"
#include "gckn/network.h"
#include "graph/sample_graphs.h"
#include "network/anchors.h"
#include "network/embed.h"
#include "network/encoding.h"
#include "network/forward_pass.h"
#include "util/parallel.h"
#include "util/random.h"

namespace gckn {
namespace {

// Puts rows in the order of the file that stand in that of a set: row i belongs to graph order[i]. In place, since
// there can be many.
template <typename Real>
void restore_order(const std::vector<std::uint32_t>& order, BasicMatrix<Real>& rows) {
  std::vector<char> done(order.size());
  std::vector<Real> held(rows.cols());
  for (std::size_t first = 0; first < order.size(); ++first) {
    if (done[first] != 0 || order[first] == first) continue;
    // Along the cycle, each row takes the place of the next, which is held meanwhile.
    std::copy_n(rows.row(first), rows.cols(), held.begin());
    for (std::size_t place = first; done[place] == 0; place = order[place]) {
      std::swap_ranges(held.begin(), held.end(), rows.row(order[place]));
      done[place] = 1;
    }
  }
}

// Fits on the training graphs of a compiled set (is_training: by graph of the file, empty means all); embeds all of its
// graphs into `vectors` on the way if it is given, in the order of the file.
template <typename Real>
BasicNetwork<Real> fit(const CompiledSet& compiled, const NetworkConfig& config, const InputEncoding& encoding,
                       std::span<const char> is_training, const FitOptions& fit_options, AnchorStore<Real>* anchors,
                       const RunOptions& options, BasicMatrix<Real>* vectors) {
  assert(compiled.set->order.size() == compiled.graph().num_graphs());
  std::vector<char> is_training_here;  // as the graphs stand in the compiled set
  if (!is_training.empty()) {
    for (const std::uint32_t g : compiled.set->order) is_training_here.push_back(is_training[g]);
  }
  ForwardPass<Real> pass(compiled, encoding, options);
  std::vector<BasicLayer<Real>> layers;
  std::vector<AnchorReport> reports;
  std::vector<BasicMatrix<Real>> pooled;  // by layer whose output belongs to the graph vectors
  NetworkConfig fitted = config;
  fitted.features = encoding.features;
  fitted.attributes = encoding.attributes;
  for (std::size_t j = 0; j < config.layers.size(); ++j) {
    LayerPlan plan = plan_layer(config, j, encoding);
    plan.pooled = plan.pooled && vectors != nullptr;
    const LearntLayer<Real>* known = anchors == nullptr ? nullptr : anchors->find(config, j);
    LearntLayer<Real> learnt = known != nullptr ? *known
                                                : learn_anchors(pass, config.layers[j], encoding, fit_options,
                                                                seeds::of_layer(fit_options.seed, j), is_training_here);
    if (anchors != nullptr && known == nullptr) anchors->keep(config, j, learnt);
    reports.push_back(learnt.report);
    layers.push_back(std::move(learnt.layer));
    fitted.layers[j] = layers.back().config;
    if (!plan.feeds_layer && !plan.pooled) break;
    report_progress(pass.layer_options(), "preparing", 0, 1);
    const LayerOperator<Real> layer(layers.back());
    std::size_t width = 0;
    for (const Patterns& block : pass.patterns()) width += block.lengths.size() * layer.filters;
    BasicMatrix<Real> rows;
    if (plan.pooled) rows = BasicMatrix<Real>::uninitialised(compiled.graph().num_graphs(), width);
    pass.apply(layer, plan, config.global_pooling, rows, 0, 0);
    if (plan.pooled) pooled.push_back(std::move(rows));
  }
  BasicNetwork<Real> network(std::move(fitted), encoding, std::move(layers));
  network.set_anchor_reports(std::move(reports));
  if (vectors == nullptr) return network;
  if (pooled.size() == 1) {
    *vectors = std::move(pooled[0]);
  } else {
    *vectors = BasicMatrix<Real>::uninitialised(compiled.graph().num_graphs(), network.vector_size());
    for (std::size_t g = 0; g < vectors->rows(); ++g) {
      Real* to = vectors->row(g);
      for (const BasicMatrix<Real>& rows : pooled) to = std::copy_n(rows.row(g), rows.cols(), to);
    }
  }
  restore_order(compiled.set->order, *vectors);
  return network;
}

// Patterns are what is learnt from; the plain evaluator has none.
RunOptions learning_options(const RunOptions& options) {
  RunOptions learning = options;
  if (options.evaluator == Evaluator::plain) learning.evaluator = Evaluator::automatic;
  return learning;
}

// Learns from all graphs, or from a sample of them where they are many. `vectors`, if it is given, gets the rows of the
// graphs learnt from.
template <typename Real>
BasicNetwork<Real> fit_on_sample(const GraphSet& graphs, const NetworkConfig& config, const FitOptions& fit_options,
                                 const RunOptions& options, BasicMatrix<Real>* vectors, bool& sampled) {
  report_progress(options, "encoding", 0, 1);
  const RunOptions learning = learning_options(options);
  const InputEncoding encoding = fit_encoding(graphs, config);
  const std::vector<std::uint32_t> members = sample_graphs(graphs, fit_options.max_nodes, fit_options.seed);
  sampled = members.size() < graphs.num_graphs();
  std::optional<GraphSet> part;
  if (sampled) part = select_graphs(graphs, members);
  const GraphSet& learnt_from = part ? *part : graphs;
  auto set = std::make_shared<const EncodedSet>(encode_by_contents(learnt_from, encoding));
  part.reset();
  const CompiledSet compiled = compile_layers(std::move(set), config, encoding, learning);
  BasicNetwork<Real> network =
      fit<Real>(compiled, config, encoding, {}, fit_options, nullptr, learning, sampled ? nullptr : vectors);
  network.set_learnt_from({graphs.name(), members.size(), graphs.num_graphs(), fit_options.seed});
  return network;
}

}  // namespace

template <typename Real>
BasicNetwork<Real> fit_network(const GraphSet& graphs, const NetworkConfig& config, const FitOptions& fit_options,
                               const RunOptions& options) {
  require_vectors(config);
  const ThreadScope threads(options);
  bool sampled = false;
  return fit_on_sample<Real>(graphs, config, fit_options, options, nullptr, sampled);
}

template <typename Real>
std::pair<BasicNetwork<Real>, BasicMatrix<Real>> fit_and_embed(const GraphSet& graphs, const NetworkConfig& config,
                                                               const FitOptions& fit_options,
                                                               const RunOptions& options) {
  require_vectors(config);
  const ThreadScope threads(options);
  BasicMatrix<Real> vectors;
  bool sampled = false;
  BasicNetwork<Real> network = fit_on_sample<Real>(graphs, config, fit_options, options, &vectors, sampled);
  if (sampled) {
    vectors = embed_in_blocks(network, graphs, {0, graphs.num_graphs()}, options, nullptr);
  } else {
    require_finite(vectors, graphs);
  }
  return {std::move(network), std::move(vectors)};
}

CompiledSet SharedPatterns::compile(const NetworkConfig& config, const RunOptions& options) {
  if (input_key_ != input_key(config) || !set_) {
    input_key_ = input_key(config);
    encoding_ = fit_encoding(graphs_, config);
    set_ = std::make_shared<const EncodedSet>(encode_by_contents(graphs_, encoding_));
    patterns_ = {};
    training_patterns_ = {};
  }
  return compile_layers(set_, config, encoding_, options, &patterns_);
}

CompiledSet SharedPatterns::compile_for_training(const NetworkConfig& config, const RunOptions& options) {
  constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 25;  // about two gigabytes, with what batches need
  const auto is_shared = [](const CompiledSet& compiled) {
    return std::ranges::all_of(compiled.layers, [](const auto& layer) {
      return std::ranges::all_of(*layer, [](const Patterns& patterns) { return patterns.direct_graphs.empty(); });
    });
  };
  CompiledSet compiled = compile(config, options);
  if (is_shared(compiled)) return compiled;
  RunOptions shared = options;
  shared.evaluator = Evaluator::shared;
  compiled = compile_layers(set_, config, encoding_, shared, &training_patterns_, kMostEntries);
  if (!is_shared(compiled)) {  // how often a pattern occurs passes what can be counted, or there are too many colours
    throw LimitError("a graph has too many paths for end-to-end training: shorten them");
  }
  return compiled;
}

FittedNetwork fit_on_and_embed(const GraphSet& graphs, const NetworkConfig& config, std::span<const char> is_training,
                               const CompiledSet& compiled, const FitOptions& fit_options, AnchorStore<float>& anchors,
                               const RunOptions& options) {
  const InputEncoding encoding = fit_encoding(graphs, config, is_training);
  const std::vector<std::uint32_t> members =
      sample_graphs(graphs, fit_options.max_nodes, fit_options.seed, is_training);
  const auto num_training =
      is_training.empty() ? graphs.num_graphs() : static_cast<std::size_t>(std::ranges::count(is_training, char{1}));
  std::vector<char> is_member;
  if (members.size() < num_training) {
    is_member.resize(graphs.num_graphs());
    for (const std::uint32_t g : members) is_member[g] = 1;
    is_training = is_member;
  }
  Matrix vectors;
  Network network =
      fit<float>(compiled, config, encoding, is_training, fit_options, &anchors, learning_options(options), &vectors);
  network.set_learnt_from({graphs.name(), members.size(), num_training, fit_options.seed});
  require_finite(vectors, graphs);
  return {std::move(network), std::move(vectors), {}};
}

InputEncoding encoding_of_states(InputEncoding encoding) {
  if (encoding.features != Features::labels_and_attributes) return encoding;
  encoding.features = Features::labels;
  encoding.attributes = {};
  encoding.mean.clear();
  encoding.scale.clear();
  return encoding;
}

std::shared_ptr<const StatesOfGraphs> states_of_graphs(const GraphSet& graphs, const NetworkConfig& config,
                                                       const FitOptions& fit_options, const RunOptions& options) {
  if (features_for(graphs, config.features) == Features::attributes) {
    throw UnsuitableNetwork("states of nodes need labels or degrees, not attributes");
  }
  const GraphRange all{0, graphs.num_graphs()};
  InputEncoding encoding = encoding_of_states(fit_encoding(graphs, config));
  const int rounds = config.layers.front().path_length;
  const StateCounts counts =
      count_states(node_states(StateKind::path, graphs, all, encoding, rounds, options), graphs, all);
  auto columns = std::make_shared<const AssignmentColumns>(counts);
  const bool is_gaussian = config.head == Head::gaussian;  // which compares few graphs, and by every state
  if (columns->size() > fit_options.max_state_columns && !is_gaussian) {
    columns = std::make_shared<const AssignmentColumns>(AssignmentColumns::hashed(kHashedStateBits));
  }
  SparseRows<double> rows = columns->rows(counts, true);
  DoubleMatrix assignment;
  if (is_gaussian) assignment = assignment_matrix(rows, options);
  return std::make_shared<const StatesOfGraphs>(
      StatesOfGraphs{std::move(encoding), std::move(columns), std::move(rows), std::move(assignment)});
}

FittedNetwork fitted_states(const GraphSet& graphs, const NetworkConfig& config, const FitOptions& fit_options,
                            std::shared_ptr<const StatesOfGraphs> states) {
  NetworkConfig of_states = config;
  of_states.features = states->encoding.features;
  of_states.attributes = {};
  Network network(of_states, states->encoding, {BasicLayer<float>{config.layers.front(), 0, 0, {}, {}}});
  network.set_learnt_from({graphs.name(), graphs.num_graphs(), graphs.num_graphs(), fit_options.seed});
  return {std::move(network), {}, std::move(states)};
}

std::string sampling_remark(const FitOptions& fit_options) {
  return fmt::format("anchors are learnt from a sample of the graphs, of about {} nodes", fit_options.max_nodes);
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
