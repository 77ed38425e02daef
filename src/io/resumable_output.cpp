// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/resumable_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>

#include "gckn/error.h"
#include "gckn/io.h"
#include "io/atomic_file.h"
#include "io/block_journal.h"
#include "io/half.h"
#include "io/journal_file.h"
#include "io/npy_format.h"
#include "util/parallel.h"

namespace gckn {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool is_device_or_pipe(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

std::string first_bytes(const fs::path& path, std::uint64_t count) {
  std::error_code error;
  if (fs::file_size(path, error) < count || error) throw InputError(fmt::format("{}: is too short", path.string()));
  std::ifstream stream(path, std::ios::binary);
  std::string text(count, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(count));
  if (!stream) throw InputError(fmt::format("{}: cannot be read", path.string()));
  return text;
}

std::vector<std::uint16_t> halves_of(const float* values, std::size_t count) {
  std::vector<std::uint16_t> halves(count);
  std::transform(values, values + count, halves.begin(), [](float value) {
    const std::uint16_t half = half_of(value);
    if (std::isinf(float_of_half(half)) && std::isfinite(value)) {
      throw InputError(fmt::format("a vector has {}, and float16 ends at 65504: float32 holds it", value));
    }
    return half;
  });
  return halves;
}

}  // namespace

Shard parse_shard(std::string_view text) {
  std::size_t number = 0;
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto [slash, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && slash != end && *slash == '/') {
    const auto [rest, wrong] = std::from_chars(slash + 1, end, shard.count);
    if (wrong == std::errc{} && rest == end && number >= 1 && number <= shard.count) {
      shard.index = number - 1;
      return shard;
    }
  }
  throw UsageError(fmt::format("\"{}\" is no shard: the second of eight is 2/8", text));
}

struct ResumableOutput::Impl {
  struct Growing {
    File file;
    std::uint64_t bytes = 0;
    std::string header;
    std::unique_ptr<AtomicFile> out;
  };
  Work work;
  std::vector<Growing> files;
  BlockJournal done;
  std::optional<JournalFile> journal;  // none for devices and pipes
  bool is_complete = false;

  [[nodiscard]] fs::path journal_file() const { return journal_path(files.front().file.path); }

  // Throws InputError if there is work that must not be lost.
  void check_replacing() const {
    const fs::path& file = files.front().file.path;
    const BlockJournal before = read_block_journal(file).journal;
    if (before.finished) {
      throw InputError(fmt::format("{} is finished: resume to leave it so (--resume), or remove {} to begin anew",
                                   file.string(), journal_file().string()));
    }
    if (before.blocks.empty()) return;
    throw InputError(fmt::format("{} is unfinished: resume to go on with it (--resume), or remove {} to begin anew",
                                 part_path(file).string(), journal_file().string()));
  }

  void open_journal() {
    std::vector<File> kinds;
    for (const Growing& growing : files) kinds.push_back(growing.file);
    std::error_code error;
    const bool had_journal = fs::exists(journal_file(), error);
    using Existing = JournalFile::Existing;
    journal.emplace(
        journal_file(), block_header(kinds, work), "run", work.resume ? Existing::resume : Existing::replace,
        [&](const Json& json, std::size_t) { done.read_step(json, files.size()); }, [&] { check_replacing(); });
    try {
      for (const Growing& growing : files) {
        // Without a journal, it is of another run: one with the same --ids.
        if (had_journal || !fs::exists(part_path(growing.file.path), error)) continue;
        throw InputError(
            fmt::format("{} is of another run: remove it to begin anew", part_path(growing.file.path).string()));
      }
      open_files();
    } catch (...) {
      if (done.blocks.empty() && !done.finished) journal->remove();
      throw;
    }
  }

  void open_files() {
    for (std::size_t f = 0; f < files.size(); ++f) {
      Growing& growing = files[f];
      const fs::path& path = growing.file.path;
      const fs::path part = part_path(path);
      growing.bytes = !done.blocks.empty() ? done.blocks.back()[f] : done.finished ? done.header.at(f) : 0;
      std::error_code error;
      if (done.finished && !fs::exists(part, error)) {  // it has its name already
        if (fs::file_size(path, error) == growing.bytes && !error) continue;
        throw InputError(
            fmt::format("{} is missing or was changed, and {} says that it is finished: remove that to "
                        "begin anew",
                        path.string(), journal_file().string()));
      }
      growing.out = std::make_unique<AtomicFile>(path, part, growing.bytes);
      if (growing.bytes > 0) growing.header = first_bytes(part, done.header[f]);
    }
  }

