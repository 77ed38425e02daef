// SPDX-License-Identifier: BSD-3-Clause
// CSV as people's files have it: commas, tabs or semicolons; fields in quotes, which may hold line ends but for SMILES.
// A quote that nobody closes spoils its own line only.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gckn/error.h"
#include "lines_ahead.h"
#include "records.h"

namespace gckn {

namespace {

constexpr std::size_t kSampleRows = 1000;  // to choose columns by
constexpr std::size_t kMostLines = 200;    // of one record

// Splits a record. False if a field begins with a quote that is not closed, or goes on behind the closing one.
bool split_fields(std::string_view record, char separator, std::vector<std::string>& fields) {
  fields.clear();
  std::size_t at = 0;
  while (true) {
    std::string& field = fields.emplace_back();
    if (at < record.size() && record[at] == '"') {
      ++at;
      while (true) {
        const std::size_t quote = record.find('"', at);
        if (quote == std::string_view::npos) return false;
        field += record.substr(at, quote - at);
        at = quote + 1;
        if (at == record.size() || record[at] != '"') break;
        field += '"';  // a quote within is written twice
        ++at;
      }
      if (at < record.size() && record[at] != separator) return false;
    } else {
      const std::size_t end = std::min(record.find(separator, at), record.size());
      field = record.substr(at, end - at);
      at = end;
    }
    if (at == record.size()) return true;
    ++at;  // the separator
  }
}

// The fields of a line whose quotes mean nothing.
std::vector<std::string> split_plainly(std::string_view line, char separator) {
  std::vector<std::string> fields;
  std::size_t at = 0;
  while (true) {
    const std::size_t end = std::min(line.find(separator, at), line.size());
    fields.emplace_back(line.substr(at, end - at));
    if (end == line.size()) return fields;
    at = end + 1;
  }
}

class CsvRecords : public RecordReader {
 public:
  CsvRecords(LineSource& lines, const MoleculeColumns& columns) : lines_(lines) {
    if (!lines_.has(0)) throw InputError(fmt::format("{}: is empty", lines.name()));
    while (lines_[0].is_empty) lines_.drop_first();
    const std::string header = lines_[0].text;
    separator_ = guess_separator(header);
    std::vector<std::string> names;
    if (!split_fields(header, separator_, names)) {
      throw InputError(fmt::format("{}:{}: the header has a quote that is not closed", lines.name(), lines_[0].number));
    }
    lines_.drop_first();
    for (std::string& name : names) name = trimmed(name);
    width_ = names.size();
    std::vector<std::vector<std::string>> samples;
    while (lines_.size() < kSampleRows && lines_.read()) {
      if (std::vector<std::string> fields; split_fields(lines_[lines_.size() - 1].text, separator_, fields)) {
        for (std::string& field : fields) field = trimmed(field);
        samples.push_back(std::move(fields));
      }
    }
    const ChosenColumns chosen = choose_columns(lines.name(), names, samples, columns, true);
    smiles_ = *chosen.smiles;
    id_ = chosen.id;
    truth_ = chosen.truth;
    targets_ = chosen.targets;
    guesses_ = chosen.guesses;
    for (const std::size_t c : targets_) target_names_.push_back(names[c]);
  }

  bool next(MoleculeRecord& record) override {
    if (!lines_.has(0)) return false;
    record = {};
    record.row.number = ++rows_;
    record.row.line = lines_[0].number;
    std::vector<std::string> fields;
    std::size_t used = read_fields(fields, record.row.error);
    const auto field = [&](std::size_t c) { return c < fields.size() ? trimmed(fields[c]) : std::string_view(); };
    if (id_) record.row.id = field(*id_);
    for (const std::size_t c : targets_) record.targets.emplace_back(field(c));
    if (truth_) record.truth = field(*truth_);
    if (record.row.error.empty()) {
      record.text = field(smiles_);
      if (record.text.empty()) record.row.error = "no SMILES";
    }
    while (used-- > 0) lines_.drop_first();
    return true;
  }

 private:
  static char guess_separator(const std::string& header) {
    char best = ',';
    for (const char candidate : {'\t', ';'}) {
      if (std::ranges::count(header, candidate) > std::ranges::count(header, best)) best = candidate;
    }
    return best;
  }

  // Fields of the record that begins with the first line ahead, and how many lines it has.
  std::size_t read_fields(std::vector<std::string>& fields, std::string& error) {
    const std::string& line = lines_[0].text;
    if (lines_[0].is_empty) {
      error = "empty line";
      return 1;
    }
    if (line.find('\0') != std::string::npos) error = "has a byte 0";
    if (error.empty() && split_fields(line, separator_, fields)) {
      if (fields.size() != width_) {
        error = fmt::format("{} where the header has {}",
                            fields.size() == 1 ? "1 field" : fmt::format("{} fields", fields.size()), width_);
      }
      return 1;
    }
    if (error.empty()) {
      if (const std::size_t lines = join_lines(fields); lines > 0) return lines;
      error = "a quote that is not closed";
    }
    fields = split_plainly(line, separator_);
    return 1;
  }

  // A record whose fields hold line ends: returns how many lines it has, or 0.
  std::size_t join_lines(std::vector<std::string>& fields) {
    std::string joined = lines_[0].text;
    for (std::size_t i = 1; i < kMostLines && lines_.has(i); ++i) {
      joined += '\n';
      joined += lines_[i].text;
      if (!split_fields(joined, separator_, fields)) continue;
      if (fields.size() != width_ || fields[smiles_].find('\n') != std::string::npos) return 0;
      for (std::string& field : fields) std::ranges::replace(field, '\n', ' ');
      return i + 1;
    }
    return 0;
  }

  LinesAhead lines_;
  char separator_ = ',';
  std::size_t width_ = 0;
  std::size_t smiles_ = 0;
  std::optional<std::size_t> id_, truth_;
  std::vector<std::size_t> targets_;
  std::size_t rows_ = 0;
};

}  // namespace

std::unique_ptr<RecordReader> read_csv_records(LineSource& lines, const MoleculeColumns& columns) {
  return std::make_unique<CsvRecords>(lines, columns);
}

}  // namespace gckn
