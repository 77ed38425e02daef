// SPDX-License-Identifier: BSD-3-Clause
// Matrices as comma separated text.
#include <fmt/format.h>

#include <iterator>

#include "gckn/io.h"
#include "io/atomic_file.h"
#include "util/parallel.h"

namespace gckn {

namespace {

constexpr std::size_t kCsvFlushBytes = 1 << 20;

template <typename Real>
void write_text(const BasicMatrix<Real>& matrix, const std::filesystem::path& path, const RunOptions& options) {
  AtomicFile file(path);
  fmt::memory_buffer buffer;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.cols(); ++j) {
      if (j > 0) buffer.push_back(',');
      fmt::format_to(std::back_inserter(buffer), "{}", matrix(i, j));
    }
    buffer.push_back('\n');
    if (buffer.size() >= kCsvFlushBytes) {
      report_progress(options, "writing", i, matrix.rows());
      file.write(buffer.data(), buffer.size());
      buffer.clear();
    }
  }
  file.write(buffer.data(), buffer.size());
  file.commit();
}

}  // namespace

void write_csv(const Matrix& matrix, const std::filesystem::path& path, const RunOptions& options) {
  write_text(matrix, path, options);
}
void write_csv(const DoubleMatrix& matrix, const std::filesystem::path& path, const RunOptions& options) {
  write_text(matrix, path, options);
}

}  // namespace gckn
