// SPDX-License-Identifier: BSD-3-Clause
// Networks and models <-> safetensors. Tensors layer.J.anchors (P x q x d) and layer.J.edge_anchors ((P - 1) x q x e),
// J from 0; of a model also scaler.mean, scaler.scale (columns), linear.weight (outputs x columns) and linear.bias
// (outputs), in double; everything else is the JSON text __metadata__.config. A model that compares states has no
// anchors and no scaler, but states.names and states.columns (how many columns each name has), whole numbers; or, where
// states are hashed to 2^b columns, "hashed": b in the configuration. A kernel machine has support graphs instead of
// columns: support.begin and support.index (their rows of states), support.vectors (theirs of the network, which
// scaler.* is for), as far as these are compared.
#include "gckn/model_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gckn/error.h"
#include "gckn/version.h"
#include "io/looks_like.h"
#include "io/safetensors.h"
#include "io/strict_json.h"
#include "learn/linear_model.h"
#include "model/support_graphs.h"
#include "network/assignment.h"
#include "network/config_json.h"

namespace gckn {

namespace {

constexpr int kFirstFormatWithChecksum = 2;
constexpr const char* kStateNames = "states.names";
constexpr const char* kStateColumns = "states.columns";
constexpr const char* kSupportBegin = "support.begin";
constexpr const char* kSupportIndex = "support.index";
constexpr const char* kSupportVectors = "support.vectors";
constexpr const char* kHashed = "hashed";

std::string anchors_name(std::size_t layer) {
  return fmt::format("layer.{}.anchors", layer);
}
std::string edge_anchors_name(std::size_t layer) {
  return fmt::format("layer.{}.edge_anchors", layer);
}

nlohmann::ordered_json config_of(const Network& network) {
  const InputEncoding& input = network.input();
  nlohmann::ordered_json json;
  json["format"] = kModelFormat;
  json["gckn_version"] = kVersion;
  const bool of_states = network.config().compare == Compare::states;
  if (compares_states(network.config())) json["compare"] = to_string(network.config().compare);
  if (network.config().head != Head::linear) json["head"] = to_string(network.config().head);
  nlohmann::ordered_json& in = json["input"];
  in["features"] = features_word(input.features, input.attributes);
  if (input.features != Features::attributes) in["labels"] = input.labels;
  if (!input.label_names.empty()) in["label_names"] = input.label_names;
  if (input.features == Features::attributes || input.features == Features::labels_and_attributes) {
    in["mean"] = input.mean;
    in["scale"] = input.scale;
  }
  in["unit"] = input.unit_attributes;
  if (input.uses_edge_labels) in["edge_labels"] = input.edge_labels;
  if (!input.edge_label_names.empty()) in["edge_label_names"] = input.edge_label_names;
  if (input.molecules) {
    in["molecules"] = {{"atoms", to_string(input.molecules->atoms)},
                       {"hydrogens", input.molecules->hydrogens},
                       {"largest_fragment", input.molecules->largest_fragment}};
  }
  json["layers"] = nlohmann::ordered_json::array();
  for (const BasicLayer<float>& layer : network.layers()) {
    json["layers"].push_back(layer_to_json(layer.config, network.config().compare));
  }
  if (!of_states) {
    json["global_pooling"] = to_string(network.config().global_pooling);
    json["concat_layers"] = network.config().concat_layers;
  }
  const LearntFrom& learnt_from = network.learnt_from();
  if (learnt_from.of > 0) {
    json["fitted"] = {
        {"data", learnt_from.data}, {"graphs", learnt_from.graphs}, {"of", learnt_from.of}, {"seed", learnt_from.seed}};
  }
  return json;
}

// A name that is not UTF-8 must not cost what was learnt.
std::string config_text(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// What a model adds to its network's configuration.
void add_task(const Model& model, nlohmann::ordered_json& json) {
  nlohmann::ordered_json& task = json["task"];
  task["learner"] = to_string(model.learner());
  task["seed"] = model.seed();
  nlohmann::ordered_json classes = nlohmann::ordered_json::array();
  nlohmann::ordered_json calibration = nlohmann::ordered_json::array();
  for (const TargetModel& target : model.targets()) {
    task["targets"].push_back(target.name);
    task["C"].push_back(target.C);
    if (!target.class_names.empty()) classes.push_back(target.class_names);
    for (const Calibration& pair : target.calibration) calibration.push_back({pair.a, pair.b});
  }
  if (!calibration.empty()) task["calibration"] = std::move(calibration);
  if (!classes.empty()) json["classes"] = classes.size() == 1 ? classes[0] : classes;
  const TrainingRecord& record = model.record();
  if (record.graphs == 0) return;
  json["training"] = {{"graphs", record.graphs}, {"candidates", record.candidates}, {"folds", record.folds}};
  if (record.selected_by) json["training"]["selected_by"] = to_string(*record.selected_by);
  if (!record.figures.empty()) json["training"]["figures"] = record.figures;
  if (record.epochs == 0) return;
  json["training"].update(
      {{"epochs", record.epochs}, {"penalty", record.penalty}, {"validation_graphs", record.validation_graphs}});
}

bool strictly_ascending(const std::vector<std::int64_t>& values) {
  return std::ranges::adjacent_find(values, std::greater_equal<>()) == values.end();
}

void check_names(const std::vector<std::string>& names, std::size_t labels, const char* key) {
  if (!names.empty() && names.size() != labels) {
    throw InputError(fmt::format("\"input.{}\" has {} names for {} labels", key, names.size(), labels));
  }
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
    throw InputError(fmt::format("\"input.{}\" has a name twice", key));
  }
}

void check_input(const ParsedConfig& parsed) {
  const InputEncoding& input = parsed.input;
  if (input.features == Features::automatic) throw InputError("\"input.features\" is missing or not a fitted one");
  if (parsed.config.edge_labels == EdgeLabels::used && !input.uses_edge_labels)
    throw InputError("\"input.edge_labels\" is not a list");
  if (!strictly_ascending(input.labels)) throw InputError("\"input.labels\" are not in ascending order");
  if (!strictly_ascending(input.edge_labels)) throw InputError("\"input.edge_labels\" are not in ascending order");
  check_names(input.label_names, input.labels.size(), "label_names");
  check_names(input.edge_label_names, input.edge_labels.size(), "edge_label_names");
  if (input.mean.size() != input.scale.size()) {
    throw InputError(
        fmt::format("\"input.mean\" has {} columns and \"input.scale\" {}", input.mean.size(), input.scale.size()));
  }
  if (std::ranges::any_of(input.scale, [](double scale) { return !(scale > 0); })) {
    throw InputError("\"input.scale\" has a value that is not positive");
  }
}

const TensorView& find_tensor(const Safetensors& file, const std::string& name) {
  const auto found = file.tensors().find(name);
  if (found == file.tensors().end()) throw InputError(fmt::format("tensor \"{}\" is missing", name));
  return found->second;
}

// A list of whole numbers of any length.
std::vector<std::uint64_t> take_list(const Safetensors& file, const std::string& name) {
  const TensorView& tensor = find_tensor(file, name);
  if (tensor.type != TensorType::uint64 || tensor.shape.size() != 1) {
    throw InputError(fmt::format("tensor \"{}\" is no list of dtype U64", name));
  }
  return uint64_values(tensor);
}

// The values of a tensor that must be there, have this type and shape, and be finite.
template <typename Real>
std::vector<Real> take(const Safetensors& file, const std::string& name, const std::vector<std::uint64_t>& shape) {
  constexpr bool kDouble = std::is_same_v<Real, double>;
  const TensorView& tensor = find_tensor(file, name);
  if (tensor.shape != shape) {
    throw InputError(fmt::format("tensor \"{}\" has shape [{}], and the configuration asks for [{}]", name,
                                 fmt::join(tensor.shape, ", "), fmt::join(shape, ", ")));
  }
  if (tensor.type != (kDouble ? TensorType::float64 : TensorType::float32)) {
    throw InputError(fmt::format("tensor \"{}\" is not of dtype {}", name, kDouble ? "F64" : "F32"));
  }
  std::vector<Real> values;
  if constexpr (kDouble) {
    values = double_values(tensor);
  } else {
    values = float_values(tensor);
  }
  if (!std::ranges::all_of(values, [](Real value) { return std::isfinite(value); })) {
    throw InputError(fmt::format("tensor \"{}\" has a value that is not finite", name));
  }
  return values;
}

nlohmann::json config_json(const Safetensors& file) {
  constexpr int kMaxDepth = 4;
  return parse_strict_json(file.metadata().at("config"), kMaxDepth);
}

// Reads an object of the configuration that may be absent.
template <typename Record, typename Read>
Record read_record(const nlohmann::json& config, const char* key, const Read& read) {
  const auto found = config.find(key);
  if (found == config.end()) return {};
  try {
    return read(*found);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("what it says under \"{}\" is wrong: {}", key, error.what()));
  }
}

LearntFrom read_learnt_from(const nlohmann::json& config) {
  return read_record<LearntFrom>(config, "fitted", [](const nlohmann::json& json) {
    return LearntFrom{json.at("data").get<std::string>(), json.at("graphs").get<std::uint64_t>(),
                      json.at("of").get<std::uint64_t>(), json.at("seed").get<std::uint64_t>()};
  });
}

TrainingRecord read_training(const nlohmann::json& config) {
  return read_record<TrainingRecord>(config, "training", [](const nlohmann::json& json) {
    TrainingRecord record;
    record.graphs = json.at("graphs").get<std::uint64_t>();
    record.candidates = json.at("candidates").get<std::uint64_t>();
    record.folds = json.at("folds").get<std::uint64_t>();
    record.epochs = json.value("epochs", std::uint64_t{0});
    record.penalty = json.value("penalty", 0.0);
    record.validation_graphs = json.value("validation_graphs", std::uint64_t{0});
    if (json.contains("selected_by")) record.selected_by = parse_metric(json.at("selected_by").get<std::string>());
    for (const nlohmann::json& figure : json.value("figures", nlohmann::json::array())) {
      record.figures.push_back(figure.is_null() ? std::nan("") : figure.get<double>());
    }
    return record;
  });
}

// Anchors, each of `width` elements, are unit vectors or shorter; what is longer is no similarity but damage.
std::vector<float> take_anchors(const Safetensors& file, const std::string& name,
                                const std::vector<std::uint64_t>& shape) {
  constexpr double kLongest = 1.001;  // with room for the rounding of whoever wrote the file
  std::vector<float> values = take<float>(file, name, shape);
  const std::uint64_t width = shape.back();
  for (std::size_t begin = 0; begin < values.size(); begin += width) {
    double square = 0;
    for (std::size_t k = begin; k < begin + width; ++k) square += static_cast<double>(values[k]) * values[k];
    if (square <= kLongest * kLongest) continue;
    throw InputError(fmt::format("tensor \"{}\" has an anchor of length {:.4g}, and anchors are at most 1 long", name,
                                 std::sqrt(square)));
  }
  return values;
}

Network read_network(const Safetensors& file) {
  const auto text = file.metadata().find("config");
  if (text == file.metadata().end()) throw InputError("it has no configuration and is no gckn model");
  ParsedConfig parsed = parse_config_json(text->second);
  if (!parsed.has_format) throw InputError("its configuration does not say its \"format\"");
  if (parsed.format >= kFirstFormatWithChecksum && !file.has_checksum()) {
    throw InputError("its checksum is missing: the file is damaged");
  }
  check_input(parsed);
  validate(parsed.config);

  std::vector<BasicLayer<float>> layers;
  if (parsed.config.compare == Compare::states) {
    layers.push_back({parsed.config.layers.front(), 0, 0, {}, {}});
    Network network(std::move(parsed.config), std::move(parsed.input), std::move(layers));
    network.set_learnt_from(read_learnt_from(config_json(file)));
    return network;
  }
  std::uint64_t input_width = parsed.input.dimension();
  for (std::size_t j = 0; j < parsed.config.layers.size(); ++j) {
    BasicLayer<float> layer;
    layer.config = parsed.config.layers[j];
    const std::uint64_t positions = static_cast<std::uint64_t>(layer.config.path_length) + 1;
    const auto filters = static_cast<std::uint64_t>(layer.config.filters);
    // Without columns the tensor is empty and proves nothing about the number of filters.
    if (input_width == 0) throw InputError(fmt::format("layer {} has filters but no input", j));
    layer.input_width = input_width;
    layer.anchors = take_anchors(file, anchors_name(j), {positions, filters, input_width});
    if (parsed.input.uses_edge_labels && positions > 1) layer.edge_width = parsed.input.edge_labels.size();
    if (layer.edge_width > 0) {
      layer.edge_anchors = take_anchors(file, edge_anchors_name(j), {positions - 1, filters, layer.edge_width});
    }
    layers.push_back(std::move(layer));
    input_width = filters;
  }
  Network network(std::move(parsed.config), std::move(parsed.input), std::move(layers));
  network.set_learnt_from(read_learnt_from(config_json(file)));
  return network;
}

// What the configuration says of the targets, weights still missing.
struct Task {
  Learner learner = Learner::automatic;
  std::uint64_t seed = 0;
  std::vector<TargetModel> targets;
};

Task parse_task(const nlohmann::json& config) {
  if (!config.contains("task")) throw InputError("it holds a network only, and no trained model");
  try {
    const nlohmann::json& json = config.at("task");
    for (const auto& [key, value] : json.items()) {
      constexpr std::array<std::string_view, 5> kKeys{"learner", "seed", "targets", "C", "calibration"};
      if (std::ranges::find(kKeys, key) == kKeys.end()) throw InputError(fmt::format("\"task.{}\" is not known", key));
    }
    Task task;
    task.learner = parse_learner(json.at("learner").get<std::string>());
    task.seed = json.at("seed").get<std::uint64_t>();
    for (const nlohmann::json& name : json.at("targets"))
      task.targets.push_back({name.get<std::string>(), {}, 0, {}, {}, {}});
    const auto c = json.at("C").get<std::vector<double>>();
    if (c.size() != task.targets.size()) throw InputError("\"task.C\" and \"task.targets\" differ in length");
    if (const auto classes = config.find("classes"); classes != config.end()) {
      const bool one = task.targets.size() == 1;
      if (!one && classes->size() != task.targets.size()) {
        throw InputError("\"classes\" and \"task.targets\" differ in length");
      }
      for (std::size_t t = 0; t < task.targets.size(); ++t) {
        task.targets[t].class_names = (one ? *classes : classes->at(t)).get<std::vector<std::string>>();
      }
    }
    std::size_t next = 0;
    for (std::size_t t = 0; t < task.targets.size(); ++t) {
      task.targets[t].C = c[t];
      task.targets[t].bias.resize(num_outputs(task.targets[t].class_names.size()));
      if (!json.contains("calibration")) continue;
      for (std::size_t o = 0; o < task.targets[t].bias.size(); ++o, ++next) {
        const nlohmann::json& pair = json.at("calibration").at(next);
        task.targets[t].calibration.push_back({pair.at(0).get<double>(), pair.at(1).get<double>()});
      }
    }
    if (json.contains("calibration") && json.at("calibration").size() != next) {
      throw InputError(fmt::format("\"task.calibration\" has {} pairs, and there are {} scores",
                                   json.at("calibration").size(), next));
    }
    return task;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("what it says about its task is wrong: {}", error.what()));
  }
}

