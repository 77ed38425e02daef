// SPDX-License-Identifier: BSD-3-Clause
// gckn cv: how well vectors predict, by cross-validation, and which network does it best.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "console.h"
#include "data.h"
#include "duplicates.h"
#include "figures.h"
#include "files.h"
#include "gckn/cross_validation.h"
#include "gckn/error.h"
#include "gckn/io.h"
#include "gckn/version.h"
#include "input_text.h"
#include "output.h"
#include "search_options.h"
#include "text_file.h"
#include "values.h"

namespace gckn::cli {

namespace {

using Json = nlohmann::ordered_json;

struct CvCommand {
  CommonOptions common;
  SearchOptions search;
  CrossValidationOptions cv;
  std::string protocol{to_string(Protocol::nested)};
  CLI::Option* folds_flag = nullptr;
  bool no_baselines = false;
  ReadingOptions reading;
  DuplicateFlags duplicates;
  std::string folds_by = "graphs";
  std::string test_file;
  std::string data;
  std::string out;
  std::string history;
  std::string plot;
};

// One split: the graphs that a file lists, one number per line, are tested, all others are learnt from.
Fold read_test_list(const std::string& path, std::size_t num_graphs) {
  Fold fold;
  std::vector<bool> tested(num_graphs);
  for_each_line(read_text(path), [&](std::size_t line, std::string_view text) {
    const std::string_view word = trimmed(text);
    if (word.empty()) return;
    std::uint32_t graph = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), graph);
    if (error != std::errc{} || stop != word.data() + word.size() || graph >= num_graphs) {
      throw InputError(
          fmt::format("{}:{}: '{}' is not the number of a graph (0 to {})", path, line, word, num_graphs - 1));
    }
    if (tested[graph]) throw InputError(fmt::format("{}:{}: graph {} is listed twice", path, line, graph));
    tested[graph] = true;
    fold.test.push_back(graph);
  });
  if (fold.test.empty()) throw InputError(fmt::format("{}: lists no graph", path));
  for (std::uint32_t g = 0; g < num_graphs; ++g) {
    if (!tested[g]) fold.train.push_back(g);
  }
  return fold;
}

Json result_json(const CvCommand& options, const CrossValidationResult& result) {
  Json json{{"command", "cv"}, {"gckn_version", kVersion}, {"data", options.data}};
  json.update(Json::parse(to_json(result, options.cv)));
  return json;
}

void say_result(Console& console, const CvCommand& options, const CrossValidationResult& result) {
  for (const TargetResult& target : result.targets) {
    if (result.targets.size() > 1) {
      console.say("");
      console.say("{}:", target.name);
    }
    say_target(console, target);
  }
  for (const std::string& remark : result.remarks) console.say("Note: {}.", remark);
  const bool supervised = options.cv.supervised.has_value();
  const std::size_t candidates =
      options.cv.networks.size() * (supervised ? options.cv.supervised->penalties.size() : 1);
  if (result.optimistic) {
    const FoldResult& best = result.results.front();
    console.say("Best of {} with {}: {}.", counted(candidates, supervised ? "candidate" : "network"),
                supervised ? fmt::format("penalty {:.3g} and {}", best.penalty, counted(best.epochs, "epoch"))
                           : fmt::format("C = {:.3g}", best.targets[0].C),
                network_text(options.cv.networks[best.network]));
    console.say(
        "This is the protocol of the paper, and optimistic: the parameters were chosen by the very graphs that");
    console.say("the figures are for{}.", supervised ? "" : ", and the anchors were learnt from all graphs");
  } else if (supervised) {
    std::vector<int> epochs;
    for (const FoldResult& fold : result.results) epochs.push_back(fold.epochs);
    const auto [least, most] = std::ranges::minmax(epochs);
    console.say("Network and penalty ({}) and epochs ({} to {}) were chosen within the training graphs of each fold.",
                counted(candidates, "candidate"), least, most);
  } else {
    console.say("Network ({}) and C were chosen within the training graphs of each fold.",
                counted(candidates, "candidate"));
  }
}

