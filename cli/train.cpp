// SPDX-License-Identifier: BSD-3-Clause
// gckn train: learns a model from a graph set and saves it.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>

#include "commands.h"
#include "console.h"
#include "data.h"
#include "files.h"
#include "gckn/error.h"
#include "gckn/model.h"
#include "gckn/model_file.h"
#include "input_text.h"
#include "output.h"
#include "search_options.h"

namespace gckn::cli {

namespace {

using Json = nlohmann::ordered_json;

struct TrainCommand {
  CommonOptions common;
  SearchOptions search;
  TrainOptions train;
  LabelNameOptions labels;
  std::string data;
  std::string out;
};

void say_result(Console& console, const TrainCommand& options, const TrainResult& result, Json& json) {
  const Model& model = result.model;
  console.say("Network: {}.", network_text(model.network().config()));
  json["network"] = Json::parse(to_json(model.network().config()));
  json["learner"] = to_string(model.learner());
  json["targets"] = Json::array();
  for (std::size_t t = 0; t < model.targets().size(); ++t) {
    const TargetModel& target = model.targets()[t];
    Json entry{{"name", target.name}, {"C", target.C}};
    if (!target.class_names.empty()) entry["classes"] = target.class_names;
    std::string figure;
    if (result.searched) {
      const TargetResult& searched = result.search.targets[t];
      for (const MetricSummary& summary : searched.methods[0].metrics) {
        if (summary.metric != searched.selected_by) continue;
        figure = std::isnan(summary.mean)
                     ? fmt::format("; no fold defines {}, so that nothing was chosen by it", to_string(summary.metric))
                     : fmt::format("; {} {:.3f} in {} folds, which is optimistic: 'gckn cv' has an honest figure",
                                   to_string(summary.metric), summary.mean, result.search.folds.size());
        entry[std::string(to_string(summary.metric))] = summary.mean;
      }
    }
    console.say("{}: {} with C = {:.3g}{}.", target.name, to_string(model.learner()), target.C, figure);
    json["targets"].push_back(std::move(entry));
  }
  for (const std::string& remark : result.remarks) console.say("Note: {}.", remark);
  json["remarks"] = result.remarks;
  json["candidates"] = options.train.networks.size();
}

void run_train(TrainCommand& options) {
  Console console(options.common);
  check_output_folder(options.out);
  TrainOptions& train = options.train;
  check_files(files_read(options.search, options.data, options.labels),
              {{"--out", options.out}, {"--journal", train.journal.string()}});
  train.networks = resolve(options.search);
  train.learning = options.search.learning;
  train.seed = options.common.seed;
  if (train.resume && train.journal.empty()) throw UsageError("--resume goes on with a journal: give --journal FILE");
  RunOptions run = console.run_options();
  run.max_paths = options.search.max_paths;

  Stopwatch watch;
  const GraphSet graphs = read_data(options.data, options.labels, run);
  Json json{{"command", "train"}, {"data", options.data}};
  const TrainResult result = gckn::train(graphs, train, run);
  const double seconds = watch.lap();
  json["graphs"] = result.graphs;
  console.say("Learnt from {} in {:.1f} s.", counted(result.graphs, "graph"), seconds);
  say_input(console, graphs, train.networks.front(), json);
  say_result(console, options, result, json);
  save_model(result.model, options.out);
  console.say("Saved the model to {}.", options.out);
  json["seconds"] = seconds;
  json["out"] = options.out;
  console.result(json);
}

}  // namespace

void add_train_command(CLI::App& program) {
  auto options = std::make_shared<TrainCommand>();
  CLI::App* command = program.add_subcommand("train", "Learn a model from a set, to predict other graphs with.");
  add_data_argument(*command, options->data);
  command->add_option("--out", options->out, "File for the model (FILE.gckn)")->type_name("FILE")->required();
  command
      ->add_option("--folds", options->train.folds,
                   "Folds by which network and C are chosen and\nprobabilities calibrated")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--journal", options->train.journal, "File for results of the search as they come (JSON lines)")
      ->type_name("FILE");
  command->add_flag("--resume", options->train.resume, "Go on with the journal of a search that was stopped");
  add_search_options(*command, options->search);
  add_label_name_options(*command, options->labels);
  add_common_options(*command, options->common);
  command->footer(
      R"(The best of the networks and C is chosen by cross-validation, then everything is learnt from all graphs.

Examples:
  gckn train MUTAG.zip --out mutag.gckn
  gckn train NCI1.zip --out nci1.gckn --path-length 4,6 --filters 256 --learner logistic
  gckn predict mutag.gckn new.jsonl --out predictions.csv)");
  command->callback([options] { run_train(*options); });
}

}  // namespace gckn::cli
