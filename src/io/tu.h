// SPDX-License-Identifier: BSD-3-Clause
// The layout of the TU Dortmund collection: NAME_A.txt (edges), NAME_graph_indicator.txt and optional files whose line
// i describes node, edge or graph i. All numbers count from 1.
#pragma once

#include <string>
#include <vector>

#include "gckn/graph_set.h"
#include "io/file_tree.h"

namespace gckn {

// The sets in a folder or zip: their paths without "_A.txt".
std::vector<std::string> find_tu_sets(const FileTree& files);

// Reads the set with this prefix.
GraphSetParts read_tu(FileTree& files, const std::string& prefix);

}  // namespace gckn