// Which graphs stay together in new folds.
void group_folds(CvCommand& options, const GraphSet& graphs, const EqualGraphs& equal, const RunOptions& run) {
  CrossValidationOptions& cv = options.cv;
  if (options.folds_by == "graphs") return;
  cv.use_own_folds = false;
  if (options.folds_by == "equal") {
    cv.groups.of_graph = equal.first;
  } else if (options.folds_by == "scaffold") {
    if (graphs.smiles().empty()) throw UsageError("--folds-by scaffold: only molecules have scaffolds");
    std::map<std::string, std::uint32_t> numbers;
    for (std::string& scaffold : scaffolds(graphs.smiles(), run)) {
      const auto next = static_cast<std::uint32_t>(numbers.size());
      cv.groups.of_graph.push_back(numbers.emplace(std::move(scaffold), next).first->second);
    }
    cv.groups.test_small_ones_only = true;
  } else {
    throw UsageError(fmt::format("--folds-by {}: it must be graphs, equal or scaffold", options.folds_by));
  }
}

void run_cv(CvCommand& options) {
  Console console(options.common);
  CrossValidationOptions& cv = options.cv;
  if (!options.out.empty()) check_output_folder(options.out);
  if (options.folds_by != "graphs" && !options.test_file.empty()) {
    throw UsageError(fmt::format("--folds-by {} makes new folds: leave --test away", options.folds_by));
  }
  std::vector<FileArgument> read = files_read(options.search, options.data, options.reading.labels);
  read.push_back({"--test", options.test_file});
  check_files(read, {{"--out", options.out},
                     {"--journal", cv.journal.string()},
                     {"--history", options.history},
                     {"--plot", options.plot}});
  cv.protocol = parse_protocol(options.protocol);
  for (const std::string& file : {options.history, options.plot}) {
    if (file.empty()) continue;
    check_output_folder(file);
    if (cv.protocol == Protocol::nested) {
      throw UsageError("--history and --plot are of the paper protocols: nested folds have epochs of their own");
    }
  }
  cv.networks = resolve(options.search);
  cv.learning = options.search.learning;
  cv.supervised = options.search.supervised.get();
  cv.seed = options.common.seed;
  cv.baselines = !options.no_baselines;
  cv.use_own_folds = options.folds_flag->count() == 0 && cv.protocol != Protocol::paper_repeated;
  if (cv.resume && cv.journal.empty()) throw UsageError("--resume goes on with a journal: give --journal FILE");
  RunOptions run = console.run_options();
  run.max_paths = options.search.max_paths;

  Stopwatch watch;
  GraphSet graphs = read_data(options.data, options.reading, console, run, OnError::fail, true);
  Json equal_json;
  const EqualGraphs equal = treat_equal_graphs(options.duplicates, graphs, console, run, equal_json);
  group_folds(options, graphs, equal, run);
  cv.networks = candidates_for(graphs, options.search, std::move(cv.networks), cv.learning);
  say_kernels(console, graphs, options.search, cv.networks);
  if (cv.baselines && !graphs.smiles().empty()) {
    cv.given_baselines = {{"Morgan fingerprints", morgan_fingerprints(graphs.smiles(), {}, run)}};
  }
  if (!options.test_file.empty()) cv.given_folds = {read_test_list(options.test_file, graphs.num_graphs())};
  const CrossValidationResult result = cross_validate(graphs, cv, run);
  const double seconds = watch.lap();

  Json input;
  say_input(console, graphs, cv.networks.front(), input);
  say_seen_test_graphs(console, equal, result.folds, equal_json);
  say_result(console, options, result);
  console.say("{}; {:.1f} s.",
              result.repeats > 1
                  ? fmt::format("{} repeats of {} folds", result.repeats, result.folds.size() / result.repeats)
                  : fmt::format("{}{}", result.made_folds ? "" : "Given: ", counted(result.folds.size(), "fold")),
              seconds);
  Json json = result_json(options, result);
  json.update(input);
  json["equal_graphs"] = equal_json;
  json["seconds"] = seconds;
  if (!options.out.empty()) {
    write_text(json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n", options.out);
    console.say("Wrote the folds and every prediction to {}.", options.out);
  }
  if (!options.history.empty()) {
    write_text(search_history_csv(result), options.history);
    console.say("Wrote loss and score of every epoch to {}.", options.history);
  }
  if (!options.plot.empty()) {
    write_text(search_history_svg(result, fmt::format("Cross-validation on {}", graphs.name())), options.plot);
    console.say("Wrote a picture of the best candidate's epochs to {}.", options.plot);
  }
  console.result(json);
}

}  // namespace

