// SPDX-License-Identifier: BSD-3-Clause
#include "io/targets.h"

#include <fmt/format.h>

#include <algorithm>

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

Targets targets_of_numbers(const std::vector<WrittenNumber>& numbers, std::size_t columns,
                           const std::function<void(std::size_t, const std::string&)>& fail) {
  using Kind = WrittenNumber::Kind;
  const bool classes =
      columns == 1 && std::ranges::find(numbers, Kind::measured, &WrittenNumber::kind) == numbers.end();
  if (classes) {
    std::vector<std::optional<std::int64_t>> labels;
    labels.reserve(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i].kind == Kind::too_large) fail(i, "the graph label has more than 64 bits");
      labels.emplace_back(numbers[i].whole);
    }
    return targets_of_classes(labels);
  }
  Targets targets;
  targets.kind = Targets::Kind::numbers;
  targets.columns = columns;
  targets.numbers.reserve(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    // Several columns may be classes each, if the learner says so.
    if (columns > 1 && numbers[i].kind == Kind::whole && !fits_double(numbers[i].whole)) {
      fail(i / columns, fmt::format("the graph label {} is too large to be one of several", numbers[i].whole));
    }
    targets.numbers.push_back(numbers[i].value);
  }
  return targets;
}

bool fits_double(std::int64_t value) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;  // beyond, others are rounded to the same double
  return value < kExact && value > -kExact;
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
