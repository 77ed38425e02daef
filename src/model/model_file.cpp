// SPDX-License-Identifier: BSD-3-Clause
// Network <-> safetensors. Tensors layer.J.anchors (P x q x d) and layer.J.edge_anchors ((P - 1) x q x e), J from 0;
// everything else is the JSON text __metadata__.config.
#include "gckn/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "gckn/error.h"
#include "gckn/version.h"
#include "io/safetensors.h"
#include "network/config_json.h"

namespace gckn {

namespace {

std::string anchors_name(std::size_t layer) {
  return fmt::format("layer.{}.anchors", layer);
}
std::string edge_anchors_name(std::size_t layer) {
  return fmt::format("layer.{}.edge_anchors", layer);
}

std::string config_text(const Network& network) {
  const InputEncoding& input = network.input();
  nlohmann::ordered_json json;
  json["format"] = kModelFormat;
  json["gckn_version"] = kVersion;
  nlohmann::ordered_json& in = json["input"];
  in["features"] = to_string(input.features);
  if (input.features != Features::attributes) in["labels"] = input.labels;
  if (input.features == Features::attributes || input.features == Features::labels_and_attributes) {
    in["mean"] = input.mean;
    in["scale"] = input.scale;
  }
  in["unit"] = input.unit_attributes;
  if (input.uses_edge_labels) in["edge_labels"] = input.edge_labels;
  json["layers"] = nlohmann::ordered_json::array();
  for (const BasicLayer<float>& layer : network.layers()) json["layers"].push_back(layer_to_json(layer.config));
  json["global_pooling"] = to_string(network.config().global_pooling);
  json["concat_layers"] = network.config().concat_layers;
  return json.dump();
}

bool strictly_ascending(const std::vector<std::int64_t>& values) {
  return std::ranges::adjacent_find(values, std::greater_equal<>()) == values.end();
}

void check_input(const ParsedConfig& parsed) {
  const InputEncoding& input = parsed.input;
  if (input.features == Features::automatic) throw InputError("\"input.features\" is missing or not a fitted one");
  if (parsed.config.edge_labels && !input.uses_edge_labels) throw InputError("\"input.edge_labels\" is not a list");
  if (!strictly_ascending(input.labels)) throw InputError("\"input.labels\" are not in ascending order");
  if (!strictly_ascending(input.edge_labels)) throw InputError("\"input.edge_labels\" are not in ascending order");
  if (input.mean.size() != input.scale.size()) {
    throw InputError(
        fmt::format("\"input.mean\" has {} columns and \"input.scale\" {}", input.mean.size(), input.scale.size()));
  }
  if (std::ranges::any_of(input.scale, [](double scale) { return !(scale > 0); })) {
    throw InputError("\"input.scale\" has a value that is not positive");
  }
}

// The values of a tensor that must be there, have this shape, and be finite.
std::vector<float> take(const Safetensors& file, const std::string& name, const std::vector<std::uint64_t>& shape) {
  const auto found = file.tensors().find(name);
  if (found == file.tensors().end()) throw InputError(fmt::format("tensor \"{}\" is missing", name));
  const TensorView& tensor = found->second;
  if (tensor.shape != shape) {
    throw InputError(fmt::format("tensor \"{}\" has shape [{}], and the configuration asks for [{}]", name,
                                 fmt::join(tensor.shape, ", "), fmt::join(shape, ", ")));
  }
  if (tensor.type != TensorType::float32) throw InputError(fmt::format("tensor \"{}\" is not of dtype F32", name));
  std::vector<float> values = float_values(tensor);
  if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) {
    throw InputError(fmt::format("tensor \"{}\" has a value that is not finite", name));
  }
  return values;
}

Network read_network(const Safetensors& file) {
  const auto text = file.metadata().find("config");
  if (text == file.metadata().end()) throw InputError("it has no configuration and is no gckn model");
  ParsedConfig parsed = parse_config_json(text->second);
  if (!parsed.has_format) throw InputError("its configuration does not say its \"format\"");
  check_input(parsed);
  validate(parsed.config);

  std::vector<BasicLayer<float>> layers;
  std::uint64_t input_width = parsed.input.dimension();
  for (std::size_t j = 0; j < parsed.config.layers.size(); ++j) {
    BasicLayer<float> layer;
    layer.config = parsed.config.layers[j];
    const std::uint64_t positions = static_cast<std::uint64_t>(layer.config.path_length) + 1;
    const auto filters = static_cast<std::uint64_t>(layer.config.filters);
    // Without columns the tensor is empty and proves nothing about the number of filters.
    if (input_width == 0) throw InputError(fmt::format("layer {} has filters but no input", j));
    layer.input_width = input_width;
    layer.anchors = take(file, anchors_name(j), {positions, filters, input_width});
    if (parsed.input.uses_edge_labels && positions > 1) layer.edge_width = parsed.input.edge_labels.size();
    if (layer.edge_width > 0) {
      layer.edge_anchors = take(file, edge_anchors_name(j), {positions - 1, filters, layer.edge_width});
    }
    layers.push_back(std::move(layer));
    input_width = filters;
  }
  return {std::move(parsed.config), std::move(parsed.input), std::move(layers)};
}

}  // namespace

void save_network(const Network& network, const std::filesystem::path& path) {
  std::map<std::string, TensorView> tensors;
  for (std::size_t j = 0; j < network.layers().size(); ++j) {
    const BasicLayer<float>& layer = network.layers()[j];
    const std::uint64_t positions = static_cast<std::uint64_t>(layer.config.path_length) + 1;
    const auto filters = static_cast<std::uint64_t>(layer.config.filters);
    tensors[anchors_name(j)] = view_tensor(layer.anchors, {positions, filters, layer.input_width});
    if (layer.edge_width > 0) {
      tensors[edge_anchors_name(j)] = view_tensor(layer.edge_anchors, {positions - 1, filters, layer.edge_width});
    }
  }
  write_safetensors(path, {{"config", config_text(network)}}, tensors);
}

Network load_network(const std::filesystem::path& path) {
  const Safetensors file = Safetensors::read(path);
  try {
    return read_network(file);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  } catch (const UsageError& error) {
    // Checks that configurations from the user share; here the file is to blame.
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace gckn
