// SPDX-License-Identifier: BSD-3-Clause
// npy, csv and the atomic file under them.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "gckn/io.h"
#include "io/atomic_file.h"
#include "support/files.h"

namespace gckn {
namespace {

namespace fs = std::filesystem;
using test::expect_input_error;
using test::read_text;
using test::TempDir;

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(AtomicFile, AppearsOnCommitOnly) {
  const TempDir dir;
  {
    AtomicFile file(dir / "a.txt");
    file.write("one");
    file.write(" two");
    EXPECT_FALSE(fs::exists(dir / "a.txt"));
    file.commit();
  }
  EXPECT_EQ(read_text(dir / "a.txt"), "one two");
  {
    AtomicFile file(dir / "a.txt");
    file.write("lost");
  }
  EXPECT_EQ(read_text(dir / "a.txt"), "one two");
  {
    AtomicFile file(dir / "a.txt");
    file.write("new");
    file.commit();
  }
  EXPECT_EQ(read_text(dir / "a.txt"), "new");
  EXPECT_EQ(files_in(dir.path()), 1u);
}

// The longest name a file system takes is 255 bytes as a rule; the temporary name beside it must not be longer.
TEST(AtomicFile, TakesNamesOfAnyLengthThatTheSystemTakes) {
  const TempDir dir;
  for (const std::size_t length : {250, 255}) {
    const fs::path path = dir / std::string(length, 'x');
    check_writable(path);
    write_text("long", path);
    EXPECT_EQ(read_text(path), "long");
  }
  EXPECT_EQ(files_in(dir.path()), 2u);
  // Before any work, not when it is to be renamed.
  expect_input_error([&] { check_writable(dir / std::string(256, 'x')); }, {"cannot write", "File name too long"});
}

TEST(Csv, QuotesFieldsAndKeepsFormulasFromSpreadsheets) {
  for (const char* plain : {"", "active", "a b", "'", "-1", "+2.5e3", "-0.5", "1=2", "C=O", "ü"}) {
    EXPECT_EQ(csv_field(plain), plain);
  }
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("an \"odd\" one"), "\"an \"\"odd\"\" one\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field("=1+1"), "'=1+1");
  EXPECT_EQ(csv_field("=HYPERLINK(\"x\",\"y\")"), "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"");
  EXPECT_EQ(csv_field("@SUM(A1)"), "'@SUM(A1)");
  for (const char* formula : {"-1+cmd", "+", "-", "--1", "-inf", "+nan", "\t=1"}) {
    EXPECT_EQ(csv_field(formula), std::string("'") + formula);
  }
}

TEST(AtomicFile, KeepsLinksPermissionsAndDevices) {
  const TempDir dir;
  dir.write("real.txt", "old");
  fs::permissions(dir / "real.txt", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("real.txt", dir / "link.txt");
  AtomicFile file(dir / "link.txt");
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(dir / "link.txt"));
  EXPECT_EQ(read_text(dir / "real.txt"), "new");
  EXPECT_EQ(fs::status(dir / "real.txt").permissions(), fs::perms::owner_read | fs::perms::owner_write);

  AtomicFile device("/dev/null");
  device.write("gone");
  device.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(AtomicFile, SaysWhyItCannotWrite) {
  const TempDir dir;
  expect_input_error([&] { AtomicFile(dir / "no/such/a.npy"); }, {"a.npy", "no/such does not exist"});
  expect_input_error([&] { AtomicFile{dir.path()}; }, {dir.path().string(), "is a folder"});
  dir.write("file", "");
  expect_input_error([&] { AtomicFile(dir / "file/a.npy"); }, {"file/a.npy", "is not a folder"});
  expect_input_error([&] { AtomicFile(dir / (std::string(300, 'x') + ".npy")); }, {"File name too long"});
  expect_input_error([&] { AtomicFile{fs::path()}; }, {"without a name"});
}

TEST(AtomicFile, CanBeAskedBeforehand) {
  const TempDir dir;
  dir.write("old.txt", "old");
  check_writable(dir / "old.txt");
  check_writable(dir / "new.txt");
  check_writable("/dev/null");
  EXPECT_EQ(files_in(dir.path()), 1u);
  EXPECT_EQ(read_text(dir / "old.txt"), "old");
  // Opening a pipe without a reader would wait for ever.
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  check_writable(dir / "pipe");
  expect_input_error([&] { check_writable(dir.path()); }, {"is a folder"});
  expect_input_error([&] { check_writable(dir / "no/such/a.npy"); }, {"no/such does not exist"});
}

TEST(AtomicFile, SaysThatAFolderIsClosed) {
  const TempDir dir;
  fs::create_directory(dir / "closed");
  fs::permissions(dir.path(), fs::perms::all);
  fs::permissions(dir / "closed",
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  // In a process of its own, which can give up the superuser's right to write anywhere.
  const auto as_anybody = [&] {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) std::_Exit(2);
    expect_input_error([&] { AtomicFile(dir / "closed/a.npy"); }, {"closed/a.npy", "not writable"});
    std::_Exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(as_anybody(), testing::ExitedWithCode(0), "");
}

TEST(Writers, LeaveNothingBehindWhenCancelled) {
  const TempDir dir;
  const Matrix matrix(1000, 1000);
  RunOptions options;
  options.progress = [](const Progress&) { return false; };
  EXPECT_THROW(write_npy(matrix, dir / "a.npy", options), Cancelled);
  EXPECT_THROW(write_csv(matrix, dir / "a.csv", options), Cancelled);
  EXPECT_EQ(files_in(dir.path()), 0u);
}

template <typename Real>
BasicMatrix<Real> example() {
  BasicMatrix<Real> matrix(2, 3);
  const Real values[] = {Real(0.1), Real(-2), Real(1e20), Real(1) / 3, Real(0), Real(5)};
  std::copy_n(values, 6, matrix.data());
  return matrix;
}

template <typename Real>
void expect_npy(const std::string& bytes, const BasicMatrix<Real>& matrix, const std::string& type) {
  ASSERT_GT(bytes.size(), 10u);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t header = static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
  EXPECT_EQ((10 + header) % 64, 0u);
  const std::string dict = bytes.substr(10, header);
  EXPECT_EQ(dict.back(), '\n');
  EXPECT_EQ(dict.rfind("{'descr': '" + type + "', 'fortran_order': False, 'shape': (2, 3), }", 0), 0u) << dict;
  ASSERT_EQ(bytes.size(), 10 + header + matrix.size() * sizeof(Real));
  EXPECT_EQ(std::memcmp(bytes.data() + 10 + header, matrix.data(), matrix.size() * sizeof(Real)), 0);
}

TEST(Npy, HoldsTheBytesOfTheMatrix) {
  const TempDir dir;
  write_npy(example<float>(), dir / "f.npy");
  expect_npy(read_text(dir / "f.npy"), example<float>(), "<f4");
  write_npy(example<double>(), dir / "d.npy");
  expect_npy(read_text(dir / "d.npy"), example<double>(), "<f8");
  write_npy(Matrix(0, 7), dir / "e.npy");
  EXPECT_NE(read_text(dir / "e.npy").find("(0, 7)"), std::string::npos);
  expect_input_error([&] { write_npy(Matrix(1, 1), dir / "none/a.npy"); }, {"none does not exist"});
}

TEST(Csv, HoldsTheShortestDecimals) {
  const TempDir dir;
  write_csv(example<float>(), dir / "f.csv");
  EXPECT_EQ(read_text(dir / "f.csv"), "0.1,-2,1e+20\n0.33333334,0,5\n");
  write_csv(example<double>(), dir / "d.csv");
  EXPECT_EQ(read_text(dir / "d.csv"), "0.1,-2,1e+20\n0.3333333333333333,0,5\n");
  write_csv(Matrix(0, 2), dir / "e.csv");
  EXPECT_EQ(read_text(dir / "e.csv"), "");
}

}  // namespace
}  // namespace gckn
