// SPDX-License-Identifier: BSD-3-Clause
// Files in, files out. docs/formats.md describes every format. A file appears whole or, if its writing fails or is
// cancelled, not at all.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/matrix.h"
#include "gckn/run_options.h"

namespace gckn {

// Reads a graph set, recognising the format by content and suffix:
//   a TU folder (NAME/NAME_A.txt ...) or its zip; a GIN file NAME.txt, its folder or its zip (10fold_idx/ gives the
//   folds); JSON lines (.jsonl, .ndjson, .json); node-link JSON as networkx writes it.
// Of a folder or zip that holds several sets, "data.zip:NAME" is the one called NAME.
// Throws InputError naming file, line and value for anything that is not as the format says, and for an empty set.
GraphSet read_graphs(const std::filesystem::path& path, const RunOptions& options = {});

// "data.zip:NAME" as a file (or folder) and the name of a set in it; a path that exists as it stands is just a file.
struct SetPath {
  std::filesystem::path file;
  std::string set;  // empty: the only one, or the one called like the file
};
SetPath split_set_path(const std::filesystem::path& path);

// Names of labels from a text with a label and its name on each line, as in "0=C"; a comma or blanks do in place of the
// sign, and a name may be a JSON text ("0=\" x\""). Blank lines and lines that begin with # are skipped. Throws
// InputError; `name` stands for the text in it.
LabelNames parse_label_names(std::string_view text, const std::string& name);

// Reads JSON lines from a stream, to its end. `name` stands for the file in error messages.
GraphSet read_graphs_jsonl(std::istream& stream, const std::string& name, const RunOptions& options = {});

// Reads a graph set in blocks, for what is done with each graph alone. JSON lines are read as they come, some thousand
// graphs at a time, so that a file of any length takes the memory of a block; other formats come whole, in one block.
// What concerns all graphs of a file (that all have the same keys) is checked within a block only.
class GraphReader {
 public:
  explicit GraphReader(const std::filesystem::path& path, const RunOptions& options = {});
  // JSON lines from a stream, which must outlive this. `name` stands for the file in error messages.
  GraphReader(std::istream& stream, const std::string& name, const RunOptions& options = {});
  ~GraphReader();
  GraphReader(const GraphReader&) = delete;
  GraphReader& operator=(const GraphReader&) = delete;

  // The next graphs, or nothing at the end. Throws as read_graphs does.
  std::optional<GraphSet> next();

  // Passes over what next() would return, without looking closely, and returns how many graphs that is; 0 at the end.
  std::size_t skip();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// JSON lines, one graph per line; read_graphs reads them back to the same set (merge counts and folds apart).
void write_graphs_jsonl(const GraphSet& graphs, const std::filesystem::path& path, const RunOptions& options = {});

// The formats of graph sets; docs/formats.md describes them.
enum class GraphFormat {
  jsonl,      // a file of JSON lines, which holds everything but folds
  tu,         // a new folder of TU files, called like the set
  gin,        // a GIN text file
  node_link,  // a file of node-link JSON (networkx), one graph per line
};
std::string_view to_string(GraphFormat format);
GraphFormat parse_graph_format(std::string_view word);  // throws UsageError listing the possible words

// What these graphs have and a file of this format would not: "ids", "edge labels".
std::vector<std::string> lost_in(const GraphSet& graphs, GraphFormat format);

// read_graphs reads it back to the same set, what is lost apart. Throws InputError for graphs that the format cannot
// hold.
void write_graphs(const GraphSet& graphs, const std::filesystem::path& path, GraphFormat format,
                  const RunOptions& options = {});

// NumPy's format, version 1.0: float32 or float64, C order. Written beside and renamed.
void write_npy(const Matrix& matrix, const std::filesystem::path& path, const RunOptions& options = {});
void write_npy(const DoubleMatrix& matrix, const std::filesystem::path& path, const RunOptions& options = {});

// One row per line, shortest decimals that read back to the same number; no header.
void write_csv(const Matrix& matrix, const std::filesystem::path& path, const RunOptions& options = {});
void write_csv(const DoubleMatrix& matrix, const std::filesystem::path& path, const RunOptions& options = {});

// Throws InputError if the functions of this header could not write to this path: it is a folder, or its folder is
// missing or read-only. For a check before long work; what is there stays as it is.
void check_writable(const std::filesystem::path& path);

// A text as a field of a CSV line: in quotes where it has a comma, a quote or a line end. A spreadsheet takes a text
// that begins with = + - @ or a tab for a formula and runs it, whoever wrote it; so such a text gets a ' in front,
// which spreadsheets hide, unless it is a number (-1, +2.5e3).
std::string csv_field(std::string_view text);

// Text as it is. Written beside and renamed.
void write_text(std::string_view text, const std::filesystem::path& path);

}  // namespace gckn
