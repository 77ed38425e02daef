// SPDX-License-Identifier: BSD-3-Clause
// The files a graph set may consist of, whether they lie in a folder or in a zip.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/source_file.h"

namespace gckn {

class FileTree {
 public:
  // The files of a folder and of 10fold_idx in it, read when they are loaded.
  static FileTree of_folder(const std::filesystem::path& folder);
  // The files of a zip, unpacked at once. Throws InputError if the zip is damaged.
  static FileTree of_zip(const std::filesystem::path& zip);

  // What the user called it.
  [[nodiscard]] const std::string& name() const { return name_; }
  // Paths inside, with '/', sorted.
  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }
  [[nodiscard]] bool contains(std::string_view path) const;

  // Reads one file, or hands over one of a zip (once), trimmed. Throws InputError if it cannot be read.
  SourceFile load(std::string_view path);

 private:
  std::string name_;
  std::vector<std::string> paths_;
  std::vector<std::string> texts_;  // of a zip, parallel to paths_
  std::filesystem::path folder_;    // of a folder
};

// "a/b/c.txt" -> "c.txt", and -> "a/b/".
std::string_view base_name(std::string_view path);
std::string_view folder_part(std::string_view path);

}  // namespace gckn