std::shared_ptr<const AssignmentColumns> take_columns(const Safetensors& file, const nlohmann::json& config) {
  const auto hashed = config.find(kHashed);
  if (hashed == config.end()) {
    return std::make_shared<const AssignmentColumns>(take_list(file, kStateNames), take_list(file, kStateColumns));
  }
  if (!hashed->is_number_integer()) throw InputError(fmt::format("\"{}\" is no whole number", kHashed));
  const auto bits = std::clamp<std::int64_t>(hashed->get<std::int64_t>(), 0, 64);
  return std::make_shared<const AssignmentColumns>(AssignmentColumns::hashed(static_cast<int>(bits)));
}

SparseRows<double> take_support_rows(const Safetensors& file, std::size_t columns) {
  SparseRows<double> rows;
  rows.columns = columns;
  rows.begin = take_list(file, kSupportBegin);
  const std::vector<std::uint64_t> index = take_list(file, kSupportIndex);
  if (rows.begin.empty() || rows.begin.front() != 0 || rows.begin.back() != index.size() ||
      !std::ranges::is_sorted(rows.begin)) {
    throw InputError(fmt::format("tensor \"{}\" does not say where rows begin", kSupportBegin));
  }
  for (std::size_t i = 0; i + 1 < rows.begin.size(); ++i) {
    for (std::uint64_t e = rows.begin[i]; e < rows.begin[i + 1]; ++e) {
      if (index[e] >= columns || (e > rows.begin[i] && index[e] <= index[e - 1])) {
        throw InputError(fmt::format("tensor \"{}\" has a row that is not in ascending order", kSupportIndex));
      }
      rows.index.push_back(static_cast<std::uint32_t>(index[e]));
    }
  }
  rows.weight.assign(index.size(), 1.0);
  return rows;
}

