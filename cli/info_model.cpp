// SPDX-License-Identifier: BSD-3-Clause
#include "info_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "gckn/model.h"
#include "gckn/model_file.h"
#include "gckn/network.h"
#include "input_text.h"
#include "molecule_options.h"
#include "rows.h"

namespace gckn::cli {

namespace {

using Json = nlohmann::ordered_json;

// The first of a list that may be long; JSON has them all.
std::string shortened(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 20;
  std::vector<std::string> shown(names.begin(),
                                 names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMost)));
  if (names.size() > kMost) shown.push_back(fmt::format("{} more", names.size() - kMost));
  return fmt::format("{}", fmt::join(shown, ", "));
}

// What labels are called, in the order of the encoding.
std::vector<std::string> names_of(const std::vector<std::int64_t>& labels, const std::vector<std::string>& names) {
  if (!names.empty()) return names;
  std::vector<std::string> texts;
  for (const std::int64_t label : labels) texts.push_back(fmt::to_string(label));
  return texts;
}

std::string size_text(std::uint64_t bytes) {
  constexpr double kKilo = 1000;
  if (bytes < 10'000) return counted(bytes, "byte");
  const double kilobytes = static_cast<double>(bytes) / kKilo;
  return kilobytes < kKilo ? fmt::format("{:.0f} kB", kilobytes) : fmt::format("{:.1f} MB", kilobytes / kKilo);
}

void say_input_of(Console& console, const InputEncoding& input, Json& json) {
  json["input"] = {{"features", features_word(input.features, input.attributes)}};
  const std::vector<std::string> labels = names_of(input.labels, input.label_names);
  const bool has_labels = input.features != Features::attributes;
  std::string node;
  if (has_labels) {
    const char* what = input.features == Features::degree ? "its degree" : "its label";
    node = fmt::format("{}, {} known: {}", what, grouped(labels.size()), shortened(labels));
    json["input"][input.features == Features::degree ? "degrees" : "labels"] = labels;
  }
  if (!input.mean.empty()) {
    node += fmt::format("{}{}", node.empty() ? "" : "; ", counted(input.mean.size(), "attribute column"));
    if (input.attributes != AttributeSources{}) {
      node += fmt::format(" ({})", features_word(Features::attributes, input.attributes));
    }
    json["input"]["attribute_columns"] = input.mean.size();
  }
  say_row(console, "reads of a node", node);
  const std::vector<std::string> edges = names_of(input.edge_labels, input.edge_label_names);
  say_row(console, "reads of an edge",
          input.uses_edge_labels ? fmt::format("its label, {} known: {}", edges.size(), shortened(edges)) : "nothing");
  if (input.uses_edge_labels) json["input"]["edge_labels"] = edges;
  if (input.molecules) {
    say_row(console, "molecules", fmt::format("atoms are read as: {}", reading_text(*input.molecules)));
    json["input"]["molecules"] = {{"atoms", to_string(input.molecules->atoms)},
                                  {"hydrogens", input.molecules->hydrogens},
                                  {"largest_fragment", input.molecules->largest_fragment}};
  }
}

void say_states_of(Console& console, const Network& network, const Model* model, Json& json) {
  const NetworkConfig& config = network.config();
  const auto edges = static_cast<std::uint64_t>(config.layers.front().path_length);
  say_row(console, "compares",
          fmt::format("states of nodes: the paths of up to {} that start there{}", counted(edges, "edge"),
                      config.compare == Compare::both ? "; and vectors" : ""));
  if (config.head == Head::gaussian) return;  // whose weights are of graphs
  const std::size_t columns = model == nullptr ? 0 : model->targets().front().weights.cols();
  json["columns"] = columns;
  say_row(console, "knows", fmt::format("{} of states and how often they occur", counted(columns, "column")));
}

void say_head_of(Console& console, const Model& model, Json& json) {
  json["head"] = to_string(model.network().config().head);
  if (model.network().config().head == Head::linear) return;
  const std::size_t kept = model.targets().front().weights.cols();
  json["support_graphs"] = kept;
  say_row(console, "head",
          fmt::format("Gaussian, of the distances to {}{}", counted(kept, "training graph"),
                      model.record().graphs > 0 ? fmt::format(" of {}", grouped(model.record().graphs)) : ""));
}

void say_layers_of(Console& console, const Network& network, Json& json) {
  json["layers"] = Json::parse(to_json(network.config()))["layers"];
  for (std::size_t j = 0; j < network.layers().size(); ++j) {
    const LayerConfig& layer = network.layers()[j].config;
    say_row(console, fmt::format("layer {}", j + 1),
            fmt::format("{}, {}, sigma {}, pooling {}{}", layer_text(layer),
                        counted(static_cast<std::uint64_t>(layer.filters), "filter"), layer.sigma,
                        to_string(layer.pooling), layer.path_length > 0 && layer.all_lengths ? ", all lengths" : ""));
  }
  json["global_pooling"] = to_string(network.config().global_pooling);
  json["vector_size"] = network.vector_size();
  say_row(
      console, "vectors",
      fmt::format("{}, {} over the nodes{}", counted(network.vector_size(), "number"),
                  to_string(network.config().global_pooling), network.config().concat_layers ? ", of all layers" : ""));
}

void say_targets_of(Console& console, const Model& model, Json& json) {
  json["learner"] = to_string(model.learner());
  json["seed"] = model.seed();
  json["targets"] = Json::array();
  for (const TargetModel& target : model.targets()) {
    Json entry{{"name", target.name}, {"C", target.C}};
    std::string what = "a number";
    if (!target.class_names.empty()) {
      entry["classes"] = target.class_names;
      what = fmt::format("{} classes: {}", target.class_names.size(), shortened(target.class_names));
    }
    const bool has_probabilities = !target.calibration.empty() || model.learner() == Learner::logistic;
    entry["probabilities"] = !target.class_names.empty() && has_probabilities;
    say_row(console, target.name,
            fmt::format("{}; {}{}{}", what, to_string(model.learner()),
                        model.record().epochs > 0 ? "" : fmt::format(" with C = {:.3g}", target.C),
                        entry["probabilities"].get<bool>() ? ", with probabilities" : ""));
    json["targets"].push_back(std::move(entry));
  }
}

void say_history(Console& console, const Network& network, const TrainingRecord& record, Json& json) {
  const LearntFrom& learnt_from = network.learnt_from();
  if (learnt_from.of == 0) {
    say_row(console, "learnt from", "not recorded: a file of the first format");
    return;
  }
  json["learnt_from"] = {
      {"data", learnt_from.data}, {"graphs", learnt_from.graphs}, {"of", learnt_from.of}, {"seed", learnt_from.seed}};
  say_row(console, network.config().compare == Compare::states ? "states from" : "anchors from",
          fmt::format("{}{}, seed {}", learnt_from.data.empty() ? "" : learnt_from.data + ": ",
                      learnt_from.is_sample() ? fmt::format("a sample of {} of {}", grouped(learnt_from.graphs),
                                                            counted(learnt_from.of, "graph"))
                                              : counted(learnt_from.of, "graph"),
                      learnt_from.seed));
  if (record.graphs == 0) return;
  json["training"] = {{"graphs", record.graphs}, {"candidates", record.candidates}, {"folds", record.folds}};
  std::string text = counted(record.graphs, "graph");
  if (record.folds > 0 && record.selected_by) {
    json["training"]["selected_by"] = to_string(*record.selected_by);
    json["training"]["figures"] = record.figures;
    text += fmt::format("; best of {} by {} in {} folds", counted(record.candidates, "candidate"),
                        to_string(*record.selected_by), record.folds);
    if (!record.figures.empty()) text += fmt::format(" ({:.3f}, which is optimistic)", fmt::join(record.figures, ", "));
  }
  if (record.epochs > 0) {
    json["training"].update(
        {{"epochs", record.epochs}, {"penalty", record.penalty}, {"validation_graphs", record.validation_graphs}});
    text += fmt::format("; end to end, {}, penalty {:.3g}", counted(record.epochs, "epoch"), record.penalty);
    if (record.validation_graphs > 0) {
      text += fmt::format(", the best on {} of them held out", grouped(record.validation_graphs));
    }
  }
  say_row(console, "trained on", text);
}

}  // namespace

nlohmann::ordered_json say_model(Console& console, const std::string& path) {
  const ModelFileSummary file = summarise_model_file(path);
  std::optional<Model> model;
  std::optional<Network> only_network;
  if (file.is_trained) {
    model = load_model(path);
  } else {
    only_network = load_network(path);
  }
  const Network& network = model ? model->network() : *only_network;
  Json json{{"kind", file.is_trained ? "model" : "network"},
            {"format", file.format},
            {"gckn_version", file.gckn_version},
            {"bytes", file.bytes}};
  console.say("{}: a {}, format {}, written by gckn {}, {}", path, file.is_trained ? "trained model" : "fitted network",
              file.format, file.gckn_version.empty() ? "(unknown)" : file.gckn_version, size_text(file.bytes));
  say_input_of(console, network.input(), json);
  json["compare"] = to_string(network.config().compare);
  if (compares_states(network.config())) say_states_of(console, network, model ? &*model : nullptr, json);
  if (compares_vectors(network.config())) say_layers_of(console, network, json);
  if (model) {
    say_head_of(console, *model, json);
    say_targets_of(console, *model, json);
  }
  say_history(console, network, model ? model->record() : TrainingRecord{}, json);
  return json;
}

}  // namespace gckn::cli
