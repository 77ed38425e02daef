// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>

#include "gckn/error.h"
#include "gckn/resumable_output.h"
#include "io/atomic_file.h"
#include "io/block_journal.h"
#include "io/journal_file.h"
#include "io/npy_format.h"
#include "util/parallel.h"

namespace gckn {

namespace {

namespace fs = std::filesystem;

// Of the same work, all of it, each finished; in order.
std::vector<ReadBlockJournal> read_journals(const std::vector<fs::path>& shards) {
  if (shards.empty()) throw UsageError("there are no shards to join");
  std::vector<ReadBlockJournal> journals;
  for (const fs::path& path : shards) {
    journals.push_back(read_block_journal(path));
    const ReadBlockJournal& first = journals.front();
    const ReadBlockJournal& last = journals.back();
    if (!last.journal.finished) {
      throw InputError(fmt::format("{}: is not finished: --resume goes on with it", path.string()));
    }
    const std::string other = fmt::format("run than {}", first.files.front().path.string());
    if (const std::string why = what_differs(last.work, first.work, other); !why.empty()) {
      throw InputError(fmt::format("{}: {}", path.string(), why));
    }
    if (last.shard.count != first.shard.count) {
      throw InputError(fmt::format("{}: is one of {} shards, and {} one of {}", path.string(), last.shard.count,
                                   first.files.front().path.string(), first.shard.count));
    }
  }
  std::ranges::sort(journals, {}, [](const ReadBlockJournal& journal) { return journal.shard.index; });
  for (std::size_t i = 1; i < journals.size(); ++i) {
    if (journals[i].shard != journals[i - 1].shard) continue;
    throw InputError(fmt::format("{} and {} are the same shard", journals[i - 1].files.front().path.string(),
                                 journals[i].files.front().path.string()));
  }
  const std::size_t count = journals.front().shard.count;
  if (journals.size() == count) return journals;
  std::vector<std::string> missing;
  constexpr std::size_t kNamed = 10;
  for (std::size_t number = 1, i = 0; number <= count && missing.size() < kNamed; ++number) {
    if (i < journals.size() && journals[i].shard.index + 1 == number) {
      ++i;
    } else {
      missing.push_back(fmt::to_string(number));
    }
  }
  const std::size_t num_missing = count - journals.size();
  throw InputError(fmt::format("of {} shards {} missing: {}{}", count,
                               num_missing == 1 ? "one is" : fmt::format("{} are", num_missing),
                               fmt::join(missing, ", "), num_missing > missing.size() ? ", ..." : ""));
}

// One file of every shard, to be read in pieces.
class Pieces {
 public:
  Pieces(const ReadBlockJournal& journal, std::size_t file) : journal_(journal), file_(file) {
    const fs::path& path = journal.files[file].path;
    stream_.open(path, std::ios::binary);
    std::error_code error;
    const std::uint64_t expected = has_blocks() ? journal.journal.blocks.back()[file] : journal.journal.header[file];
    if (!stream_ || fs::file_size(path, error) != expected || error) {
      throw InputError(fmt::format("{}: is missing, or not as its shard has left it", path.string()));
    }
  }

  [[nodiscard]] bool has_blocks() const { return !journal_.journal.blocks.empty(); }
  [[nodiscard]] std::uint64_t header_bytes() const { return journal_.journal.header[file_]; }
  [[nodiscard]] std::uint64_t block_bytes() const {
    return has_blocks() ? journal_.journal.blocks.back()[file_] - header_bytes() : 0;
  }

  std::string header() { return read(0, header_bytes()); }

  std::string block(std::size_t b) {
    const std::uint64_t begin = b == 0 ? header_bytes() : journal_.journal.blocks[b - 1][file_];
    return read(begin, journal_.journal.blocks[b][file_] - begin);
  }

 private:
  std::string read(std::uint64_t begin, std::uint64_t bytes) {
    std::string text(bytes, '\0');
    stream_.seekg(static_cast<std::streamoff>(begin));
    stream_.read(text.data(), static_cast<std::streamsize>(bytes));
    if (!stream_) throw InputError(fmt::format("{}: cannot be read", journal_.files[file_].path.string()));
    return text;
  }

