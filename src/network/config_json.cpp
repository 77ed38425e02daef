// SPDX-License-Identifier: BSD-3-Clause
#include "network/config_json.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gckn/error.h"
#include "gckn/network.h"
#include "io/strict_json.h"

namespace gckn {

namespace {

// Reads the members of one JSON object and remembers which ones it was asked for, so that a misspelt key is found.
class Members {
 public:
  Members(const nlohmann::json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) {
      throw UsageError(fmt::format("{} is {}, where a JSON object belongs",
                                   where_.empty() ? "the configuration" : fmt::format("\"{}\"", where_),
                                   json_excerpt(object)));
    }
  }

  // The member of this name, or null. Asking makes the key a known one.
  const nlohmann::json* find(const char* key) {
    known_.insert(key);
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  // The following leave `value` as it is where the key is absent.
  void read(const char* key, bool& value) {
    if (const nlohmann::json* member = find(key)) {
      if (!member->is_boolean()) wrong(key, *member, "true or false");
      value = member->get<bool>();
    }
  }
  void read(const char* key, int& value) {
    if (const nlohmann::json* member = find(key)) {
      const std::int64_t number = whole_number(key, *member);
      if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max()) {
        wrong(key, *member, "a smaller number");
      }
      value = static_cast<int>(number);
    }
  }
  void read(const char* key, double& value) {
    if (const nlohmann::json* member = find(key)) value = number(key, *member);
  }
  template <typename Enum>
  void read(const char* key, Enum& value, Enum (*parse)(std::string_view)) {
    const nlohmann::json* member = find(key);
    if (member == nullptr) return;
    if (!member->is_string()) wrong(key, *member, "a word");
    try {
      value = parse(member->get_ref<const std::string&>());
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("\"{}\": {}", full_name(key), error.what()));
    }
  }
  void read(const char* key, std::vector<std::int64_t>& values) {
    for (const nlohmann::json& element : list(key)) values.push_back(whole_number(key, element));
  }
  void read(const char* key, std::vector<std::string>& words) {
    for (const nlohmann::json& element : list(key)) {
      if (!element.is_string()) wrong(key, element, "a text");
      words.push_back(element.get<std::string>());
    }
  }
  void read(const char* key, std::vector<double>& values) {
    for (const nlohmann::json& element : list(key)) values.push_back(number(key, element));
  }

  [[noreturn]] void wrong(const char* key, const nlohmann::json& value, const char* expected) const {
    throw UsageError(fmt::format("\"{}\" is {}, where {} belongs", full_name(key), json_excerpt(value), expected));
  }

  void refuse_unknown() const {
    for (const auto& [key, value] : object_.items()) {
      if (!known_.contains(key)) throw UsageError(fmt::format("the key \"{}\" is not known", full_name(key)));
    }
  }

 private:
  [[nodiscard]] std::string full_name(std::string_view key) const {
    return where_.empty() ? std::string(key) : fmt::format("{}.{}", where_, key);
  }
  [[nodiscard]] double number(const char* key, const nlohmann::json& value) const {
    if (!value.is_number()) wrong(key, value, "a number");
    return value.get<double>();
  }
  [[nodiscard]] std::int64_t whole_number(const char* key, const nlohmann::json& value) const {
    const bool too_large = value.is_number_unsigned() &&
                           value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    if (!value.is_number_integer() || too_large) wrong(key, value, "a whole number");
    return value.get<std::int64_t>();
  }
  const nlohmann::json& list(const char* key) {
    static const nlohmann::json kEmpty = nlohmann::json::array();
    const nlohmann::json* member = find(key);
    if (member == nullptr) return kEmpty;
    if (!member->is_array()) wrong(key, *member, "a list");
    return *member;
  }

  const nlohmann::json& object_;
  std::string where_;
  std::set<std::string, std::less<>> known_;
};

LayerConfig read_layer(const nlohmann::json& object, const std::string& where) {
  Members members(object, where);
  LayerConfig layer;
  members.read("kind", layer.kind, parse_layer_kind);
  members.read("path_length", layer.path_length);
  members.read("filters", layer.filters);
  members.read("sigma", layer.sigma);
  members.read("pooling", layer.pooling, parse_pooling);
  members.read("all_lengths", layer.all_lengths);
  members.read("path_scaling", layer.path_scaling, parse_path_scaling);
  members.read("regularisation", layer.regularisation, parse_regularisation);
  members.read("eps", layer.eps);
  members.read("gmp_lambda", layer.gmp_lambda);
  members.refuse_unknown();
  return layer;
}

constexpr const char* kAutomatic = "auto";

MoleculeReading read_molecules(const nlohmann::json& object) {
  Members members(object, "input.molecules");
  MoleculeReading reading;
  members.read("atoms", reading.atoms, parse_atoms);
  members.read("hydrogens", reading.hydrogens);
  members.read("largest_fragment", reading.largest_fragment);
  members.refuse_unknown();
  return reading;
}

