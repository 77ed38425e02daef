// SPDX-License-Identifier: BSD-3-Clause
#include "io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "gckn/error.h"
#include "gckn/io.h"

namespace gckn {

namespace fs = std::filesystem;

namespace {

std::string reason_of(int error) {
  return std::generic_category().message(error);
}

// A rename is on disk only once its folder is. Not every file system can sync a folder, so failing is no error.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

[[noreturn]] void refuse(const fs::path& path, std::string_view reason) {
  throw InputError(fmt::format("cannot write {}: {}", path.string(), reason));
}

// What is at the end of `path`, and whether it is written to directly.
struct Target {
  fs::path path;
  fs::file_status status;

  [[nodiscard]] bool is_device_or_pipe() const { return fs::exists(status) && !fs::is_regular_file(status); }
};

// The new file is as readable for others as the one it replaces. If that is not allowed, the default stands.
void take_mode_of(int descriptor, const fs::file_status& status) {
  if (!fs::exists(status)) return;
  [[maybe_unused]] const int done = ::fchmod(descriptor, static_cast<mode_t>(status.permissions()) & 0777);
}

Target find_target(const fs::path& path) {
  if (path.empty()) throw InputError("cannot write a file without a name");
  std::error_code ignored;
  Target target{behind_links(path), {}};
  std::error_code error;
  target.status = fs::status(target.path, error);
  if (error == std::errc::filename_too_long) refuse(path, error.message());
  if (fs::is_directory(target.status)) refuse(path, "it is a folder");
  const fs::path folder = folder_of(target.path);
  const fs::file_status folder_status = fs::status(folder, ignored);
  if (!fs::exists(folder_status)) refuse(path, fmt::format("the folder {} does not exist", folder.string()));
  if (!fs::is_directory(folder_status)) refuse(path, fmt::format("{} is not a folder", folder.string()));
  return target;
}

}  // namespace

fs::path behind_links(const fs::path& path) {
  constexpr int kMostLinks = 40;
  fs::path end = path;
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(end, error); ++i) {
    const fs::path next = fs::read_symlink(end, error);
    if (error) break;
    end = next.is_absolute() ? next : end.parent_path() / next;
  }
  return end;
}

AtomicFile::AtomicFile(const fs::path& path) {
  const Target target = find_target(path);
  target_ = target.path;
  if (target.is_device_or_pipe()) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) refuse(path, reason_of(errno));
    return;
  }
  const fs::path folder = folder_of(target_);
  static std::atomic<unsigned> counter{0};
  do {
    // Short: beside the longest name that is allowed, a longer one would not be.
    temporary_ = folder / fmt::format(".gckn-{}-{}.tmp", ::getpid(), counter++);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) {
    const int error = errno;
    const bool forbidden = error == EACCES || error == EPERM || error == EROFS;
    refuse(path, forbidden ? fmt::format("the folder {} is not writable ({})", folder.string(), reason_of(error))
                           : reason_of(error));
  }
  take_mode_of(descriptor_, target.status);
}

AtomicFile::AtomicFile(const fs::path& path, const fs::path& temporary, std::uint64_t bytes)
    : temporary_(temporary), stays_(true) {
  const Target target = find_target(path);
  target_ = target.path;
  descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) refuse(temporary_, reason_of(errno));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close_file();
    throw InputError(fmt::format("{}: is in use by another run", temporary_.string()));
  }
  take_mode_of(descriptor_, target.status);
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    close_file();
    refuse(temporary_, "it is no regular file");
  }
  const auto kept = static_cast<off_t>(bytes);
  if (status.st_size < kept) {
    close_file();
    throw InputError(
        fmt::format("{}: has {} bytes of the {} that were written", temporary_.string(), status.st_size, bytes));
  }
  if (::ftruncate(descriptor_, kept) != 0 || ::lseek(descriptor_, kept, SEEK_SET) != kept) fail_write(errno);
}

AtomicFile::~AtomicFile() {
  if (stays_) {
    close_file();
  } else {
    close_and_remove();
  }
}

void AtomicFile::write(const void* data, std::size_t size) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(descriptor_, bytes, size);
    if (written < 0) {
      if (errno == EINTR) continue;
      fail_write(errno);
    }
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::overwrite_beginning(std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      fail_write(errno);
    }
  }
}

void AtomicFile::commit() {
  if (!temporary_.empty() && ::fsync(descriptor_) != 0) fail_write(errno);
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail_write(errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_write(errno);
  temporary_.clear();
  sync_folder(folder_of(target_));
}

void AtomicFile::discard() noexcept {
  close_and_remove();
}

void AtomicFile::close_file() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void AtomicFile::close_and_remove() noexcept {
  close_file();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void AtomicFile::fail_write(int error) {
  if (!stays_) close_and_remove();
  throw std::runtime_error(fmt::format("cannot write {}: {}", target_.string(), reason_of(error)));
}

void check_writable(const fs::path& path) {
  const Target target = find_target(path);
  if (!target.is_device_or_pipe()) {
    const AtomicFile attempt(path);  // nothing remains of it
  } else if (::access(target.path.c_str(), W_OK) != 0) {
    // Not opened: the reader of a pipe would take that for the whole of its input.
    refuse(path, reason_of(errno));
  }
}

}  // namespace gckn