std::shared_ptr<const SupportGraphs> take_support(const Safetensors& file, const Network& network,
                                                  const nlohmann::json& config) {
  SupportGraphs::Parts parts;
  try {
    const nlohmann::json& scales = config.at("gaussian");
    parts.scales = {scales.at("states").get<double>(), scales.at("vectors").get<double>()};
    if (scales.size() != 2) throw InputError("\"gaussian\" has other keys than states and vectors");
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("what it says under \"gaussian\" is wrong: {}", error.what()));
  }
  const auto is_scale = [](double value, bool is_compared) {
    return std::isfinite(value) && value >= 0 && (is_compared || value == 0);
  };
  if (!is_scale(parts.scales.states, compares_states(network.config())) ||
      !is_scale(parts.scales.vectors, compares_vectors(network.config()))) {
    throw InputError("\"gaussian\" has scales that do not belong to what the model compares");
  }
  if (compares_states(network.config())) {
    parts.columns = take_columns(file, config);
    if (parts.columns->is_hashed()) throw InputError("the states of support graphs are hashed");
    parts.rows = take_support_rows(file, parts.columns->size());
  }
  if (compares_vectors(network.config())) {
    const TensorView& tensor = find_tensor(file, kSupportVectors);
    const std::uint64_t columns = network.vector_size();
    const std::uint64_t graphs = tensor.shape.empty() ? 0 : tensor.shape.front();
    const std::vector<float> vectors = take<float>(file, kSupportVectors, {graphs, columns});
    parts.vectors = Matrix(graphs, columns);
    std::ranges::copy(vectors, parts.vectors.data());
    parts.mean = take<double>(file, "scaler.mean", {columns});
    parts.scale = take<double>(file, "scaler.scale", {columns});
  }
  return std::make_shared<const SupportGraphs>(std::move(parts));
}