  void write(Growing& growing, const void* data, std::size_t bytes) {
    growing.out->write(data, bytes);
    growing.bytes += bytes;
  }

  [[nodiscard]] BlockJournal::Ends header_ends() const {
    BlockJournal::Ends ends;
    for (const Growing& growing : files) ends.push_back(growing.header.size());
    return ends;
  }

  void commit() {
    for (Growing& growing : files) {
      if (!growing.out) continue;
      if (const auto& [path, columns, type] = growing.file; columns > 0) {
        const std::uint64_t rows = (growing.bytes - kNpyHeaderBytes) / (columns * bytes_of(type));
        growing.out->overwrite_beginning(npy_header(bytes_of(type), rows, columns));
      }
      growing.out->commit();
    }
    if (journal && !work.shard) journal->remove();
  }
};

ResumableOutput::ResumableOutput(const std::vector<File>& files, const Work& work) : impl_(std::make_unique<Impl>()) {
  impl_->work = work;
  for (const File& file : files) {
    impl_->files.push_back({{behind_links(file.path), file.columns, file.type}, 0, {}, nullptr});
    if (file.columns > 0 && fs::is_fifo(impl_->files.back().file.path)) {
      throw InputError(
          fmt::format("{}: an array has to be a file: how many rows it has is known at the end", file.path.string()));
    }
  }
  if (std::ranges::any_of(files, [](const File& file) { return is_device_or_pipe(file.path); })) {
    if (work.resume || work.shard) {
      throw InputError("a device or pipe cannot be resumed or shared: name a file");
    }
    for (Impl::Growing& growing : impl_->files) growing.out = std::make_unique<AtomicFile>(growing.file.path);
  } else {
    for (const File& file : files) check_writable(file.path);
    impl_->open_journal();
  }
  if (impl_->done.finished) {
    impl_->commit();
    impl_->is_complete = true;
    return;
  }
  for (std::size_t f = 0; f < files.size() && blocks_done() == 0; ++f) {
    if (files[f].columns > 0) set_header(f, npy_header(bytes_of(files[f].type), 0, files[f].columns));
  }
}

ResumableOutput::~ResumableOutput() {
  if (!impl_->journal || impl_->is_complete || has_kept_rows()) return;
  for (Impl::Growing& growing : impl_->files) growing.out->discard();
  impl_->journal->remove();
}

std::size_t ResumableOutput::blocks_done() const {
  return impl_->done.blocks.size();
}

bool ResumableOutput::is_complete() const {
  return impl_->is_complete;
}

bool ResumableOutput::has_kept_rows() const {
  return impl_->journal && blocks_done() > 0 && impl_->done.blocks.back() != impl_->header_ends();
}

void ResumableOutput::set_header(std::size_t file, std::string_view text) {
  Impl::Growing& growing = impl_->files[file];
  growing.header = text;
  impl_->write(growing, text.data(), text.size());
}

const std::string& ResumableOutput::header(std::size_t file) const {
  return impl_->files[file].header;
}

void ResumableOutput::append(std::size_t file, std::string_view text) {
  impl_->write(impl_->files[file], text.data(), text.size());
}

void ResumableOutput::append(std::size_t file, const Matrix& rows, const RunOptions& run) {
  Impl::Growing& growing = impl_->files[file];
  constexpr std::size_t kPiece = std::size_t{1} << 22;  // values between two reports of progress
  for (std::size_t begin = 0; begin < rows.size(); begin += kPiece) {
    report_progress(run, "writing", begin, rows.size());
    const std::size_t count = std::min(kPiece, rows.size() - begin);
    if (growing.file.type == NumberType::float32) {
      impl_->write(growing, rows.data() + begin, count * sizeof(float));
    } else {
      const std::vector<std::uint16_t> halves = halves_of(rows.data() + begin, count);
      impl_->write(growing, halves.data(), count * sizeof(std::uint16_t));
    }
  }
}

void ResumableOutput::end_block() {
  BlockJournal::Ends ends;
  for (const Impl::Growing& growing : impl_->files) ends.push_back(growing.bytes);
  if (impl_->journal) {
    if (impl_->done.blocks.empty()) impl_->journal->append(header_step(impl_->header_ends()));
    impl_->journal->append(block_step(ends));
  }
  impl_->done.blocks.push_back(std::move(ends));
}

void ResumableOutput::finish() {
  if (impl_->journal) {
    if (impl_->done.blocks.empty()) impl_->journal->append(header_step(impl_->header_ends()));
    impl_->journal->append(finished_step());
  }
  impl_->commit();
  impl_->is_complete = true;
}

}  // namespace gckn
