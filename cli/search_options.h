// SPDX-License-Identifier: BSD-3-Clause
// The options of commands that look for the best of several networks: cv and train.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "console.h"
#include "files.h"
#include "gckn/learning.h"
#include "gckn/network.h"
#include "label_names.h"
#include "model_options.h"
#include "supervised_options.h"

namespace gckn::cli {

// What is tried unless the options say otherwise: a small grid that suits most sets. With end-to-end training, which is
// slow and needs few filters, it is one network.
ModelOptions default_candidates();

struct SearchOptions {
  ModelOptions networks = default_candidates();
  std::string grid;  // "paper" or a JSON file; values for what the flags leave open
  LearningOptions learning;
  std::string learner = "auto";
  std::string select_by;
  std::uint64_t max_paths = RunOptions{}.max_paths;
  std::vector<CLI::Option*> network_flags;
  CLI::Option* c_flag = nullptr;
  SupervisedFlags supervised;
  bool by_default = false;           // after resolve(): nothing says what to compare, so that the graphs may decide
  bool gaussian_by_default = false;  // ... but that it is by Gaussian heads
};

void add_search_options(CLI::App& command, SearchOptions& options);

// Reads the grid and the words. Throws UsageError or InputError naming what is wrong. Returns the candidates.
std::vector<NetworkConfig> resolve(SearchOptions& options);

// Those for these graphs, with fewer values of C, where the options leave the choice to them; otherwise as they are.
std::vector<NetworkConfig> candidates_for(const GraphSet& graphs, const SearchOptions& options,
                                          std::vector<NetworkConfig> resolved, LearningOptions& learning);

// Says, before the work begins, that graphs are too many for kernel machines, or what these will take, where it is
// much.
void say_kernels(Console& console, const GraphSet& graphs, const SearchOptions& options,
                 const std::vector<NetworkConfig>& candidates);

// The files of these options, DATA and those that name labels.
std::vector<FileArgument> files_read(const SearchOptions& options, const std::string& data,
                                     const LabelNameOptions& labels);

// A network in a few words: what varies between candidates.
std::string network_text(const NetworkConfig& config);

}  // namespace gckn::cli
