// SPDX-License-Identifier: BSD-3-Clause
// A text file in memory, and how its places and values are named in error messages.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace gckn {

struct SourceFile {
  std::string name;            // as error messages call it: without folders
  std::string text;            // whole; the terminating 0 of std::string is the scanners' sentinel
  std::size_t first_line = 1;  // the number of its first line, where the text is a part of a file
};

// Reads a whole file. Throws InputError if it is missing or unreadable.
std::string read_whole_file(const std::filesystem::path& path);

// Throws InputError for UTF-16 and for what is no text at all: read as ASCII, either would be blamed on some line.
void require_text(const SourceFile& file);

// Removes a byte order mark, and blanks and line ends at the end.
void trim(std::string& text);

// "NAME:LINE" of a place in the text; lines count from 1.
std::string place_in(const SourceFile& file, std::size_t offset);

// Throws InputError "NAME:LINE: message".
[[noreturn]] void fail_at(const SourceFile& file, std::size_t offset, std::string_view message);

// A piece of input in quotes, cut to a readable length, unprintable bytes escaped.
std::string in_quotes(std::string_view piece);

}  // namespace gckn
