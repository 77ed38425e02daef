// SPDX-License-Identifier: BSD-3-Clause
// The text format of the GIN authors: a line with the number of graphs, then per graph a line "n label" and per node a
// line "tag degree neighbour... attribute...". Neighbours count from 0 within the graph. Ten folds may lie in
// 10fold_idx/ beside the file, as lists of graph numbers from 0.
#pragma once

#include <string>

#include "gckn/graph_set.h"
#include "io/file_tree.h"

namespace gckn {

// Whether a text begins as the format does.
bool looks_like_gin(const std::string& text);

// Reads the file at `path`, and the folds beside it if there are any.
GraphSetParts read_gin(FileTree& files, const std::string& path);

}  // namespace gckn
