// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <numeric>

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
  std::vector<std::size_t> missing(journals.front().shard.count);
  std::iota(missing.begin(), missing.end(), std::size_t{1});
  for (std::size_t i = 0; i < journals.size(); ++i) {
    if (i > 0 && journals[i].shard == journals[i - 1].shard) {
      throw InputError(fmt::format("{} and {} are the same shard", journals[i - 1].files.front().path.string(),
                                   journals[i].files.front().path.string()));
    }
    std::erase(missing, journals[i].shard.index + 1);
  }
  if (!missing.empty()) {
    throw InputError(fmt::format("of {} shards {} missing: {}", journals.front().shard.count,
                                 missing.size() == 1 ? "one is" : fmt::format("{} are", missing.size()),
                                 fmt::join(missing, ", ")));
  }
  return journals;
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
