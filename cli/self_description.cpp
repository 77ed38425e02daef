// SPDX-License-Identifier: BSD-3-Clause
// gckn man, gckn completion: what the build installs beside the program. Not shown in the help: they are for packagers.
#include <memory>
#include <string>

#include "command_tree.h"
#include "commands.h"
#include "completion.h"
#include "console.h"
#include "gckn/error.h"
#include "gckn/io.h"
#include "man_page.h"
#include "output.h"

namespace gckn::cli {

namespace {

constexpr const char* kHidden = "";  // group

void put(const std::string& text, const std::string& out) {
  if (is_standard_output(out)) {
    print_data(text);
  } else {
    write_text(text, out);
  }
}

}  // namespace

void add_self_description_commands(CLI::App& program) {
  auto out = std::make_shared<std::string>("-");
  const auto add = [&](const char* name, const char* what) {
    CLI::App* command = program.add_subcommand(name, what)->group(kHidden);
    command->add_option("--out", *out, "File to write; - prints it")->type_name("FILE")->capture_default_str();
    return command;
  };
  add("man", "Write the manual page.")->callback([&program, out] { put(man_page(describe(program)), *out); });

  auto shell = std::make_shared<std::string>();
  CLI::App* completion = add("completion", "Write a completion script for a shell.");
  completion->add_option("SHELL", *shell, "bash or zsh")->required();
  completion->callback([&program, out, shell] {
    if (*shell != "bash" && *shell != "zsh") throw UsageError("SHELL " + *shell + ": it must be bash or zsh");
    const CommandInfo info = describe(program);
    put(*shell == "bash" ? bash_completion(info) : zsh_completion(info), *out);
  });
}

}  // namespace gckn::cli
