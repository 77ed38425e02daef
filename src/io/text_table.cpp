// SPDX-License-Identifier: BSD-3-Clause
#include "io/text_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "gckn/error.h"
#include "io/line_runs.h"
#include "util/counted.h"
#include "util/parallel.h"

namespace gckn {

TextTable::TextTable(SourceFile file) : file_(std::move(file)) {
  const std::string& text = file_.text;
  if (text.empty()) return;
  for (const auto& [begin, end] : line_runs(text)) runs_.push_back({begin, end, 0});
  std::vector<std::size_t> lines(runs_.size());
  parallel_for(runs_.size(), [&](std::size_t i) {
    lines[i] = static_cast<std::size_t>(std::count(text.data() + runs_[i].begin, text.data() + runs_[i].end, '\n'));
  });
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    runs_[i].first_row = rows_;
    rows_ += lines[i];
  }
  ++rows_;  // the last line has lost its end by trimming
  columns_ = std::max<std::size_t>(1, TextScanner(file_).count_fields());
}

std::size_t TextTable::values() const {
  // Every value but the first takes two bytes at least: no allocation is larger than the file deserves.
  if (columns_ > 0 && rows_ > file_.text.size() / columns_) {
    fail_row(0, fmt::format("{}, but the file is too short to have as many on each of its {}",
                            counted(columns_, "column"), counted(rows_, "line")));
  }
  return rows_ * columns_;
}

void TextTable::require_rows(std::size_t expected, const std::string& other) const {
  if (rows_ == expected) return;
  const std::size_t line = std::min(rows_, expected) + (rows_ > expected ? 1 : 0);
  throw InputError(fmt::format("{}:{}: the file has {}, but {}", file_.name, std::max<std::size_t>(line, 1),
                               counted(rows_, "line"), other));
}

void TextTable::require_numbers(std::string_view what) const {
  TextScanner scanner(file_);
  while (!scanner.at_end()) {
    for (std::size_t column = 0; column < columns_; ++column) {
      if (column > 0) scanner.skip_separator();
      static_cast<void>(scanner.number(what));
    }
    scanner.end_line();
  }
}

void TextTable::fail_row(std::size_t row, const std::string& message) const {
  throw InputError(fmt::format("{}:{}: {}", file_.name, row + 1, message));
}

}  // namespace gckn
