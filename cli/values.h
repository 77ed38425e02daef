// SPDX-License-Identifier: BSD-3-Clause
// What the values of options must look like, in one place for all commands.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gckn::cli {

// Makes every option of the program and its commands refuse a value that is not what the help says it takes: N, a whole
// number from 0; K and Q, a whole number; S and C, a number; anything else, at least one character. CLI11 by itself
// reads an empty number as 0, -1 as the largest number there is, and 010 as 8. Call it once all options are there.
void check_values(CLI::App& program);

// Throws UsageError for a list with an empty item, as in --C 1,,2: CLI11 leaves such items out.
void check_lists(const CLI::App& program, int argc, const char* const* argv);

// Says which words an option takes, for completion in shells. Returns the option. Whether it takes a word is decided by
// whoever reads it.
CLI::Option* takes_words(CLI::Option* option, const std::vector<std::string>& words);

// What was said; nothing if nothing was.
std::vector<std::string> words_of(CLI::Option& option);

}  // namespace gckn::cli
