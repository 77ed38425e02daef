// SPDX-License-Identifier: BSD-3-Clause
// Files in, files out. docs/formats.md describes every format. A file appears whole or, if its writing fails or is
// cancelled, not at all.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>

#include "gckn/graph_set.h"
#include "gckn/matrix.h"
#include "gckn/run_options.h"

namespace gckn {

// Reads a graph set, recognising the format by content and suffix:
//   a TU folder (NAME/NAME_A.txt ...) or its zip; a GIN file NAME.txt, its folder or its zip (10fold_idx/ gives the
//   folds); JSON lines (.jsonl, .ndjson, .json).
// Throws InputError naming file, line and value for anything that is not as the format says, and for an empty set.
GraphSet read_graphs(const std::filesystem::path& path, const RunOptions& options = {});

// Reads JSON lines from a stream, to its end. `name` stands for the file in error messages.
GraphSet read_graphs_jsonl(std::istream& stream, const std::string& name, const RunOptions& options = {});

// JSON lines, one graph per line; read_graphs reads them back to the same set (merge counts and folds apart).
void write_graphs_jsonl(const GraphSet& graphs, const std::filesystem::path& path, const RunOptions& options = {});

// NumPy's format, version 1.0: float32 or float64, C order. Written beside and renamed.
void write_npy(const Matrix& matrix, const std::filesystem::path& path, const RunOptions& options = {});
void write_npy(const DoubleMatrix& matrix, const std::filesystem::path& path, const RunOptions& options = {});

// One row per line, shortest decimals that read back to the same number; no header.
void write_csv(const Matrix& matrix, const std::filesystem::path& path, const RunOptions& options = {});
void write_csv(const DoubleMatrix& matrix, const std::filesystem::path& path, const RunOptions& options = {});

// Throws InputError if the functions of this header could not write to this path: it is a folder, or its folder is
// missing or read-only. For a check before long work; what is there stays as it is.
void check_writable(const std::filesystem::path& path);

// Text as it is. Written beside and renamed.
void write_text(std::string_view text, const std::filesystem::path& path);

}  // namespace gckn
