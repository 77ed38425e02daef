// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "gckn/error.h"
#include "lines_ahead.h"
#include "records.h"

namespace gckn {

namespace {

bool is_header(std::string_view line) {
  constexpr std::string_view kSmiles = "smiles";
  const std::string_view first = line.substr(0, std::min(line.find_first_of(" \t,"), line.size()));
  return std::ranges::equal(first, kSmiles, {}, [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
}

class SmiRecords : public RecordReader {
 public:
  SmiRecords(LineSource& lines, const MoleculeColumns& columns) : lines_(lines) {
    const bool names_truth = !columns.truth.empty() && columns.truth != "none";
    if (!columns.smiles.empty() || !columns.id.empty() || names_truth ||
        std::ranges::any_of(columns.targets, [](const std::string& name) { return name != "none"; })) {
      throw InputError(fmt::format("{}: a .smi file has SMILES and names, and no columns to choose", lines.name()));
    }
    if (lines_.has(0) && is_header(trimmed(lines_[0].text))) lines_.drop_first();
  }

  bool next(MoleculeRecord& record) override {
    if (!lines_.has(0)) return false;
    record = {};
    record.row.number = ++rows_;
    record.row.line = lines_[0].number;
    const std::string_view content = trimmed(lines_[0].text);
    const std::size_t end = std::min(content.find_first_of(" \t"), content.size());
    record.row.id = trimmed(content.substr(end));
    if (content.empty()) {
      record.row.error = "empty line";
    } else if (content.find('\0') != std::string_view::npos) {
      record.row.error = "has a byte 0";
    } else {
      record.text = content.substr(0, end);
    }
    lines_.drop_first();
    return true;
  }

 private:
  LinesAhead lines_;
  std::size_t rows_ = 0;
};

}  // namespace

std::unique_ptr<RecordReader> read_smi_records(LineSource& lines, const MoleculeColumns& columns) {
  return std::make_unique<SmiRecords>(lines, columns);
}

}  // namespace gckn
