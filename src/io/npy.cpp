// SPDX-License-Identifier: BSD-3-Clause
// NumPy's .npy format, version 1.0: magic, header length, a Python dict as text padded to 64 bytes, raw values.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "gckn/io.h"
#include "io/atomic_file.h"
#include "io/csv.h"
#include "util/parallel.h"

namespace gckn {

namespace {

// Magic, version, header length and the header, as long as for any number of rows.
template <typename Real>
std::string npy_header(std::size_t rows, std::size_t columns) {
  constexpr std::size_t kSize = 128;
  constexpr std::size_t kPreamble = 10;
  constexpr char kByteOrder = std::endian::native == std::endian::little ? '<' : '>';
  std::string header = fmt::format("{{'descr': '{}f{}', 'fortran_order': False, 'shape': ({}, {}), }}", kByteOrder,
                                   sizeof(Real), rows, columns);
  header.append(kSize - kPreamble - 1 - header.size(), ' ');
  header.push_back('\n');
  std::string preamble("\x93NUMPY\x01\x00", 8);
  preamble.push_back(static_cast<char>(header.size() & 0xFF));
  preamble.push_back(static_cast<char>(header.size() >> 8));
  return preamble + header;
}

template <typename Real>
void write_values(AtomicFile& file, const BasicMatrix<Real>& rows, const RunOptions& options) {
  constexpr std::size_t kPiece = std::size_t{1} << 22;  // values between two reports of progress
  for (std::size_t begin = 0; begin < rows.size(); begin += kPiece) {
    report_progress(options, "writing", begin, rows.size());
    file.write(rows.data() + begin, std::min(kPiece, rows.size() - begin) * sizeof(Real));
  }
}

template <typename Real>
void write_array(const BasicMatrix<Real>& matrix, const std::filesystem::path& path, const RunOptions& options) {
  AtomicFile file(path);
  file.write(npy_header<Real>(matrix.rows(), matrix.cols()));
  write_values(file, matrix, options);
  file.commit();
}

}  // namespace

void write_npy(const Matrix& matrix, const std::filesystem::path& path, const RunOptions& options) {
  write_array(matrix, path, options);
}
void write_npy(const DoubleMatrix& matrix, const std::filesystem::path& path, const RunOptions& options) {
  write_array(matrix, path, options);
}

struct RowWriter::Impl {
  AtomicFile file;
  bool npy;
  std::size_t columns;
  std::size_t rows = 0;
};

RowWriter::RowWriter(const std::filesystem::path& path, std::size_t columns)
    : impl_(new Impl{AtomicFile(path), path.extension() == ".npy", columns}) {
  if (impl_->npy) impl_->file.write(npy_header<float>(0, columns));
}

RowWriter::~RowWriter() = default;

void RowWriter::append(const Matrix& rows, const RunOptions& options) {
  if (impl_->npy) {
    write_values(impl_->file, rows, options);
  } else {
    append_csv(impl_->file, rows, options);
  }
  impl_->rows += rows.rows();
}

void RowWriter::finish() {
  if (impl_->npy) impl_->file.overwrite_beginning(npy_header<float>(impl_->rows, impl_->columns));
  impl_->file.commit();
}

}  // namespace gckn
