// SPDX-License-Identifier: BSD-3-Clause
// gckn predict: what a trained model says about graphs.
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "console.h"
#include "data.h"
#include "gckn/error.h"
#include "gckn/io.h"
#include "gckn/model.h"
#include "gckn/model_file.h"
#include "output.h"

namespace gckn::cli {

namespace {

using Json = nlohmann::ordered_json;

struct PredictCommand {
  CommonOptions common;
  std::string model;
  std::string data;
  std::string out = "-";
  bool all_classes = false;
  std::uint64_t max_paths = RunOptions{}.max_paths;
};

// ":NAME" behind the names of columns, where there are several targets.
std::string suffix_of(const Predictions& predictions, const TargetPredictions& target) {
  return predictions.targets.size() == 1 ? "" : fmt::format(":{}", target.name);
}

std::string header(const Predictions& predictions, bool all_classes) {
  std::string line = "graph";
  for (const TargetPredictions& target : predictions.targets) {
    const std::string suffix = suffix_of(predictions, target);
    if (target.class_names.empty()) {
      fmt::format_to(std::back_inserter(line), ",{}", csv_field("value" + suffix));
      continue;
    }
    for (const char* column : {"label", "score", "probability"}) {
      fmt::format_to(std::back_inserter(line), ",{}", csv_field(column + suffix));
    }
    for (std::size_t c = 0; all_classes && c < target.class_names.size(); ++c) {
      fmt::format_to(std::back_inserter(line), ",{}", csv_field("probability of " + target.class_names[c] + suffix));
    }
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

// first: the number of the first of these graphs in DATA.
std::string csv(const Predictions& predictions, const GraphSet& graphs, std::size_t first, bool all_classes) {
  std::string text = first == 0 ? header(predictions, all_classes) : "";
  for (std::size_t g = 0; g < predictions.graphs; ++g) {
    const bool named = !graphs.ids().empty() && !graphs.ids()[g].empty();
    text += named ? csv_field(graphs.ids()[g]) : fmt::to_string(first + g);
    for (const TargetPredictions& target : predictions.targets) {
      if (target.class_names.empty()) {
        text += ',';
        if (!std::isnan(target.scores(g, 0))) fmt::format_to(std::back_inserter(text), "{:.9g}", target.scores(g, 0));
      } else {
        append_label(target, g, all_classes, text);
      }
    }
    text += '\n';
  }
  return text;
}

// What has been predicted so far.
struct Tally {
  std::size_t graphs = 0;
  std::vector<std::size_t> unpredicted;
  std::string reason;                                  // of the first of them
  std::vector<std::vector<std::size_t>> class_counts;  // by target

  void add(const Predictions& predictions) {
    class_counts.resize(predictions.targets.size());
    for (std::size_t t = 0; t < predictions.targets.size(); ++t) {
      class_counts[t].resize(predictions.targets[t].class_names.size());
      for (const std::int32_t c : predictions.targets[t].predicted) {
        if (c >= 0) ++class_counts[t][static_cast<std::size_t>(c)];
      }
    }
    if (unpredicted.empty() && !predictions.reasons.empty()) reason = predictions.reasons.front();
    for (const std::uint32_t g : predictions.unpredicted) unpredicted.push_back(graphs + g);
    graphs += predictions.graphs;
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

void run_predict(const PredictCommand& options) {
  Console console(options.common);
  const bool to_standard_output = is_standard_output(options.out);
  if (to_standard_output && options.common.json) {
    throw UsageError("--out - and --json both want the standard output: give --out FILE");
  }
  if (to_standard_output) {
    console.keep_output_for_data();
  } else {
    check_output_folder(options.out);
    check_not_overwritten(options.out, {options.model, options.data});
  }
  RunOptions run = console.run_options();
  run.max_paths = options.max_paths;
  Stopwatch watch;
  const Model model = load_first(options.model, load_model, "gckn predict MODEL DATA");
  const std::unique_ptr<GraphReader> reader = open_data(options.data, run);
  std::optional<TextWriter> file;
  if (!to_standard_output) file.emplace(options.out);
  Tally tally;
  // Block by block: graphs of any number take the memory of a block.
  while (const std::optional<GraphSet> graphs = reader->next()) {
    const Predictions predictions = model.predict(*graphs, run);
    const std::string text = csv(predictions, *graphs, tally.graphs, options.all_classes);
    if (file) {
      file->append(text);
    } else {
      print_data(text);
    }
    tally.add(predictions);
  }
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
  console.result(Json{{"command", "predict"},
                      {"model", options.model},
                      {"data", options.data},
                      {"graphs", tally.graphs},
                      {"out", options.out},
                      {"seconds", seconds},
                      {"unpredicted", tally.unpredicted}});
}

}  // namespace

void add_predict_command(CLI::App& program) {
  auto options = std::make_shared<PredictCommand>();
  CLI::App* command = program.add_subcommand("predict", "Predict graphs with a trained model.");
  command->add_option("MODEL", options->model, "A model that gckn train saved")->required();
  add_data_argument(*command, options->data);
  command->add_option("--out", options->out, "CSV file for the predictions, one line per graph; - prints them")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_flag("--all-classes", options->all_classes, "Write the probability of every class, too");
  command
      ->add_option("--max-paths", options->max_paths,
                   "Leave out a graph of which a layer would visit more paths than this")
      ->type_name("N")
      ->capture_default_str();
  add_common_options(*command, options->common);
  command->footer(
      R"(The columns are graph (its id, or its number in DATA from 0), label, score and probability; or graph and value for
numbers. With two classes a positive score means the second class. Probabilities of a support vector machine are
calibrated on graphs it was not trained on, so now and then a label has less than 0.5. A graph that has more paths than
--max-paths in a layer has a line with nothing but its name.

Examples:
  gckn predict mutag.gckn new.jsonl --out predictions.csv
  gckn predict mutag.gckn - <new.jsonl)");
  command->callback([options] { run_predict(*options); });
}

}  // namespace gckn::cli
