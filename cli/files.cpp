// SPDX-License-Identifier: BSD-3-Clause
#include "files.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "gckn/error.h"
#include "gckn/io.h"

namespace gckn::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kStandardInput = "/dev/stdin";

bool is_given(const FileArgument& argument) {
  return !argument.path.empty() && argument.path != "-";
}

bool is_device(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// Device and inode where both exist; otherwise where they would be.
bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  const bool a_exists = fs::exists(a, error);
  const bool b_exists = fs::exists(b, error);
  if (a_exists && b_exists) return fs::equivalent(a, b, error);
  if (a_exists != b_exists) return false;
  const fs::path whole_a = fs::weakly_canonical(fs::absolute(a, error), error);
  const fs::path whole_b = fs::weakly_canonical(fs::absolute(b, error), error);
  return whole_a == whole_b;
}

void add_files_in(const fs::path& folder, std::string_view prefix, std::vector<fs::path>& files) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::error_code unreadable;
    const bool belongs = entry.path().filename().string().starts_with(prefix);
    if (belongs && entry.is_regular_file(unreadable)) files.push_back(entry.path());
  }
}

// A file, and what is read along with it: all files of a folder; beside NAME_A.txt and NAME.txt the other files of the
// set.
std::vector<fs::path> files_read_with(const std::string& given) {
  const fs::path path = given == "-" ? fs::path(kStandardInput) : split_set_path(given).file;
  std::vector<fs::path> files{path};
  std::error_code error;
  if (fs::is_directory(path, error)) {
    add_files_in(path, "", files);
    add_files_in(path / "10fold_idx", "", files);
    return files;
  }
  const std::string name = path.filename().string();
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  constexpr std::string_view kEdges = "_A.txt";
  if (name.ends_with(kEdges)) add_files_in(folder, name.substr(0, name.size() - kEdges.size() + 1), files);
  add_files_in(folder / "10fold_idx", "", files);  // of a GIN file, whatever its suffix
  return files;
}

}  // namespace

void check_files(const std::vector<FileArgument>& read, const std::vector<FileArgument>& written) {
  for (std::size_t i = 0; i < written.size(); ++i) {
    const FileArgument& output = written[i];
    if (!is_given(output) || is_device(output.path)) continue;
    for (const FileArgument& input : read) {
      if (input.path.empty()) continue;
      for (const fs::path& file : files_read_with(input.path)) {
        if (!is_same_file(file, output.path)) continue;
        const std::string what = input.path == "-" ? "standard input" : file.string();
        throw UsageError(
            fmt::format("{} {} would overwrite {}, which is read as {}", output.name, output.path, what, input.name));
      }
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_given(written[j]) || !is_same_file(written[j].path, output.path)) continue;
      throw UsageError(fmt::format("{} and {} are the same file, {}", written[j].name, output.name, output.path));
    }
  }
}

}  // namespace gckn::cli
