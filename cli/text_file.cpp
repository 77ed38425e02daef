// SPDX-License-Identifier: BSD-3-Clause
#include "text_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "gckn/error.h"

namespace gckn::cli {

std::string read_text(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw InputError(fmt::format("{}: is a folder, where a file belongs", path));
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw InputError(fmt::format("{}: cannot be read", path));
  return text;
}

std::string_view trimmed(std::string_view text) {
  constexpr const char* kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

}  // namespace gckn::cli
