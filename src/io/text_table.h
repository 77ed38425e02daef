// SPDX-License-Identifier: BSD-3-Clause
// A text file whose line i describes thing i, cut into runs of whole lines that can be read in parallel.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/source_file.h"
#include "io/text_scanner.h"

namespace gckn {

class TextTable {
 public:
  // `file` must be trimmed. An empty file has no rows.
  explicit TextTable(SourceFile file);

  [[nodiscard]] const std::string& name() const { return file_.name; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  // Fields of the first line, at least 1; 0 for an empty file.
  [[nodiscard]] std::size_t columns() const { return columns_; }
  // rows() * columns(), after a check that the file is long enough to hold so many values.
  [[nodiscard]] std::size_t values() const;

  // Throws InputError unless the file has `expected` lines; `other` says why so many ("X.txt lists 5 nodes").
  void require_rows(std::size_t expected, const std::string& other) const;

  // Throws InputError unless every line has as many numbers as the first; `what` is one of them ("a node number").
  void require_numbers(std::string_view what) const;

  // Throws InputError about a row.
  [[noreturn]] void fail_row(std::size_t row, const std::string& message) const;

  // Appends one job per run of lines. read_row(scanner, row) reads one line up to its end.
  template <typename ReadRow>
  void add_jobs(std::vector<std::function<void()>>& jobs, ReadRow read_row) const {
    for (const Run& run : runs_) {
      jobs.emplace_back([this, &run, read_row] {
        TextScanner scanner(file_, run.begin, run.end);
        for (std::size_t row = run.first_row; !scanner.at_end(); ++row) {
          read_row(scanner, row);
          scanner.end_line();
        }
      });
    }
  }

 private:
  struct Run {
    std::size_t begin = 0;  // offsets in the text
    std::size_t end = 0;
    std::size_t first_row = 0;
  };

  SourceFile file_;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<Run> runs_;
};

}  // namespace gckn
