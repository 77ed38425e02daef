// SPDX-License-Identifier: BSD-3-Clause
#include "learn/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "learn/linear_model.h"

namespace gckn {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const DoubleMatrix& matrix) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    rows.push_back(std::vector<double>(matrix.row(i), matrix.row(i) + matrix.cols()));
  }
  return {{"columns", matrix.cols()}, {"rows", std::move(rows)}};
}

// NaN and infinities (a score that no fold defines) are null in JSON.
double score_of(const Json& json, const char* key) {
  return json.is_null() ? -std::numeric_limits<double>::infinity() : number_of(json, key);
}

DoubleMatrix matrix_of(const Json& json) {
  constexpr const char* kRows = "rows";
  const Json& rows = list_of(member_of(json, kRows), kRows);
  const std::size_t columns = count_of(member_of(json, "columns"), "columns");
  for (const Json& row : rows) {  // before there is memory for them
    if (list_of(row, kRows).size() != columns) {
      throw WrongLine{fmt::format("a row of \"rows\" has {} numbers where \"columns\" says {}", row.size(), columns)};
    }
  }
  DoubleMatrix matrix(rows.size(), columns);
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) matrix(i, j) = number_of(rows[i][j], kRows);
  }
  return matrix;
}

Evaluation evaluation_of(const Json& json) {
  Evaluation result;
  result.score = score_of(member_of(json, "score"), "score");
  for (const Json& c : list_of(member_of(json, "C"), "C")) result.C.push_back(number_of(c, "C"));
  for (const Json& score : list_of(member_of(json, "score_by_C"), "score_by_C")) {
    result.score_by_c.push_back(score_of(score, "score_by_C"));
  }
  if (json.contains("loss_by_epoch")) {
    for (const Json& loss : list_of(json.at("loss_by_epoch"), "loss_by_epoch")) {
      result.loss_by_epoch.push_back(loss.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                                    : number_of(loss, "loss_by_epoch"));
    }
  }
  if (json.contains("unconverged")) result.unconverged = count_of(json.at("unconverged"), "unconverged");
  if (json.contains("remarks")) {
    for (const Json& remark : list_of(json.at("remarks"), "remarks")) {
      if (!remark.is_string()) throw WrongLine{"\"remarks\" has something else than texts"};
      result.remarks.push_back(remark.get<std::string>());
    }
  }
  if (!json.contains("predictions")) return result;
  for (const Json& fold : list_of(json.at("predictions"), "predictions")) {
    result.predictions.emplace_back();
    for (const Json& target : list_of(fold, "predictions")) result.predictions.back().push_back(matrix_of(target));
  }
  if (result.predictions.empty()) throw WrongLine{"\"predictions\" is empty"};
  return result;
}

// Throws WrongLine unless it can be the result of an experiment that predicts these folds.
void check_result(const Evaluation& result, const Experiment& experiment, const std::vector<Fold>& prediction) {
  const std::vector<double>& grid = experiment.learning.C;
  const std::size_t targets = experiment.targets.size();
  const auto require = [](const char* key, std::size_t found, std::size_t expected) {
    if (found == expected) return;
    throw WrongLine{fmt::format("\"{}\" has {} where there should be {}", key, found, expected)};
  };
  require("C", result.C.size(), targets);
  for (const double c : result.C) {
    if (std::ranges::find(grid, c) == grid.end()) throw WrongLine{fmt::format("\"C\" has {}, which was not tried", c)};
  }
  require("score_by_C", result.score_by_c.size(), grid.size());
  if (!result.loss_by_epoch.empty()) require("loss_by_epoch", result.loss_by_epoch.size(), grid.size());
  if (result.predictions.empty()) return;
  require("predictions", result.predictions.size(), prediction.size());
  for (std::size_t f = 0; f < prediction.size(); ++f) {
    require("predictions", result.predictions[f].size(), targets);
    for (std::size_t t = 0; t < targets; ++t) {
      const TargetColumn& target = experiment.targets[t];
      require("rows", result.predictions[f][t].rows(), target.tested(prediction[f]).size());
      require("columns", result.predictions[f][t].cols(), num_outputs(target));
    }
  }
}

}  // namespace

Journal::Journal(const std::filesystem::path& path, const Json& header, bool resume) {
  using Existing = JournalFile::Existing;
  file_.emplace(path, header, "experiment", resume ? Existing::resume : Existing::refuse,
                [&](const Json& json, std::size_t line) {
                  const Json& unit = member_of(json, "unit");
                  if (!unit.is_string()) throw WrongLine{"\"unit\" is not a text"};
                  units_[unit.get<std::string>()] = {evaluation_of(json), line};
                });
}

const Evaluation* Journal::find(const std::string& unit, const Experiment& experiment,
                                const std::vector<Fold>& prediction, bool wants_predictions) const {
  const std::lock_guard lock(mutex_);
  const auto found = units_.find(unit);
  if (found == units_.end()) return nullptr;
  const auto& [evaluation, line] = found->second;
  if (line > 0) {
    try {
      check_result(evaluation, experiment, prediction);
      if (wants_predictions && evaluation.predictions.empty()) throw WrongLine{"there is no \"predictions\""};
    } catch (const WrongLine& wrong) {
      file_->fail(line, wrong);
    }
  }
  return &evaluation;
}

void Journal::record(const std::string& unit, const Evaluation& result, bool with_predictions) {
  Json json{{"unit", unit}, {"score", result.score}, {"C", result.C}, {"score_by_C", result.score_by_c}};
  if (!result.loss_by_epoch.empty()) json["loss_by_epoch"] = result.loss_by_epoch;
  if (result.unconverged > 0) json["unconverged"] = result.unconverged;
  if (!result.remarks.empty()) json["remarks"] = result.remarks;
  if (with_predictions) {
    json["predictions"] = Json::array();
    for (const std::vector<DoubleMatrix>& fold : result.predictions) {
      Json targets = Json::array();
      for (const DoubleMatrix& scores : fold) targets.push_back(to_json(scores));
      json["predictions"].push_back(std::move(targets));
    }
  }
  const std::lock_guard lock(mutex_);
  units_[unit] = {result, 0};
  Evaluation& kept = units_[unit].evaluation;
  if (!with_predictions) kept.predictions.clear();
  if (file_) file_->append(json);
}

}  // namespace gckn
