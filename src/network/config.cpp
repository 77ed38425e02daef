// SPDX-License-Identifier: BSD-3-Clause
// Network configurations: the paper's architectures, validation, and the words for the options.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "gckn/error.h"
#include "gckn/network.h"
#include "util/words.h"

namespace gckn {
namespace {

constexpr Words<LayerKind, 2> kLayerKinds{{{LayerKind::path, "path"}, {LayerKind::walk, "walk"}}};
constexpr Words<Pooling, 4> kPoolings{
    {{Pooling::sum, "sum"}, {Pooling::mean, "mean"}, {Pooling::max, "max"}, {Pooling::gmp, "gmp"}}};
constexpr Words<PathScaling, 2> kPathScalings{{{PathScaling::mean, "mean"}, {PathScaling::sum, "sum"}}};
constexpr Words<Regularisation, 2> kRegularisations{{{Regularisation::root, "root"}, {Regularisation::gram, "gram"}}};
constexpr Words<Compare, 3> kCompares{
    {{Compare::vectors, "vectors"}, {Compare::states, "states"}, {Compare::both, "both"}}};
constexpr Words<Head, 2> kHeads{{{Head::linear, "linear"}, {Head::gaussian, "gaussian"}}};
constexpr const char* kNodeAttributes = "attributes";
constexpr const char* kEdgeAttributes = "edge-attributes";
constexpr const char* kGraphAttributes = "graph-attributes";

constexpr Words<Features, 5> kFeatures{{{Features::automatic, "auto"},
                                        {Features::labels, "labels"},
                                        {Features::degree, "degree"},
                                        {Features::attributes, "attributes"},
                                        {Features::labels_and_attributes, "labels+attributes"}}};

LayerConfig make_layer(LayerKind kind, int path_length, const Architecture& options) {
  LayerConfig layer;
  layer.kind = kind;
  layer.path_length = path_length;
  layer.filters = options.filters;
  layer.sigma = options.sigma;
  layer.pooling = options.pooling;
  layer.all_lengths = options.all_lengths;
  return layer;
}

NetworkConfig make_network(std::vector<LayerConfig> layers, const Architecture& options) {
  NetworkConfig config;
  config.layers = std::move(layers);
  config.global_pooling = options.global_pooling;
  return config;
}

}  // namespace

NetworkConfig walk(const Architecture& options) {
  return make_network({make_layer(LayerKind::walk, options.path_length, options)}, options);
}

NetworkConfig path(const Architecture& options) {
  return make_network({make_layer(LayerKind::path, options.path_length, options)}, options);
}

NetworkConfig subtree(const Architecture& options) {
  return make_network(
      {make_layer(LayerKind::path, options.path_length, options), make_layer(LayerKind::path, 0, options)}, options);
}

NetworkConfig three_layer(const Architecture& options) {
  return make_network({make_layer(LayerKind::path, options.path_length, options),
                       make_layer(LayerKind::path, 2, options), make_layer(LayerKind::path, 0, options)},
                      options);
}

NetworkConfig states(int path_length, Head head) {
  NetworkConfig config = path({.path_length = path_length});
  config.compare = Compare::states;
  config.head = head;
  return config;
}

void validate(const NetworkConfig& config) {
  if (config.layers.empty()) throw UsageError("a network needs at least one layer");
  if (config.compare == Compare::states &&
      (config.layers.size() != 1 || config.layers.front().kind != LayerKind::path)) {
    throw UsageError("states of nodes are compared by one layer of paths");
  }
  if (config.compare == Compare::both) {
    if (config.head != Head::gaussian) {
      throw UsageError("vectors and states are compared together by the gaussian head only");
    }
    if (config.layers.front().kind != LayerKind::path) {
      throw UsageError("where states are compared, the first layer must be one of paths");
    }
  }
  constexpr double kMostBlocks = 4096;
  constexpr double kSmallestEps = 1e-12;
  constexpr double kLargestEps = 1e6;
  double blocks = 1;
  for (std::size_t j = 0; j < config.layers.size(); ++j) {
    const LayerConfig& layer = config.layers[j];
    const auto reject = [&](std::string_view what) { throw UsageError(fmt::format("layer {}: {}", j + 1, what)); };
    if (layer.path_length < 0 || layer.path_length > kLongestPath) {
      reject(fmt::format("path length {} is not between 0 and {}", layer.path_length, kLongestPath));
    }
    if (layer.filters < 1 || layer.filters > kMostFilters) {
      reject(fmt::format("{} filters: must be between 1 and {}", layer.filters, kMostFilters));
    }
    if (!(layer.sigma >= kSmallestSigma && layer.sigma <= kLargestSigma)) {
      reject(fmt::format("sigma {} is not between {} and {}", layer.sigma, kSmallestSigma, kLargestSigma));
    }
    if (!(layer.eps >= kSmallestEps && layer.eps <= kLargestEps)) {
      reject(fmt::format("eps {} is not between {} and {}", layer.eps, kSmallestEps, kLargestEps));
    }
    if (!(layer.gmp_lambda > 0) || !std::isfinite(layer.gmp_lambda)) {
      reject(fmt::format("gmp_lambda {} is not positive", layer.gmp_lambda));
    }
    blocks *= layer.all_lengths ? layer.path_length + 1 : 1;
  }
  if (blocks > kMostBlocks) {
    throw UsageError(
        fmt::format("{} output blocks are too many (at most {}): use one length in some layer", blocks, kMostBlocks));
  }
}

std::string_view to_string(LayerKind kind) {
  return word_of(kLayerKinds, kind);
}
std::string_view to_string(Pooling pooling) {
  return word_of(kPoolings, pooling);
}
std::string_view to_string(PathScaling scaling) {
  return word_of(kPathScalings, scaling);
}
std::string_view to_string(Regularisation regularisation) {
  return word_of(kRegularisations, regularisation);
}
std::string_view to_string(Features features) {
  return word_of(kFeatures, features);
}
std::string_view to_string(Compare compare) {
  return word_of(kCompares, compare);
}
std::string_view to_string(Head head) {
  return word_of(kHeads, head);
}

LayerKind parse_layer_kind(std::string_view word) {
  return value_of(kLayerKinds, "layer kind", word);
}
Pooling parse_pooling(std::string_view word) {
  return value_of(kPoolings, "pooling", word);
}
PathScaling parse_path_scaling(std::string_view word) {
  return value_of(kPathScalings, "path scaling", word);
}
Regularisation parse_regularisation(std::string_view word) {
  return value_of(kRegularisations, "regularisation", word);
}
Features parse_features(std::string_view word) {
  return value_of(kFeatures, "features", word);
}
Compare parse_compare(std::string_view word) {
  return value_of(kCompares, "comparison", word);
}
Head parse_head(std::string_view word) {
  return value_of(kHeads, "head", word);
}

std::string features_word(Features features, const AttributeSources& attributes) {
  if (features != Features::attributes && features != Features::labels_and_attributes) {
    return std::string(to_string(features));
  }
  std::string word = features == Features::labels_and_attributes ? "labels" : "";
  const auto add = [&](bool used, const char* part) {
    if (!used) return;
    if (!word.empty()) word += '+';
    word += part;
  };
  add(attributes.nodes, kNodeAttributes);
  add(attributes.edges, kEdgeAttributes);
  add(attributes.graphs, kGraphAttributes);
  return word;
}

std::pair<Features, AttributeSources> parse_features_word(std::string_view word) {
  if (word == "auto" || word == "degree") return {parse_features(word), {}};
  AttributeSources sources{false, false, false};
  bool labels = false;
  for (std::string_view rest = word;;) {
    const std::size_t plus = rest.find('+');
    const std::string_view part = rest.substr(0, plus);
    bool* used = part == "labels"           ? &labels
                 : part == kNodeAttributes  ? &sources.nodes
                 : part == kEdgeAttributes  ? &sources.edges
                 : part == kGraphAttributes ? &sources.graphs
                                            : nullptr;
    if (used == nullptr || *used) {
      throw UsageError(
          fmt::format("features '{}' are unknown: choose auto, degree, or any of labels, attributes, edge-attributes "
                      "and graph-attributes with + between them",
                      word));
    }
    *used = true;
    if (plus == std::string_view::npos) break;
    rest.remove_prefix(plus + 1);
  }
  if (!sources.nodes && !sources.edges && !sources.graphs) return {Features::labels, {}};
  return {labels ? Features::labels_and_attributes : Features::attributes, sources};
}

}  // namespace gckn
