// SPDX-License-Identifier: BSD-3-Clause
// The options that describe a network to fit.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "gckn/network.h"

namespace gckn::cli {

struct ModelOptions {
  std::string architecture = "subtree";
  Architecture layers;
  Features features = Features::automatic;
  bool edge_labels = false;
  bool concat_layers = false;
  std::string config_file;  // instead of all the others
};

// Adds them, and returns them for what they exclude.
std::vector<CLI::Option*> add_model_options(CLI::App& command, ModelOptions& options);

CLI::Option* add_features_option(CLI::App& command, Features& features);

// Throws UsageError if they make no sense, InputError if the configuration file cannot be read.
NetworkConfig network_config(const ModelOptions& options);

}  // namespace gckn::cli
