// SPDX-License-Identifier: BSD-3-Clause
// The history of a training, or of a search, for people: a table, and a picture.
#include <fmt/format.h>

#include <cmath>

#include "gckn/cross_validation.h"
#include "gckn/supervised.h"
#include "report/line_chart.h"

namespace gckn {
namespace {

constexpr const char* kTraining = "#1b6ca8";
constexpr const char* kValidation = "#d1495b";

}  // namespace

std::string history_csv(const std::vector<EpochRecord>& history) {
  std::string text = "epoch,learning_rate,loss,penalty,validation_loss,validation_figure\n";
  for (const EpochRecord& record : history) {
    const auto optional = [](const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; };
    text += fmt::format("{},{},{},{},{},{}\n", record.epoch, record.learning_rate, record.loss, record.penalty,
                        optional(record.validation_loss), optional(record.validation_figure));
  }
  return text;
}

std::string history_svg(const std::vector<EpochRecord>& history, const std::string& title,
                        const std::string& figure_name, int marked_epoch) {
  Chart chart{title, "epoch", {}, {{"loss", {{"training", kTraining, {}}}, true}}, 0, {}};
  ChartLine validation_loss{"validation", kValidation, {}};
  ChartLine figure{figure_name, kValidation, {}};
  bool is_validated = false;
  for (const EpochRecord& record : history) {
    chart.x.push_back(record.epoch);
    chart.panels[0].lines[0].y.push_back(record.loss);
    validation_loss.y.push_back(record.validation_loss.value_or(NAN));
    figure.y.push_back(record.validation_figure.value_or(NAN));
    is_validated = is_validated || record.validation_loss;
  }
  if (is_validated) {
    chart.panels[0].lines.push_back(std::move(validation_loss));
    chart.panels.push_back({fmt::format("validation {}", figure_name), {std::move(figure)}});
    chart.marked_x = marked_epoch;
    if (marked_epoch > 0) chart.mark = fmt::format("the model: epoch {}", marked_epoch);
  }
  return to_svg(chart);
}

std::string search_history_csv(const CrossValidationResult& result) {
  std::string text = "candidate,network,penalty,epoch,loss,score\n";
  for (std::size_t k = 0; k < result.networks.size(); ++k) {
    const NetworkScore& candidate = result.networks[k];
    for (std::size_t e = 0; e < candidate.score_by_c.size(); ++e) {
      const bool has_loss = e < candidate.loss_by_epoch.size() && std::isfinite(candidate.loss_by_epoch[e]);
      text += fmt::format("{},{},{},{},{},{}\n", k, candidate.network, candidate.penalty, e + 1,
                          has_loss ? fmt::format("{}", candidate.loss_by_epoch[e]) : "", candidate.score_by_c[e]);
    }
  }
  return text;
}

std::string search_history_svg(const CrossValidationResult& result, const std::string& title) {
  Chart chart{title, "epoch", {}, {{"loss of the training graphs", {{"training", kTraining, {}}}, true}}, 0, {}};
  const FoldResult& chosen = result.results.front();
  for (const NetworkScore& candidate : result.networks) {
    if (candidate.network != chosen.network || candidate.penalty != chosen.penalty) continue;
    for (std::size_t e = 0; e < candidate.score_by_c.size(); ++e) chart.x.push_back(static_cast<double>(e) + 1);
    chart.panels[0].lines[0].y = candidate.loss_by_epoch;
    chart.panels.push_back({fmt::format("{}, mean over folds", to_string(result.targets.front().selected_by)),
                            {{"test", kValidation, candidate.score_by_c}}});
    // Errors (in units of the deviation) and log loss are turned so that more is better: turn them back.
    if (!larger_is_better(result.targets.front().selected_by)) {
      for (double& value : chart.panels[1].lines[0].y) value = -value;
    }
    break;
  }
  chart.marked_x = chosen.epochs;
  chart.mark = fmt::format("the best mean: epoch {}", chosen.epochs);
  return to_svg(chart);
}

}  // namespace gckn
