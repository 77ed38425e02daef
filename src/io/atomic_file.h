// SPDX-License-Identifier: BSD-3-Clause
// A file that appears whole or not at all: written under a temporary name in the same folder and renamed over the
// final name by commit(). Without commit() nothing remains of it, and an older file of that name stays as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace gckn {

// Where the bytes of a file go: the end of a symbolic link, also of one whose end does not exist yet.
std::filesystem::path behind_links(const std::filesystem::path& path);

class AtomicFile {
 public:
  // Throws InputError if the folder does not exist or cannot be written to, or if `path` is a folder. A device or pipe
  // (/dev/null) cannot be renamed over and is written to directly.
  explicit AtomicFile(const std::filesystem::path& path);

  // Under a temporary name that another run knows, too: the first `bytes` of what is there stay, and so does the file
  // without commit(), until discard(). Throws InputError if there are fewer, or another run is at it.
  AtomicFile(const std::filesystem::path& path, const std::filesystem::path& temporary, std::uint64_t bytes);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Appends. Throws std::runtime_error if the system refuses (a full disk).
  void write(const void* data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }

  // Replaces the first bytes of what was written. Throws as write does, also for a pipe, which has no beginning.
  void overwrite_beginning(std::string_view bytes);

  // Forces the bytes to disk and gives the file its name. Call once, last.
  void commit();

  // Removes it, though it is one that stays. Not to be written to any more.
  void discard() noexcept;

 private:
  void close_file() noexcept;
  void close_and_remove() noexcept;
  [[noreturn]] void fail_write(int error);

  std::filesystem::path target_;
  std::filesystem::path temporary_;  // empty when writing directly
  bool stays_ = false;
  int descriptor_ = -1;
};

}  // namespace gckn
