// SPDX-License-Identifier: BSD-3-Clause
#include "search_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "gckn/cross_validation.h"
#include "gckn/error.h"
#include "text_file.h"
#include "values.h"

namespace gckn::cli {

namespace {

using Json = nlohmann::ordered_json;

// The grid of the paper's appendix; its "path size" counts vertices.
constexpr const char* kPaperGrid = R"({
  "path_length": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  "filters": [32, 128, 512, 1024],
  "sigma": [0.3, 0.4, 0.5, 0.6, 1.0, 1.5, 2.0],
  "pooling": ["sum", "mean", "max"],
  "global_pooling": ["sum", "mean", "max"]
})";

template <typename Value>
void take(const Json& values, const std::string& where, std::vector<Value>& to) {
  const Json list = values.is_array() ? values : Json::array({values});
  if (list.empty()) throw UsageError(where + ": the list is empty");
  to.clear();
  for (const Json& value : list) {
    // The JSON library would turn 2.7, true and 4294967298 into the whole numbers 2, 1 and 2.
    bool fits = value.is_string();
    const char* kind = "word";
    if constexpr (std::is_same_v<Value, int>) {
      constexpr std::int64_t kMost = std::numeric_limits<int>::max();
      fits = value.is_number_integer() && value.get<std::int64_t>() >= 0 && value.get<std::int64_t>() <= kMost;
      kind = "whole number";
    } else if constexpr (std::is_same_v<Value, double>) {
      fits = value.is_number();
      kind = "number";
    }
    if (!fits) throw UsageError(fmt::format("{}: {} is not a {}", where, value.dump(), kind));
    to.push_back(value.get<Value>());
  }
}

// What it has for end-to-end training.
constexpr const char* kSupervisedFilters = "[32, 64]";
constexpr const char* kSupervisedPenalties = "[1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7]";

bool given(const std::vector<CLI::Option*>& flags, const std::string& name) {
  return std::ranges::any_of(flags,
                             [&](const CLI::Option* flag) { return flag->check_name(name) && flag->count() > 0; });
}

// Values of the grid for the options that were not given as flags.
void apply_grid(SearchOptions& options) {
  const bool paper = options.grid == "paper";
  Json grid;
  try {
    grid = Json::parse(paper ? kPaperGrid : read_text(options.grid));
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: not JSON: {}", options.grid, error.what()));
  }
  if (!grid.is_object()) throw InputError(fmt::format("{}: a grid is a JSON object of lists", options.grid));
  ModelOptions& networks = options.networks;
  if (paper && options.supervised.wanted) {
    grid["filters"] = Json::parse(kSupervisedFilters);
    grid["penalty"] = Json::parse(kSupervisedPenalties);
  }
  for (const auto& [key, values] : grid.items()) {
    const std::string where = fmt::format("{}: \"{}\"", options.grid, key);
    std::string flag = "--" + key;
    std::ranges::replace(flag, '_', '-');
    if (key == "C" ? options.c_flag->count() > 0 : given(options.network_flags, flag)) continue;
    if (key == "arch") {
      take(values, where, networks.architecture);
    } else if (key == "path_length") {
      take(values, where, networks.path_length);
      networks.state_path_length = networks.path_length;
    } else if (key == "filters") {
      take(values, where, networks.filters);
    } else if (key == "sigma") {
      take(values, where, networks.sigma);
    } else if (key == "pooling") {
      take(values, where, networks.pooling);
    } else if (key == "global_pooling") {
      take(values, where, networks.global_pooling);
    } else if (key == "C") {
      take(values, where, options.learning.C);
    } else if (key == "penalty" && options.supervised.wanted) {
      if (options.supervised.penalty_flag->count() == 0) take(values, where, options.supervised.options.penalties);
    } else {
      throw UsageError(
          fmt::format("{} is not known: a grid has arch, path_length, filters, sigma, pooling, global_pooling and C, "
                      "or penalty with "
                      "--supervised",
                      where));
    }
  }
}

// One network where the flags and the grid leave it open.
void use_supervised_defaults(SearchOptions& options) {
  ModelOptions& networks = options.networks;
  if (!given(options.network_flags, "--path-length")) networks.path_length = {3};
  if (!given(options.network_flags, "--filters")) networks.filters = {32};
  if (!given(options.network_flags, "--pooling")) networks.pooling = {"mean"};
}

