// SPDX-License-Identifier: BSD-3-Clause
#include "io/source_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <memory>
#include <system_error>

#include "gckn/error.h"

namespace gckn {

namespace fs = std::filesystem;

std::string read_whole_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw InputError(fmt::format("{}: no such file or folder", path.string()));
  if (!fs::is_regular_file(status)) throw InputError(fmt::format("{}: not a regular file", path.string()));
  const auto fail = [&path](int code) {
    throw InputError(fmt::format("{}: cannot be read ({})", path.string(), std::generic_category().message(code)));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) fail(errno);
  std::string text(fs::file_size(path, error), '\0');
  if (error) fail(error.value());
  const std::size_t size = std::fread(text.data(), 1, text.size(), file.get());
  if (std::ferror(file.get()) != 0) fail(EIO);
  text.resize(size);
  return text;
}

void require_text(const SourceFile& file) {
  if (file.text.starts_with("\xFF\xFE") || file.text.starts_with("\xFE\xFF")) {
    fail_at(file, 0, "the text is UTF-16; save it as UTF-8 or ASCII");
  }
  const std::size_t zero = file.text.find('\0');
  if (zero != std::string::npos) fail_at(file, zero, "a zero byte: this is no text in UTF-8 or ASCII");
}

void trim(std::string& text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  text.resize(last == std::string::npos ? 0 : last + 1);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
}

std::string place_in(const SourceFile& file, std::size_t offset) {
  const auto end = file.text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, file.text.size()));
  const auto lines = static_cast<std::size_t>(std::count(file.text.begin(), end, '\n'));
  return fmt::format("{}:{}", file.name, file.first_line + lines);
}

void fail_at(const SourceFile& file, std::size_t offset, std::string_view message) {
  throw InputError(fmt::format("{}: {}", place_in(file, offset), message));
}

std::string in_quotes(std::string_view piece) {
  constexpr std::size_t kLongest = 40;
  std::string result = "\"";
  for (const char c : piece.substr(0, kLongest)) {
    if (c >= ' ' && c <= '~') {
      result.push_back(c);
    } else {
      fmt::format_to(std::back_inserter(result), "\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  if (piece.size() > kLongest) result += "...";
  return result + '"';
}

}  // namespace gckn
