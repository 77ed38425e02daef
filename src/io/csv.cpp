// SPDX-License-Identifier: BSD-3-Clause
// Matrices as comma separated text.
#include <fmt/format.h>

#include <iterator>

#include "gckn/io.h"
#include "io/atomic_file.h"

namespace gckn {

namespace {

constexpr std::size_t kFlushBytes = 1 << 20;

template <typename Real>
void write_matrix(const BasicMatrix<Real>& matrix, const std::filesystem::path& path) {
  AtomicFile file(path);
  fmt::memory_buffer buffer;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.cols(); ++j) {
      if (j > 0) buffer.push_back(',');
      fmt::format_to(std::back_inserter(buffer), "{}", matrix(i, j));
    }
    buffer.push_back('\n');
    if (buffer.size() >= kFlushBytes) {
      file.write(buffer.data(), buffer.size());
      buffer.clear();
    }
  }
  file.write(buffer.data(), buffer.size());
  file.commit();
}

}  // namespace

void write_csv(const Matrix& matrix, const std::filesystem::path& path) {
  write_matrix(matrix, path);
}
void write_csv(const DoubleMatrix& matrix, const std::filesystem::path& path) {
  write_matrix(matrix, path);
}

}  // namespace gckn
