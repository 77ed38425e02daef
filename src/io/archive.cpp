// SPDX-License-Identifier: BSD-3-Clause
#include "io/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "gckn/error.h"

namespace gckn {

namespace {

// Real graph sets shrink to a fifth or a twentieth, a column of equal numbers to a thousandth. This much is allowed.
constexpr std::uint64_t kFreeBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kLargestRatio = 100;
constexpr std::size_t kBlockBytes = 1 << 18;

struct Close {
  void operator()(archive* zip) const { archive_read_free(zip); }
};
using Handle = std::unique_ptr<archive, Close>;

[[noreturn]] void fail(const std::filesystem::path& path, archive* zip) {
  const char* text = archive_error_string(zip);
  std::string reason = text == nullptr ? "no reason given" : text;
  while (reason.ends_with('\n')) reason.pop_back();
  throw InputError(fmt::format("{}: damaged or truncated zip file ({})", path.string(), reason));
}

// While an entry is read, of which there must be one: libarchive crashes when asked about a zip that did not open.
[[noreturn]] void fail_in_entry(const std::filesystem::path& path, archive* zip) {
  if (archive_read_has_encrypted_entries(zip) > 0) {
    throw InputError(
        fmt::format("{}: is an encrypted zip file; unpack it with its password and give the folder", path.string()));
  }
  fail(path, zip);
}

Handle open_zip(const std::filesystem::path& path) {
  Handle zip(archive_read_new());
  if (!zip) throw std::bad_alloc();
  // Only by the directory at the end of the file: reading front to back would take a truncated zip for a short one.
  archive_read_support_format_zip_seekable(zip.get());
  if (archive_read_open_filename(zip.get(), path.c_str(), kBlockBytes) != ARCHIVE_OK) fail(path, zip.get());
  return zip;
}

}  // namespace

std::vector<ArchiveEntry> read_zip(const std::filesystem::path& path,
                                   const std::function<bool(std::string_view)>& wanted) {
  const std::uint64_t allowed = kFreeBytes + kLargestRatio * std::filesystem::file_size(path);
  std::uint64_t unpacked = 0;
  const Handle zip = open_zip(path);
  std::vector<ArchiveEntry> entries;
  while (true) {
    archive_entry* header = nullptr;
    const int status = archive_read_next_header(zip.get(), &header);
    if (status == ARCHIVE_EOF) return entries;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) fail(path, zip.get());
    const char* name = archive_entry_pathname(header);
    if (name == nullptr || archive_entry_filetype(header) != AE_IFREG || !wanted(name)) continue;

    ArchiveEntry& entry = entries.emplace_back();
    entry.path = name;
    const auto claimed = static_cast<std::uint64_t>(std::max<la_int64_t>(archive_entry_size(header), 0));
    entry.text.reserve(std::min(claimed, allowed - unpacked));
    while (true) {
      const void* block = nullptr;
      std::size_t size = 0;
      la_int64_t offset = 0;
      const int result = archive_read_data_block(zip.get(), &block, &size, &offset);
      if (result == ARCHIVE_EOF) break;
      if (result != ARCHIVE_OK) fail_in_entry(path, zip.get());
      unpacked += size;
      if (unpacked > allowed) {
        throw InputError(fmt::format("{}: unpacks to more than {} MB, {} times its size, and was refused",
                                     path.string(), allowed >> 20, kLargestRatio));
      }
      entry.text.append(static_cast<const char*>(block), size);
    }
  }
}

}  // namespace gckn
