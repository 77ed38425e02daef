// SPDX-License-Identifier: BSD-3-Clause
// Zip files by their central directory, with zlib for what is in them: stored and deflated files, also in the 64-bit
// form. That is all that zips of graph sets are, and a library for every kind of archive would bring a dozen others
// with it, which every start of a program has to load.
//
//   ... local header, name, extra, packed bytes ... | central directory: one record per file | end record, comment
//
// Numbers are little-endian and may claim anything: all are checked against the size of the file.
#include "io/archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <new>

#include "gckn/error.h"
#include "io/source_file.h"

namespace gckn {

namespace {

// Real graph sets shrink to a fifth or a twentieth, a column of equal numbers to a thousandth. This much is allowed.
constexpr std::uint64_t kFreeBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kLargestRatio = 100;
constexpr std::size_t kBlockBytes = 1 << 18;

constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kCentralSignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kEnd64LocatorSignature = 0x07064b50;
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kCentralBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kEnd64LocatorBytes = 20;
constexpr std::size_t kLongestComment = 0xFFFF;
constexpr std::uint64_t kIn64BitField = 0xFFFFFFFF;  // in place of a number that needs more
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;

std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}
std::uint16_t u16(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint16_t>(little_endian(bytes, at, 2));
}
std::uint32_t u32(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint32_t>(little_endian(bytes, at, 4));
}
std::uint64_t u64(std::string_view bytes, std::size_t at) {
  return little_endian(bytes, at, 8);
}

struct Record {
  std::string name;
  std::uint16_t method = kStored;
  bool encrypted = false;
  bool regular = true;  // neither a folder nor a link
  std::uint32_t crc = 0;
  std::uint64_t packed = 0;
  std::uint64_t unpacked = 0;
  std::uint64_t local_header = 0;  // where it is
};

class ZipFile {
 public:
  explicit ZipFile(const std::filesystem::path& path)
      : path_(path.string()),
        size_(std::filesystem::file_size(path)),
        allowed_(kFreeBytes + kLargestRatio * size_),
        file_(path, std::ios::binary) {}

  // The central directory.
  std::vector<Record> records() {
    const auto [begin, size, count] = find_directory();
    const std::string directory = read(begin, size);
    std::vector<Record> records;
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (directory.size() - at < kCentralBytes || u32(directory, at) != kCentralSignature) fail("its directory");
      const std::size_t name = u16(directory, at + 28);
      const std::size_t extra = u16(directory, at + 30);
      const std::size_t bytes = kCentralBytes + name + extra + u16(directory, at + 32);
      if (directory.size() - at < bytes) fail("its directory");
      records.push_back(record_of(std::string_view(directory).substr(at, bytes), name, extra));
      at += bytes;
    }
    return records;
  }

