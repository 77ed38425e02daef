// SPDX-License-Identifier: BSD-3-Clause
// gckn predict: what a trained model says about graphs.
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <memory>
#include <string>

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

// A field of a CSV line: in quotes where it has to be.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  quoted += '"';
  return quoted;
}

// ":NAME" behind the names of columns, where there are several targets.
std::string suffix_of(const Predictions& predictions, const TargetPredictions& target) {
  return predictions.targets.size() == 1 ? "" : fmt::format(":{}", target.name);
}

std::string header(const Predictions& predictions, bool all_classes) {
  std::string line = "graph";
  for (const TargetPredictions& target : predictions.targets) {
    const std::string suffix = suffix_of(predictions, target);
    if (target.class_names.empty()) {
      fmt::format_to(std::back_inserter(line), ",{}", field("value" + suffix));
      continue;
    }
    for (const char* column : {"label", "score", "probability"}) {
      fmt::format_to(std::back_inserter(line), ",{}", field(column + suffix));
    }
    for (std::size_t c = 0; all_classes && c < target.class_names.size(); ++c) {
      fmt::format_to(std::back_inserter(line), ",{}", field("probability of " + target.class_names[c] + suffix));
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
  fmt::format_to(std::back_inserter(line), ",{},{:.9g},", field(target.class_names[label]), score);
  const bool known = !target.probabilities.empty();
  if (known) fmt::format_to(std::back_inserter(line), "{:.6g}", target.probabilities(g, label));
  for (std::size_t c = 0; all_classes && c < target.class_names.size(); ++c) {
    line += ',';
    if (known) fmt::format_to(std::back_inserter(line), "{:.6g}", target.probabilities(g, c));
  }
}

std::string csv(const Predictions& predictions, const GraphSet& graphs, bool all_classes) {
  std::string text = header(predictions, all_classes);
  for (std::size_t g = 0; g < predictions.graphs; ++g) {
    const bool named = !graphs.ids().empty() && !graphs.ids()[g].empty();
    text += named ? field(graphs.ids()[g]) : fmt::to_string(g);
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

// "38 of class 1, 12 of class 2".
std::string counts_text(const TargetPredictions& target) {
  std::vector<std::size_t> count(target.class_names.size());
  for (const std::int32_t c : target.predicted) {
    if (c >= 0) ++count[static_cast<std::size_t>(c)];
  }
  std::string text;
  for (std::size_t c = 0; c < count.size(); ++c) {
    text += fmt::format("{}{} of class {}", c == 0 ? "" : ", ", grouped(count[c]), target.class_names[c]);
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
  const Model model = load_model(options.model);
  const GraphSet graphs = read_data(options.data, run);
  const Predictions predictions = model.predict(graphs, run);
  const std::string text = csv(predictions, graphs, options.all_classes);
  if (to_standard_output) {
    fmt::print(stdout, "{}", text);
  } else {
    write_text(text, options.out);
  }
  const double seconds = watch.lap();
  console.say("Predicted {} in {:.2f} s.", counted(graphs.num_graphs() - predictions.unpredicted.size(), "graph"),
              seconds);
  Json json{{"command", "predict"},
            {"model", options.model},
            {"data", options.data},
            {"graphs", graphs.num_graphs()},
            {"out", options.out},
            {"seconds", seconds},
            {"unpredicted", predictions.unpredicted}};
  for (const TargetPredictions& target : predictions.targets) {
    if (!target.class_names.empty()) console.say("{}: {}.", target.name, counts_text(target));
  }
  if (!predictions.unpredicted.empty()) {
    console.say(
        "Note: {} with more than {} paths in a layer, and so without a prediction; --max-paths raises the limit.",
        counted(predictions.unpredicted.size(), "graph"), grouped(options.max_paths));
  }
  console.result(json);
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
      ->add_option("--max-paths", options->max_paths, "Leave out a graph once a layer has visited so many of its paths")
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
