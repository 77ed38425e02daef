// SPDX-License-Identifier: BSD-3-Clause
// Matrices as comma separated text.
#include <fmt/format.h>

#include <iterator>

#include "gckn/io.h"
#include "io/csv.h"
#include "util/parallel.h"

namespace gckn {

namespace {

constexpr std::size_t kCsvFlushBytes = 1 << 20;

template <typename Real>
void write_rows(const BasicMatrix<Real>& matrix, const std::filesystem::path& path, const RunOptions& options) {
  AtomicFile file(path);
  append_csv(file, matrix, options);
  file.commit();
}

}  // namespace

template <typename Real>
void append_csv(AtomicFile& file, const BasicMatrix<Real>& rows, const RunOptions& options) {
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
}

template void append_csv(AtomicFile&, const BasicMatrix<float>&, const RunOptions&);
template void append_csv(AtomicFile&, const BasicMatrix<double>&, const RunOptions&);

void write_csv(const Matrix& matrix, const std::filesystem::path& path, const RunOptions& options) {
  write_rows(matrix, path, options);
}
void write_csv(const DoubleMatrix& matrix, const std::filesystem::path& path, const RunOptions& options) {
  write_rows(matrix, path, options);
}

}  // namespace gckn