void add_cv_command(CLI::App& program) {
  auto options = std::make_shared<CvCommand>();
  CLI::App* command = program.add_subcommand("cv", "Measure how well vectors predict, and find the best network.");
  add_data_argument(*command, options->data);
  CLI::Option* protocol =
      command
          ->add_option(
              "--protocol", options->protocol,
              "nested: everything is chosen within training graphs;\npaper: as published, which is optimistic;\n"
              "paper-repeated: the same, then ten times ten folds")
          ->type_name("WORD")
          ->capture_default_str();
  takes_words(protocol, {"nested", "paper", "paper-repeated"});
  options->folds_flag =
      command->add_option("--folds", options->cv.folds, "Folds, instead of those that the set may bring")
          ->type_name("N")
          ->capture_default_str();
  command->add_option("--repeats", options->cv.repeats, "Repeat with other shuffles")
      ->type_name("N")
      ->default_str("1, or 10 for paper-repeated");
  takes_words(command
                  ->add_option("--folds-by", options->folds_by,
                               "What is dealt out to folds: graphs, equal (graphs that are\nequal stay together) or "
                               "scaffold (of molecules; the frequent\nones are never tested)")
                  ->type_name("WORD")
                  ->capture_default_str(),
              {"graphs", "equal", "scaffold"});
  add_duplicate_option(*command, options->duplicates);
  command
      ->add_option("--test", options->test_file,
                   "Test the graphs that this file lists (one number per\nline, from 0) and learn from the others")
      ->type_name("FILE")
      ->excludes(options->folds_flag);
  command->add_flag("--no-baselines", options->no_baselines,
                    "Do not run majority class, label histogram and WL kernel\nin the same folds");
  command->add_option("--out", options->out, "File for folds, predictions and figures (JSON)")->type_name("FILE");
  command->add_option("--journal", options->cv.journal, "File for results as they come (JSON lines)")
      ->type_name("FILE");
  command->add_flag("--resume", options->cv.resume, "Go on with the journal of a search that was stopped");
  add_search_options(*command, options->search);
  add_supervised_option(*command, options->search.supervised, "--selection-folds",
                        options->search.supervised.options.selection_folds,
                        "Of the inner folds of the nested protocol, those that\nare trained on", "N")
      ->capture_default_str();
  add_supervised_option(*command, options->search.supervised, "--history", options->history,
                        "File for loss and score of every candidate and epoch\n(CSV; of the paper protocols)", "FILE");
  add_supervised_option(*command, options->search.supervised, "--plot", options->plot,
                        "File for a picture of those of the best one (SVG)", "FILE");
  add_reading_options(*command, options->reading, OnError::fail);
  add_common_options(*command, options->common);
  command->footer(
      R"(A linear model on standardised vectors. docs/evaluation.md explains the protocols and the figures.

Examples:
  gckn cv MUTAG.zip
  gckn cv NCI1.zip --path-length 4,6 --filters 256 --sigma 0.4,0.6 --journal nci1.journal --out nci1-cv.json
  gckn cv PTC.zip --protocol paper --grid paper --filters 128
  gckn cv NCI1.zip --supervised --path-length 3 --filters 32 --penalty 1e-4,1e-6)");
  command->callback([options] { run_cv(*options); });
}

}  // namespace gckn::cli
