// SPDX-License-Identifier: BSD-3-Clause
// gckn explain: which substructures carry the predictions of a model.
#include "gckn/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "console.h"
#include "data.h"
#include "explain_anchors.h"
#include "explain_output.h"
#include "files.h"
#include "gckn/error.h"
#include "gckn/model_file.h"
#include "gckn/scoring.h"
#include "input_text.h"
#include "output.h"
#include "values.h"

namespace gckn::cli {

namespace {

using Json = nlohmann::ordered_json;

struct ExplainCommand {
  CommonOptions common;
  ReadingOptions reading;
  ExplainOptions explain;
  OutputParts parts;
  std::string model;
  std::string data;
  std::string out;
  std::string method = "auto";
  std::string target;
  std::vector<std::uint32_t> graphs;
  std::uint64_t max_paths = RunOptions{}.max_paths;
  bool no_pictures = false;
  const CLI::App* command = nullptr;
  std::vector<CLI::Option*> for_masks;       // options that mean something to masks alone
  CLI::Option* for_other_methods = nullptr;  // and one that means nothing to them
};

std::size_t target_called(const Model& model, const std::string& name) {
  if (name.empty()) {
    if (model.targets().size() == 1) return 0;
    throw UsageError(fmt::format("the model has {}: name the one to be explained (--target)",
                                 counted(model.targets().size(), "target")));
  }
  const auto found = std::ranges::find(model.targets(), name, &TargetModel::name);
  if (found != model.targets().end()) return static_cast<std::size_t>(found - model.targets().begin());
  std::string names;
  for (const TargetModel& target : model.targets()) names += (names.empty() ? "" : ", ") + target.name;
  throw UsageError(fmt::format("--target {}: the model has {}", name, names));
}

// Means over the graphs that have a value.
class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] double value() const { return sum_ / static_cast<double>(count_); }
  [[nodiscard]] Json json() const { return count_ == 0 ? Json(nullptr) : Json(value()); }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

// Figures of the whole set. Fidelity and sparsity are of the graphs with a motif.
struct Figures {
  Mean class_without, class_alone, score_without, score_alone, sparsity, node_auc, jaccard;
  Mean distance_without, distance_alone;  // of numbers, which may rise or fall

