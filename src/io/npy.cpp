// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "gckn/io.h"
#include "io/atomic_file.h"
#include "io/npy_format.h"
#include "util/parallel.h"

namespace gckn {

namespace {

template <typename Real>
void write_array(const BasicMatrix<Real>& matrix, const std::filesystem::path& path, const RunOptions& options) {
  AtomicFile file(path);
  file.write(npy_header(sizeof(Real), matrix.rows(), matrix.cols()));
  constexpr std::size_t kPiece = std::size_t{1} << 22;  // values between two reports of progress
  for (std::size_t begin = 0; begin < matrix.size(); begin += kPiece) {
    report_progress(options, "writing", begin, matrix.size());
    file.write(matrix.data() + begin, std::min(kPiece, matrix.size() - begin) * sizeof(Real));
  }
  file.commit();
}

}  // namespace

std::string npy_header(std::size_t value_bytes, std::size_t rows, std::size_t columns) {
  constexpr std::size_t kPreamble = 10;
  constexpr char kByteOrder = std::endian::native == std::endian::little ? '<' : '>';
  std::string header = fmt::format("{{'descr': '{}f{}', 'fortran_order': False, 'shape': ({}, {}), }}", kByteOrder,
                                   value_bytes, rows, columns);
  header.append(kNpyHeaderBytes - kPreamble - 1 - header.size(), ' ');
  header.push_back('\n');
  std::string preamble("\x93NUMPY\x01\x00", 8);
  preamble.push_back(static_cast<char>(header.size() & 0xFF));
  preamble.push_back(static_cast<char>(header.size() >> 8));
  return preamble + header;
}

void write_npy(const Matrix& matrix, const std::filesystem::path& path, const RunOptions& options) {
  write_array(matrix, path, options);
}
void write_npy(const DoubleMatrix& matrix, const std::filesystem::path& path, const RunOptions& options) {
  write_array(matrix, path, options);
}

}  // namespace gckn
