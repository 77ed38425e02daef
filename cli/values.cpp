// SPDX-License-Identifier: BSD-3-Clause
#include "values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "gckn/error.h"

namespace gckn::cli {

namespace {

// Reads the whole text or fails.
template <typename Number>
std::errc parse(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop != end ? std::errc::invalid_argument : error;
}

// The text in place of which CLI11 shall read a number, or why it is none. Validators return an error, empty for none.
template <typename Number>
std::string check_number(std::string& text, std::string_view expected) {
  Number number{};
  const std::errc error = parse(text, number);
  if (error == std::errc::result_out_of_range) return fmt::format("{} is out of range", text);
  bool good = error == std::errc{};
  if constexpr (std::is_floating_point_v<Number>) good = good && std::isfinite(number);
  if (!good) return fmt::format("expected {}, found \"{}\"", expected, text);
  if constexpr (std::is_integral_v<Number>) text = fmt::format("{}", number);  // CLI11 takes 010 for octal
  return "";
}

std::function<std::string(std::string&)> check_for(const std::string& takes) {
  if (takes == "N") return [](std::string& text) { return check_number<std::uint64_t>(text, "a whole number from 0"); };
  if (takes == "K" || takes == "Q") {
    return [](std::string& text) { return check_number<std::int64_t>(text, "a whole number"); };
  }
  if (takes == "S" || takes == "C") return [](std::string& text) { return check_number<double>(text, "a number"); };
  return [](std::string& text) { return std::string(text.empty() ? "the value is empty" : ""); };
}

bool has_empty_item(std::string_view list, char delimiter) {
  if (list.empty()) return false;  // check_values has a word for that
  return list.front() == delimiter || list.back() == delimiter ||
         list.find(std::string(2, delimiter)) != std::string_view::npos;
}

// CLI11 has no place for a remark about an option but the name of a check.
constexpr std::string_view kWords = "words ";

}  // namespace

CLI::Option* takes_words(CLI::Option* option, const std::vector<std::string>& words) {
  const auto accept = [](std::string& /*text*/) { return std::string(); };
  return option->check(CLI::Validator(accept, "", fmt::format("{}{}", kWords, fmt::join(words, " "))));
}

std::vector<std::string> words_of(CLI::Option& option) {
  try {
    for (int i = 0;; ++i) {
      const std::string& name = option.get_validator(i)->get_name();
      if (name.starts_with(kWords)) return CLI::detail::split(name.substr(kWords.size()), ' ');
    }
  } catch (const CLI::OptionNotFound&) {
    return {};  // there are no more
  }
}

void check_values(CLI::App& program) {
  for (CLI::Option* option : program.get_options()) {
    const bool is_flag = option->get_type_size() == 0;
    if (!is_flag) option->transform(CLI::Validator(check_for(option->get_type_name()), ""));
  }
  for (CLI::App* command : program.get_subcommands({})) check_values(*command);
}

void check_lists(const CLI::App& program, int argc, const char* const* argv) {
  const CLI::App* command = nullptr;
  for (const CLI::App* candidate : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (argc > 1 && candidate->check_name(argv[1])) command = candidate;
  }
  for (int i = 2; command != nullptr && i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const CLI::Option* option = name.starts_with("--") ? command->get_option_no_throw(name) : nullptr;
    if (option == nullptr || option->get_delimiter() == '\0') continue;
    if (equals == std::string::npos && i + 1 == argc) return;  // CLI11 says that the value is missing
    const std::string list = equals == std::string::npos ? argv[i + 1] : argument.substr(equals + 1);
    if (has_empty_item(list, option->get_delimiter())) {
      throw UsageError(fmt::format("{}: an item of the list \"{}\" is empty", name, list));
    }
  }
}

}  // namespace gckn::cli
