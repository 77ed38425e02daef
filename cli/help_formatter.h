// SPDX-License-Identifier: BSD-3-Clause
// Help as a newcomer reads it: what an option takes beside its name, its default in words behind its description.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace gckn::cli {

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  // Nothing for an option without a description: the old name of another one.
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace gckn::cli