// Weights and biases of all targets, which have this many columns.
void take_weights(const Safetensors& file, std::uint64_t columns, std::vector<TargetModel>& targets) {
  std::uint64_t outputs = 0;
  for (const TargetModel& target : targets) outputs += target.bias.size();
  const std::vector<double> weights = take<double>(file, "linear.weight", {outputs, columns});
  const std::vector<double> bias = take<double>(file, "linear.bias", {outputs});
  auto from = weights.begin();
  auto from_bias = bias.begin();
  for (TargetModel& target : targets) {
    target.weights = DoubleMatrix(target.bias.size(), columns);
    std::copy_n(from, target.weights.size(), target.weights.data());
    std::copy_n(from_bias, target.bias.size(), target.bias.begin());
    from += static_cast<std::ptrdiff_t>(target.weights.size());
    from_bias += static_cast<std::ptrdiff_t>(target.bias.size());
  }
}

Model read_model(const Safetensors& file) {
  Network network = read_network(file);  // which has checked the configuration
  const nlohmann::json config = config_json(file);
  Task task = parse_task(config);
  if (network.config().head == Head::gaussian) {
    std::shared_ptr<const SupportGraphs> support = take_support(file, network, config);
    take_weights(file, support->size(), task.targets);
    return {std::move(network),      std::move(support), task.learner,
            std::move(task.targets), task.seed,          read_training(config)};
  }
  if (network.config().compare == Compare::states) {
    std::shared_ptr<const AssignmentColumns> states = take_columns(file, config);
    take_weights(file, states->size(), task.targets);
    return {std::move(network),      std::move(states), task.learner,
            std::move(task.targets), task.seed,         read_training(config)};
  }
  const std::uint64_t columns = network.vector_size();
  take_weights(file, columns, task.targets);
  std::vector<double> mean = take<double>(file, "scaler.mean", {columns});
  std::vector<double> scale = take<double>(file, "scaler.scale", {columns});
  return {std::move(network),      task.learner, std::move(mean),      std::move(scale),
          std::move(task.targets), task.seed,    read_training(config)};
}

