// SPDX-License-Identifier: BSD-3-Clause
#include "support/files.h"

#include <archive.h>
#include <archive_entry.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace gckn::test {

namespace fs = std::filesystem;

TempDir::TempDir() {
  static std::atomic<int> counter{0};
  path_ = fs::temp_directory_path() / ("gckn-test-" + std::to_string(::getpid()) + "-" + std::to_string(counter++));
  fs::create_directories(path_);
}

TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path TempDir::write(const std::string& name, std::string_view contents) const {
  const fs::path file = path_ / name;
  fs::create_directories(file.parent_path());
  fs::remove(file);  // some file systems flush a file to disk when it is overwritten, and tests overwrite thousands
  std::ofstream(file, std::ios::binary).write(contents.data(), static_cast<std::streamsize>(contents.size()));
  return file;
}

fs::path TempDir::write_all(const std::string& name, const Files& files) const {
  fs::create_directories(path_ / name);
  for (const auto& [path, contents] : files) write(name + "/" + path, contents);
  return path_ / name;
}

fs::path TempDir::write_zip(const std::string& name, const Files& files, const char* password) const {
  const fs::path file = path_ / name;
  archive* zip = archive_write_new();
  archive_write_set_format_zip(zip);
  if (password != nullptr && (archive_write_set_options(zip, "zip:encryption=zipcrypt") != ARCHIVE_OK ||
                              archive_write_set_passphrase(zip, password) != ARCHIVE_OK)) {
    throw std::runtime_error(archive_error_string(zip));
  }
  if (archive_write_open_filename(zip, file.c_str()) != ARCHIVE_OK) throw std::runtime_error(archive_error_string(zip));
  for (const auto& [path, contents] : files) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, path.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(contents.size()));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_write_header(zip, entry);
    archive_write_data(zip, contents.data(), contents.size());
    archive_entry_free(entry);
  }
  archive_write_free(zip);
  return file;
}

std::string read_text(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void expect_input_error(const std::function<void()>& action, const std::vector<std::string>& pieces) {
  try {
    action();
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    for (const std::string& piece : pieces) {
      EXPECT_NE(message.find(piece), std::string::npos) << "\"" << piece << "\" is not in: " << message;
    }
    return;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "threw something else than InputError: " << error.what();
    return;
  }
  std::string wanted;
  for (const std::string& piece : pieces) wanted += " [" + piece + "]";
  ADD_FAILURE() << "no InputError; wanted" << wanted;
}

fs::path datasets_dir() {
  const fs::path folder = GCKN_TEST_DATASETS_DIR;
  return fs::is_directory(folder) ? folder : fs::path();
}

}  // namespace gckn::test
