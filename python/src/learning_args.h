// SPDX-License-Identifier: BSD-3-Clause
// The options of learning as Python passes them: a dict, in which what is absent has its default.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include "gckn/cross_validation.h"
#include "gckn/learning.h"
#include "gckn/network.h"
#include "gckn/supervised.h"

namespace gckn::python {

namespace nb = nanobind;

template <typename Value>
void take(const nb::dict& options, const char* key, Value& value) {
  if (!options.contains(key)) return;
  try {
    value = nb::cast<Value>(options[key]);
  } catch (const std::bad_cast&) {
    const std::string given = nb::repr(options[key]).c_str();
    throw nb::type_error((std::string(key) + " cannot be " + given.substr(0, 80)).c_str());
  }
}

inline LearningOptions learning_from(const nb::dict& options) {
  LearningOptions learning;
  std::string learner = "auto", select_by;
  take(options, "learner", learner);
  take(options, "select_by", select_by);
  take(options, "C", learning.C);
  take(options, "balanced", learning.balanced);
  take(options, "score_resolution", learning.score_resolution);
  take(options, "linear_lead", learning.linear_lead);
  take(options, "weights", learning.graph_weights);
  learning.learner = parse_learner(learner);
  if (!select_by.empty()) learning.select_by = parse_metric(select_by);
  return learning;
}

inline std::optional<SupervisedOptions> supervised_from(const nb::dict& options) {
  if (!options.contains("supervised")) return std::nullopt;
  const auto given = nb::cast<nb::dict>(options["supervised"]);
  SupervisedOptions supervised;
  take(given, "epochs", supervised.epochs);
  take(given, "batch_size", supervised.batch_size);
  take(given, "learning_rate", supervised.learning_rate);
  take(given, "halve_every", supervised.halve_every);
  take(given, "penalties", supervised.penalties);
  take(given, "selection_folds", supervised.selection_folds);
  take(given, "standardised", supervised.standardised);
  return supervised;
}

// Those of `networks`; where there are none what the command would try, with its values of C.
inline std::vector<NetworkConfig> candidates_from(const GraphSet& graphs, const nb::dict& options,
                                                  LearningOptions& learning) {
  std::vector<std::string> networks;
  take(options, "networks", networks);
  std::vector<NetworkConfig> candidates;
  for (const std::string& config : networks) candidates.push_back(network_config_from_json(config));
  if (!candidates.empty()) return candidates;
  NetworkConfig input;
  std::string features = "auto";
  take(options, "features", features);
  std::tie(input.features, input.attributes) = parse_features_word(features);
  if (options.contains("edge_labels")) {
    input.edge_labels = nb::cast<bool>(options["edge_labels"]) ? EdgeLabels::used : EdgeLabels::unused;
  }
  return default_candidates(graphs, input, learning);
}

}  // namespace gckn::python