// name: of the file, for errors.
template <typename Read>
auto read_from(const Safetensors& file, const std::string& name, const Read& read) {
  try {
    return read(file);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", name, error.what()));
  } catch (const UsageError& error) {
    // Checks that configurations from the user share; here the file is to blame.
    throw InputError(fmt::format("{}: {}", name, error.what()));
  }
}

template <typename Read>
auto read_file(const std::filesystem::path& path, const Read& read) {
  return read_from(Safetensors::read(path), path.string(), read);
}

std::map<std::string, TensorView> tensors_of(const Network& network) {
  std::map<std::string, TensorView> tensors;
  if (network.config().compare == Compare::states) return tensors;
  for (std::size_t j = 0; j < network.layers().size(); ++j) {
    const BasicLayer<float>& layer = network.layers()[j];
    const std::uint64_t positions = static_cast<std::uint64_t>(layer.config.path_length) + 1;
    const auto filters = static_cast<std::uint64_t>(layer.config.filters);
    tensors[anchors_name(j)] = view_tensor(layer.anchors, {positions, filters, layer.input_width});
    if (layer.edge_width > 0) {
      tensors[edge_anchors_name(j)] = view_tensor(layer.edge_anchors, {positions - 1, filters, layer.edge_width});
    }
  }
  return tensors;
}

