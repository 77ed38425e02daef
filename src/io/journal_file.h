// SPDX-License-Identifier: BSD-3-Clause
// A file of JSON lines that grows as work is done, so that a run that was stopped can go on. The first line says what
// work it is; every other is a step of it. One run at a time has it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace gckn {

// What is wrong with a line; JournalFile says of which file and line.
struct WrongLine {
  std::string why;
};

// Values of a line. The JSON library reads true and 1.5 as the whole number 1, and the members of an object as a list;
// these throw WrongLine instead, with the key.
const nlohmann::ordered_json& member_of(const nlohmann::ordered_json& json, const char* key);
const nlohmann::ordered_json& list_of(const nlohmann::ordered_json& json, const char* key);
double number_of(const nlohmann::ordered_json& json, const char* key);
std::size_t count_of(const nlohmann::ordered_json& json, const char* key);

// How the header of a file differs from the one it must have, as in: is of another experiment: its "seed" is 1, here it
// is 2. Empty: it does not.
std::string what_differs(const nlohmann::ordered_json& found, const nlohmann::ordered_json& header,
                         std::string_view work);

class JournalFile {
 public:
  enum class Existing {
    refuse,   // a file that is there is an error
    resume,   // its steps are read
    replace,  // it is emptied, unless may_replace throws
  };
  // Called with a step and its line, from 2; may throw WrongLine.
  using ReadStep = std::function<void(const nlohmann::ordered_json&, std::size_t line)>;
  using MayReplace = std::function<void()>;

  // work: what the header is about, as messages call it: "experiment". A file that is resumed must have the same
  // header; a last line that was cut off is dropped. Throws InputError if the file exists and is refused, is not a
  // regular file or no journal, has a line that is none, is of other work, is in use by another run, or cannot be
  // written.
  JournalFile(const std::filesystem::path& path, const nlohmann::ordered_json& header, std::string_view work,
              Existing existing, const ReadStep& read_step, const MayReplace& may_replace = {});
  ~JournalFile();
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  void append(const nlohmann::ordered_json& step);

  // Removes it.
  void remove() noexcept;

  // The error of a line that turned out to be wrong later.
  [[noreturn]] void fail(std::size_t line, const WrongLine& wrong) const;

  // Reads the steps of a file that is not to be written, whatever its header is, and returns the header, or null if the
  // file ends before it does. Throws as the constructor does.
  static nlohmann::ordered_json read(const std::filesystem::path& path, const ReadStep& read_step);

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace gckn
