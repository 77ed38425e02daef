// SPDX-License-Identifier: BSD-3-Clause
#include "io/journal_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "gckn/error.h"

namespace gckn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// A name that is not UTF-8 must not stop the work.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

[[noreturn]] void fail_at_line(const std::string& path, std::size_t line, const std::string& why) {
  throw InputError(fmt::format("{}:{}: is no line of a journal: {}", path, line, why));
}

std::string read_whole(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw InputError(fmt::format("{}: cannot be read", path.string()));
  return text;
}

// Calls use(line, number) for each whole line, from 1. Returns where the rest begins.
std::size_t for_each_json(const std::string& path, const std::string& text,
                          const std::function<void(const Json&, std::size_t)>& use) {
  std::size_t line = 0;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    ++line;
    try {
      use(Json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                      text.begin() + static_cast<std::ptrdiff_t>(end)),
          line);
    } catch (const nlohmann::json::exception&) {
      fail_at_line(path, line, "it is not as it was written");
    } catch (const WrongLine& wrong) {
      fail_at_line(path, line, wrong.why);
    }
  }
  return begin;
}

}  // namespace

std::string what_differs(const Json& found, const Json& header, std::string_view work) {
  const Json expected = Json::parse(text_of(header));
  std::vector<std::string> keys;
  for (const auto& [key, value] : expected.items()) keys.push_back(key);
  for (const auto& [key, value] : found.items()) keys.push_back(key);
  const auto shown = [](const Json& json, const std::string& key) {
    return json.contains(key) ? text_of(json[key]) : "missing";
  };
  for (const std::string& key : keys) {
    const std::string there = shown(found, key);
    const std::string here = shown(expected, key);
    if (there == here) continue;
    constexpr std::size_t kReadable = 60;
    return there.size() > kReadable || here.size() > kReadable
               ? fmt::format("is of another {}: its \"{}\" is not the same", work, key)
               : fmt::format("is of another {}: its \"{}\" is {}, here it is {}", work, key, there, here);
  }
  return {};
}

const Json& member_of(const Json& json, const char* key) {
  if (!json.is_object() || !json.contains(key)) throw WrongLine{fmt::format("there is no \"{}\"", key)};
  return json.at(key);
}

const Json& list_of(const Json& json, const char* key) {
  if (!json.is_array()) throw WrongLine{fmt::format("\"{}\" is not a list where it should be one", key)};
  return json;
}

double number_of(const Json& json, const char* key) {
  if (!json.is_number()) throw WrongLine{fmt::format("\"{}\" has {} where a number belongs", key, text_of(json))};
  return json.get<double>();
}

std::size_t count_of(const Json& json, const char* key) {
  if (!json.is_number_unsigned()) throw WrongLine{fmt::format("\"{}\" is not a whole number from 0", key)};
  return json.get<std::size_t>();
}

JournalFile::JournalFile(const fs::path& path, const Json& header, std::string_view work, Existing existing,
                         const ReadStep& read_step, const MayReplace& may_replace)
    : path_(path.string()) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  const bool exists = fs::exists(status);
  if (exists && !fs::is_regular_file(status)) {
    throw InputError(fmt::format("{}: a journal must be a regular file, which this is not", path_));
  }
  if (exists && existing == Existing::refuse) {
    throw InputError(fmt::format("{} exists: resume to go on with it, or remove it to begin anew", path_));
  }
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw InputError(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
  try {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      throw InputError(fmt::format("{}: is in use by another run", path_));
    }
    if (existing == Existing::replace) {
      if (exists && may_replace) may_replace();
      fs::resize_file(path, 0);
    }
    if (exists) {
      const std::string text = read_whole(path);
      const std::size_t rest = for_each_json(path_, text, [&](const Json& json, std::size_t line) {
        if (line > 1) return read_step(json, line);
        if (const std::string why = what_differs(json, header, work); !why.empty()) {
          throw InputError(fmt::format("{}: {}", path_, why));
        }
      });
      // A line without its end was being written when the program was stopped.
      if (rest < text.size()) {
        if (rest == 0 && !text_of(header).starts_with(text)) throw InputError(fmt::format("{}: is no journal", path_));
        fs::resize_file(path, rest);
      }
    }
    if (fs::file_size(path) == 0) append(header);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

JournalFile::~JournalFile() {
  ::close(descriptor_);
}

void JournalFile::append(const Json& step) {
  const std::string text = text_of(step) + "\n";
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(descriptor_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::runtime_error(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
    done += static_cast<std::size_t>(written);
  }
}

void JournalFile::remove() noexcept {
  ::unlink(path_.c_str());
}

void JournalFile::fail(std::size_t line, const WrongLine& wrong) const {
  fail_at_line(path_, line, wrong.why);
}

Json JournalFile::read(const fs::path& path, const ReadStep& read_step) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    throw InputError(fmt::format("{}: a journal must be a regular file, which this is not", path.string()));
  }
  Json header;
  for_each_json(path.string(), read_whole(path), [&](const Json& json, std::size_t line) {
    if (line > 1) return read_step(json, line);
    header = json;
  });
  if (!header.is_object() && !header.is_null()) throw InputError(fmt::format("{}: is no journal", path.string()));
  return header;
}

}  // namespace gckn
