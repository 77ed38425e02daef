// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "learn/evaluate.h"
#include "learn/summary.h"

namespace gckn {
namespace {

// The column of the graphs' numbers that target t of the model is about.
std::optional<std::size_t> column_for(const Model& model, std::size_t t, const Targets& targets) {
  const std::string& name = model.targets()[t].name;
  if (!targets.column_names.empty()) {
    const auto found = std::ranges::find(targets.column_names, name);
    if (found != targets.column_names.end()) return static_cast<std::size_t>(found - targets.column_names.begin());
    // One target has no other to be mistaken for.
    if (model.targets().size() > 1 || targets.columns > 1) return std::nullopt;
  }
  if (targets.columns != model.targets().size()) return std::nullopt;
  return t;
}

// The text of every graph's class or number, "" where it is missing; nothing if the graphs do not have this target.
std::optional<std::vector<std::string>> texts_for(const Model& model, std::size_t t, const GraphSet& graphs) {
  const Targets& targets = graphs.targets();
  std::vector<std::string> texts(graphs.num_graphs());
  if (targets.kind == Targets::Kind::classes && model.targets().size() == 1) {
    for (std::size_t g = 0; g < texts.size(); ++g) {
      if (targets.class_of_graph[g] >= 0)
        texts[g] = targets.class_names[static_cast<std::size_t>(targets.class_of_graph[g])];
    }
    return texts;
  }
  if (targets.kind != Targets::Kind::numbers) return std::nullopt;
  const std::optional<std::size_t> column = column_for(model, t, targets);
  if (!column) return std::nullopt;
  for (std::size_t g = 0; g < texts.size(); ++g) {
    const double number = targets.numbers[g * targets.columns + *column];
    if (!std::isnan(number)) texts[g] = fmt::format("{}", number);
  }
  return texts;
}

Truth truth_of(const TargetModel& target, std::vector<std::string> texts) {
  Truth truth{true, std::move(texts), {}, {}, 0};
  for (const std::string& text : truth.text) {
    if (target.class_names.empty()) {
      double number = std::numeric_limits<double>::quiet_NaN();
      const char* end = text.data() + text.size();
      const auto [stop, error] = std::from_chars(text.data(), end, number);
      const bool is_number = error == std::errc{} && stop == end;
      if (!is_number && !text.empty()) ++truth.strange;
      truth.number_of_graph.push_back(is_number ? number : std::numeric_limits<double>::quiet_NaN());
    } else {
      const auto found = std::ranges::find(target.class_names, text);
      const bool is_known = found != target.class_names.end();
      if (!is_known && !text.empty()) ++truth.strange;
      truth.class_of_graph.push_back(is_known ? static_cast<std::int32_t>(found - target.class_names.begin()) : -1);
    }
  }
  return truth;
}

}  // namespace

std::vector<Truth> truth_for(const Model& model, const GraphSet& graphs) {
  std::vector<Truth> truths(model.targets().size());
  for (std::size_t t = 0; t < truths.size(); ++t) {
    if (std::optional<std::vector<std::string>> texts = texts_for(model, t, graphs)) {
      truths[t] = truth_of(model.targets()[t], std::move(*texts));
    }
  }
  return truths;
}

struct Scoring::Impl {
  const Model& model;
  // By target: the graphs that count, with their scores, row by row.
  std::vector<TargetColumn> columns;
  std::vector<std::vector<double>> scores;
};

Scoring::Scoring(const Model& model) : impl_(new Impl{model, {}, {}}) {
  for (const TargetModel& target : model.targets()) {
    impl_->columns.push_back({target.name, target.class_names, {}, {}});
  }
  impl_->scores.resize(model.targets().size());
}

Scoring::~Scoring() = default;

void Scoring::add(const Predictions& predictions, const std::vector<Truth>& truth) {
  for (std::size_t t = 0; t < truth.size(); ++t) {
    if (!truth[t].known) continue;
    TargetColumn& column = impl_->columns[t];
    const DoubleMatrix& scores = predictions.targets[t].scores;
    for (std::uint32_t g = 0; g < predictions.graphs; ++g) {
      if (std::ranges::binary_search(predictions.unpredicted, g)) continue;
      if (column.is_classes()) {
        if (truth[t].class_of_graph[g] < 0) continue;
        column.class_of_graph.push_back(truth[t].class_of_graph[g]);
      } else {
        if (std::isnan(truth[t].number_of_graph[g])) continue;
        column.number_of_graph.push_back(truth[t].number_of_graph[g]);
      }
      impl_->scores[t].insert(impl_->scores[t].end(), scores.row(g), scores.row(g) + scores.cols());
    }
  }
}

std::vector<std::uint64_t> Scoring::counts() const {
  std::vector<std::uint64_t> counts;
  for (const TargetColumn& column : impl_->columns) {
    counts.push_back(column.is_classes() ? column.class_of_graph.size() : column.number_of_graph.size());
  }
  return counts;
}

std::vector<TargetResult> Scoring::results(std::uint64_t seed) const {
  std::vector<TargetResult> results;
  const std::vector<std::uint64_t> counted = counts();
  for (std::size_t t = 0; t < counted.size(); ++t) {
    const TargetColumn& column = impl_->columns[t];
    Experiment experiment;
    experiment.learner = impl_->model.learner();
    experiment.targets = {column};
    if (counted[t] == 0) {
      results.push_back({column.name, column.class_names, experiment.selected_by(), {}, {}});
      continue;
    }
    // One fold that tests every graph. It is said to learn from them, too, since without that there is no test.
    Fold fold;
    fold.test.resize(counted[t]);
    std::iota(fold.test.begin(), fold.test.end(), 0U);
    fold.train = fold.test;
    DoubleMatrix scores(counted[t], impl_->scores[t].size() / counted[t]);
    std::ranges::copy(impl_->scores[t], scores.data());
    results.push_back(summarise(experiment, {fold}, 1, {{"gckn", {{std::move(scores)}}}}, seed).front());
  }
  return results;
}

}  // namespace gckn
