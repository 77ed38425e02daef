// SPDX-License-Identifier: BSD-3-Clause
// Where a matrix goes: .npy, .csv or, as CSV, standard output.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/io.h"
#include "gckn/matrix.h"
#include "gckn/run_options.h"

namespace gckn::cli {

CLI::Option* add_output_option(CLI::App& command, std::string& path, const std::string& what);

// True for "-".
bool is_standard_output(const std::string& path);

// Throw UsageError for a suffix that is not known and InputError for a path that cannot be written to (a folder, or in
// a folder that is missing or read-only): before the work begins, not after it.
void check_matrix_output(const std::string& path);
void check_output_folder(const std::string& path);

// Rows that come in blocks, each with a name. CSV begins with a header and every row with its name; .npy holds the
// numbers only, and the names may go to a file beside it. Nothing is there before finish() but what was printed.
class RowOutput {
 public:
  // by_node: rows are of nodes, whose names are that of their graph and a number. names: a file for them, line by line,
  // or "".
  RowOutput(const std::string& path, std::size_t columns, bool by_node, const std::string& names);
  // names: of graphs, by row; nodes: their numbers, by row, where rows are of nodes.
  void append(const Matrix& rows, const std::vector<std::string>& names, const std::vector<std::uint32_t>& nodes,
              const RunOptions& run);
  void finish();

 private:
  void put_text(std::string_view text);

  std::optional<RowWriter> array_;  // .npy
  std::optional<TextWriter> text_;  // .csv; standard output if there is neither
  std::optional<TextWriter> names_;
};

// A name as one line of a file of names, and back: \\, \n and \r stand for a backslash and for line ends.
std::string to_line(std::string_view name);
std::string from_line(std::string_view line);

// What graphs begin .. end - 1 are called: their ids or, for those without one, their numbers in DATA, of which the set
// begins with number `first`.
std::vector<std::string> graph_names(const GraphSet& graphs, std::size_t begin, std::size_t end, std::size_t first);

void write_matrix(const Matrix& matrix, const std::string& path, const RunOptions& run);
void write_matrix(const DoubleMatrix& matrix, const std::string& path, const RunOptions& run);

}  // namespace gckn::cli
