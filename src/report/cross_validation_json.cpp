// SPDX-License-Identifier: BSD-3-Clause
// Results of cross-validation as JSON, the same for the command and for programs.
#include <nlohmann/json.hpp>

#include "gckn/cross_validation.h"

namespace gckn {
namespace {

using Json = nlohmann::ordered_json;

Json method_json(const MethodResult& method) {
  Json json{{"method", method.name}};
  for (const MetricSummary& summary : method.metrics) {
    json[std::string(to_string(summary.metric))] = {{"mean", summary.mean},
                                                    {"deviation", summary.deviation},
                                                    {"interval_95", {summary.low, summary.high}},
                                                    {"by_fold", summary.by_fold}};
  }
  return json;
}

Json target_json(const TargetResult& target) {
  Json json{{"name", target.name}, {"selected_by", to_string(target.selected_by)}};
  if (!target.class_names.empty()) json["classes"] = target.class_names;
  json["methods"] = Json::array();
  for (const MethodResult& method : target.methods) json["methods"].push_back(method_json(method));
  json["comparisons"] = Json::array();
  for (const Comparison& comparison : target.comparisons) {
    json["comparisons"].push_back({{"baseline", comparison.baseline},
                                   {"difference", comparison.difference},
                                   {"interval_95", {comparison.low, comparison.high}},
                                   {"p_value", comparison.p_value}});
  }
  return json;
}

Json fold_json(const CrossValidationResult& result, std::size_t f) {
  const FoldResult& fold = result.results[f];
  Json json{{"network", fold.network}};
  if (fold.epochs > 0) json.update({{"penalty", fold.penalty}, {"epochs", fold.epochs}});
  json.update({{"train", result.folds[f].train}, {"test", result.folds[f].test}, {"targets", Json::array()}});
  for (std::size_t t = 0; t < result.targets.size(); ++t) {
    const FoldPrediction& prediction = result.results[f].targets[t];
    Json target = Json::object();
    if (fold.epochs == 0) target["C"] = prediction.C;
    target["graphs"] = prediction.graphs;
    Json scores = Json::array();
    for (std::size_t i = 0; i < prediction.scores.rows(); ++i) {
      const double* row = prediction.scores.row(i);
      if (prediction.scores.cols() == 1) {
        scores.push_back(row[0]);
      } else {
        scores.push_back(std::vector<double>(row, row + prediction.scores.cols()));
      }
    }
    target["scores"] = std::move(scores);
    if (!prediction.predicted.empty()) {
      Json names = Json::array();
      for (const std::int32_t c : prediction.predicted) {
        names.push_back(result.targets[t].class_names[static_cast<std::size_t>(c)]);
      }
      target["predicted"] = std::move(names);
    }
    json["targets"].push_back(std::move(target));
  }
  return json;
}

Json supervised_json(const SupervisedOptions& options) {
  return {{"epochs", options.epochs},
          {"penalties", options.penalties},
          {"learning_rate", options.learning_rate},
          {"halve_every", options.halve_every},
          {"batch_size", options.batch_size},
          {"selection_folds", options.selection_folds},
          {"standardised", options.standardised}};
}

// Names of classes come from files and may be anything.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string to_json(const TargetResult& target) {
  return text_of(target_json(target));
}

std::string to_json(const SupervisedOptions& options) {
  return text_of(supervised_json(options));
}

std::string to_json(const CrossValidationResult& result, const CrossValidationOptions& cv) {
  Json json{{"protocol", to_string(cv.protocol)},
            {"optimistic", result.optimistic},
            {"seed", cv.seed},
            {"repeats", result.repeats},
            {"remarks", result.remarks}};
  json["targets"] = Json::array();
  for (const TargetResult& target : result.targets) json["targets"].push_back(target_json(target));
  json["networks"] = Json::array();
  for (const NetworkConfig& config : cv.networks) {
    json["networks"].push_back({{"config", Json::parse(to_json(config))}});
  }
  if (cv.supervised) json["candidates"] = Json::array();
  for (const NetworkScore& score : result.networks) {  // of the paper protocols
    if (cv.supervised) {
      json["candidates"].push_back({{"network", score.network},
                                    {"penalty", score.penalty},
                                    {"score", score.score},
                                    {"score_by_epoch", score.score_by_c},
                                    {"loss_by_epoch", score.loss_by_epoch}});
    } else {
      json["networks"][score.network].update({{"score", score.score}, {"score_by_C", score.score_by_c}});
    }
  }
  if (cv.supervised) json["supervised"] = supervised_json(*cv.supervised);
  json["C"] = cv.learning.C;
  json["folds"] = Json::array();
  for (std::size_t f = 0; f < result.folds.size(); ++f) json["folds"].push_back(fold_json(result, f));
  return text_of(json);
}

}  // namespace gckn