// What is compared, and by which head. Options that describe networks mean these alone.
void choose_comparison(SearchOptions& options) {
  ModelOptions& networks = options.networks;
  if (given(options.network_flags, "--path-length")) networks.state_path_length = networks.path_length;
  const std::vector<std::string> of_networks{"--arch",           "--filters",    "--sigma",        "--pooling",
                                             "--global-pooling", "--one-length", "--concat-layers"};
  const bool describes_networks =
      options.supervised.wanted || !options.grid.empty() ||
      std::ranges::any_of(of_networks, [&](const std::string& flag) { return given(options.network_flags, flag); });
  std::vector<Compare> compare;
  std::vector<Head> heads;
  for (const std::string& word : networks.compare) compare.push_back(parse_compare(word));
  for (const std::string& word : networks.head) heads.push_back(parse_head(word));
  if (options.supervised.wanted &&
      (std::ranges::any_of(compare, [](Compare what) { return what != Compare::vectors; }) ||
       std::ranges::find(heads, Head::gaussian) != heads.end())) {
    throw UsageError("--supervised trains networks and linear models: leave --compare and --head away");
  }
  const bool has_compare = !compare.empty();
  const bool has_head = !heads.empty();
  const bool is_open = !describes_networks && !has_compare && networks.config_file.empty() &&
                       !given(options.network_flags, "--path-length");
  options.by_default = is_open && !has_head;
  options.gaussian_by_default = is_open && heads == std::vector{Head::gaussian};
  networks.comparisons.clear();
  if (heads.empty()) heads = {Head::linear, Head::gaussian};
  for (const Head head : heads) {
    std::vector<Compare> of_head = compare;
    if (!has_compare) {
      of_head = head == Head::linear ? std::vector{Compare::vectors, Compare::states}
                                     : std::vector{Compare::states, Compare::both};
      if (describes_networks) of_head = {Compare::vectors};
      if (describes_networks && !has_head && head == Head::gaussian) continue;
    }
    for (const Compare what : of_head) {
      // Without --head, what can be linear is.
      if (!has_head && has_compare && (what == Compare::both) != (head == Head::gaussian)) continue;
      if (has_head && heads.size() > 1 && what == Compare::both && head == Head::linear) continue;
      networks.comparisons.emplace_back(what, head);
    }
  }
  const bool only_states = std::ranges::all_of(
      networks.comparisons, [](const auto& comparison) { return comparison.first == Compare::states; });
  for (const std::string& flag : of_networks) {
    if (only_states && given(options.network_flags, flag)) {
      throw UsageError(flag + " describes networks, and states of nodes are compared without one");
    }
  }
}

}  // namespace

ModelOptions default_candidates() {
  ModelOptions networks;
  networks.path_length = {2, 4};
  networks.pooling = {"sum", "mean"};
  return networks;
}

void add_search_options(CLI::App& command, SearchOptions& options) {
  constexpr const char* kGroup = "Learning";
  CLI::Option* learner =
      command
          .add_option(
              "--learner", options.learner,
              "svm, logistic (gives probabilities) or ridge (for numbers);\nauto: svm for classes, ridge for numbers")
          ->type_name("WORD")
          ->capture_default_str()
          ->group(kGroup);
  takes_words(learner, {"auto", "svm", "logistic", "ridge"});
  options.c_flag = command.add_option("--C", options.learning.C, "Regularisation strengths to try, ascending")
                       ->delimiter(',')
                       ->allow_extra_args(false)
                       ->type_name("C")
                       ->default_str("1e-4 to 1e4")
                       ->group(kGroup);
  command.add_flag("--balanced", options.learning.balanced, "Give every class the same weight, however rare")
      ->group(kGroup);
  CLI::Option* select_by =
      command
          .add_option("--select-by", options.select_by,
                      "Metric that network and C are chosen by: accuracy,\nbalanced-accuracy, roc-auc, pr-auc, mcc, "
                      "log-loss, rmse, mae, r2")
          ->type_name("WORD")
          ->default_str("accuracy or rmse")
          ->group(kGroup);
  takes_words(select_by,
              {"accuracy", "balanced-accuracy", "roc-auc", "pr-auc", "mcc", "log-loss", "rmse", "mae", "r2"});
  command.add_option("--max-paths", options.max_paths, "Leave a network out once a layer has visited so many paths")
      ->type_name("N")
      ->capture_default_str()
      ->group(kGroup);
  add_supervised_options(command, options.supervised);
  options.network_flags = add_model_options(command, options.networks, true);
  command
      .add_option("--grid", options.grid,
                  "Lists for what the options leave open: 'paper' (its\nwhole grid) or a JSON file")
      ->type_name("FILE")
      ->excludes(options.network_flags.back())  // --config
      ->group(options.network_flags.front()->get_group());
}

