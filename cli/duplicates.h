// SPDX-License-Identifier: BSD-3-Clause
// What is said and done about graphs that are equal.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <vector>

#include "console.h"
#include "gckn/equal_graphs.h"
#include "gckn/graph_set.h"

namespace gckn::cli {

struct DuplicateFlags {
  bool drop = false;
};

void add_duplicate_option(CLI::App& command, DuplicateFlags& flags);

// "12 graphs are equal to others, 4 of them with other targets"; empty if there are none.
std::string equal_text(const EqualGraphs& equal);

// Finds the graphs that are equal and, if that is wanted, leaves out all but one of each kind. What is found goes into
// `json`, too. Returns those of the graphs that are left.
EqualGraphs treat_equal_graphs(const DuplicateFlags& flags, GraphSet& graphs, Console& console, const RunOptions& run,
                               nlohmann::ordered_json& json);

// Warns if test graphs have equals among the training graphs of their fold.
void say_seen_test_graphs(Console& console, const EqualGraphs& equal, const std::vector<Fold>& folds,
                          nlohmann::ordered_json& json);

}  // namespace gckn::cli
