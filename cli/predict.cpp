// SPDX-License-Identifier: BSD-3-Clause
// gckn predict: what a trained model says about graphs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "block_work.h"
#include "commands.h"
#include "console.h"
#include "data.h"
#include "figures.h"
#include "files.h"
#include "gckn/error.h"
#include "gckn/io.h"
#include "gckn/model.h"
#include "gckn/model_file.h"
#include "gckn/scoring.h"
#include "input_text.h"
#include "output.h"

namespace gckn::cli {

namespace {

using Json = nlohmann::ordered_json;

struct PredictCommand {
  CommonOptions common;
  ReadingOptions reading;
  std::string model;
  std::string data;
  std::string out = "-";
  bool all_classes = false;
  std::uint64_t max_paths = RunOptions{}.max_paths;
  BlockWorkOptions blocks;
};

// ":NAME" behind the names of columns, where there are several targets.
std::string suffix_of(const Model& model, const TargetModel& target) {
  return model.targets().size() == 1 ? "" : fmt::format(":{}", target.name);
}

// has_truth: by target, whether a column says what its graphs really are.
std::string header(const Model& model, bool all_classes, const std::vector<bool>& has_truth, bool has_status) {
  std::string line = has_status ? "graph,status" : "graph";
  for (std::size_t t = 0; t < model.targets().size(); ++t) {
    const TargetModel& target = model.targets()[t];
    const std::string suffix = suffix_of(model, target);
    const auto add = [&](const std::string& column) { line += ',' + csv_field(column + suffix); };
    if (target.class_names.empty()) {
      add("value");
    } else {
      for (const char* column : {"label", "score", "probability"}) add(column);
      for (std::size_t c = 0; all_classes && c < target.class_names.size(); ++c) {
        add("probability of " + target.class_names[c]);
      }
    }
    if (has_truth[t]) add("truth");
  }
  line += '\n';
  return line;
}

// Of a graph: the label, its score (of two classes the second one's) and its probability; nothing if it has none.
void append_label(const TargetPredictions& target, std::size_t g, bool all_classes, std::string& line) {
  if (target.predicted[g] < 0) {
    line.append(all_classes ? 3 + target.class_names.size() : 3, ',');
    return;
  }
  const auto label = static_cast<std::size_t>(target.predicted[g]);
  const bool one_score = target.scores.cols() == 1;
  const double score = one_score ? target.scores(g, 0) : target.scores(g, label);
  fmt::format_to(std::back_inserter(line), ",{},{:.9g},", csv_field(target.class_names[label]), score);
  const bool known = !target.probabilities.empty();
  if (known) fmt::format_to(std::back_inserter(line), "{:.6g}", target.probabilities(g, label));
  for (std::size_t c = 0; all_classes && c < target.class_names.size(); ++c) {
    line += ',';
    if (known) fmt::format_to(std::back_inserter(line), "{:.6g}", target.probabilities(g, c));
  }
}

// Lines of predictions below a header.
class Table {
 public:
  Table(const Model& model, bool all_classes) : model_(model), all_classes_(all_classes) {}

  // The header. There is a column of truth if the first block of DATA has such.
  std::string begin(const DataBlock& first, bool has_status) {
    for (const Truth& target : truth_for(model_, first.graphs)) has_truth_.push_back(target.known);
    return header(model_, all_classes_, has_truth_, has_status);
  }

  // Goes on with a table that another run has begun.
  void go_on(const std::string& its_header) {
    for (const TargetModel& target : model_.targets()) {
      const std::string column = csv_field("truth" + suffix_of(model_, target));
      const auto has = [&](char next) {
        return its_header.find(fmt::format(",{}{}", column, next)) != std::string::npos;
      };
      has_truth_.push_back(has(',') || has('\n'));
    }
  }

  // A line for every row of the block; nothing but its name and status for one without a graph.
  std::string lines(const Predictions& predictions, const std::vector<Truth>& truth, const DataBlock& block) {
    std::string text;
    const auto commas = std::ranges::count(header(model_, all_classes_, has_truth_, false), ',');
    std::map<std::uint32_t, std::string> reasons;  // of graphs without a prediction
    for (std::size_t i = 0; i < predictions.unpredicted.size(); ++i) {
      reasons[predictions.unpredicted[i]] = predictions.reasons[i];
    }
    for (std::size_t i = 0; i < block.num_rows(); ++i) {
      text += csv_field(block.names[i]);
      if (block.has_status()) {
        const auto reason = reasons.find(block.graph_of_row[i]);
        text += ',' + csv_field(status_text(reason == reasons.end() ? block.errors[i] : reason->second));
      }
      if (block.is_graph(i)) {
        append_graph(predictions, truth, block.graph_of_row[i], text);
      } else {
        text.append(static_cast<std::size_t>(commas), ',');
      }
      text += '\n';
    }
    return text;
  }