  explicit Figures(const ExplainedSet& set) {
    for (std::size_t i = 0; i < set.explanations.size(); ++i) {
      if (const std::optional<Fidelity>& of_graph = set.fidelities[i]) {
        class_without.add(of_graph->class_changes_without ? 1 : 0);
        class_alone.add(of_graph->class_changes_alone ? 1 : 0);
        score_without.add(of_graph->score_without);
        score_alone.add(of_graph->score_alone);
        distance_without.add(std::abs(of_graph->score_without));
        distance_alone.add(std::abs(of_graph->score_alone));
        sparsity.add(of_graph->sparsity);
      }
      if (!set.is_right(i)) continue;  // what is known explains the true class
      if (const std::optional<TruthAgreement>& agreement = set.agreements[i]) {
        jaccard.add(agreement->jaccard);
        if (agreement->node_auc) node_auc.add(*agreement->node_auc);
      }
    }
  }
};

// Of what is lost.
std::string change_text(double loss) {
  return fmt::format("{} by {:.3g}", loss < 0 ? "rises" : "falls", std::abs(loss));
}

void say_figures(Console& console, const Figures& figures, bool has_classes, Json& json,
                 std::vector<PageFigure>& page) {
  const auto say = [&](const char* name, const std::string& value, const std::string& meaning) {
    console.say("  {:<11} {:>8}  {}", name, value, meaning);
    page.push_back({name, value, meaning});
  };
  if (figures.sparsity.count() > 0) {
    const std::string graphs = counted(figures.sparsity.count(), "graph");
    if (has_classes) {
      say("fidelity+", fmt::format("{:.1f} %", 100 * figures.class_without.value()),
          fmt::format("of the {} with a motif are predicted otherwise without it; the score {}", graphs,
                      change_text(figures.score_without.value())));
      say("fidelity-", fmt::format("{:.1f} %", 100 * figures.class_alone.value()),
          fmt::format("are predicted otherwise from the motif alone; the score {}",
                      change_text(figures.score_alone.value())));
    } else {
      say("fidelity+", fmt::format("{:.3g}", figures.distance_without.value()),
          fmt::format("is how far predictions move without the motif: mean over the {} with one", graphs));
      say("fidelity-", fmt::format("{:.3g}", figures.distance_alone.value()),
          "is how far they move with the motif alone");
    }
    say("sparsity", fmt::format("{:.1f} %", 100 * figures.sparsity.value()), "of the nodes are not in the motif");
  }
  if (figures.jaccard.count() > 0) {
    const std::string of = fmt::format("(of {} with a truth, without those that are predicted wrongly)",
                                       counted(figures.jaccard.count(), "graph"));
    say("Jaccard", fmt::format("{:.3f}", figures.jaccard.value()), "of the nodes that stand out with the truth " + of);
    if (figures.node_auc.count() > 0) {
      say("node AUC", fmt::format("{:.4f}", figures.node_auc.value()), "of the scores of nodes against the truth");
    }
  }
  json["fidelity_plus"] = has_classes ? figures.class_without.json() : figures.distance_without.json();
  json["fidelity_minus"] = has_classes ? figures.class_alone.json() : figures.distance_alone.json();
  json["fidelity_plus_score"] = figures.score_without.json();
  json["fidelity_minus_score"] = figures.score_alone.json();
  json["sparsity"] = figures.sparsity.json();
  json["jaccard"] = figures.jaccard.json();
  json["node_auc"] = figures.node_auc.json();
  json["graphs_with_motif"] = figures.sparsity.count();
  json["graphs_with_truth"] = figures.jaccard.count();
}

// The first motifs of the catalogue.
void say_motifs(Console& console, const MotifCatalogue& catalogue, const std::vector<std::string>& classes,
                Json& json) {
  constexpr std::size_t kShown = 10;
  constexpr std::size_t kInJson = 100;
  if (!catalogue.kinds.empty()) {
    const bool by_enrichment = !std::isnan(catalogue.kinds.front().enrichment);
    console.say("{} of motifs{}:", counted(catalogue.kinds.size(), "kind"),
                catalogue.kinds.size() <= kShown ? ""
                : by_enrichment                  ? fmt::format(", the {} that tell the classes apart best", kShown)
                                                 : fmt::format(", the {} most frequent", kShown));
  }
  json["motifs"] = Json::array();
  for (std::size_t k = 0; k < catalogue.kinds.size() && k < kInJson; ++k) {
    const MotifKind& kind = catalogue.kinds[k];
    const std::string of_class =
        kind.explained_class < 0 ? "" : classes[static_cast<std::size_t>(kind.explained_class)];
    if (k < kShown) {
      std::string shares;
      for (std::size_t c = 0; c < kind.share_by_class.size(); ++c) {
        if (std::isnan(kind.share_by_class[c])) continue;
        shares +=
            fmt::format("{}{:.1f} % of {}", shares.empty() ? "; in " : ", ", 100 * kind.share_by_class[c], classes[c]);
      }
      if (!std::isnan(kind.enrichment)) shares += fmt::format(", enrichment {:+.1f}", kind.enrichment);
      console.say("  {:>12}  {}{}: {:+.3g} on average{}", counted(kind.explanations.size(), "graph"), kind.name,
                  of_class.empty() ? "" : fmt::format(" for class {}", of_class), kind.contribution, shares);
    }
    json["motifs"].push_back({{"name", kind.name},
                              {"class", of_class.empty() ? Json(nullptr) : Json(of_class)},
                              {"graphs", kind.explanations.size()},
                              {"contribution", kind.contribution},
                              {"share_by_class", kind.share_by_class},
                              {"enrichment", kind.enrichment}});  // null where it is NaN
  }
  json["kinds_of_motifs"] = catalogue.kinds.size();
}

// What was not done, or not well.
void say_failures(Console& console, const ExplainedSet& set, Json& json, std::vector<std::string>& remarks) {
  std::size_t failed = 0, empty = 0, unconverged = 0;
  const Explanation* first = nullptr;
  for (const Explanation& explanation : set.explanations) {
    if (!explanation.error.empty()) {
      ++failed;
      if (first == nullptr) first = &explanation;
    } else if (explanation.parts.empty()) {
      ++empty;
    }
    if (explanation.minimisation && !explanation.minimisation->converged) ++unconverged;
  }
  const auto remark = [&](const std::string& text) {
    console.say("Note: {}.", text);
    remarks.push_back(text);
  };
  if (!set.bad_rows.empty()) {  // the console has it from reading
    remarks.push_back(fmt::format("{} of the data could not be read; row {}: {}", counted(set.bad_rows.size(), "row"),
                                  set.bad_rows.front().row, set.bad_rows.front().error));
  }
  if (set.truth.strange > 0) {
    remark(fmt::format("{} of a class that the model does not know, and predicted wrongly for that",
                       set.truth.strange == 1 ? "1 graph is" : grouped(set.truth.strange) + " graphs are"));
  }
  if (failed > 0) {
    remark(fmt::format("{} could not be explained; {}: {}", counted(failed, "graph"),
                       "graph " + set.names[first->graph], first->error));
  }
  if (empty > 0) {
    remark(set.method == ExplainMethod::masks
               ? fmt::format("in {} no path is worth its price, so there is no motif; a smaller --mu keeps more",
                             counted(empty, "graph"))
               : fmt::format("in {} nothing speaks for the prediction, so there is no motif", counted(empty, "graph")));
  }
  if (unconverged > 0) {
    remark(fmt::format("the masks of {} did not converge in the steps allowed (--most-steps)",
                       counted(unconverged, "graph")));
  }
  if (set.catalogue.unknown > 0) {
    remark(fmt::format("looking for motifs was given up {}, which counts as not found",
                       counted(set.catalogue.unknown, "time")));
  }
  json["failed"] = failed;
  json["without_motif"] = empty;
  if (set.method == ExplainMethod::masks) json["unconverged"] = unconverged;
}

void check_output(const ExplainCommand& options) {
  if (options.out.empty()) throw UsageError("--out DIR is required with DATA: a folder for the explanations");
  if (is_standard_output(options.out)) throw UsageError("--out -: explanations go to a folder, give its name");
  const std::filesystem::path folder = options.out;
  for (const std::filesystem::path& made : {folder, folder / kPicturesFolder}) {
    if (std::filesystem::exists(made) && !std::filesystem::is_directory(made)) {
      throw UsageError(fmt::format("--out {}: is a file, and explanations go to a folder", made.string()));
    }
  }
  check_output_folder(std::filesystem::exists(folder) ? (folder / kPageFile).string() : options.out);
  std::vector<FileArgument> read = files_read(options.reading.labels);
  read.insert(read.end(), {{"MODEL", options.model}, {"DATA", options.data}});
  check_files(read, {{"--out", (folder / kExplanationsFile).string()}, {"--out", (folder / kPageFile).string()}});
}

void check_method_options(const ExplainCommand& options) {
  const bool has_masks = parse_explain_method(options.method) == ExplainMethod::masks;
  for (const CLI::Option* option : options.for_masks) {
    if (option->count() > 0 && !has_masks) {
      throw UsageError(fmt::format("{} goes with --method masks only", option->get_name()));
    }
  }
  if (options.for_other_methods->count() > 0 && has_masks) {
    throw UsageError(fmt::format("{} goes with all methods but masks, which have --select-weight",
                                 options.for_other_methods->get_name()));
  }
}

void run_explain(const ExplainCommand& options) {
  Console console(options.common);
  check_method_options(options);
  const bool has_data = !options.data.empty() || !options.reading.molecules.smiles.empty();
  if (has_data) check_output(options);
  for (const char* option : {"--out", "--graph", "--method", "--select", "--mu", "--select-weight", "--most-steps",
                             "--paths", "--all-components", "--no-pictures", "--max-paths"}) {
    if (!has_data && options.command->count(option) > 0) {
      throw UsageError(fmt::format("{}: without DATA there is nothing to explain; give DATA", option));
    }
  }
  Stopwatch watch;
  const Model model = load_first(options.model, load_model, "gckn explain MODEL DATA");
  const std::size_t target = target_called(model, options.target);
  if (!has_data) return say_anchors(console, options.model, model, target);

  ExplainOptions how = options.explain;
  how.target = target;
  how.method = method_for(model, parse_explain_method(options.method));
  if (how.all_paths && how.method == ExplainMethod::occlusion) {
    throw UsageError("--paths: occlusion leaves out nodes and edges, and knows no paths");
  }
  RunOptions run = console.run_options();
  run.max_paths = options.max_paths;
  OutputParts parts = options.parts;
  parts.pictures = !options.no_pictures;
  parts.paths = how.all_paths;
  const RowsWanted wanted{.sources = parts.pictures, .of_model = molecules_of(model)};
  ExplainedSet set(model, target, how.method,
                   read_rows(options.data, options.reading, console, run, OnError::blank, wanted));
  const double reading = watch.lap();
  const std::vector<std::uint32_t> selected = set.select(options.graphs);
  // None selected means all.
  if (!selected.empty() || options.graphs.empty()) set.explanations = explain(model, set.graphs, how, selected, run);
  const double explaining = watch.lap();
  set.measure(run);
  const double measuring = watch.lap();

  const std::vector<std::string>& classes = model.targets()[target].class_names;
  console.say("Explained {} of {} ({}) in {:.2f} s.", counted(set.num_explained(), "prediction"),
              model.targets()[target].name, to_string(how.method), explaining);
  Json json{{"command", "explain"},
            {"model", options.model},
            {"data", options.data},
            {"out", options.out},
            {"target", model.targets()[target].name},
            {"classes", classes},
            {"method", to_string(how.method)},
            {"graphs", set.explanations.size()}};
  std::vector<PageFigure> figures;
  std::vector<std::string> remarks;
  say_figures(console, Figures(set), !classes.empty(), json, figures);
  say_motifs(console, set.catalogue, classes, json);
  UnknownTally unknown;
  unknown.add(model.network(), set.graphs);
  unknown.say(console, model.network(), json);
  say_failures(console, set, json, remarks);

  set.write(options.out, options.model, parts, std::move(figures), std::move(remarks), run);
  const double writing = watch.lap();
  console.say("Wrote {} in {:.1f} s; open {} in a browser.", options.out, writing,
              (std::filesystem::path(options.out) / kPageFile).string());
  json["seconds"] = {{"reading", reading}, {"explaining", explaining}, {"measuring", measuring}, {"writing", writing}};
  console.result(json);
}

}  // namespace

