// SPDX-License-Identifier: BSD-3-Clause
#include "output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <iterator>
#include <system_error>

#include "console.h"
#include "gckn/error.h"
#include "gckn/io.h"

namespace gckn::cli {

namespace {

bool has_suffix(const std::string& path, const char* suffix) {
  return std::filesystem::path(path).extension() == suffix;
}

template <typename Real>
void print_csv(const BasicMatrix<Real>& matrix) {
  std::string line;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    line.clear();
    fmt::format_to(std::back_inserter(line), "{}\n", fmt::join(matrix.row(i), matrix.row(i) + matrix.cols(), ","));
    print_data(line);
  }
}

template <typename Real>
void write(const BasicMatrix<Real>& matrix, const std::string& path, const RunOptions& run) {
  if (is_standard_output(path)) {
    print_csv(matrix);
  } else if (has_suffix(path, ".npy")) {
    write_npy(matrix, path, run);
  } else {
    write_csv(matrix, path, run);
  }
}

}  // namespace

CLI::Option* add_output_option(CLI::App& command, std::string& path, const std::string& what) {
  return command.add_option("--out", path, what + ": FILE.npy or FILE.csv; - prints CSV")->type_name("FILE");
}

bool is_standard_output(const std::string& path) {
  return path == "-";
}

void check_matrix_output(const std::string& path) {
  if (is_standard_output(path)) return;
  if (!has_suffix(path, ".npy") && !has_suffix(path, ".csv")) {
    throw UsageError(fmt::format("--out {}: the name must end in .npy or .csv", path));
  }
  check_output_folder(path);
}

void check_output_folder(const std::string& path) {
  if (is_standard_output(path)) throw UsageError("- does not stand for a file here: give the name of one");
  check_writable(path);
}

void check_not_overwritten(const std::string& written, const std::vector<std::string>& read) {
  const auto is_file = [](const std::string& path) { return !path.empty() && path != "-"; };
  if (!is_file(written)) return;
  for (const std::string& path : read) {
    std::error_code missing;
    if (is_file(path) && (path == written || std::filesystem::equivalent(path, written, missing))) {
      throw UsageError(fmt::format("{} would be overwritten, and it is used as well", path));
    }
  }
}

RowOutput::RowOutput(const std::string& path, std::size_t columns) {
  if (!is_standard_output(path)) file_.emplace(path, columns);
}

void RowOutput::append(const Matrix& rows, const RunOptions& run) {
  if (file_) {
    file_->append(rows, run);
  } else {
    print_csv(rows);
  }
}

void RowOutput::finish() {
  if (file_) file_->finish();
}

void write_matrix(const Matrix& matrix, const std::string& path, const RunOptions& run) {
  write(matrix, path, run);
}
void write_matrix(const DoubleMatrix& matrix, const std::string& path, const RunOptions& run) {
  write(matrix, path, run);
}

}  // namespace gckn::cli
