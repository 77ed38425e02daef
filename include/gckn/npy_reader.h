// SPDX-License-Identifier: BSD-3-Clause
// Vectors from NumPy files: what write_npy (gckn/io.h) and ResumableOutput write, read back in blocks.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>

#include "gckn/matrix.h"

namespace gckn {

class NpyReader {
 public:
  // Throws InputError for a file that is not a NumPy file of a matrix in C order, of float16, float32 or
  // float64 in little-endian order, or that is not as long as its header says; before anything larger than a block is
  // allocated.
  explicit NpyReader(const std::filesystem::path& path);
  ~NpyReader();
  NpyReader(const NpyReader&) = delete;
  NpyReader& operator=(const NpyReader&) = delete;

  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] std::size_t columns() const;

  // The next rows, some megabytes of them, or nothing at the end; float64 is rounded to float32.
  std::optional<Matrix> next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gckn
