// SPDX-License-Identifier: BSD-3-Clause
// SDF: mol blocks, each with properties behind it and $$$$ at its end.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "gckn/error.h"
#include "records.h"

namespace gckn {

namespace {

constexpr std::size_t kSampleRecords = 200;  // to choose properties by

// A record as it stands in the file.
struct SdfText {
  std::size_t line = 0;
  std::string mol_block;
  std::vector<std::pair<std::string, std::string>> properties;
  bool has_end = false;   // of the mol block
  bool is_whole = false;  // $$$$ came
  bool has_content = false;
};

// "> <NAME>" or ">  25  <NAME>".
std::optional<std::string> property_name(const std::string& line) {
  const std::size_t open = line.find('<');
  const std::size_t close = line.rfind('>');
  if (!line.starts_with('>') || open == std::string::npos || close <= open) return std::nullopt;
  return line.substr(open + 1, close - open - 1);
}

class SdfRecords : public RecordReader {
 public:
  SdfRecords(LineSource& lines, const MoleculeColumns& columns) : lines_(lines) {
    if (!columns.smiles.empty()) {
      throw InputError(fmt::format("{}: an SDF has no column of SMILES", lines.name()));
    }
    SdfText text;
    while (ahead_.size() < kSampleRecords && read(text)) ahead_.push_back(text);
    if (ahead_.empty()) throw InputError(fmt::format("{}: is empty", lines.name()));
    std::vector<std::string> names;
    for (const SdfText& record : ahead_) {
      for (const auto& [name, value] : record.properties) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
      }
    }
    std::vector<std::vector<std::string>> samples;
    for (const SdfText& record : ahead_) {
      std::vector<std::string>& row = samples.emplace_back();
      for (const std::string& name : names) row.push_back(value_of(record, name));
    }
    const ChosenColumns chosen = choose_columns(lines.name(), names, samples, columns, false);
    if (chosen.id) id_ = names[*chosen.id];
    if (chosen.truth) truth_ = names[*chosen.truth];
    id_is_asked_for_ = !columns.id.empty();
    guesses_ = chosen.guesses;
    for (const std::size_t c : chosen.targets) target_names_.push_back(names[c]);
  }

  bool next(MoleculeRecord& record) override {
    SdfText text;
    if (!ahead_.empty()) {
      text = std::move(ahead_.front());
      ahead_.pop_front();
    } else if (!read(text)) {
      return false;
    }
    record = {};
    record.kind = MoleculeRecord::Kind::mol_block;
    record.row.number = ++rows_;
    record.row.line = text.line;
    const std::string title(trimmed(std::string_view(text.mol_block).substr(0, text.mol_block.find('\n'))));
    record.row.id = id_is_asked_for_ || title.empty() ? value_of(text, id_) : title;
    for (const std::string& name : target_names_) record.targets.push_back(value_of(text, name));
    if (truth_) record.truth = value_of(text, *truth_);
    if (!text.has_end) {
      record.row.error = text.is_whole ? "has no M  END" : "the file ends within this record";
    } else {
      record.text = std::move(text.mol_block);
    }
    return true;
  }

 private:
  // What follows a property's name up to an empty line, or "" if the record has none of that name.
  static std::string value_of(const SdfText& record, const std::string& name) {
    for (const auto& [key, value] : record.properties) {
      if (key == name) return std::string(trimmed(value));
    }
    return {};
  }

  // False if nothing but empty lines is left.
  bool read(SdfText& record) {
    record = {};
    record.line = lines_.line_number() + 1;
    std::string line;
    std::string* value = nullptr;
    while (lines_.next(line)) {
      if (line.starts_with("$$$$")) {
        record.is_whole = true;
        return true;
      }
      record.has_content = record.has_content || !trimmed(line).empty();
      if (!record.has_end) {
        record.mol_block += line;
        record.mol_block += '\n';
        record.has_end = line.starts_with("M  END");
      } else if (const auto name = property_name(line)) {
        value = &record.properties.emplace_back(*name, "").second;
      } else if (trimmed(line).empty()) {
        value = nullptr;
      } else if (value != nullptr) {
        if (!value->empty()) *value += ' ';
        *value += line;
      }
    }
    return record.has_content;
  }

  LineSource& lines_;
  std::deque<SdfText> ahead_;
  std::string id_;
  std::optional<std::string> truth_;
  bool id_is_asked_for_ = false;
  std::size_t rows_ = 0;
};

}  // namespace

std::unique_ptr<RecordReader> read_sdf_records(LineSource& lines, const MoleculeColumns& columns) {
  return std::make_unique<SdfRecords>(lines, columns);
}

}  // namespace gckn