 private:
  void append_graph(const Predictions& predictions, const std::vector<Truth>& truth, std::size_t g,
                    std::string& text) const {
    for (std::size_t t = 0; t < predictions.targets.size(); ++t) {
      const TargetPredictions& target = predictions.targets[t];
      if (!target.class_names.empty()) {
        append_label(target, g, all_classes_, text);
      } else {
        text += ',';
        if (!std::isnan(target.scores(g, 0))) fmt::format_to(std::back_inserter(text), "{:.9g}", target.scores(g, 0));
      }
      if (has_truth_[t]) text += ',' + (truth[t].known ? csv_field(truth[t].text[g]) : "");
    }
  }

  const Model& model_;
  const bool all_classes_;
  std::vector<bool> has_truth_;  // by target, as the first graphs have it
};

// What has been predicted so far.
struct Tally {
  explicit Tally(const Model& model) {
    for (const TargetModel& target : model.targets()) class_counts.emplace_back(target.class_names.size());
  }

  std::size_t graphs = 0;
  std::vector<std::size_t> unpredicted;                // by row
  std::string reason;                                  // of the first of them
  std::vector<std::vector<std::size_t>> class_counts;  // by target

  void add(const Predictions& predictions, const DataBlock& block) {
    for (std::size_t t = 0; t < predictions.targets.size(); ++t) {
      for (const std::int32_t c : predictions.targets[t].predicted) {
        if (c >= 0) ++class_counts[t][static_cast<std::size_t>(c)];
      }
    }
    if (unpredicted.empty() && !predictions.reasons.empty()) reason = predictions.reasons.front();
    for (const std::uint32_t g : predictions.unpredicted) {
      unpredicted.push_back(block.first_row + static_cast<std::size_t>(std::ranges::find(block.graph_of_row, g) -
                                                                       block.graph_of_row.begin()));
    }
    graphs += predictions.graphs;
  }
};

// Of nodes, where a model compares these.
struct UnknownStates {
  std::uint64_t all = 0;
  std::uint64_t unknown = 0;

  void add(const Predictions& predictions) {
    all += predictions.states;
    unknown += predictions.unknown_states;
  }

