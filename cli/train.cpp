// SPDX-License-Identifier: BSD-3-Clause
// gckn train: learns a model from a graph set and saves it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include "commands.h"
#include "console.h"
#include "data.h"
#include "duplicates.h"
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
  std::string history;
  std::string plot;
  ReadingOptions reading;
  DuplicateFlags duplicates;
  std::string data;
  std::string out;
};

// What the validation figure is called.
std::string figure_name(const TrainCommand& options, const Model& model) {
  if (options.train.learning.select_by) return std::string(to_string(*options.train.learning.select_by));
  return std::string(to_string(model.learner() == Learner::ridge ? Metric::rmse : Metric::accuracy));
}

std::string learnt_text(const Model& model, const TargetModel& target) {
  const TrainingRecord& record = model.record();
  if (record.epochs == 0) return fmt::format("{} with C = {:.3g}", to_string(model.learner()), target.C);
  return fmt::format("{}, trained end to end for {} with penalty {:.3g}", to_string(model.learner()),
                     counted(record.epochs, "epoch"), record.penalty);
}

// How the epoch of the model did on the validation part, if there is one.
void say_validation(Console& console, const TrainCommand& options, const TrainResult& result, Json& json) {
  const TrainingRecord& record = result.model.record();
  if (record.validation_graphs == 0 || record.epochs == 0) return;
  const EpochRecord& epoch = result.history[record.epochs - 1];
  json["validation"] = {{"graphs", record.validation_graphs},
                        {"epoch", record.epochs},
                        {"loss", *epoch.validation_loss},
                        {"figure", *epoch.validation_figure}};
  console.say("Epoch {} of {} is best on {} held out: {} {:.3f}, loss {:.4f}; optimistic, as it was chosen by them.",
              record.epochs, result.history.size(), counted(record.validation_graphs, "graph"),
              figure_name(options, result.model), *epoch.validation_figure, *epoch.validation_loss);
}

void say_result(Console& console, const TrainCommand& options, const TrainResult& result, Json& json) {
  const Model& model = result.model;
  const NetworkConfig& config = model.network().config();
  console.say("{}: {}.", compares_states(config) ? "Compares" : "Network", network_text(config));
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
    console.say("{}: {}{}.", target.name, learnt_text(model, target), figure);
    json["targets"].push_back(std::move(entry));
  }
  say_validation(console, options, result, json);
  for (const std::string& remark : result.remarks) console.say("Note: {}.", remark);
  json["remarks"] = result.remarks;
  json["candidates"] = model.record().candidates;
  if (!options.train.supervised) return;
  json["supervised"] = Json::parse(to_json(*options.train.supervised));
  json["supervised"].erase("selection_folds");  // of cv
  json["epochs"] = model.record().epochs;
  json["penalty"] = model.record().penalty;
  json["interrupted"] = result.interrupted;
  if (!result.diverged.empty()) json["diverged"] = result.diverged;
}

void check_supervised_options(const TrainCommand& options) {
  const TrainOptions& train = options.train;
  if (train.resume && train.journal.empty() && train.checkpoint.empty()) {
    throw UsageError(options.search.supervised.wanted
                         ? "--resume goes on with a checkpoint or a journal: give --checkpoint FILE or --journal FILE"
                         : "--resume goes on with a journal: give --journal FILE");
  }
}

// A line now and then, where there is no terminal to show a bar on: each tenth of the epochs.
void say_epoch(Console& console, const TrainCommand& options, const EpochRecord& record) {
  const int every = std::max(1, options.train.supervised->epochs / 10);
  if (record.epoch != 1 && record.epoch % every != 0) return;
  std::string validation;
  if (record.validation_figure) {
    validation =
        fmt::format("; validation loss {:.4f}, figure {:.3f}", *record.validation_loss, *record.validation_figure);
  }
  console.say("Epoch {}: loss {:.4f}{}.", record.epoch, record.loss, validation);
}

void write_history(Console& console, const TrainCommand& options, const TrainResult& result, const std::string& name) {
  if (!options.history.empty()) {
    write_text(history_csv(result.history), options.history);
    console.say("Wrote the losses of {} to {}.", counted(result.history.size(), "epoch"), options.history);
  }
  if (!options.plot.empty()) {
    const auto marked = static_cast<int>(result.model.record().epochs);
    write_text(
        history_svg(result.history, fmt::format("Training on {}", name), figure_name(options, result.model), marked),
        options.plot);
    console.say("Wrote a picture of them to {}.", options.plot);
  }
}

