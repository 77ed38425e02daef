// SPDX-License-Identifier: BSD-3-Clause
#include "line_source.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <istream>
#include <system_error>
#include <utility>
#include <vector>

#include "formats.h"
#include "gckn/error.h"

namespace gckn {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 18;
constexpr std::size_t kLongestLine = std::size_t{1} << 26;

struct CloseArchive {
  void operator()(archive* file) const { archive_read_free(file); }
};

}  // namespace

class LineSource::Bytes {
 public:
  virtual ~Bytes() = default;
  // Appends some bytes; false if there are no more.
  virtual bool append(std::string& to) = 0;
  [[nodiscard]] virtual std::uint64_t taken() const = 0;
};

// A file as libarchive sees it: one text, whether packed or not.
class LineSource::FileBytes : public LineSource::Bytes {
 public:
  FileBytes(const std::filesystem::path& path, bool is_zip, const std::string& wanted)
      : name_(path.string()), archive_(archive_read_new()) {
    if (!archive_) throw std::bad_alloc();
    if (is_zip) {
      archive_read_support_format_zip_seekable(archive_.get());  // a truncated one has no directory at its end
    } else {
      archive_read_support_filter_gzip(archive_.get());
      archive_read_support_format_raw(archive_.get());
      archive_read_support_format_empty(archive_.get());
    }
    if (archive_read_open_filename(archive_.get(), path.c_str(), kBlockBytes) != ARCHIVE_OK) fail();
    if (!next_entry()) return;
    while (!wanted.empty() && !ended_ && archive_entry_pathname(entry_) != wanted) (void)next_entry();
  }

  // The file of molecules in a zip; other things in it are left alone. Throws InputError unless there is one.
  static std::string text_in_zip(const std::filesystem::path& path) {
    std::vector<std::string> found;
    FileBytes listing(path, true, {});
    for (bool more = !listing.ended_; more; more = listing.next_entry()) {
      const char* name = archive_entry_pathname(listing.entry_);
      const std::string base = std::filesystem::path(name == nullptr ? "" : name).filename().string();
      const bool is_file = archive_entry_filetype(listing.entry_) == AE_IFREG && !base.starts_with('.');
      if (is_file && molecule_format(base)) found.emplace_back(name);
    }
    if (found.size() == 1) return found.front();
    throw InputError(
        found.empty() ? fmt::format("{}: holds no file of molecules (.csv, .smi, .sdf)", path.string())
                      : fmt::format("{}: holds several files of molecules: {}", path.string(), fmt::join(found, ", ")));
  }

  bool append(std::string& to) override {
    if (ended_) return false;
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int status = archive_read_data_block(archive_.get(), &block, &size, &offset);
    if (status == ARCHIVE_EOF) return false;
    if (status != ARCHIVE_OK) fail();
    to.append(static_cast<const char*>(block), size);
    return true;
  }

  [[nodiscard]] std::uint64_t taken() const override {
    return static_cast<std::uint64_t>(archive_filter_bytes(archive_.get(), -1));
  }

 private:
  bool next_entry() {
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(archive_.get(), &entry);
    ended_ = status == ARCHIVE_EOF;
    if (ended_) return false;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) fail();
    entry_ = entry;
    return true;
  }

  [[noreturn]] void fail() const {
    const char* text = archive_error_string(archive_.get());
    std::string reason = text == nullptr ? "no reason given" : text;
    while (reason.ends_with('\n')) reason.pop_back();
    throw InputError(fmt::format("{}: cannot be read, or is damaged or truncated ({})", name_, reason));
  }

  std::string name_;
  std::unique_ptr<archive, CloseArchive> archive_;
  archive_entry* entry_ = nullptr;
  bool ended_ = false;
};

class LineSource::StreamBytes : public LineSource::Bytes {
 public:
  explicit StreamBytes(std::istream& stream) : stream_(stream) {}

  bool append(std::string& to) override {
    const std::size_t before = to.size();
    to.resize(before + kBlockBytes);
    stream_.read(to.data() + before, static_cast<std::streamsize>(kBlockBytes));
    to.resize(before + static_cast<std::size_t>(stream_.gcount()));
    taken_ += to.size() - before;
    return to.size() > before;
  }

  [[nodiscard]] std::uint64_t taken() const override { return taken_; }

 private:
  std::istream& stream_;
  std::uint64_t taken_ = 0;
};

LineSource::LineSource(const std::filesystem::path& path) : name_(path.filename().string()) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw InputError(fmt::format("{}: no such file or folder", path.string()));
  }
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(fmt::format("{}: is a folder, where a file of molecules belongs", path.string()));
  }
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error) bytes_ = size;
  const bool is_zip = path.extension() == ".zip";
  const std::string wanted = is_zip ? FileBytes::text_in_zip(path) : "";
  if (is_zip) name_ = std::filesystem::path(wanted).filename().string();
  source_ = std::make_unique<FileBytes>(path, is_zip, wanted);
}

LineSource::LineSource(std::istream& stream, std::string name)
    : name_(std::move(name)), source_(std::make_unique<StreamBytes>(stream)) {}

LineSource::~LineSource() = default;

std::uint64_t LineSource::bytes_read() const {
  return source_->taken();
}

// More bytes behind those that are left.
bool LineSource::fill() {
  if (ended_) return false;
  buffer_.erase(0, std::exchange(at_, 0));
  ended_ = !source_->append(buffer_);
  return !ended_;
}

bool LineSource::next(std::string& line) {
  std::size_t searched = at_;
  std::size_t end = buffer_.find('\n', searched);
  while (end == std::string::npos) {
    searched = buffer_.size() - at_;
    if (searched > kLongestLine) {
      throw InputError(
          fmt::format("{}:{}: is longer than {} MB: not a text of lines", name_, line_number_ + 1, kLongestLine >> 20));
    }
    if (!fill()) break;
    end = buffer_.find('\n', searched);
  }
  if (end == std::string::npos && at_ == buffer_.size()) return false;
  const bool last = end == std::string::npos;
  line.assign(buffer_, at_, (last ? buffer_.size() : end) - at_);
  at_ = last ? buffer_.size() : end + 1;
  if (line.ends_with('\r')) line.pop_back();
  if (++line_number_ == 1) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF")) {
      throw InputError(fmt::format("{}: is UTF-16; save it as UTF-8", name_));
    }
  }
  return true;
}

}  // namespace gckn
