// SPDX-License-Identifier: BSD-3-Clause
// Where a matrix goes: .npy, .csv or, as CSV, standard output.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/io.h"
#include "gckn/matrix.h"
#include "gckn/resumable_output.h"
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
// numbers only, and the names may go to a file beside it.
class RowOutput {
 public:
  struct Shape {
    std::size_t columns = 0;
    bool by_node = false;                   // rows are of nodes, whose names are that of their graph and a number
    bool has_status = false;                // CSV says of every row whether it is a graph
    NumberType type = NumberType::float32;  // of .npy
  };
  // names: a file for them, line by line, or "". work: of files.
  RowOutput(const std::string& path, const Shape& shape, const std::string& names, const ResumableOutput::Work& work);

  // Where rows go, but for standard output: null if there are no files.
  [[nodiscard]] ResumableOutput* files() { return files_.get(); }

  // What goes in front of the vectors, by row.
  struct Labels {
    std::vector<std::string> names{};    // of graphs
    std::vector<std::uint32_t> nodes{};  // where rows are of nodes
    std::vector<std::string> errors{};   // why a row is no graph, where there is a status; its vector is not written
  };
  void append(const Matrix& rows, const Labels& labels, const RunOptions& run);
  void finish();

 private:
  void put_text(std::string_view text);

  Shape shape_;
  bool is_array_ = false;  // .npy
  std::unique_ptr<ResumableOutput> files_;
  std::optional<std::size_t> rows_file_;  // of them; none: standard output
  std::optional<std::size_t> names_file_;
};

// A name as one line of a file of names, and back: \\, \n and \r stand for a backslash and for line ends.
std::string to_line(std::string_view name);
std::string from_line(std::string_view line);

// The status of a row, as CSV has it: "ok", or why it is no graph.
std::string status_text(const std::string& error);

// What graphs begin .. end - 1 are called: their ids or, for those without one, their numbers in DATA, of which the set
// begins with number `first`.
std::vector<std::string> graph_names(const GraphSet& graphs, std::size_t begin, std::size_t end, std::size_t first);

void write_matrix(const Matrix& matrix, const std::string& path, const RunOptions& run);
void write_matrix(const DoubleMatrix& matrix, const std::string& path, const RunOptions& run);

}  // namespace gckn::cli
