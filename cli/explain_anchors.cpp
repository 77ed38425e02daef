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

std::string meaning_of_weights(const Model& model, std::size_t target) {
  const std::vector<std::string>& classes = model.targets()[target].class_names;
  std::string text = "what one such path adds to the score";
  if (classes.size() > 2) text += " of the class it counts most for, or most against";
  if (classes.size() == 2) text += fmt::format(" of class {} against class {}", classes[1], classes[0]);
  if (model.network().config().global_pooling == Pooling::mean) text += ", divided by the number of nodes of the graph";
  return text;
}

std::vector<PageAnchor> named_anchors(const Model& model, std::size_t target) {
  std::vector<PageAnchor> result;
  if (!compares_vectors(model.network().config()) || !has_names(model.network().input())) return result;
  for (const ExplainedAnchor& anchor : explain_anchors(model, target)) {
    PageAnchor& named = result.emplace_back();
    named.path = path_text(anchor, model.network().input());
    named.similarity = anchor.similarity;
    named.length = static_cast<int>(anchor.labels.size());
    if (anchor.weights.empty()) continue;
    const auto largest = std::ranges::max_element(anchor.weights, {}, [](double weight) { return std::abs(weight); });
    named.weight = *largest;
    if (anchor.weights.size() > 1) named.its_class = static_cast<std::int32_t>(largest - anchor.weights.begin());
  }
  std::ranges::stable_sort(result, std::ranges::greater{},
                           [](const PageAnchor& anchor) { return std::abs(anchor.weight.value_or(0)); });
  return result;
}

void say_anchors(Console& console, const std::string& model_file, const Model& model, std::size_t target) {
  const LayerConfig& layer = model.network().config().layers.front();
  nlohmann::ordered_json json{{"command", "explain"}, {"model", model_file}, {"anchors", nlohmann::json::array()}};
  if (!compares_vectors(model.network().config())) {
    console.say(
        "The model compares states of nodes, and has no anchors: with DATA, explain shows which of them matter.");
    return console.result(json);
  }
  const std::vector<PageAnchor> anchors = named_anchors(model, target);
  if (anchors.empty()) {
    console.say("The {} anchors of the first layer read attributes, so there are no paths to name them by.",
                layer.filters);
    return console.result(json);
  }
  const bool has_weights = anchors.front().weight.has_value();
  const std::string meaning = meaning_of_weights(model, target);
  console.say("The first layer compares {} with {} anchors. The path that each is closest to, how close{}:",
              layer_text(layer), anchors.size(), has_weights ? ", and " + meaning : "");
  if (has_weights) json["weights_are"] = meaning;
  for (const PageAnchor& anchor : anchors) {
    const std::string its_class =
        anchor.its_class < 0 ? "" : model.targets()[target].class_names[static_cast<std::size_t>(anchor.its_class)];
    console.say("  {:>5.2f}  {}{}{}", anchor.similarity, has_weights ? fmt::format("{:>+10.3g}  ", *anchor.weight) : "",
                anchor.path, its_class.empty() ? "" : fmt::format("  (class {})", its_class));
    nlohmann::ordered_json entry{{"path", anchor.path}, {"similarity", anchor.similarity}};
    if (anchor.weight) entry["weight"] = *anchor.weight;
    if (!its_class.empty()) entry["class"] = its_class;
    json["anchors"].push_back(std::move(entry));
  }
  if (!has_weights) {
    console.say(
        "How an anchor counts in a prediction is not said: paths add up to the score only in networks of one layer "
        "with sum pooling and a linear head.");
  }
  console.result(json);
}

}  // namespace gckn::cli
