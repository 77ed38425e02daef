// SPDX-License-Identifier: BSD-3-Clause
// Zips that another library has written.
#include "io/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/files.h"

namespace gckn {
namespace {

using test::expect_input_error;
using test::TempDir;

std::vector<ArchiveEntry> read_all(const std::filesystem::path& path) {
  return read_zip(path, [](std::string_view) { return true; });
}

// A zip of a folder, a link and two files, with an option of libarchive ("zip:compression=store").
std::filesystem::path write_with(const TempDir& dir, const char* options, const std::string& text) {
  const std::filesystem::path file = dir / "x.zip";
  archive* zip = archive_write_new();
  archive_write_set_format_zip(zip);
  EXPECT_EQ(archive_write_set_options(zip, options), ARCHIVE_OK) << archive_error_string(zip);
  archive_write_open_filename(zip, file.c_str());
  const auto add = [&](const char* name, unsigned kind, const std::string& contents) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, kind);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(contents.size()));
    if (kind == AE_IFLNK) archive_entry_set_symlink(entry, "a.txt");
    EXPECT_EQ(archive_write_header(zip, entry), ARCHIVE_OK) << archive_error_string(zip);
    archive_write_data(zip, contents.data(), contents.size());
    archive_entry_free(entry);
  };
  add("folder/", AE_IFDIR, "");
  add("folder/a.txt", AE_IFREG, text);
  add("folder/link.txt", AE_IFLNK, "");
  add("empty.txt", AE_IFREG, "");
  archive_write_free(zip);
  return file;
}

TEST(Archive, ReadsStoredDeflatedAnd64BitZips) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 7919 % 10'007) + "\n";  // several blocks of the reader
  for (const char* options : {"zip:compression=deflate", "zip:compression=store", "zip:zip64"}) {
    const TempDir dir;
    const std::vector<ArchiveEntry> entries = read_all(write_with(dir, options, text));
    ASSERT_EQ(entries.size(), 2u) << options;
    EXPECT_EQ(entries[0].path, "folder/a.txt");
    EXPECT_TRUE(entries[0].text == text) << options;
    EXPECT_EQ(entries[1].path, "empty.txt");
    EXPECT_EQ(entries[1].text, "");
  }
}

TEST(Archive, ReadsOnlyWhatIsWanted) {
  const TempDir dir;
  const auto zip = dir.write_zip("x.zip", {{"a.txt", "a"}, {"b.png", "b"}});
  const auto entries = read_zip(zip, [](std::string_view path) { return path.ends_with(".txt"); });
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].text, "a");
}

TEST(Archive, MayEndInAComment) {
  const TempDir dir;
  std::string zip = test::read_text(dir.write_zip("x.zip", {{"a.txt", "a"}}));
  // The comment holds the signature of an end record, which must not be taken for one.
  const std::string comment = "PK\x05\x06 is how a zip ends";
  zip[zip.size() - 2] = static_cast<char>(comment.size());
  EXPECT_EQ(read_all(dir.write("commented.zip", zip + comment)).size(), 1u);
}

// All records of the directory at once: the bytes at `offset` become `value`.
std::string with_records(std::string zip, std::size_t offset, char value) {
  for (std::size_t at = zip.find("PK\x01\x02"); at != std::string::npos; at = zip.find("PK\x01\x02", at + 4)) {
    zip[at + offset] = value;
  }
  return zip;
}

TEST(Archive, SaysWhatIsWrong) {
  const TempDir dir;
  const std::string zip = test::read_text(dir.write_zip("good.zip", {{"a.txt", "some text"}}));
  const auto refuses = [&](const std::string& bytes, const std::string& sentence) {
    expect_input_error([&] { read_all(dir.write("x.zip", bytes)); }, {"x.zip: " + sentence});
  };
  refuses(with_records(zip, 8, 1), "\"a.txt\" is encrypted");
  refuses(with_records(zip, 10, 12), "\"a.txt\" is packed by method 12, which is not known here");
  refuses(with_records(zip, 16, 99), "damaged or truncated zip file (\"a.txt\" is not what was packed)");
  refuses(with_records(zip, 24, 99), "damaged or truncated zip file (\"a.txt\" is not what was packed)");
  refuses(with_records(zip, 42, 99), "damaged or truncated zip file (");
  refuses(zip.substr(0, zip.size() - 1), "damaged or truncated zip file (there is no directory at its end)");
}

}  // namespace
}  // namespace gckn
