// SPDX-License-Identifier: BSD-3-Clause
// JSON lines, one graph per line: {"edges": [[0, 1], ...], "num_nodes": n, "node_labels": [...], ...}; node numbers
// count from 0 within the graph. docs/formats.md has all keys.
#pragma once

#include <cstddef>
#include <string_view>

#include "gckn/graph_set.h"
#include "io/source_file.h"

namespace gckn {

// Whether a file of this name holds JSON lines.
bool has_jsonl_suffix(std::string_view path);

GraphSetParts read_jsonl(const SourceFile& file);

// How many graphs that would be, if all lines are right.
std::size_t num_jsonl_graphs(const SourceFile& file);

}  // namespace gckn
