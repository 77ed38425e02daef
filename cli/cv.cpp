// SPDX-License-Identifier: BSD-3-Clause
// gckn cv: how well vectors tell the classes of a set apart, by cross-validation.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "console.h"
#include "gckn/cross_validation.h"
#include "gckn/error.h"
#include "gckn/io.h"
#include "gckn/model_file.h"
#include "model_options.h"
#include "output.h"

namespace gckn::cli {

namespace {

using Json = nlohmann::ordered_json;

struct CvCommand {
  CommonOptions common;
  ModelOptions networks;
  CrossValidationOptions cv;
  std::string protocol = "nested";
  std::uint64_t max_paths = RunOptions{}.max_paths;
  std::string data;
  std::string out;
};

Protocol parse_protocol(const std::string& word) {
  if (word == "nested") return Protocol::nested;
  if (word == "paper") return Protocol::paper;
  throw UsageError(fmt::format("--protocol {}: it must be nested or paper", word));
}

// "subtree-like" configurations in a few words: what varies between candidates.
std::string network_text(const NetworkConfig& config) {
  const LayerConfig& first = config.layers.front();
  return fmt::format("{} layer{}, {}s of {} edges, {} filters, sigma {}, pooling {} and {}", config.layers.size(),
                     config.layers.size() == 1 ? "" : "s", to_string(first.kind), first.path_length, first.filters,
                     first.sigma, to_string(first.pooling), to_string(config.global_pooling));
}

Json result_json(const CvCommand& options, const GraphSet& graphs, const CrossValidationResult& result) {
  Json folds = Json::array();
  for (std::size_t f = 0; f < result.results.size(); ++f) {
    const FoldResult& fold = result.results[f];
    Json predicted = Json::array();
    for (const std::int32_t c : fold.predicted) {
      predicted.push_back(graphs.targets().class_names[static_cast<std::size_t>(c)]);
    }
    folds.push_back({{"network", fold.network},
                     {"C", fold.C},
                     {"accuracy", fold.accuracy},
                     {"majority_accuracy", fold.majority_accuracy},
                     {"test", result.folds[f].test},
                     {"predicted", predicted}});
  }
  Json networks = Json::array();
  for (const NetworkConfig& config : options.cv.networks) networks.push_back(Json::parse(to_json(config)));
  return {{"command", "cv"},
          {"data", options.data},
          {"protocol", options.protocol},
          {"optimistic", result.optimistic},
          {"seed", options.common.seed},
          {"accuracy", result.mean},
          {"deviation", result.deviation},
          {"interval_95", {result.low, result.high}},
          {"majority_accuracy", result.majority},
          {"networks", networks},
          {"folds", folds}};
}

void run_cv(CvCommand& options) {
  Console console(options.common);
  if (!options.out.empty()) check_output_folder(options.out);
  options.cv.protocol = parse_protocol(options.protocol);
  options.cv.networks = network_configs(options.networks);
  options.cv.seed = options.common.seed;
  RunOptions run = console.run_options();
  run.max_paths = options.max_paths;

  Stopwatch watch;
  const GraphSet graphs = read_graphs(options.data, run);
  const CrossValidationResult result = cross_validate(graphs, options.cv, run);
  const double seconds = watch.lap();

  console.say("Accuracy {:.1f} % (deviation {:.1f} between {} folds; 95 % interval {:.1f} to {:.1f} over all graphs).",
              100 * result.mean, 100 * result.deviation, result.results.size(), 100 * result.low, 100 * result.high);
  console.say("Always naming the largest class has {:.1f} %.", 100 * result.majority);
  if (result.optimistic) {
    const FoldResult& best = result.results.front();
    console.say("Best of {} with C = {:.3g}: {}.", counted(options.cv.networks.size(), "network"), best.C,
                network_text(options.cv.networks[best.network]));
    console.say("This is the protocol of the paper, and optimistic: the parameters were chosen by the accuracy on the");
    console.say("very graphs it is reported for, and the anchors were learnt from all graphs.");
  } else {
    console.say("Network ({}) and C were chosen within the training graphs of each fold.",
                counted(options.cv.networks.size(), "candidate"));
  }
  console.say("{} folds; {:.1f} s.", graphs.folds().empty() ? "Stratified" : "Given", seconds);
  Json json = result_json(options, graphs, result);
  json["seconds"] = seconds;
  if (!options.out.empty()) {
    write_text(json.dump(2) + "\n", options.out);
    console.say("Wrote every fold's result to {}.", options.out);
  }
  console.result(json);
}

}  // namespace

void add_cv_command(CLI::App& program) {
  auto options = std::make_shared<CvCommand>();
  // A small grid that suits most sets; one value of each option makes a single network.
  options->networks.path_length = {2, 4};
  options->networks.pooling = {"sum", "mean"};
  CLI::App* command = program.add_subcommand("cv", "Measure how well vectors tell the classes apart.");
  add_data_argument(*command, options->data);
  command
      ->add_option("--protocol", options->protocol,
                   "nested: everything is chosen within training graphs;\npaper: as published, which is optimistic")
      ->type_name("WORD")
      ->capture_default_str();
  command->add_option("--folds", options->cv.folds, "Stratified folds, where the set brings none of its own")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--C", options->cv.C, "Regularisation strengths to try, ascending")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("C")
      ->default_str("60 values, 1e-4 to 1e4");
  command->add_option("--out", options->out, "File for the result of every fold (JSON)")->type_name("FILE");
  command->add_option("--max-paths", options->max_paths, "Give up once a layer has visited this many paths")
      ->type_name("N")
      ->capture_default_str();
  add_model_options(*command, options->networks, true);
  add_common_options(*command, options->common);
  command->footer(
      R"(A linear support vector machine (squared hinge) on standardised vectors. docs/evaluation.md explains the protocols.

Examples:
  gckn cv MUTAG.zip
  gckn cv NCI1.zip --path-length 4,6 --filters 256 --sigma 0.4,0.6 --out nci1-cv.json
  gckn cv PTC.zip --protocol paper)");
  command->callback([options] { run_cv(*options); });
}

}  // namespace gckn::cli