  std::string unpack(const Record& record) {
    const std::string header = read(record.local_header, kLocalBytes);
    if (u32(header, 0) != kLocalSignature) fail(fmt::format("the header of {}", in_quotes(record.name)));
    if (record.encrypted) throw InputError(fmt::format("{}: {} is encrypted", path_, in_quotes(record.name)));
    const std::uint64_t begin = record.local_header + kLocalBytes + u16(header, 26) + u16(header, 28);
    if (begin > size_ || record.packed > size_ - begin) fail(fmt::format("{} ends too early", in_quotes(record.name)));
    if (record.method != kStored && record.method != kDeflated) {
      throw InputError(fmt::format("{}: {} is packed by method {}, which is not known here", path_,
                                   in_quotes(record.name), record.method));
    }
    std::string text;
    text.reserve(std::min(record.unpacked, allowed_ - unpacked_));
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(begin));
    record.method == kStored ? copy(record, text) : inflate_into(record, text);
    const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
    if (text.size() != record.unpacked || crc != record.crc)
      fail(fmt::format("{} is not what was packed", in_quotes(record.name)));
    return text;
  }

 private:
  struct Directory {
    std::uint64_t begin;
    std::uint64_t size;
    std::uint64_t count;
  };

  [[noreturn]] void fail(std::string_view reason) const {
    throw InputError(fmt::format("{}: damaged or truncated zip file ({})", path_, reason));
  }

  std::string read(std::uint64_t begin, std::uint64_t size) {
    if (begin > size_ || size > size_ - begin) fail("it ends too early");
    std::string bytes(size, '\0');
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(begin));
    if (!file_.read(bytes.data(), static_cast<std::streamsize>(size))) fail("it cannot be read");
    return bytes;
  }

  // The end record is the last thing in the file but for a comment, whose length it has.
  Directory find_directory() {
    const std::uint64_t tail_begin = size_ - std::min<std::uint64_t>(size_, kEndBytes + kLongestComment);
    const std::string tail = read(tail_begin, size_ - tail_begin);
    for (std::size_t at = tail.size() < kEndBytes ? 0 : tail.size() - kEndBytes + 1; at-- > 0;) {
      if (u32(tail, at) != kEndSignature || u16(tail, at + 20) != tail.size() - at - kEndBytes) continue;
      return checked(directory_of(std::string_view(tail).substr(at, kEndBytes), tail_begin + at), tail_begin + at);
    }
    fail("there is no directory at its end");
  }

  Directory directory_of(std::string_view end, std::uint64_t at) {
    const Directory directory{u32(end, 16), u32(end, 12), u16(end, 10)};
    if (directory.begin != kIn64BitField && directory.size != kIn64BitField && directory.count != 0xFFFF) {
      return directory;
    }
    if (at < kEnd64LocatorBytes) return directory;
    const std::string locator = read(at - kEnd64LocatorBytes, kEnd64LocatorBytes);
    if (u32(locator, 0) != kEnd64LocatorSignature) return directory;
    const std::string end64 = read(u64(locator, 8), kEnd64Bytes);
    if (u32(end64, 0) != kEnd64Signature) fail("its 64-bit directory");
    return {u64(end64, 48), u64(end64, 40), u64(end64, 32)};
  }

  [[nodiscard]] Directory checked(const Directory& directory, std::uint64_t end) const {
    if (directory.begin > end || directory.size > end - directory.begin) fail("its directory is not where it says");
    return directory;
  }

  Record record_of(std::string_view bytes, std::size_t name, std::size_t extra) const {
    Record record;
    record.name = bytes.substr(kCentralBytes, name);
    record.encrypted = (u16(bytes, 8) & 1) != 0;
    record.method = u16(bytes, 10);
    record.crc = u32(bytes, 16);
    record.packed = u32(bytes, 20);
    record.unpacked = u32(bytes, 24);
    record.local_header = u32(bytes, 42);
    read_64_bit_fields(bytes.substr(kCentralBytes + name, extra), record);
    constexpr std::uint8_t kUnix = 3;
    constexpr std::uint32_t kKindOfFile = 0170000;
    constexpr std::uint32_t kRegular = 0100000;
    const std::uint32_t kind = (u32(bytes, 38) >> 16) & kKindOfFile;
    const bool says_kind = static_cast<std::uint8_t>(bytes[5]) == kUnix && kind != 0;
    record.regular = !record.name.ends_with('/') && (!says_kind || kind == kRegular);
    return record;
  }

  // Numbers that do not fit 32 bits stand, in this order, in an extra field of their own.
  void read_64_bit_fields(std::string_view extra, Record& record) const {
    while (extra.size() >= 4) {
      const std::uint16_t id = u16(extra, 0);
      const std::size_t bytes = u16(extra, 2);
      if (bytes > extra.size() - 4) fail(fmt::format("the record of {}", in_quotes(record.name)));
      constexpr std::uint16_t k64BitFields = 1;
      if (id == k64BitFields) {
        std::string_view fields = extra.substr(4, bytes);
        for (std::uint64_t* number : {&record.unpacked, &record.packed, &record.local_header}) {
          if (*number != kIn64BitField) continue;
          if (fields.size() < 8) fail(fmt::format("the record of {}", in_quotes(record.name)));
          *number = u64(fields, 0);
          fields.remove_prefix(8);
        }
        return;
      }
      extra.remove_prefix(4 + bytes);
    }
  }

  void append(const char* bytes, std::size_t size, std::string& text) {
    unpacked_ += size;
    if (unpacked_ > allowed_) {
      throw InputError(fmt::format("{}: unpacks to more than {} MB, {} times its size, and was refused", path_,
                                   allowed_ >> 20, kLargestRatio));
    }
    text.append(bytes, size);
  }

  // The next bytes of a file of which `left` are still to come.
  std::size_t read_block(std::uint64_t& left) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left, kBlockBytes));
    if (!file_.read(block_.data(), static_cast<std::streamsize>(size))) fail("it cannot be read");
    left -= size;
    return size;
  }

  void copy(const Record& record, std::string& text) {
    for (std::uint64_t left = record.packed; left > 0;) {
      const std::size_t size = read_block(left);
      append(block_.data(), size, text);
    }
  }

  void inflate_into(const Record& record, std::string& text) {
    z_stream stream{};
    constexpr int kWithoutHeader = -MAX_WBITS;
    if (inflateInit2(&stream, kWithoutHeader) != Z_OK) throw std::bad_alloc();
    const std::unique_ptr<z_stream, int (*)(z_stream*)> closes(&stream, inflateEnd);
    std::vector<char> out(kBlockBytes);
    std::uint64_t left = record.packed;
    for (int status = Z_OK; status != Z_STREAM_END;) {
      if (stream.avail_in == 0) {
        if (left == 0) fail(fmt::format("{} ends too early", in_quotes(record.name)));
        stream.avail_in = static_cast<uInt>(read_block(left));
        stream.next_in = reinterpret_cast<Bytef*>(block_.data());
      }
      stream.next_out = reinterpret_cast<Bytef*>(out.data());
      stream.avail_out = static_cast<uInt>(out.size());
      status = inflate(&stream, Z_NO_FLUSH);
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
        fail(fmt::format("{}: {}", in_quotes(record.name), stream.msg == nullptr ? "wrong bytes" : stream.msg));
      }
      append(out.data(), out.size() - stream.avail_out, text);
    }
  }

  const std::string path_;
  const std::uint64_t size_;
  const std::uint64_t allowed_;  // bytes of all files together
  std::ifstream file_;
  std::uint64_t unpacked_ = 0;
  std::vector<char> block_ = std::vector<char>(kBlockBytes);
};

}  // namespace

std::vector<ArchiveEntry> read_zip(const std::filesystem::path& path,
                                   const std::function<bool(std::string_view)>& wanted) {
  ZipFile zip(path);
  std::vector<ArchiveEntry> entries;
  for (const Record& record : zip.records()) {
    if (record.regular && wanted(record.name)) entries.push_back({record.name, zip.unpack(record)});
  }
  return entries;
}

}  // namespace gckn
