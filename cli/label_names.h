// SPDX-License-Identifier: BSD-3-Clause
// The options --label-names and --edge-label-names: words for labels that are numbers in DATA.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "files.h"
#include "gckn/graph_set.h"

namespace gckn::cli {

struct LabelNameOptions {
  std::string nodes, edges;  // "0=C,1=O" or the name of a file
};

void add_label_name_options(CLI::App& command, LabelNameOptions& options);

// The files among them.
std::vector<FileArgument> files_read(const LabelNameOptions& options);

// What the options say. Throws UsageError or InputError naming what is wrong.
struct NamesOfLabels {
  LabelNames nodes, edges;
};
NamesOfLabels read_label_names(const LabelNameOptions& options);

}  // namespace gckn::cli
