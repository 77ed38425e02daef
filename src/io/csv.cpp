// SPDX-License-Identifier: BSD-3-Clause
// Matrices and texts as comma separated text.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>

#include "gckn/io.h"
#include "io/atomic_file.h"
#include "util/parallel.h"

namespace gckn {

namespace {

constexpr std::size_t kCsvFlushBytes = 1 << 20;

// "-1", "+2.5e3".
bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
}

bool is_formula_to_spreadsheets(std::string_view text) {
  constexpr std::string_view kFirst = "=+-@\t\r";
  return !text.empty() && kFirst.find(text.front()) != std::string_view::npos && !is_number(text);
}

// One row per line, shortest decimals that read back to the same number.
template <typename Real>
void write_rows(const BasicMatrix<Real>& rows, const std::filesystem::path& path, const RunOptions& options) {
  AtomicFile file(path);
  fmt::memory_buffer buffer;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.cols(); ++j) {
      if (j > 0) buffer.push_back(',');
      fmt::format_to(std::back_inserter(buffer), "{}", rows(i, j));
    }
    buffer.push_back('\n');
    if (buffer.size() >= kCsvFlushBytes) {
      report_progress(options, "writing", i, rows.rows());
      file.write(buffer.data(), buffer.size());
      buffer.clear();
    }
  }
  file.write(buffer.data(), buffer.size());
  file.commit();
}

}  // namespace

std::string csv_field(std::string_view text) {
  std::string field = is_formula_to_spreadsheets(text) ? "'" : "";
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return field.append(text);
  field.insert(0, 1, '"');
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field += '"';
}

void write_csv(const Matrix& matrix, const std::filesystem::path& path, const RunOptions& options) {
  write_rows(matrix, path, options);
}
void write_csv(const DoubleMatrix& matrix, const std::filesystem::path& path, const RunOptions& options) {
  write_rows(matrix, path, options);
}

}  // namespace gckn
