// SPDX-License-Identifier: BSD-3-Clause
// Files for tests: a folder that vanishes with the test, zips, and a check of error messages.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gckn/error.h"

namespace gckn::test {

// Path inside a folder or zip -> contents.
using Files = std::map<std::string, std::string>;

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  // Writes a file, with the folders it needs, and returns its path.
  std::filesystem::path write(const std::string& name, std::string_view contents) const;
  // Writes files into the folder `name` and returns the folder.
  std::filesystem::path write_all(const std::string& name, const Files& files) const;
  // Writes files into the zip `name`, encrypted if there is a password, and returns its path.
  std::filesystem::path write_zip(const std::string& name, const Files& files, const char* password = nullptr) const;

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::filesystem::path& path);

// Runs `action` and checks that it throws an InputError of one line whose message contains every piece.
void expect_input_error(const std::function<void()>& action, const std::vector<std::string>& pieces);

// The folder of the benchmark sets; empty where there is none.
std::filesystem::path datasets_dir();

}  // namespace gckn::test

// For tests on published sets, which lie beside a developer's checkout.
#define GCKN_SKIP_WITHOUT_DATASETS()                                                                           \
  if (gckn::test::datasets_dir().empty()) {                                                                    \
    GTEST_SKIP()                                                                                               \
        << "the published benchmark sets are not ours to pass on (bench/paper/README.md says what they are); " \
           "with them in " GCKN_TEST_DATASETS_DIR " this test runs";                                           \
  }                                                                                                            \
  static_assert(true)
