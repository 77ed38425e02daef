// SPDX-License-Identifier: BSD-3-Clause
// Reads zip files into memory.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gckn {

struct ArchiveEntry {
  std::string path;  // inside the archive
  std::string text;
};

// The regular files of a zip that `wanted` accepts by their path. Throws InputError if the archive is truncated,
// damaged or encrypted, or if it unpacks to so many bytes that it can only be a trap.
std::vector<ArchiveEntry> read_zip(const std::filesystem::path& path,
                                   const std::function<bool(std::string_view)>& wanted);

}  // namespace gckn
