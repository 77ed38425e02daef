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
  throw InputError(fmt::format("{}:{}: {} of row {}: {} (--target-columns names other columns, or none)", file,
                               record.row.line, column, record.row.number, message));
}

// The number that a value is, or nothing.
std::optional<WrittenNumber> number_of(const std::string& value) {
  double number = 0;
  if (parse_number(value, number) != std::errc() || !std::isfinite(number)) return std::nullopt;
  return written_number(value, number);
}

// One column as classes.
Targets as_classes(const std::vector<const MoleculeRecord*>& records) {
  std::vector<std::optional<std::string>> names;
  for (const MoleculeRecord* record : records) {
    const std::string& value = record->targets.front();
    const std::optional<WrittenNumber> number = is_missing(value) ? std::nullopt : number_of(value);
    if (is_missing(value)) {
      names.emplace_back();
    } else {
      names.emplace_back(number && number->kind == WrittenNumber::Kind::whole ? std::to_string(number->whole) : value);
    }
  }
  return targets_of_classes(names);
}

// All values are whole numbers or words, or missing.
bool holds_classes(const std::vector<const MoleculeRecord*>& records) {
  return std::ranges::all_of(records, [](const MoleculeRecord* record) {
    if (is_missing(record->targets.front())) return true;
    const std::optional<WrittenNumber> number = number_of(record->targets.front());
    return !number || number->kind == WrittenNumber::Kind::whole;
  });
}

// "0,5": a number to people in many countries, and no name of a class.
bool has_decimal_comma(const std::string& value) {
  const std::size_t comma = value.find(',');
  if (comma == std::string::npos || value.find('.') != std::string::npos) return false;
  std::string with_point = value;
  with_point[comma] = '.';
  return number_of(with_point).has_value();
}

bool holds_anything(const std::vector<const MoleculeRecord*>& records) {
  return std::ranges::any_of(records,
                             [](const MoleculeRecord* record) { return !is_missing(record->targets.front()); });
}

}  // namespace

Targets targets_of_records(const std::string& file, const std::vector<std::string>& columns,
                           const std::vector<const MoleculeRecord*>& records,
                           const std::optional<MoleculeColumns::Known>& known) {
  if (columns.empty()) return {};
  const bool of_model = known.has_value();
  if (columns.size() == 1 && (of_model ? known->classes : holds_classes(records))) {
    if (!of_model && !holds_anything(records)) return {};
    for (const MoleculeRecord* record : records) {
      if (of_model || !has_decimal_comma(record->targets.front())) continue;
      fail(file, *record, columns.front(),
           fmt::format("{} has a decimal comma: numbers are written with a point", in_quotes(record->targets.front())));
    }
    Targets classes = as_classes(records);
    classes.column_names = columns;
    return classes;
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
      if (!number && of_model) {
        targets.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      if (!number) fail(file, *record, columns[c], fmt::format("{} is not a number", in_quotes(value)));
      targets.numbers.push_back(number->value);
    }
  }
  return targets;
}

}  // namespace gckn
