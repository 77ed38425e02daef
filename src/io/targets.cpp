// SPDX-License-Identifier: BSD-3-Clause
#include "io/targets.h"

#include <algorithm>
#include <cmath>

#include "util/whole_number.h"

namespace gckn {

namespace {

// Fills in class_of_graph and returns the sorted distinct values.
template <typename Value>
std::vector<Value> assign_classes(const std::vector<std::optional<Value>>& values, Targets& targets) {
  std::vector<Value> distinct;
  for (const std::optional<Value>& value : values) {
    if (value) distinct.push_back(*value);
  }
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  targets.kind = Targets::Kind::classes;
  targets.class_of_graph.reserve(values.size());
  for (const std::optional<Value>& value : values) {
    std::int32_t index = -1;
    if (value) {
      const auto at = std::lower_bound(distinct.begin(), distinct.end(), *value);
      index = static_cast<std::int32_t>(at - distinct.begin());
    }
    targets.class_of_graph.push_back(index);
  }
  return distinct;
}

}  // namespace

Targets targets_of_numbers(std::vector<double> numbers, std::size_t columns) {
  constexpr double kExact = 9007199254740992.0;  // 2^53: up to here a double is every whole number
  const auto is_whole = [](double value) { return std::abs(value) <= kExact && value == std::trunc(value); };
  if (columns == 1 && std::all_of(numbers.begin(), numbers.end(), is_whole)) {
    std::vector<std::optional<std::int64_t>> classes;
    classes.reserve(numbers.size());
    for (const double value : numbers) classes.emplace_back(static_cast<std::int64_t>(value));
    return targets_of_classes(classes);
  }
  Targets targets;
  targets.kind = Targets::Kind::numbers;
  targets.columns = columns;
  targets.numbers = std::move(numbers);
  return targets;
}

Targets targets_of_classes(const std::vector<std::optional<std::int64_t>>& numbers) {
  Targets targets;
  for (const std::int64_t value : assign_classes(numbers, targets))
    targets.class_names.push_back(std::to_string(value));
  return targets;
}

Targets targets_of_classes(const std::vector<std::optional<std::string>>& names) {
  std::vector<std::optional<std::int64_t>> numbers;
  numbers.reserve(names.size());
  bool all_whole = true;
  for (const std::optional<std::string>& name : names) {
    numbers.push_back(name ? whole_number(*name) : std::nullopt);
    all_whole = all_whole && name.has_value() == numbers.back().has_value();
  }
  if (all_whole) return targets_of_classes(numbers);
  Targets targets;
  targets.class_names = assign_classes(names, targets);
  return targets;
}

}  // namespace gckn