// write(metadata, tensors) of a model's file, whose tensors live as long as the call.
template <typename Write>
void with_contents(const Model& model, const Write& write) {
  nlohmann::ordered_json config = config_of(model.network());
  add_task(model, config);
  std::vector<double> weights;
  std::vector<double> bias;
  for (const TargetModel& target : model.targets()) {
    weights.insert(weights.end(), target.weights.data(), target.weights.data() + target.weights.size());
    bias.insert(bias.end(), target.bias.begin(), target.bias.end());
  }
  std::map<std::string, TensorView> tensors = tensors_of(model.network());
  const SupportGraphs* support = model.support();
  const AssignmentColumns* states = support != nullptr ? support->parts().columns.get() : model.columns();
  std::vector<std::uint64_t> columns_of_state;
  if (states != nullptr && states->is_hashed()) {
    config[kHashed] = states->bits();
  } else if (states != nullptr) {
    for (std::size_t i = 0; i < states->names().size(); ++i) {
      columns_of_state.push_back(states->first(i + 1) - states->first(i));
    }
    tensors[kStateNames] = view_tensor(states->names(), {states->names().size()});
    tensors[kStateColumns] = view_tensor(columns_of_state, {columns_of_state.size()});
  }
  if (support == nullptr && states == nullptr) {
    tensors["scaler.mean"] = view_tensor(model.mean(), {model.mean().size()});
    tensors["scaler.scale"] = view_tensor(model.scale(), {model.scale().size()});
  }
  std::vector<std::uint64_t> support_index;
  if (support != nullptr) {
    const SupportGraphs::Parts& parts = support->parts();
    config["gaussian"] = {{"states", parts.scales.states}, {"vectors", parts.scales.vectors}};
    if (states != nullptr) {
      support_index.assign(parts.rows.index.begin(), parts.rows.index.end());
      tensors[kSupportBegin] = view_tensor(parts.rows.begin, {parts.rows.begin.size()});
      tensors[kSupportIndex] = view_tensor(support_index, {support_index.size()});
    }
    if (!parts.vectors.empty()) {
      tensors[kSupportVectors] = view_tensor(std::span<const float>(parts.vectors.data(), parts.vectors.size()),
                                             {parts.vectors.rows(), parts.vectors.cols()});
      tensors["scaler.mean"] = view_tensor(parts.mean, {parts.mean.size()});
      tensors["scaler.scale"] = view_tensor(parts.scale, {parts.scale.size()});
    }
  }
  const std::uint64_t columns = model.targets().front().weights.cols();
  tensors["linear.weight"] = view_tensor(weights, {bias.size(), columns});
  tensors["linear.bias"] = view_tensor(bias, {bias.size()});
  write(std::map<std::string, std::string>{{"config", config_text(config)}}, tensors);
}

}  // namespace

