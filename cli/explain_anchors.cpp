// SPDX-License-Identifier: BSD-3-Clause
#include "explain_anchors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "gckn/explain.h"
#include "input_text.h"

namespace gckn::cli {

namespace {

std::string name_of(std::uint32_t label, const std::vector<std::int64_t>& values,
                    const std::vector<std::string>& names) {
  return names.empty() ? fmt::to_string(values[label]) : names[label];
}

// Bonds as chemists write them; other labels in brackets.
std::string bond_text(const std::string& name) {
  if (name == "single") return " – ";
  if (name == "double") return " = ";
  if (name == "triple") return " ≡ ";
  if (name == "aromatic") return " : ";
  return fmt::format(" –({})– ", name);
}

// "C – N+ = O".
std::string path_text(const ExplainedAnchor& anchor, const InputEncoding& input) {
  std::string text;
  for (std::size_t t = 0; t < anchor.labels.size(); ++t) {
    if (t > 0) {
      text += anchor.edge_labels.empty()
                  ? " – "
                  : bond_text(name_of(anchor.edge_labels[t - 1], input.edge_labels, input.edge_label_names));
    }
    text += name_of(anchor.labels[t], input.labels, input.label_names);
  }
  return text;
}

bool has_names(const InputEncoding& input) {
  return input.features == Features::labels || input.features == Features::degree;
}

}  // namespace

std::vector<PageAnchor> named_anchors(const Model& model, std::size_t target) {
  std::vector<PageAnchor> result;
  if (!compares_vectors(model.network().config()) || !has_names(model.network().input())) return result;
  for (const ExplainedAnchor& anchor : explain_anchors(model, target)) {
    // Of several classes there is a weight for each, and no room for them.
    const bool has_weight = anchor.weights.size() == 1;
    result.push_back({path_text(anchor, model.network().input()),
                      has_weight ? std::optional(anchor.weights[0]) : std::nullopt, anchor.similarity,
                      static_cast<int>(anchor.labels.size())});
  }
  std::ranges::stable_sort(result, std::ranges::greater{},
                           [](const PageAnchor& anchor) { return std::abs(anchor.weight.value_or(0)); });
  return result;
}

void say_anchors(Console& console, const std::string& model_file, const Model& model, std::size_t target) {
  const std::vector<PageAnchor> anchors = named_anchors(model, target);
  const LayerConfig& layer = model.network().config().layers.front();
  nlohmann::ordered_json json{{"command", "explain"}, {"model", model_file}, {"anchors", nlohmann::json::array()}};
  if (!compares_vectors(model.network().config())) {
    console.say(
        "The model compares states of nodes, and has no anchors: with DATA, explain shows which of them matter.");
    return console.result(json);
  }
  if (anchors.empty()) {
    console.say("The {} anchors of the first layer read attributes, so there are no paths to name them by.",
                layer.filters);
    return console.result(json);
  }
  const bool has_weights = anchors.front().weight.has_value();
  console.say("The first layer compares {} with {} anchors. The path that each is closest to, how close{}:",
              layer_text(layer), anchors.size(), has_weights ? ", and what one such path adds to the score" : "");
  for (const PageAnchor& anchor : anchors) {
    console.say("  {:>5.2f}  {}{}", anchor.similarity, has_weights ? fmt::format("{:>+10.3g}  ", *anchor.weight) : "",
                anchor.path);
    nlohmann::ordered_json entry{{"path", anchor.path}, {"similarity", anchor.similarity}};
    if (anchor.weight) entry["weight"] = *anchor.weight;
    json["anchors"].push_back(std::move(entry));
  }
  if (!has_weights) {
    console.say(
        "How an anchor counts in a prediction is not said: paths add up to the score only in networks of one layer "
        "with "
        "sum pooling, and two classes or a number to predict.");
  }
  console.result(json);
}

}  // namespace gckn::cli
