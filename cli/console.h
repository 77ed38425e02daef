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

constexpr int kInterrupted = 130;  // exit code

struct CommonOptions {
  int threads = 0;
  std::uint64_t seed = 0;
  bool json = false;
  bool quiet = false;
};

void add_common_options(CLI::App& command, CommonOptions& options);

// From now on Ctrl-C ends the running computation through its progress callback; a second Ctrl-C kills.
void catch_interrupts();

// Whether it was pressed.
bool was_interrupted();

// The text with control characters as \xNN: names in files must not move the cursor or colour the terminal.
std::string printable(std::string_view text);

// Text for people on one stream (none with --quiet or --json), one JSON object on standard output with --json, and a
// progress bar on standard error while something runs and that is a terminal.
class Console {
 public:
  // Throws UsageError for options out of range.
  explicit Console(const CommonOptions& options);
  ~Console() { erase_bar(); }
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  // Standard output is for data: text for people goes to standard error instead.
  void keep_output_for_data() { text_ = stderr; }

  // Threads, progress and cancellation for a call of the library. Must not outlive the console.
  [[nodiscard]] RunOptions run_options();

  template <typename... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    if (options_.quiet || options_.json) return;
    erase_bar();
    fmt::print(text_, "{}\n", printable(fmt::format(format, std::forward<Args>(args)...)));
  }

  // On standard error, also beside --json: what makes a result doubtful.
  template <typename... Args>
  void warn(fmt::format_string<Args...> format, Args&&... args) {
    if (options_.quiet) return;
    erase_bar();
    fmt::print(stderr, "gckn: warning: {}\n", printable(fmt::format(format, std::forward<Args>(args)...)));
  }

  // The result of the command, printed with --json only.
  void result(const nlohmann::ordered_json& json);

 private:
  bool show(const Progress& progress);
  void erase_bar();

  CommonOptions options_;
  std::FILE* text_ = stdout;
  bool bar_wanted_ = false;
  bool bar_shown_ = false;
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
