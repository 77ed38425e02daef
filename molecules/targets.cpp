// SPDX-License-Identifier: BSD-3-Clause
#include "targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "gckn/error.h"
#include "io/decimal.h"
#include "io/source_file.h"
#include "io/targets.h"

namespace gckn {

namespace {

[[noreturn]] void fail(const std::string& file, const MoleculeRecord& record, const std::string& column,
                       const std::string& message) {
  throw InputError(fmt::format("{}:{}: {} of row {}: {}", file, record.row.line, column, record.row.number, message));
}

// The number that a value is, or nothing.
std::optional<WrittenNumber> number_of(const std::string& value) {
  double number = 0;
  if (parse_number(value, number) != std::errc() || !std::isfinite(number)) return std::nullopt;
  return written_number(value, number);
}

// One column as classes, if it is that: all values whole numbers, or words.
std::optional<Targets> as_classes(const std::vector<const MoleculeRecord*>& records) {
  using Kind = WrittenNumber::Kind;
  std::vector<std::optional<std::string>> names;
  bool has_words = false;
  bool has_measurements = false;
  for (const MoleculeRecord* record : records) {
    const std::string& value = record->targets.front();
    if (is_missing(value)) {
      names.emplace_back();
      continue;
    }
    const std::optional<WrittenNumber> number = number_of(value);
    has_words = has_words || !number;
    has_measurements = has_measurements || (number && number->kind != Kind::whole);
    names.emplace_back(number && number->kind == Kind::whole ? std::to_string(number->whole) : value);
  }
  if (has_measurements) return std::nullopt;
  if (!has_words && std::ranges::none_of(names, [](const auto& name) { return name.has_value(); })) return Targets{};
  return targets_of_classes(names);
}

}  // namespace

Targets targets_of_records(const std::string& file, const std::vector<std::string>& columns,
                           const std::vector<const MoleculeRecord*>& records) {
  if (columns.empty()) return {};
  if (columns.size() == 1) {
    if (std::optional<Targets> classes = as_classes(records)) return *std::move(classes);
  }
  Targets targets;
  targets.kind = Targets::Kind::numbers;
  targets.columns = columns.size();
  targets.column_names = columns;
  targets.numbers.reserve(records.size() * columns.size());
  for (const MoleculeRecord* record : records) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string& value = record->targets[c];
      if (is_missing(value)) {
        targets.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      const std::optional<WrittenNumber> number = number_of(value);
      if (!number) fail(file, *record, columns[c], fmt::format("{} is not a number", in_quotes(value)));
      targets.numbers.push_back(number->value);
    }
  }
  return targets;
}

}  // namespace gckn
