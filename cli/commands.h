// SPDX-License-Identifier: BSD-3-Clause
// The commands. Each function adds one to the program, with its options and what it does.
#pragma once

#include <CLI/CLI.hpp>

namespace gckn::cli {

void add_info_command(CLI::App& program);
void add_embed_command(CLI::App& program);
void add_kernel_command(CLI::App& program);
void add_cv_command(CLI::App& program);
void add_train_command(CLI::App& program);
void add_predict_command(CLI::App& program);
void add_explain_command(CLI::App& program);
void add_convert_command(CLI::App& program);
void add_nearest_command(CLI::App& program);
void add_merge_command(CLI::App& program);
void add_datasets_command(CLI::App& program);
// Hidden: the manual page and shell completions, made from all others. The program must outlive its commands.
void add_self_description_commands(CLI::App& program);

}  // namespace gckn::cli