void run_train(TrainCommand& options) {
  Console console(options.common);
  check_output_folder(options.out);
  TrainOptions& train = options.train;
  for (const std::string& file : {options.history, options.plot, train.checkpoint.string()}) {
    if (!file.empty()) check_output_folder(file);
  }
  check_files(files_read(options.search, options.data, options.reading.labels),
              {{"--out", options.out},
               {"--journal", train.journal.string()},
               {"--checkpoint", train.checkpoint.string()},
               {"--history", options.history},
               {"--plot", options.plot}});
  train.networks = resolve(options.search);
  train.learning = options.search.learning;
  train.seed = options.common.seed;
  train.supervised = options.search.supervised.get();
  check_supervised_options(options);
  RunOptions run = console.run_options();
  run.max_paths = options.search.max_paths;

  Stopwatch watch;
  GraphSet graphs = read_data(options.data, options.reading, console, run, OnError::fail, options.duplicates.drop);
  Json json{{"command", "train"}, {"data", options.data}};
  if (options.duplicates.drop) treat_equal_graphs(options.duplicates, graphs, console, run, json["equal_graphs"]);
  train.networks = candidates_for(graphs, options.search, std::move(train.networks), train.learning);
  say_kernels(console, graphs, options.search, train.networks);
  if (train.supervised) train.on_epoch = [&](const EpochRecord& record) { say_epoch(console, options, record); };
  const TrainResult result = gckn::train(graphs, train, run);
  const double seconds = watch.lap();
  json["graphs"] = result.graphs;
  const std::uint64_t held_out = result.model.record().validation_graphs;
  console.say("Learnt from {} in {:.1f} s.", counted(result.graphs - held_out, "graph"), seconds);
  if (result.interrupted) {
    console.say("Stopped after {} of {}{}.", grouped(result.history.size()),
                counted(static_cast<std::uint64_t>(train.supervised->epochs), "epoch"),
                train.checkpoint.empty() ? "" : "; the same command with --resume goes on");
  }
  say_input(console, graphs, train.networks.front(), json);
  say_result(console, options, result, json);
  save_model(result.model, options.out);
  console.say("Saved the model to {}.", options.out);
  write_history(console, options, result, graphs.name());
  json["seconds"] = seconds;
  json["out"] = options.out;
  console.result(json);
  if (result.interrupted) throw Cancelled();
  if (!result.diverged.empty()) throw std::runtime_error(result.diverged + "; the last good model is saved");
}

void add_training_options(CLI::App& command, TrainCommand& options) {
  const SupervisedFlags& flags = options.search.supervised;
  TrainOptions& train = options.train;
  add_supervised_option(command, flags, "--validation", train.validation,
                        "Share of the graphs to hold out, as 0.1: the epoch that is\nbest on them makes the model", "S")
      ->capture_default_str();
  add_supervised_option(command, flags, "--patience", train.patience,
                        "Stop after so many epochs without a better one; 0: never", "N")
      ->capture_default_str();
  add_supervised_option(command, flags, "--checkpoint", train.checkpoint,
                        "File for the state of the training, to go on from", "FILE");
  add_supervised_option(command, flags, "--checkpoint-every", train.checkpoint_every,
                        "Epochs after which it is written", "N")
      ->capture_default_str();
  add_supervised_option(command, flags, "--history", options.history, "File for the losses of all epochs (CSV)",
                        "FILE");
  add_supervised_option(command, flags, "--plot", options.plot, "File for a picture of them (SVG)", "FILE");
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
  command->add_flag("--resume", options->train.resume,
                    "Go on with the journal of a search, or the checkpoint\nof a training, that was stopped");
  add_duplicate_option(*command, options->duplicates);
  add_search_options(*command, options->search);
  add_training_options(*command, *options);
  add_reading_options(*command, options->reading, OnError::fail);
  add_common_options(*command, options->common);
  command->footer(
      R"(The best of the networks and C is chosen by cross-validation, then everything is learnt from all graphs.

Examples:
  gckn train MUTAG.zip --out mutag.gckn
  gckn train NCI1.zip --out nci1.gckn --path-length 4,6 --filters 256 --learner logistic
  gckn train NCI1.zip --out nci1.gckn --supervised --validation 0.1 --checkpoint nci1.state --plot nci1.svg
  gckn predict mutag.gckn new.jsonl --out predictions.csv)");
  command->callback([options] { run_train(*options); });
}

}  // namespace gckn::cli
