// SPDX-License-Identifier: BSD-3-Clause
#include "io/file_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <system_error>
#include <utility>

#include "gckn/error.h"
#include "io/archive.h"

namespace gckn {

namespace fs = std::filesystem;

namespace {

// The rest (README.md, pictures, what macOS adds to its zips) is not worth unpacking.
bool may_belong_to_a_set(std::string_view path) {
  if (path.starts_with("__MACOSX/") || base_name(path).starts_with('.')) return false;
  return path.ends_with(".txt") || path.ends_with(".jsonl") || path.ends_with(".ndjson") || path.ends_with(".json");
}

}  // namespace

FileTree FileTree::of_folder(const fs::path& folder) {
  FileTree tree;
  tree.name_ = folder.string();
  tree.folder_ = folder;
  const auto add_files = [&tree](const fs::path& from, const std::string& prefix, std::error_code& error) {
    for (const fs::directory_entry& entry : fs::directory_iterator(from, error)) {
      std::error_code unreadable;
      const std::string path = prefix + entry.path().filename().string();
      if (entry.is_regular_file(unreadable) && may_belong_to_a_set(path)) tree.paths_.push_back(path);
    }
  };
  std::error_code error;
  std::error_code no_folds;
  add_files(folder, "", error);
  add_files(folder / "10fold_idx", "10fold_idx/", no_folds);
  if (error) throw InputError(fmt::format("{}: cannot be read ({})", folder.string(), error.message()));
  std::sort(tree.paths_.begin(), tree.paths_.end());
  return tree;
}

FileTree FileTree::of_zip(const fs::path& zip) {
  FileTree tree;
  tree.name_ = zip.string();
  std::vector<ArchiveEntry> entries = read_zip(zip, may_belong_to_a_set);
  const auto by_path = [](const ArchiveEntry& a, const ArchiveEntry& b) { return a.path < b.path; };
  std::stable_sort(entries.begin(), entries.end(), by_path);
  for (ArchiveEntry& entry : entries) {
    if (!tree.paths_.empty() && tree.paths_.back() == entry.path) {
      throw InputError(fmt::format("{}: holds {} twice", tree.name_, entry.path));
    }
    tree.paths_.push_back(std::move(entry.path));
    tree.texts_.push_back(std::move(entry.text));
  }
  return tree;
}

bool FileTree::contains(std::string_view path) const {
  return std::binary_search(paths_.begin(), paths_.end(), path);
}

SourceFile FileTree::load(std::string_view path) {
  SourceFile file{std::string(base_name(path)), {}};
  if (folder_.empty()) {
    const auto found = std::lower_bound(paths_.begin(), paths_.end(), path);
    assert(found != paths_.end() && *found == path);
    file.text = std::move(texts_[static_cast<std::size_t>(found - paths_.begin())]);
  } else {
    file.text = read_whole_file(folder_ / path);
  }
  require_text(file);
  trim(file.text);
  return file;
}

std::string_view base_name(std::string_view path) {
  return path.substr(folder_part(path).size());
}

std::string_view folder_part(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return path.substr(0, slash == std::string_view::npos ? 0 : slash + 1);
}

}  // namespace gckn
