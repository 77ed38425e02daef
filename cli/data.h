// SPDX-License-Identifier: BSD-3-Clause
// The argument DATA that most commands take.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "gckn/graph_set.h"
#include "gckn/io.h"
#include "gckn/run_options.h"
#include "label_names.h"

namespace gckn::cli {

void add_data_argument(CLI::App& command, std::string& data);

// Reads it; "-" is JSON lines from standard input.
GraphSet read_data(const std::string& data, const RunOptions& options);

// Reads it and names its labels.
GraphSet read_data(const std::string& data, const LabelNameOptions& names, const RunOptions& options);

// Reads it in blocks.
std::unique_ptr<GraphReader> open_data(const std::string& data, const RunOptions& options);

}  // namespace gckn::cli