  // A warning if it is most of them. Into `json` under "unknown", too.
  void say(Console& console, Json& json) const {
    json["unknown"]["states"] = unknown;
    if (2 * unknown <= all) return;
    console.warn("{} of {} states of nodes are new to the model and count for nothing: most of what it sees here",
                 grouped(unknown), grouped(all));
  }
};

// "38 of class 1, 12 of class 2".
std::string counts_text(const std::vector<std::string>& class_names, const std::vector<std::size_t>& count) {
  std::string text;
  for (std::size_t c = 0; c < count.size(); ++c) {
    text += fmt::format("{}{} of class {}", c == 0 ? "" : ", ", grouped(count[c]), class_names[c]);
  }
  return text;
}

// How right the predictions are, where DATA says what its graphs are.
void say_scores(Console& console, const Scoring& scoring, const std::vector<std::uint64_t>& strange, std::uint64_t seed,
                bool has_targets, bool may_be_training_graphs, Json& json) {
  const std::vector<TargetResult> results = scoring.results(seed);
  const std::vector<std::uint64_t> counts = scoring.counts();
  for (std::size_t t = 0; t < results.size(); ++t) {
    if (strange[t] > 0) {
      console.warn("{} of {} with a class that the model does not know are left out of the figures",
                   counted(strange[t], "graph"), results[t].name);
    }
    if (counts[t] == 0) continue;
    console.say("{}: against the truth of {}, with 95 % intervals:", results[t].name, counted(counts[t], "graph"));
    say_metrics(console, results[t]);
    Json entry = Json::parse(to_json(results[t]));
    entry["graphs"] = counts[t];
    entry["unknown_classes"] = strange[t];
    json["targets"].push_back(std::move(entry));
  }
  if (has_targets && !json.contains("targets")) {
    console.say("Note: the graphs have targets, but none that the model predicts.");
  }
  if (may_be_training_graphs && json.contains("targets")) {
    console.say(
        "Note: the model was trained on a set of this name. For graphs it has learnt from these figures say nothing.");
  }
}

void run_predict(const PredictCommand& options) {
  Console console(options.common);
  if (options.data.empty() && options.reading.molecules.smiles.empty()) {
    throw UsageError("DATA is required, or a molecule (--smiles)");
  }
  const bool to_standard_output = is_standard_output(options.out);
  if (to_standard_output && options.common.json) {
    throw UsageError("--out - and --json both want the standard output: give --out FILE");
  }
  if (to_standard_output) {
    console.keep_output_for_data();
  } else {
    check_output_folder(options.out);
    std::vector<FileArgument> read = files_read(options.reading.labels);
    read.insert(read.end(), {{"MODEL", options.model}, {"DATA", options.data}});
    check_files(read, files_written("--out", options.out));
  }
  check_block_work(options.blocks, options.data, options.out);
  RunOptions run = console.run_options();
  run.max_paths = options.max_paths;
  Stopwatch watch;
  const Model model = load_first(options.model, load_model, "gckn predict MODEL DATA");
  DataReader reader(options.data, options.reading, molecules_of(model), console, run, OnError::blank);
  std::unique_ptr<ResumableOutput> file;
  if (!to_standard_output) {
    file = std::make_unique<ResumableOutput>(
        std::vector<ResumableOutput::File>{{options.out}},
        block_work(options.blocks, options.model, options.data, options.reading,
                   {{"command", "predict"}, {"all_classes", options.all_classes}, {"max_paths", options.max_paths}}));
    if (file->is_complete()) {
      console.say("{} is finished: an earlier run has done all of it.", options.out);
      return console.result({{"command", "predict"},
                             {"data", options.data},
                             {"out", options.out},
                             {"graphs", 0},
                             {"was_finished", true}});
    }
  }
  const bool is_part = !options.blocks.shard.empty() || (file && file->blocks_done() > 0);
  Tally tally(model);
  Table table(model, options.all_classes);
  UnknownTally unknown;
  UnknownStates states;
  Scoring scoring(model);
  std::vector<std::uint64_t> strange(model.targets().size());
  std::string set_name;
  bool has_targets = false;
  const auto begin_table = [&](const DataBlock& first) {
    const std::string header = table.begin(first, reader.has_status());
    if (file) {
      file->set_header(0, header);
    } else {
      print_data(header);
    }
  };
  const bool has_header = file && !file->header(0).empty();
  if (has_header) table.go_on(file->header(0));
  // Block by block: graphs of any number take the memory of a block.
  const auto predict_block = [&](const DataBlock& block) {
    const GraphSet& graphs = block.graphs;
    set_name = graphs.name();
    has_targets = has_targets || graphs.targets().kind != Targets::Kind::none;
    const Predictions predictions = model.predict(graphs, reader.run());
    const std::vector<Truth> truth = truth_for(model, graphs);
    scoring.add(predictions, truth);
    for (std::size_t t = 0; t < strange.size(); ++t) strange[t] += truth[t].strange;
    unknown.add(model.network(), graphs);
    states.add(predictions);
    const std::string text = table.lines(predictions, truth, block);
    if (file) {
      file->append(0, text);
    } else {
      print_data(text);
    }
    tally.add(predictions, block);
  };
  for_each_block_left(reader, file.get(), options.blocks, console, predict_block,
                      has_header ? UseBlock{} : UseBlock{begin_table});
  if (file) file->finish();
  const double seconds = watch.lap();
  console.say("Predicted {} in {:.2f} s.", counted(tally.graphs - tally.unpredicted.size(), "graph"), seconds);
  for (std::size_t t = 0; t < model.targets().size(); ++t) {
    const TargetModel& target = model.targets()[t];
    if (target.class_names.empty()) continue;
    console.say("{}: {}.", target.name, counts_text(target.class_names, tally.class_counts[t]));
  }
  if (!tally.unpredicted.empty()) {
    console.say("Note: {} without a prediction. Graph {}: {}.", counted(tally.unpredicted.size(), "graph"),
                tally.unpredicted.front(), tally.reason);
  }
  Json json{{"command", "predict"},
            {"model", options.model},
            {"data", options.data},
            {"graphs", tally.graphs},
            {"out", options.out},
            {"seconds", seconds},
            {"unpredicted", tally.unpredicted}};
  reader.say_errors();
  unknown.say(console, model.network(), json);
  if (compares_states(model.network().config())) states.say(console, json);
  say_scores(console, scoring, strange, options.common.seed, has_targets,
             set_name == model.network().learnt_from().data, json);
  if (is_part && json.contains("targets"))
    console.say("Note: the figures are of the graphs that this run has predicted.");
  console.result(json);
}

}  // namespace

void add_predict_command(CLI::App& program) {
  auto options = std::make_shared<PredictCommand>();
  CLI::App* command = program.add_subcommand("predict", "Predict graphs with a trained model.");
  add_model_and_data(*command, options->model, options->data, options->reading);
  command->add_option("--out", options->out, "CSV file for the predictions, one line per graph; - prints them")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_flag("--all-classes", options->all_classes, "Write the probability of every class, too");
  command
      ->add_option("--max-paths", options->max_paths,
                   "Leave out a graph of which a layer would visit more paths than this")
      ->type_name("N")
      ->capture_default_str();
  add_block_work_options(*command, options->blocks);
  add_reading_options(*command, options->reading, OnError::blank);
  add_common_options(*command, options->common);
  command->footer(
      R"(The columns are graph (its id, or its number in DATA from 0), label, score and probability; or graph and value for
numbers. If DATA says what its graphs are, there is a column truth behind these, and the metrics of gckn cv are printed.
With two classes a positive score means the second class. Probabilities of a support vector machine are calibrated on
graphs it was not trained on, so now and then a label has less than 0.5. A graph that has more paths than --max-paths
in a layer has a line with nothing but its name. Graphs of any number take the memory of a block. Until all is done the
lines are in FILE.part, and FILE.blocks says how far they go; a run that was stopped goes on with --resume.

Examples:
  gckn predict mutag.gckn new.jsonl --out predictions.csv
  gckn predict mutag.gckn - <new.jsonl
  gckn predict bbbp.gckn new.csv --out predictions.csv
  gckn predict bbbp.gckn --smiles "CC(=O)Oc1ccccc1C(=O)O aspirin")");
  command->callback([options] { run_predict(*options); });
}

}  // namespace gckn::cli
