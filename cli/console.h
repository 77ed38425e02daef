// SPDX-License-Identifier: BSD-3-Clause
// What all commands share: the general options, the progress bar, interruption, and where text goes.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "gckn/run_options.h"
#include "time_left.h"

namespace gckn::cli {

constexpr int kMaxThreads = 1024;

struct CommonOptions {
  int threads = 0;
  std::uint64_t seed = 0;
  bool json = false;
  bool quiet = false;
};

void add_common_options(CLI::App& command, CommonOptions& options);

// From now on Ctrl-C, SIGTERM and SIGHUP end the running computation through its progress callback, so that temporary
// files go away; a second of these signals kills. SIGHUP stays ignored if it was (nohup).
void catch_interrupts();

// Whether one came.
bool was_interrupted();

// How a command ends that was interrupted: 128 plus the signal's number (130 for Ctrl-C), and a word for it.
struct Interruption {
  int exit_code;
  std::string_view message;
};
Interruption interruption();

// The text with control characters as \xNN: names in files must not move the cursor or colour the terminal.
std::string printable(std::string_view text);

// Prints data (rows of CSV) as they are; on a terminal what is not printable comes as \xNN, line ends excepted.
// Everything that is printed takes the progress bar away first: use this, Console::say or print_error, never the
// streams themselves. Throws std::runtime_error if the system refuses (a full disk).
void print_data(std::string_view text);

// One line on standard error, whatever a file name or a value in the message contains.
void print_error(std::string_view message);
void print_warning(std::string_view message);
void print_note(std::string_view message);

// Text for people on one stream (none with --quiet or --json), one JSON object on standard output with --json, and a
// progress bar on standard error while something runs and that is a terminal.
class Console {
 public:
  // Throws UsageError for options out of range.
  explicit Console(const CommonOptions& options);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  // Standard output is for data: text for people goes to standard error instead.
  void keep_output_for_data() { text_ = stderr; }

  // Threads, progress and cancellation for a call of the library. Must not outlive the console.
  [[nodiscard]] RunOptions run_options();

  template <typename... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    if (options_.quiet || options_.json) return;
    say_line(fmt::format(format, std::forward<Args>(args)...));
  }

  // On standard error, also beside --json: what makes a result doubtful.
  template <typename... Args>
  void warn(fmt::format_string<Args...> format, Args&&... args) {
    if (!options_.quiet) print_warning(fmt::format(format, std::forward<Args>(args)...));
  }

  // On standard error, also beside --json: what was decided where nobody had said it.
  template <typename... Args>
  void note(fmt::format_string<Args...> format, Args&&... args) {
    if (!options_.quiet) print_note(fmt::format(format, std::forward<Args>(args)...));
  }

  // Something to be part of the result, whatever the command makes of it.
  void add_to_result(const std::string& key, nlohmann::ordered_json value) { extra_[key] = std::move(value); }

  // The result of the command, printed with --json only.
  void result(const nlohmann::ordered_json& json);

 private:
  void say_line(std::string_view line);
  bool show(const Progress& progress);

  CommonOptions options_;
  nlohmann::ordered_json extra_ = nlohmann::ordered_json::object();
  std::FILE* text_ = stdout;
  bool bar_wanted_ = false;
  std::chrono::steady_clock::time_point last_shown_;
  std::string stage_;  // whose time left is estimated; empty for the whole
  TimeLeft time_left_;
};

class Stopwatch {
 public:
  // Seconds since the last call, or since the beginning.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(begin_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// "about 3 min left".
std::string time_left(double seconds);

// 1234567 -> "1,234,567".
std::string grouped(std::uint64_t number);

// "1 graph", "2 graphs", "1,234 graphs".
std::string counted(std::uint64_t number, std::string_view noun);

}  // namespace gckn::cli
