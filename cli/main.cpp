// SPDX-License-Identifier: BSD-3-Clause
// The gckn command: sets up the commands, and turns every outcome into an exit code.
//   0 done, 1 failed, 2 wrong usage, 3 bad data, 128 plus the number of the signal that ended it
#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "console.h"
#include "gckn/error.h"
#include "gckn/network.h"
#include "gckn/run_options.h"
#include "gckn/version.h"
#include "help_formatter.h"
#include "values.h"

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr int kBadData = 3;

constexpr const char* kFooter =
    R"(DATA is a TU folder or zip, a GIN file (NAME.txt or its zip), JSON lines, node-link JSON (networkx), or molecules (a CSV
with SMILES, .smi, .sdf); of several sets in a zip or folder, data.zip:NAME is one.
'gckn COMMAND --help' explains a command.

Examples:
  gckn datasets make motif --out motif.jsonl       make a set of graphs to play with
  gckn info motif.jsonl                            see what is in it
  gckn embed motif.jsonl --out vectors.npy         turn every graph into a vector
  gckn cv motif.jsonl                              see how well the classes can be told apart
  gckn train motif.jsonl --out motif.gckn          learn to tell them apart
  gckn predict motif.gckn new.jsonl --out new.csv  predict the classes of other graphs
  gckn nearest motif.gckn motif.jsonl new.jsonl    find the graphs that are most like some others
  gckn kernel motif.jsonl --kernel path --out K.npy

Limits:
  path length        up to {} edges
  filters            up to {} in each layer
  sigma              from {} to {}
  graph set          up to 4,294,967,294 nodes in all, of any number of graphs
  threads            up to {}
  --max-paths        paths of a layer, by default {}

Exit codes:
  0    done
  1    failed: a full disk, say, or no memory
  2    wrong usage
  3    bad data
  130  interrupted by Ctrl-C; 143 by SIGTERM, 129 by SIGHUP)";

int fail(std::string_view message, int code) {
  gckn::cli::print_error(message);
  return code;
}

// "gckn embed", for the command that the user was about to give.
std::string command_name(const CLI::App& program) {
  std::string name = "gckn";
  for (const CLI::App* app = &program; !app->get_subcommands().empty();) {
    app = app->get_subcommands().front();
    name += " " + app->get_name();
  }
  return name;
}

int fail_usage(const CLI::App& program, const std::string& message) {
  return fail(message + " (see " + command_name(program) + " --help)", kWrongUsage);
}

int run(int argc, char** argv) {
  CLI::App program("Graph Convolutional Kernel Networks: turns graphs into vectors.", "gckn");
  program.formatter(std::make_shared<gckn::cli::HelpFormatter>());
  program.set_version_flag("--version", std::string("gckn ") + gckn::kVersion, "Show the version and exit");
  program.set_help_flag("-h,--help", "Show this help and exit");
  program.require_subcommand(1);
  program.group("Commands");  // the heading that commands inherit
  gckn::cli::add_info_command(program);
  gckn::cli::add_embed_command(program);
  gckn::cli::add_kernel_command(program);
  gckn::cli::add_cv_command(program);
  gckn::cli::add_train_command(program);
  gckn::cli::add_predict_command(program);
  gckn::cli::add_explain_command(program);
  gckn::cli::add_convert_command(program);
  gckn::cli::add_nearest_command(program);
  gckn::cli::add_merge_command(program);
  gckn::cli::add_datasets_command(program);
  gckn::cli::add_self_description_commands(program);
  program.footer(fmt::format(kFooter, gckn::kLongestPath, gckn::cli::grouped(gckn::kMostFilters), gckn::kSmallestSigma,
                             gckn::cli::grouped(static_cast<std::uint64_t>(gckn::kLargestSigma)),
                             gckn::cli::grouped(gckn::cli::kMaxThreads),
                             gckn::cli::grouped(gckn::RunOptions{}.max_paths)));
  gckn::cli::check_values(program);
  gckn::cli::check_lists(program, argc, argv);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help) {
    program.exit(help);  // prints the help or the version
  } catch (const CLI::RequiredError& error) {
    // A misspelt command is to CLI11 a missing one.
    const std::vector<std::string> unknown = program.remaining(true);
    if (!unknown.empty()) return fail_usage(program, unknown.front() + " is not known");
    return fail_usage(program, error.what());
  } catch (const CLI::ConversionError& error) {
    // The values look right (check_values), so what is wrong is their size.
    std::string_view text = error.what();
    constexpr std::string_view kPrefix = "Could not convert: ";
    if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
    return fail_usage(program, std::string(text) + " is out of range");
  } catch (const CLI::ParseError& error) {
    return fail_usage(program, error.what());
  }
  // CLI11 flushes the help it prints, so that what went wrong then is an error of the past.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return fail("cannot write to standard output", kFailed);
  return 0;
}

// Tables of megabytes come and go from block to block. Given back to the system each time, they would have to be
// fetched and cleared anew: up to a fifth of all processor time.
void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  gckn::cli::catch_interrupts();
  // A file that may not grow further is then an error like a full disk, and takes its temporary file with it.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const gckn::Cancelled&) {
    const gckn::cli::Interruption end = gckn::cli::interruption();
    return fail(end.message, end.exit_code);
  } catch (const gckn::UsageError& error) {
    return fail(error.what(), kWrongUsage);
  } catch (const gckn::InputError& error) {
    return fail(error.what(), kBadData);
  } catch (const std::bad_alloc&) {
    return fail("out of memory", kFailed);
  } catch (const std::exception& error) {
    return fail(error.what(), kFailed);
  }
}
