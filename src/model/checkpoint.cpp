// SPDX-License-Identifier: BSD-3-Clause
#include "model/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <type_traits>

#include "gckn/error.h"
#include "io/journal_file.h"
#include "io/safetensors.h"

namespace gckn {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kHeader = "training";
constexpr const char* kProgress = "progress";

// Calls visit(name, values) for all numbers of a state, in the same order whoever asks.
template <typename State, typename Visit>
void visit_parameters(State& parameters, const std::string& prefix, const Visit& visit) {
  for (std::size_t k = 0; k < parameters.anchors.size(); ++k) {
    visit(fmt::format("{}anchors.{}", prefix, k), std::span(parameters.anchors[k]));
  }
  visit(prefix + "weights", std::span(parameters.weights.data(), parameters.weights.size()));
  visit(prefix + "bias", std::span(parameters.bias));
}

template <typename State, typename Visit>
void visit_state(State& state, const Visit& visit) {
  visit_parameters(state.parameters, "", visit);
  const auto visit_moments = [&](const std::string& name, auto& moments) {
    visit(name + ".first", std::span(moments.first));
    visit(name + ".second", std::span(moments.second));
  };
  for (std::size_t k = 0; k < state.anchor_moments.size(); ++k) {
    visit_moments(fmt::format("adam.anchors.{}", k), state.anchor_moments[k]);
  }
  visit_moments("adam.weights", state.weight_moments);
  visit_moments("adam.bias", state.bias_moments);
}

Json record_json(const EpochRecord& record) {
  Json json{record.epoch, record.learning_rate, record.loss, record.penalty};
  if (record.validation_loss) json.push_back(*record.validation_loss);
  if (record.validation_figure) json.push_back(*record.validation_figure);
  return json;
}

// A figure that is not defined is null in JSON.
double number_of(const Json& json) {
  return json.is_null() ? std::nan("") : json.get<double>();
}

EpochRecord record_of(const Json& json) {
  EpochRecord record;
  record.epoch = json.at(0).get<int>();
  record.learning_rate = json.at(1).get<double>();
  record.loss = number_of(json.at(2));
  record.penalty = number_of(json.at(3));
  if (json.size() > 4) record.validation_loss = number_of(json.at(4));
  if (json.size() > 5) record.validation_figure = number_of(json.at(5));
  return record;
}

TrainingCheckpoint read(const Safetensors& file, const Json& header, const TrainingState& shape) {
  const auto text = [&](const char* key) -> const std::string& {
    const auto found = file.metadata().find(key);
    if (found == file.metadata().end()) throw InputError("it is no checkpoint of a training");
    return found->second;
  };
  if (!file.has_checksum()) throw InputError("its checksum is missing: the file is damaged");
  const std::string why = what_differs(Json::parse(text(kHeader)), header, "training");
  if (!why.empty()) throw InputError("it " + why);
  const Json progress = Json::parse(text(kProgress));
  TrainingCheckpoint checkpoint;
  checkpoint.state = shape;
  checkpoint.state.epoch = progress.at("epoch").get<int>();
  checkpoint.state.step = progress.at("step").get<std::uint64_t>();
  for (const Json& record : progress.at("history")) checkpoint.history.push_back(record_of(record));
  const auto fill = [&](const std::string& name, auto values) {
    using Real = typename decltype(values)::value_type;
    const auto found = file.tensors().find(name);
    const std::vector<std::uint64_t> size{values.size()};
    if (found == file.tensors().end() || found->second.shape != size ||
        found->second.type != (sizeof(Real) == sizeof(float) ? TensorType::float32 : TensorType::float64)) {
      throw InputError(fmt::format("\"{}\" is missing, or not of the size that this training has", name));
    }
    if constexpr (sizeof(Real) == sizeof(float)) {
      std::ranges::copy(float_values(found->second), values.begin());
    } else {
      std::ranges::copy(double_values(found->second), values.begin());
    }
  };
  visit_state(checkpoint.state, fill);
  if (progress.contains("best")) {
    const Json& best = progress.at("best");
    checkpoint.best = BestEpoch{best.at("epoch").get<int>(), number_of(best.at("score")), number_of(best.at("loss")),
                                shape.parameters};
    visit_parameters(checkpoint.best->parameters, "best.", fill);
  }
  return checkpoint;
}

}  // namespace

void save_checkpoint(const TrainingCheckpoint& checkpoint, const Json& header, const std::filesystem::path& path) {
  Json progress{{"epoch", checkpoint.state.epoch}, {"step", checkpoint.state.step}, {"history", Json::array()}};
  for (const EpochRecord& record : checkpoint.history) progress["history"].push_back(record_json(record));
  std::map<std::string, TensorView> tensors;
  const auto add = [&](const std::string& name, auto values) {
    using Real = std::remove_const_t<typename decltype(values)::element_type>;
    tensors[name] = view_tensor(std::span<const Real>(values), {values.size()});
  };
  visit_state(checkpoint.state, add);
  if (checkpoint.best) {
    progress["best"] = {
        {"epoch", checkpoint.best->epoch}, {"score", checkpoint.best->score}, {"loss", checkpoint.best->loss}};
    visit_parameters(checkpoint.best->parameters, "best.", add);
  }
  write_safetensors(path, {{kHeader, header.dump()}, {kProgress, progress.dump()}}, tensors);
}

TrainingCheckpoint load_checkpoint(const std::filesystem::path& path, const Json& header, const TrainingState& shape) {
  const Safetensors file = Safetensors::read(path);
  try {
    return read(file, header, shape);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: it is no checkpoint of a training: {}", path.string(), error.what()));
  }
}

}  // namespace gckn
