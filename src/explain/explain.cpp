// SPDX-License-Identifier: BSD-3-Clause
// Which method is possible with a model, and who does it.
#include "gckn/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "explain/occlusion.h"
#include "explain/path_shares.h"
#include "explain/state_shares.h"
#include "gckn/error.h"
#include "util/parallel.h"
#include "util/words.h"

namespace gckn {
namespace {

constexpr Words<ExplainMethod, 5> kMethodWords{{{ExplainMethod::automatic, "auto"},
                                                {ExplainMethod::exact, "exact"},
                                                {ExplainMethod::gradient, "gradient"},
                                                {ExplainMethod::masks, "masks"},
                                                {ExplainMethod::occlusion, "occlusion"}}};

bool has_gmp(const NetworkConfig& config) {
  const auto is_gmp = [](const LayerConfig& layer) { return layer.pooling == Pooling::gmp; };
  return config.global_pooling == Pooling::gmp || std::ranges::any_of(config.layers, is_gmp);
}

void check(const Model& model, const ExplainOptions& options) {
  if (options.target >= model.targets().size()) {
    throw UsageError(fmt::format("the model has no target {}: there are {}", options.target, model.targets().size()));
  }
  if (!(options.mu >= 0) || !std::isfinite(options.mu)) throw UsageError("mu must not be negative");
  if (options.most_steps < 1) throw UsageError("masks need one step at the least");
  if (!(options.tolerance > 0)) throw UsageError("the tolerance of masks must be positive");
  for (const double part : {options.selected_weight, options.selected_share.value_or(0.0)}) {
    if (!(part >= 0 && part < 1)) throw UsageError("what is selected lies above a part of at least 0 and below 1");
  }
}

}  // namespace

std::string_view to_string(ExplainMethod method) {
  return word_of(kMethodWords, method);
}

ExplainMethod parse_explain_method(std::string_view word) {
  return value_of(kMethodWords, "method", word);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> graph_edges(const GraphSet& graphs, std::size_t g) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  const std::uint32_t first = graphs.graph_begin(g);
  for (std::uint32_t u = first; u < graphs.graph_begin(g + 1); ++u) {
    for (const std::uint32_t v : graphs.neighbours(u)) {
      if (u < v) edges.emplace_back(u - first, v - first);
    }
  }
  return edges;
}

ExplainMethod method_for(const Model& model, ExplainMethod method) {
  const NetworkConfig& config = model.network().config();
  if (config.compare == Compare::both && method == ExplainMethod::masks) {
    throw UsageError(
        "method masks: the paths of states and those of the network would both have masks, and this model compares "
        "both; "
        "take exact or occlusion");
  }
  if (config.compare == Compare::states) {
    return method == ExplainMethod::automatic ? ExplainMethod::exact : method;  // all are possible
  }
  const bool adds_nodes = config.global_pooling == Pooling::sum || config.global_pooling == Pooling::mean;
  const bool is_gmp = has_gmp(config);
  if (method == ExplainMethod::automatic) {
    if (is_gmp) return ExplainMethod::occlusion;
    return adds_nodes ? ExplainMethod::exact : ExplainMethod::gradient;
  }
  if (is_gmp && method != ExplainMethod::occlusion) {
    throw UsageError(
        fmt::format("method {}: generalised max pooling (gmp) can be explained by occlusion only", to_string(method)));
  }
  if (method == ExplainMethod::exact && !adds_nodes) {
    throw UsageError(
        fmt::format("method exact: the score is a sum over nodes only with sum or mean over the nodes of a graph, and "
                    "this model has {}; take gradient",
                    to_string(config.global_pooling)));
  }
  return method;
}

std::vector<Explanation> explain(const Model& model, const GraphSet& graphs, const ExplainOptions& options,
                                 const std::vector<std::uint32_t>& selected, const RunOptions& run) {
  check(model, options);
  if (!selected.empty()) {
    std::vector<Explanation> explanations = explain(model, select_graphs(graphs, selected), options, {}, run);
    for (std::size_t i = 0; i < selected.size(); ++i) explanations[i].graph = selected[i];
    return explanations;
  }
  const ThreadScope threads(run);
  ExplainOptions concrete = options;
  concrete.method = method_for(model, options.method);
  std::vector<Explanation> explanations;
  if (concrete.method == ExplainMethod::occlusion) {
    explanations = explain_by_occlusion(model, graphs, concrete, run);
  } else if (!compares_vectors(model.network().config())) {
    explanations = explain_by_states(model, graphs, concrete, run);
  } else {
    explanations = explain_by_paths(model, graphs, concrete, run);
  }
  for (std::uint32_t g = 0; g < explanations.size(); ++g) explanations[g].graph = g;
  return explanations;
}

}  // namespace gckn
