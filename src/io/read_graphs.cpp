// SPDX-License-Identifier: BSD-3-Clause
// Finds out which format a path has, and reads it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gckn/error.h"
#include "gckn/io.h"
#include "io/file_tree.h"
#include "io/gin.h"
#include "io/jsonl.h"
#include "io/looks_like.h"
#include "io/node_link.h"
#include "io/tu.h"
#include "util/parallel.h"

namespace gckn {

namespace fs = std::filesystem;

namespace {

// networkx writes what it knows of a graph before the key that its format is known by.
constexpr std::size_t kNodeLinkHead = 1 << 20;

constexpr std::string_view kLookedFor =
    "a TU set (NAME_A.txt with NAME_graph_indicator.txt), a GIN file (NAME.txt, first line the number of graphs) or "
    "JSON lines or node-link JSON (.jsonl, .ndjson, .json); molecules are known by their names (.csv, .smi, .sdf)";

// Of several candidates the one that is wanted, or else the one called like the folder or zip itself.
std::string choose(const std::vector<std::string>& candidates, const FileTree& files, std::string_view kind,
                   const std::string& wanted) {
  if (!wanted.empty()) {
    for (const std::string& candidate : candidates) {
      const fs::path name(base_name(candidate));
      if (candidate == wanted || name == wanted || name.stem() == wanted) return candidate;
    }
    throw InputError(
        fmt::format("{}: holds no set called {}; there is {}", files.name(), wanted, fmt::join(candidates, ", ")));
  }
  if (candidates.size() == 1) return candidates.front();
  const fs::path path(files.name());
  const fs::path own = path.has_filename() ? path : path.parent_path();
  for (const std::string& candidate : candidates) {
    const fs::path name(base_name(candidate));
    if (name == own.filename() || name.stem() == own.stem()) return candidate;
  }
  throw InputError(fmt::format("{}: holds several {}: {}; name one of them, as in {}:{}", files.name(), kind,
                               fmt::join(candidates, ", "), files.name(), candidates.front()));
}

// JSON lines, or node-link JSON, which becomes JSON lines first.
GraphSetParts read_json(const SourceFile& file) {
  if (looks_like_node_link(file.text)) {
    return read_jsonl(json_lines_of_node_link(file));
  }
  return read_jsonl(file);
}

GraphSetParts read_tree(FileTree files, const std::string& wanted) {
  if (const std::vector<std::string> sets = find_tu_sets(files); !sets.empty()) {
    return read_tu(files, choose(sets, files, "TU sets", wanted));
  }
  std::vector<std::string> texts;
  std::vector<std::string> json;
  for (const std::string& path : files.paths()) {
    const std::string_view name = base_name(path);
    if (has_jsonl_suffix(path)) json.push_back(path);
    const bool beside = path.find("10fold_idx/") != std::string::npos || name.starts_with("README");
    if (path.ends_with(".txt") && !beside) texts.push_back(path);
  }
  if (!texts.empty()) return read_gin(files, choose(texts, files, "text files", wanted));
  if (!json.empty()) return read_json(files.load(choose(json, files, "JSON files", wanted)));
  throw InputError(fmt::format("{}: found no graphs; looked for {}", files.name(), kLookedFor));
}

bool is_zip(const std::string& name, const std::string& head) {
  return head.starts_with("PK") || name.ends_with(".zip");
}

bool holds_json(const std::string& name, const std::string& head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return has_jsonl_suffix(name) || (first != std::string::npos && (head[first] == '{' || head[first] == '['));
}

GraphSetParts read_file(const fs::path& path, const std::string& wanted) {
  const std::string head = read_head(path);
  const std::string name = path.filename().string();
  if (is_zip(name, head)) return read_tree(FileTree::of_zip(path), wanted);
  if (begins_like_a_model(head)) {
    throw InputError(fmt::format("{}: is a gckn model, where graphs belong", path.string()));
  }
  if (!wanted.empty()) {
    throw InputError(fmt::format("{}: is no folder or zip that could hold {}", path.string(), wanted));
  }

  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  FileTree files = FileTree::of_folder(folder);
  constexpr std::string_view kEdges = "_A.txt";
  if (name.ends_with(kEdges)) return read_tu(files, name.substr(0, name.size() - kEdges.size()));
  if (holds_json(name, head)) return read_json(files.load(name));
  if (name.ends_with(".txt") || looks_like_gin(head)) return read_gin(files, name);
  throw InputError(fmt::format("{}: not a graph set; looked for {}", path.string(), kLookedFor));
}

// Reads the parts and builds the set, with progress.
template <typename ReadParts>
GraphSet read_set(const std::string& name, const RunOptions& options, const ReadParts& read_parts) {
  const ThreadScope scope(options);
  constexpr std::uint64_t kSteps = 2;
  report_progress(options, "read graphs", 0, kSteps);
  try {
    GraphSetParts parts = read_parts();
    report_progress(options, "read graphs", 1, kSteps);
    GraphSet graphs(std::move(parts));
    report_progress(options, "read graphs", kSteps, kSteps);
    return graphs;
  } catch (const std::bad_alloc&) {
    throw InputError(fmt::format("{}: not enough memory to read it", name));
  } catch (const std::length_error&) {
    throw InputError(fmt::format("{}: not enough memory to read it", name));
  }
}

}  // namespace

SetPath split_set_path(const fs::path& path) {
  std::error_code error;
  const std::string text = path.string();
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || fs::exists(path, error) || !fs::exists(text.substr(0, colon), error)) {
    return {path, {}};
  }
  return {text.substr(0, colon), text.substr(colon + 1)};
}

