// SPDX-License-Identifier: BSD-3-Clause
// The options of end-to-end training, for cv and train.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "gckn/supervised.h"

namespace gckn::cli {

struct SupervisedFlags {
  bool wanted = false;  // --supervised
  SupervisedOptions options;
  CLI::Option* flag = nullptr;  // what other options of such a training need
  CLI::Option* penalty_flag = nullptr;

  [[nodiscard]] std::optional<SupervisedOptions> get() const {
    return wanted ? std::optional<SupervisedOptions>(options) : std::nullopt;
  }
};

// The group that these options stand in, in the help of a command.
inline constexpr const char* kSupervisedGroup = "End-to-end training";

void add_supervised_options(CLI::App& command, SupervisedFlags& flags);

// An option that makes sense with --supervised only.
template <typename Value>
CLI::Option* add_supervised_option(CLI::App& command, const SupervisedFlags& flags, const char* name, Value& value,
                                   const char* what, const char* type) {
  return command.add_option(name, value, what)->type_name(type)->needs(flags.flag)->group(kSupervisedGroup);
}

}  // namespace gckn::cli
