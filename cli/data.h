// SPDX-License-Identifier: BSD-3-Clause
// The argument DATA that most commands take.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "gckn/error.h"
#include "gckn/graph_set.h"
#include "gckn/io.h"
#include "gckn/model_file.h"
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

// Loads the argument MODEL of a command that takes DATA as well. The error about a file that is no model ends with the
// order of the arguments, which is likely to be what went wrong.
template <typename Load>
auto load_first(const std::string& model, const Load& load, std::string_view order) {
  try {
    return load(model);
  } catch (const InputError& error) {
    if (!std::filesystem::is_regular_file(model) || is_model_file(model)) throw;
    throw InputError(fmt::format("{}; the order is: {}", error.what(), order));
  }
}

}  // namespace gckn::cli
