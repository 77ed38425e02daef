// SPDX-License-Identifier: BSD-3-Clause
#include "console.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <stdexcept>

#include "gckn/error.h"

namespace gckn::cli {

namespace {

constexpr std::array kInterrupts = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t interrupted = 0;  // the signal

extern "C" void on_interrupt(int signal) {
  interrupted = signal;
  // Whichever comes next kills.
  struct sigaction kill = {};
  kill.sa_handler = SIG_DFL;
  for (const int other : kInterrupts) sigaction(other, &kill, nullptr);
}

// There is one terminal, so there is one bar.
bool bar_shown = false;

void erase_bar() {
  if (!std::exchange(bar_shown, false)) return;
  std::fputs("\r\033[K", stderr);  // which does not throw, as fmt::print may: destructors come here
  std::fflush(stderr);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESTART);
  for (const int signal : kInterrupts) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (signal == SIGHUP && before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
}

bool was_interrupted() {
  return interrupted != 0;
}

Interruption interruption() {
  constexpr int kFirst = 128;
  switch (interrupted) {
    case SIGTERM:
      return {kFirst + SIGTERM, "ended by SIGTERM"};
    case SIGHUP:
      return {kFirst + SIGHUP, "ended by SIGHUP"};
    default:
      return {kFirst + SIGINT, "interrupted"};
  }
}

void print_data(std::string_view text) {
  erase_bar();
  std::string shown;
  if (isatty(STDOUT_FILENO) != 0) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      shown += printable(text.substr(begin, end - begin));
      if (end < text.size()) shown += '\n';
      begin = end + 1;
    }
    text = shown;
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw std::runtime_error("cannot write to standard output");
  }
}

void print_error(std::string_view message) {
  erase_bar();
  std::fputs(fmt::format("gckn: error: {}\n", printable(message)).c_str(), stderr);
}

void print_warning(std::string_view message) {
  erase_bar();
  fmt::print(stderr, "gckn: warning: {}\n", printable(message));
}

void print_note(std::string_view message) {
  erase_bar();
  fmt::print(stderr, "gckn: note: {}\n", printable(message));
}

void add_common_options(CLI::App& command, CommonOptions& options) {
  constexpr const char* kGroup = "General";
  command.add_option("--threads", options.threads, "Threads to use; 0 means all cores; never changes the result")
      ->type_name("N")
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--seed", options.seed, "Seed of everything random")
      ->type_name("N")
      ->capture_default_str()
      ->group(kGroup);
  command.add_flag("--json", options.json, "Print one JSON object instead of text")->group(kGroup);
  command.add_flag("--quiet", options.quiet, "Print nothing but errors and what --json asks for")->group(kGroup);
}

Console::Console(const CommonOptions& options)
    : options_(options), bar_wanted_(!options.quiet && isatty(STDERR_FILENO) != 0) {
  if (options.threads < 0 || options.threads > kMaxThreads) {
    throw UsageError(fmt::format("--threads is {}; it must be from 0 to {}", options.threads, kMaxThreads));
  }
}

Console::~Console() {
  erase_bar();
}

void Console::say_line(std::string_view line) {
  erase_bar();
  fmt::print(text_, "{}\n", printable(line));
}

RunOptions Console::run_options() {
  RunOptions run;
  run.threads = options_.threads;
  run.progress = [this](const Progress& progress) { return show(progress); };
  return run;
}

void Console::result(const nlohmann::ordered_json& json) {
  if (!options_.json) return;
  erase_bar();
  nlohmann::ordered_json whole = json;
  whole.update(extra_);
  // File names need not be UTF-8, JSON must be.
  fmt::print(stdout, "{}\n", whole.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

bool Console::show(const Progress& progress) {
  if (interrupted != 0) return false;
  constexpr auto kInterval = std::chrono::milliseconds(100);
  const auto now = std::chrono::steady_clock::now();
  if (!bar_wanted_ || now - last_shown_ < kInterval) return true;
  last_shown_ = now;
  bar_shown = true;
  const std::string_view estimated = progress.is_whole ? std::string_view() : progress.stage;
  if (estimated != stage_) {
    stage_ = estimated;
    time_left_ = {};
  }
  constexpr std::size_t kWidth = 30;
  const double share = progress.total == 0
                           ? 0.0
                           : std::min(1.0, static_cast<double>(progress.done) / static_cast<double>(progress.total));
  const auto filled = static_cast<std::size_t>(share * kWidth);
  const std::optional<double> seconds =
      time_left_.update(std::chrono::duration<double>(now.time_since_epoch()).count(), share);
  const std::string left = seconds && progress.done < progress.total ? time_left(*seconds) : "";
  fmt::print(stderr, "\r\033[K{:<28} {:3.0f} % [{:=<{}}{:{}}] {}", progress.stage, 100 * share, "", filled, "",
             kWidth - filled, left);
  std::fflush(stderr);
  return true;
}

std::string time_left(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  if (seconds < 1.5 * kMinute) return fmt::format("about {:.0f} s left", std::max(1.0, seconds));
  if (seconds < 1.5 * kHour) return fmt::format("about {:.0f} min left", seconds / kMinute);
  return fmt::format("about {:.1f} h left", seconds / kHour);
}

std::string printable(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool ascii_control = byte < 0x20 || byte == 0x7f;
    // U+0080 to U+009F in UTF-8: controls, too, to many terminals.
    const bool second_byte = i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xE0) == 0x80;
    if (byte == 0xC2 && second_byte) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++i]));
    } else if (ascii_control) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result.push_back(text[i]);
    }
  }
  return result;
}

std::string grouped(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t place = digits.size(); place > 3;) digits.insert(place -= 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

}  // namespace gckn::cli