  const ReadBlockJournal& journal_;
  const std::size_t file_;
  std::ifstream stream_;
};

// No output may be one of the files that are read, and no two shards may have written one.
void check_outputs(const std::vector<ReadBlockJournal>& journals, const std::vector<fs::path>& out) {
  std::vector<fs::path> read;
  for (const ReadBlockJournal& journal : journals) {
    for (std::size_t f = 0; f < out.size(); ++f) {
      const fs::path& path = journal.files[f].path;
      std::error_code error;
      for (const fs::path& other : read) {
        if (!fs::equivalent(other, path, error) || error) continue;
        throw InputError(fmt::format("{} is the file of two shards: the later one has overwritten it", path.string()));
      }
      read.push_back(path);
    }
  }
  for (const ReadBlockJournal& journal : journals) {
    read.push_back(journal_path(behind_links(journal.files.front().path)));
    for (const ResumableOutput::File& file : journal.files) read.push_back(file.path);
  }
  for (const fs::path& path : out) {
    for (const fs::path& other : read) {
      std::error_code error;
      if (!fs::equivalent(other, path, error) || error) continue;
      throw InputError(fmt::format("{} is one of the files of the shards: give another name", path.string()));
    }
  }
}

// Writes one file of all shards.
void merge_file(const std::vector<ReadBlockJournal>& journals, std::size_t file, std::size_t blocks, AtomicFile& out,
                const std::function<void(std::uint64_t)>& wrote) {
  std::vector<std::unique_ptr<Pieces>> pieces;
  std::uint64_t bytes = 0;
  for (const ReadBlockJournal& journal : journals) {
    pieces.push_back(std::make_unique<Pieces>(journal, file));
    bytes += pieces.back()->block_bytes();
  }
  std::string header = pieces.front()->header();
  if (const auto& [path, columns, type] = journals.front().files[file]; columns > 0) {
    header = npy_header(bytes_of(type), bytes / (columns * bytes_of(type)), columns);
  } else {
    for (std::size_t s = 1; s < pieces.size() && pieces[s]->has_blocks(); ++s) {
      if (pieces[s]->header() == header) continue;
      throw InputError(fmt::format("{} has other columns than {}", journals[s].files[file].path.string(),
                                   journals[0].files[file].path.string()));
    }
  }
  out.write(header);
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::string text = pieces[b % pieces.size()]->block(b / pieces.size());
    out.write(text);
    wrote(text.size());
  }
}

}  // namespace

MergedShards merge_shards(const std::vector<fs::path>& shards, const std::vector<fs::path>& out,
                          const RunOptions& run) {
  const std::vector<ReadBlockJournal> journals = read_journals(shards);
  const std::size_t num_files = journals.front().files.size();
  if (out.empty() || out.size() > num_files) {
    throw InputError(fmt::format("{}: its shard wrote {}, and {} are asked for", shards.front().string(),
                                 num_files == 1 ? "1 file" : fmt::format("{} files", num_files), out.size()));
  }
  check_outputs(journals, out);
  MergedShards result{journals.size(), 0, 0};
  for (const ReadBlockJournal& journal : journals) result.blocks += journal.journal.blocks.size();
  std::uint64_t all = 0;
  for (std::size_t s = 0; s < journals.size(); ++s) {
    const std::size_t expected = (result.blocks + journals.size() - 1 - s) / journals.size();
    if (journals[s].journal.blocks.size() != expected) {
      throw InputError(fmt::format("{}: has {} blocks, where {} are left to it: the shards are of different inputs",
                                   journals[s].files.front().path.string(), journals[s].journal.blocks.size(),
                                   expected));
    }
    for (std::size_t f = 0; f < out.size() && expected > 0; ++f) all += journals[s].journal.blocks.back()[f];
  }
  std::vector<std::unique_ptr<AtomicFile>> files;
  for (std::size_t f = 0; f < out.size(); ++f) {
    files.push_back(std::make_unique<AtomicFile>(out[f]));
    merge_file(journals, f, result.blocks, *files.back(), [&](std::uint64_t bytes) {
      result.bytes += bytes;
      report_progress(run, "joining", result.bytes, std::max(all, result.bytes));
    });
  }
  for (const std::unique_ptr<AtomicFile>& file : files) file->commit();
  return result;
}

}  // namespace gckn