void add_explain_command(CLI::App& program) {
  auto options = std::make_shared<ExplainCommand>();
  CLI::App* command = program.add_subcommand("explain", "Show which substructures carry the predictions of a model.");
  add_model_and_data(*command, options->model, options->data, options->reading);
  command
      ->add_option("--out", options->out,
                   "Folder for index.html (a page to look at), explanations.jsonl\n(scores, motifs and fidelity by "
                   "graph) and pictures/")
      ->type_name("DIR");
  command->add_option("--graph", options->graphs, "Explain this graph only, by its number from 0; may be repeated")
      ->type_name("N")
      ->allow_extra_args(false);
  takes_words(command
                  ->add_option("--method", options->method,
                               "exact: shares that add up to the score; gradient: the same for any\npooling; masks: "
                               "the paper's, the fewest paths that keep the\nprediction; occlusion: leave nodes and "
                               "edges out; auto: the best that\nis exact")
                  ->type_name("WORD")
                  ->capture_default_str(),
              {"auto", "exact", "gradient", "masks", "occlusion"});
  command->add_option("--target", options->target, "Of several targets of the model, the one to be explained")
      ->type_name("NAME");
  options->for_other_methods = command
                                   ->add_option("--select", options->explain.selected_share,
                                                "Nodes stand out whose score is above this part of the largest "
                                                "(default: where the scores of each graph part best)")
                                   ->type_name("S");
  const auto add_for_masks = [&](const char* name, auto& value, const char* what, const char* type) {
    options->for_masks.push_back(command->add_option(name, value, what)->type_name(type)->capture_default_str());
  };
  add_for_masks("--mu", options->explain.mu, "Masks: the price of a path; more leaves fewer of them", "S");
  add_for_masks("--select-weight", options->explain.selected_weight,
                "Masks: paths stand out whose weight is above this", "S");
  add_for_masks("--most-steps", options->explain.most_steps, "Masks: steps of the minimisation, at most", "N");
  command->add_flag("--paths", options->explain.all_paths,
                    "Write the paths that have a share or weight, too, to explanations.jsonl");
  command->add_flag("--all-components", options->parts.all_components,
                    "Write all connected parts that stand out, not the motif alone");
  command->add_flag("--no-pictures", options->no_pictures, "Draw nothing: a page of figures and names only");
  command
      ->add_option("--max-paths", options->max_paths,
                   "Leave out a graph of which a layer would visit more paths than this")
      ->type_name("N")
      ->capture_default_str();
  add_reading_options(*command, options->reading, OnError::blank);
  add_common_options(*command, options->common);
  command->footer(
      R"(Without DATA: what the anchors of the model's first layer stand for.
A motif is the connected part that weighs most of what stands out. docs/explaining.md says what the methods mean and cost.

Examples:
  gckn explain active.gckn molecules.csv --out explained
  gckn explain active.gckn --smiles "CC(=O)Oc1ccccc1C(=O)O aspirin" --out explained
  gckn explain mutag.gckn MUTAG.zip --graph 3 --graph 17 --method masks --paths --out explained
  gckn explain mutag.gckn)");
  options->command = command;
  command->callback([options] { run_explain(*options); });
}

}  // namespace gckn::cli