GraphSet read_graphs(const fs::path& path, const RunOptions& options) {
  return read_set(path.string(), options, [&] {
    const auto [file, wanted] = split_set_path(path);
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (!fs::exists(status)) throw InputError(fmt::format("{}: no such file or folder", path.string()));
    return fs::is_directory(status) ? read_tree(FileTree::of_folder(file), wanted) : read_file(file, wanted);
  });
}

GraphSet read_graphs_jsonl(std::istream& stream, const std::string& name, const RunOptions& options) {
  return read_set(name, options, [&] {
    SourceFile file{name, {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()}};
    if (stream.bad()) throw InputError(fmt::format("{}: cannot be read", name));
    trim(file.text);
    return read_json(file);
  });
}

struct GraphReader::Impl {
  std::string name;  // as error messages call it
  RunOptions options;
  std::unique_ptr<std::ifstream> own;  // where a file was opened here
  std::istream* stream = nullptr;      // of JSON lines; null: `path` is read whole
  fs::path path;
  std::string rest;  // the beginning of a line whose end has not been read yet
  std::size_t next_line = 1;
  std::size_t graphs = 0;  // read so far
  bool ended = false;

  // The next whole lines, of about kBlockBytes; nothing at the end of the stream.
  std::optional<SourceFile> read_lines() {
    constexpr std::size_t kBlockBytes = std::size_t{1} << 23;
    SourceFile file{name, std::exchange(rest, {}), next_line};
    std::size_t last_line_end = std::string::npos;
    while (stream->good() && (file.text.size() < kBlockBytes || last_line_end == std::string::npos)) {
      const std::size_t before = file.text.size();
      file.text.resize(before + kBlockBytes);
      stream->read(file.text.data() + before, static_cast<std::streamsize>(kBlockBytes));
      file.text.resize(before + static_cast<std::size_t>(stream->gcount()));
      const std::size_t found = file.text.rfind('\n');
      if (found != std::string::npos) last_line_end = found;
    }
    if (stream->bad()) throw InputError(fmt::format("{}: cannot be read", name));
    if (stream->good()) {
      rest = file.text.substr(last_line_end + 1);
      file.text.resize(last_line_end + 1);
    }
    if (file.text.empty()) return std::nullopt;
    next_line += static_cast<std::size_t>(std::count(file.text.begin(), file.text.end(), '\n'));
    require_text(file);
    trim(file.text);
    return file;
  }
};

GraphReader::GraphReader(const fs::path& path, const RunOptions& options) : impl_(std::make_unique<Impl>()) {
  impl_->name = path.filename().string();
  impl_->options = options;
  impl_->path = path;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return;  // a folder, or an error that reading will tell
  const std::string head = read_head(path);
  if (is_zip(impl_->name, head) || begins_like_a_model(head) || impl_->name.ends_with("_A.txt") ||
      !holds_json(impl_->name, head) || looks_like_node_link(read_head(path, kNodeLinkHead))) {
    return;
  }
  impl_->own = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*impl_->own) throw InputError(fmt::format("{}: cannot be read", path.string()));
  impl_->stream = impl_->own.get();
}

GraphReader::GraphReader(std::istream& stream, const std::string& name, const RunOptions& options)
    : impl_(std::make_unique<Impl>()) {
  impl_->name = name;
  impl_->options = options;
  impl_->stream = &stream;
}

GraphReader::~GraphReader() = default;

std::optional<GraphSet> GraphReader::next() {
  if (impl_->ended) return std::nullopt;
  if (impl_->stream == nullptr) {
    impl_->ended = true;
    return read_graphs(impl_->path, impl_->options);
  }
  while (true) {
    std::optional<SourceFile> file = impl_->read_lines();
    impl_->ended = !file;
    if (!file && impl_->graphs > 0) return std::nullopt;
    if (!file) file = SourceFile{impl_->name, {}};  // an empty file, which is an error like any other
    const bool blank = file->text.find_first_not_of(" \t\r\n") == std::string::npos;
    if (blank && !impl_->ended) continue;
    GraphSet graphs = read_set(impl_->name, impl_->options, [&] { return read_json(*file); });
    impl_->graphs += graphs.num_graphs();
    return graphs;
  }
}

std::size_t GraphReader::skip() {
  if (impl_->ended) return 0;
  if (impl_->stream == nullptr) {
    const std::optional<GraphSet> graphs = next();
    return graphs->num_graphs();
  }
  std::size_t count = 0;
  while (count == 0) {
    const std::optional<SourceFile> file = impl_->read_lines();
    impl_->ended = !file;
    if (!file) break;
    count = num_jsonl_graphs(*file);
  }
  impl_->graphs += count;
  return count;
}

}  // namespace gckn
