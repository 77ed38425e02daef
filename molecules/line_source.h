// SPDX-License-Identifier: BSD-3-Clause
// Lines of a text file, which may be packed (gzip, or a zip with one file in it), as they come.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string>

namespace gckn {

class LineSource {
 public:
  // Throws InputError if the file cannot be opened.
  explicit LineSource(const std::filesystem::path& path);
  // Bytes as they are. The stream must outlive this.
  LineSource(std::istream& stream, std::string name);
  ~LineSource();
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  // As error messages call it.
  [[nodiscard]] const std::string& name() const { return name_; }

  // The next line without its end (\n, \r\n or a lone \r at the end of the text), the first one without a byte order
  // mark. False at the end of the file. Throws InputError if it is damaged or truncated, or a line is longer than any
  // real one.
  bool next(std::string& line);

  // Of the line that came last, from 1.
  [[nodiscard]] std::size_t line_number() const { return line_number_; }

  // Of the packed file, where there is one; 0: the size is not known.
  [[nodiscard]] std::uint64_t bytes_read() const;
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  class Bytes;
  class FileBytes;
  class StreamBytes;

  bool fill();

  std::string name_;
  std::unique_ptr<Bytes> source_;
  std::uint64_t bytes_ = 0;
  std::string buffer_;
  std::size_t at_ = 0;
  std::size_t line_number_ = 0;
  bool ended_ = false;
};

}  // namespace gckn