void save_network(const Network& network, const std::filesystem::path& path) {
  write_safetensors(path, {{"config", config_text(config_of(network))}}, tensors_of(network));
}

std::string network_bytes(const Network& network) {
  return safetensors_bytes("network", {{"config", config_text(config_of(network))}}, tensors_of(network));
}

void save_model(const Model& model, const std::filesystem::path& path) {
  with_contents(model, [&](const auto& metadata, const auto& tensors) { write_safetensors(path, metadata, tensors); });
}

std::string model_bytes(const Model& model) {
  std::string bytes;
  with_contents(
      model, [&](const auto& metadata, const auto& tensors) { bytes = safetensors_bytes("model", metadata, tensors); });
  return bytes;
}

ModelFileSummary summarise_model_file(const std::filesystem::path& path) {
  return read_file(path, [&](const Safetensors& file) {
    (void)read_network(file);  // checks the configuration
    const nlohmann::json config = config_json(file);
    return ModelFileSummary{config.at("format").get<int>(), config.value("gckn_version", std::string()),
                            config.contains("task"), std::filesystem::file_size(path)};
  });
}

bool is_model_file(const std::filesystem::path& path) {
  return begins_like_a_model(read_head(path));
}

Network load_network(const std::filesystem::path& path) {
  return read_file(path, read_network);
}

Model load_model(const std::filesystem::path& path) {
  return read_file(path, read_model);
}

Network network_from_bytes(std::string bytes, const std::string& name) {
  return read_from(Safetensors::parse(std::move(bytes), name), name, read_network);
}

Model model_from_bytes(std::string bytes, const std::string& name) {
  return read_from(Safetensors::parse(std::move(bytes), name), name, read_model);
}

}  // namespace gckn
