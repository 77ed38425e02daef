// SPDX-License-Identifier: BSD-3-Clause
#include "learn/target_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gckn/error.h"
#include "io/targets.h"
#include "util/whole_number.h"

namespace gckn {
namespace {

constexpr std::size_t kMostClasses = 1000;  // more distinct whole numbers are hardly meant as classes

std::string column_name(const Targets& targets, std::size_t column) {
  if (!targets.column_names.empty()) return targets.column_names[column];
  return targets.columns <= 1 ? "target" : fmt::format("target {}", column + 1);
}

// Column `column` of the numbers, each distinct whole number a class.
TargetColumn classes_of_numbers(const GraphSet& graphs, std::size_t column) {
  const Targets& targets = graphs.targets();
  const std::string name = column_name(targets, column);
  std::vector<std::optional<std::int64_t>> values;
  for (std::size_t g = 0; g < graphs.num_graphs(); ++g) {
    const double value = targets.numbers[g * targets.columns + column];
    if (std::isnan(value)) {
      values.emplace_back();
    } else if (std::abs(value) < 1e15 && value == std::trunc(value)) {
      values.emplace_back(static_cast<std::int64_t>(value));
    } else {
      throw InputError(fmt::format("{}: graph {} has {} as {}, which is no class: learn numbers with ridge",
                                   graphs.name(), g, value, name));
    }
  }
  Targets classes = targets_of_classes(values);
  if (classes.class_names.size() > kMostClasses) {
    throw InputError(fmt::format("{}: {} has {} distinct values, too many for classes: learn numbers with ridge",
                                 graphs.name(), name, classes.class_names.size()));
  }
  return {name, std::move(classes.class_names), std::move(classes.class_of_graph), {}};
}

TargetColumn numbers_of_classes(const GraphSet& graphs) {
  const Targets& targets = graphs.targets();
  std::vector<double> number_of_class;
  for (const std::string& name : targets.class_names) {
    const std::optional<std::int64_t> number = whole_number(name);
    if (!number) {
      throw InputError(fmt::format("{}: class '{}' is no number, and ridge learns numbers", graphs.name(), name));
    }
    number_of_class.push_back(static_cast<double>(*number));
  }
  TargetColumn column{column_name(targets, 0), {}, {}, {}};
  for (const std::int32_t c : targets.class_of_graph) {
    column.number_of_graph.push_back(c < 0 ? std::numeric_limits<double>::quiet_NaN()
                                           : number_of_class[static_cast<std::size_t>(c)]);
  }
  return column;
}

TargetColumn numbers_of_column(const Targets& targets, std::size_t column) {
  TargetColumn result{column_name(targets, column), {}, {}, {}};
  for (std::size_t at = column; at < targets.numbers.size(); at += targets.columns) {
    result.number_of_graph.push_back(targets.numbers[at]);
  }
  return result;
}

void check_variety(const GraphSet& graphs, const TargetColumn& column) {
  if (column.is_classes()) {
    std::vector<char> occurs(column.class_names.size());
    for (const std::int32_t c : column.class_of_graph) {
      if (c >= 0) occurs[static_cast<std::size_t>(c)] = 1;
    }
    if (std::count(occurs.begin(), occurs.end(), 1) < 2) {
      throw InputError(
          fmt::format("{}: {} has only one class: there is nothing to tell apart", graphs.name(), column.name));
    }
    return;
  }
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : column.number_of_graph) {
    if (std::isnan(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) throw InputError(fmt::format("{}: {} has no values", graphs.name(), column.name));
  constexpr double kMost = 1e100;  // squares and their sums must be numbers
  if (high > kMost || low < -kMost) {
    throw InputError(fmt::format("{}: {} has the value {}, which is too large", graphs.name(), column.name,
                                 high > kMost ? high : low));
  }
  if (!(low < high)) {
    throw InputError(fmt::format("{}: {} does not vary: there is nothing to learn", graphs.name(), column.name));
  }
}

}  // namespace

std::vector<std::uint32_t> TargetColumn::present(const std::vector<std::uint32_t>& graphs) const {
  std::vector<std::uint32_t> result;
  for (const std::uint32_t g : graphs) {
    if (has(g)) result.push_back(g);
  }
  return result;
}

std::vector<std::uint32_t> TargetColumn::present(const Fold& fold) const {
  std::vector<std::uint32_t> graphs = present(fold.train);
  const std::vector<std::uint32_t> test = present(fold.test);
  graphs.insert(graphs.end(), test.begin(), test.end());
  return graphs;
}

std::vector<std::uint32_t> TargetColumn::tested(const Fold& fold) const {
  const bool learnt = std::ranges::any_of(fold.train, [&](std::uint32_t g) { return has(g); });
  return learnt ? present(fold.test) : std::vector<std::uint32_t>{};
}

Learner learner_for(const GraphSet& graphs, Learner learner) {
  if (learner != Learner::automatic) return learner;
  return graphs.targets().kind == Targets::Kind::numbers ? Learner::ridge : Learner::svm;
}

std::vector<TargetColumn> target_columns(const GraphSet& graphs, Learner learner) {
  const Targets& targets = graphs.targets();
  const bool wants_numbers = learner_for(graphs, learner) == Learner::ridge;
  std::vector<TargetColumn> columns;
  if (targets.kind == Targets::Kind::none) {
    throw InputError(fmt::format("{} has no classes and no numbers to learn", graphs.name()));
  }
  if (targets.kind == Targets::Kind::classes) {
    columns.push_back(wants_numbers
                          ? numbers_of_classes(graphs)
                          : TargetColumn{column_name(targets, 0), targets.class_names, targets.class_of_graph, {}});
  } else {
    for (std::size_t column = 0; column < targets.columns; ++column) {
      columns.push_back(wants_numbers ? numbers_of_column(targets, column) : classes_of_numbers(graphs, column));
    }
  }
  for (const TargetColumn& column : columns) check_variety(graphs, column);
  return columns;
}

}  // namespace gckn