void read_input(const nlohmann::json& object, ParsedConfig& parsed) {
  Members members(object, "input");
  NetworkConfig& config = parsed.config;
  InputEncoding& input = parsed.input;
  if (const nlohmann::json* features = members.find("features")) {
    if (!features->is_string()) members.wrong("features", *features, "a word");
    try {
      std::tie(config.features, config.attributes) = parse_features_word(features->get_ref<const std::string&>());
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("\"input.features\": {}", error.what()));
    }
  }
  members.read("unit", config.unit_attributes);
  members.read("labels", input.labels);
  members.read("label_names", input.label_names);
  members.read("edge_label_names", input.edge_label_names);
  members.read("mean", input.mean);
  members.read("scale", input.scale);
  if (const nlohmann::json* edge_labels = members.find("edge_labels")) {
    if (edge_labels->is_array()) {
      config.edge_labels = EdgeLabels::used;
      input.uses_edge_labels = true;
      members.read("edge_labels", input.edge_labels);
    } else if (edge_labels->is_boolean()) {
      config.edge_labels = edge_labels->get<bool>() ? EdgeLabels::used : EdgeLabels::unused;
    } else if (*edge_labels != kAutomatic) {
      members.wrong("edge_labels", *edge_labels, "true, false, \"auto\" or a list of labels");
    }
  }
  if (const nlohmann::json* molecules = members.find("molecules")) input.molecules = read_molecules(*molecules);
  members.refuse_unknown();
  input.features = config.features;
  input.attributes = config.attributes;
  input.unit_attributes = config.unit_attributes;
}

}  // namespace

ParsedConfig parse_config_json(std::string_view text) {
  constexpr int kMaxDepth = 4;
  nlohmann::json json;
  try {
    json = parse_strict_json(text, kMaxDepth);
  } catch (const InputError& error) {
    throw UsageError(error.what());
  }
  ParsedConfig parsed;
  Members members(json, "");
  // The format comes first: a newer one may have keys that are not known here.
  int format = kModelFormat;
  parsed.has_format = members.find("format") != nullptr;
  members.read("format", format);
  if (format > kModelFormat) {
    throw UsageError(fmt::format("it has format {}, and this gckn reads formats up to {}", format, kModelFormat));
  }
  parsed.format = format;
  if (format < 1) throw UsageError(fmt::format("it has format {}, which never was", format));

  members.read("compare", parsed.config.compare, parse_compare);
  members.read("head", parsed.config.head, parse_head);
  if (const nlohmann::json* input = members.find("input")) read_input(*input, parsed);
  const nlohmann::json* layers = members.find("layers");
  if (layers == nullptr) throw UsageError("the key \"layers\" is missing");
  if (!layers->is_array()) members.wrong("layers", *layers, "a list of layers");
  for (std::size_t j = 0; j < layers->size(); ++j) {
    parsed.config.layers.push_back(read_layer((*layers)[j], fmt::format("layers[{}]", j)));
  }
  members.read("global_pooling", parsed.config.global_pooling, parse_pooling);
  members.read("concat_layers", parsed.config.concat_layers);
  // What classifiers add to a model file, who wrote it and how it came about: without meaning for the network.
  for (const char* key : {"task", "classes", "gckn_version", "fitted", "training", "gaussian", "hashed"}) {
    members.find(key);
  }
  members.refuse_unknown();
  return parsed;
}

nlohmann::ordered_json layer_to_json(const LayerConfig& layer, Compare compare) {
  if (compare == Compare::states) return {{"kind", to_string(layer.kind)}, {"path_length", layer.path_length}};
  return {{"kind", to_string(layer.kind)},
          {"path_length", layer.path_length},
          {"filters", layer.filters},
          {"sigma", layer.sigma},
          {"pooling", to_string(layer.pooling)},
          {"all_lengths", layer.all_lengths},
          {"path_scaling", to_string(layer.path_scaling)},
          {"regularisation", to_string(layer.regularisation)},
          {"eps", layer.eps},
          {"gmp_lambda", layer.gmp_lambda}};
}

NetworkConfig network_config_from_json(const std::string& json) {
  try {
    NetworkConfig config = parse_config_json(json).config;
    validate(config);
    return config;
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("the configuration is wrong: {}", error.what()));
  }
}

std::string to_json(const NetworkConfig& config) {
  nlohmann::ordered_json json;
  json["format"] = kModelFormat;
  if (config.compare != Compare::vectors) json["compare"] = to_string(config.compare);
  if (config.head != Head::linear) json["head"] = to_string(config.head);
  json["input"] = {{"features", features_word(config.features, config.attributes)},
                   {"unit", config.unit_attributes},
                   {"edge_labels", config.edge_labels == EdgeLabels::automatic
                                       ? nlohmann::ordered_json(kAutomatic)
                                       : nlohmann::ordered_json(config.edge_labels == EdgeLabels::used)}};
  json["layers"] = nlohmann::ordered_json::array();
  for (const LayerConfig& layer : config.layers) json["layers"].push_back(layer_to_json(layer, config.compare));
  if (config.compare == Compare::states) return json.dump(2);
  json["global_pooling"] = to_string(config.global_pooling);
  json["concat_layers"] = config.concat_layers;
  return json.dump(2);
}

}  // namespace gckn
