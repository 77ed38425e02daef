// SPDX-License-Identifier: BSD-3-Clause
// Where a matrix goes: .npy, .csv or, as CSV, standard output.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

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

// Rows that come in blocks, to where write_matrix would write them. Nothing is there before finish() but what was
// printed.
class RowOutput {
 public:
  RowOutput(const std::string& path, std::size_t columns);
  void append(const Matrix& rows, const RunOptions& run);
  void finish();

 private:
  std::optional<RowWriter> file_;  // none: standard output
};

void write_matrix(const Matrix& matrix, const std::string& path, const RunOptions& run);
void write_matrix(const DoubleMatrix& matrix, const std::string& path, const RunOptions& run);

}  // namespace gckn::cli
