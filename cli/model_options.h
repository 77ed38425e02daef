// SPDX-License-Identifier: BSD-3-Clause
// The options that describe a network to fit.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "gckn/network.h"

namespace gckn::cli {

// Every combination of the values is a network; most commands take one value of each.
struct ModelOptions {
  std::vector<std::string> compare{};
  std::vector<std::string> head{};
  // What the two lists, or the lack of them, stand for; of equally good candidates the first is taken.
  std::vector<std::pair<Compare, Head>> comparisons{{Compare::vectors, Head::linear}};
  std::vector<int> state_path_length{2, 3};  // of what compares states alone
  std::vector<std::string> architecture{"subtree"};
  std::vector<int> path_length{Architecture{}.path_length};
  std::vector<int> filters{Architecture{}.filters};
  std::vector<double> sigma{Architecture{}.sigma};
  std::vector<std::string> pooling{std::string(to_string(Architecture{}.pooling))};
  std::vector<std::string> global_pooling{std::string(to_string(Architecture{}.global_pooling))};
  bool one_length = false;
  Features features = Features::automatic;
  AttributeSources attributes;
  EdgeLabels edge_labels = EdgeLabels::automatic;
  bool concat_layers = false;
  std::vector<std::string> config_file;  // instead of all the others
};

// Adds them, and returns them for what they exclude. `several`: the help says that values may be lists.
std::vector<CLI::Option*> add_model_options(CLI::App& command, ModelOptions& options, bool several);

// Of kernels, which know no attributes but those of nodes.
CLI::Option* add_features_option(CLI::App& command, Features& features);

// All combinations. Throws UsageError if they make no sense, InputError if a configuration file cannot be read.
std::vector<NetworkConfig> network_configs(const ModelOptions& options);

// The only combination; throws UsageError if there are more.
NetworkConfig network_config(const ModelOptions& options);

}  // namespace gckn::cli
