// SPDX-License-Identifier: BSD-3-Clause
// Where a matrix goes: .npy, .csv or, as CSV, standard output.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "gckn/matrix.h"

namespace gckn::cli {

CLI::Option* add_output_option(CLI::App& command, std::string& path, const std::string& what);

// True for "-".
bool is_standard_output(const std::string& path);

// Throws UsageError for a suffix that is not known and InputError for a folder that is not there: before the work
// begins, not after it.
void check_matrix_output(const std::string& path);
void check_output_folder(const std::string& path);

void write_matrix(const Matrix& matrix, const std::string& path);
void write_matrix(const DoubleMatrix& matrix, const std::string& path);

}  // namespace gckn::cli
