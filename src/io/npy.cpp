// SPDX-License-Identifier: BSD-3-Clause
// NumPy's .npy format, version 1.0: magic, header length, a Python dict as text padded to 64 bytes, raw values.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "gckn/io.h"
#include "io/atomic_file.h"
#include "util/parallel.h"

namespace gckn {

namespace {

template <typename Real>
void write_array(const BasicMatrix<Real>& matrix, const std::filesystem::path& path, const RunOptions& options) {
  constexpr std::size_t kPreamble = 10;  // magic, version, header length
  constexpr char kByteOrder = std::endian::native == std::endian::little ? '<' : '>';
  std::string header = fmt::format("{{'descr': '{}f{}', 'fortran_order': False, 'shape': ({}, {}), }}", kByteOrder,
                                   sizeof(Real), matrix.rows(), matrix.cols());
  const std::size_t unpadded = kPreamble + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header.push_back('\n');
  std::string preamble("\x93NUMPY\x01\x00", 8);
  preamble.push_back(static_cast<char>(header.size() & 0xFF));
  preamble.push_back(static_cast<char>(header.size() >> 8));

  AtomicFile file(path);
  file.write(preamble);
  file.write(header);
  constexpr std::size_t kPiece = std::size_t{1} << 22;  // values between two reports of progress
  for (std::size_t begin = 0; begin < matrix.size(); begin += kPiece) {
    report_progress(options, "writing", begin, matrix.size());
    file.write(matrix.data() + begin, std::min(kPiece, matrix.size() - begin) * sizeof(Real));
  }
  file.commit();
}

}  // namespace

void write_npy(const Matrix& matrix, const std::filesystem::path& path, const RunOptions& options) {
  write_array(matrix, path, options);
}
void write_npy(const DoubleMatrix& matrix, const std::filesystem::path& path, const RunOptions& options) {
  write_array(matrix, path, options);
}

}  // namespace gckn