std::vector<NetworkConfig> resolve(SearchOptions& options) {
  if (options.supervised.wanted) use_supervised_defaults(options);
  if (!options.grid.empty()) apply_grid(options);
  choose_comparison(options);
  options.learning.learner = parse_learner(options.learner);
  if (!options.select_by.empty()) options.learning.select_by = parse_metric(options.select_by);
  return network_configs(options.networks);
}

std::vector<NetworkConfig> candidates_for(const GraphSet& graphs, const SearchOptions& options,
                                          std::vector<NetworkConfig> resolved, LearningOptions& learning) {
  if (!options.by_default && !options.gaussian_by_default) return resolved;
  NetworkConfig input;
  input.features = options.networks.features;
  input.attributes = options.networks.attributes;
  input.edge_labels = options.networks.edge_labels;
  LearningOptions of_candidates = learning;
  std::vector<NetworkConfig> candidates = default_candidates(graphs, input, of_candidates);
  if (options.gaussian_by_default) {
    std::erase_if(candidates, [](const NetworkConfig& config) { return config.head != Head::gaussian; });
    if (candidates.empty()) return resolved;  // which say why there are none
  }
  learning = of_candidates;
  return candidates;
}

void say_kernels(Console& console, const GraphSet& graphs, const SearchOptions& options,
                 const std::vector<NetworkConfig>& candidates) {
  if (options.by_default && graphs.num_graphs() > kMostKernelGraphs) {
    console.note("Gaussian heads are left out: {} graphs are too many (at most {})", grouped(graphs.num_graphs()),
                 grouped(kMostKernelGraphs));
  }
  constexpr double kBytesPerPair = 32;
  constexpr double kMuch = 1e8;
  const auto n = static_cast<double>(graphs.num_graphs());
  const bool has_kernels =
      std::ranges::any_of(candidates, [](const NetworkConfig& config) { return config.head == Head::gaussian; });
  if (!has_kernels || graphs.num_graphs() > kMostKernelGraphs || kBytesPerPair * n * n < kMuch) return;
  console.note("kernel machines of {} graphs will take about {:.0f} MB", graphs.num_graphs(),
               kBytesPerPair * n * n / 1e6);
}

std::vector<FileArgument> files_read(const SearchOptions& options, const std::string& data,
                                     const LabelNameOptions& labels) {
  std::vector<FileArgument> files = files_read(labels);
  files.push_back({"DATA", data});
  if (options.grid != "paper") files.push_back({"--grid", options.grid});
  for (const std::string& file : options.networks.config_file) files.push_back({"--config", file});
  return files;
}

std::string network_text(const NetworkConfig& config) {
  const LayerConfig& first = config.layers.front();
  const std::string states =
      fmt::format("states of nodes by paths of up to {} edge{}", first.path_length, first.path_length == 1 ? "" : "s");
  const std::string network = fmt::format(
      "{} layer{}, {}s of {} edge{}, {} filters, sigma {}, pooling {} and {}", config.layers.size(),
      config.layers.size() == 1 ? "" : "s", to_string(first.kind), first.path_length, first.path_length == 1 ? "" : "s",
      first.filters, first.sigma, to_string(first.pooling), to_string(config.global_pooling));
  const std::string head = config.head == Head::gaussian ? ", Gaussian head" : "";
  switch (config.compare) {
    case Compare::states:
      return states + head;
    case Compare::both:
      return fmt::format("{}, and {}{}", states, network, head);
    default:
      return network + head;
  }
}

}  // namespace gckn::cli
