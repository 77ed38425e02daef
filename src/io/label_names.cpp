// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>

#include "gckn/error.h"
#include "gckn/io.h"

namespace gckn {

namespace {

constexpr std::string_view kBlanks = " \t\r";

// Takes "0=C"; false if it is not that.
bool take_name(std::string_view entry, LabelNames& names) {
  std::int64_t label = 0;
  const auto [stop, error] = std::from_chars(entry.data(), entry.data() + entry.size(), label);
  if (error != std::errc{}) return false;
  const auto after = static_cast<std::size_t>(stop - entry.data());
  const std::size_t name = entry.find_first_not_of("=, \t", after);
  if (name == after || name == std::string_view::npos) return false;
  if (entry[name] != '"') return names.emplace(label, entry.substr(name)).second;
  const nlohmann::json quoted = nlohmann::json::parse(entry.substr(name), nullptr, false);
  return quoted.is_string() && names.emplace(label, quoted.get<std::string>()).second;
}

}  // namespace

LabelNames parse_label_names(std::string_view text, const std::string& name) {
  LabelNames names;
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    ++line;
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t first = std::min(text.find_first_not_of(kBlanks, begin), end);
    std::string_view entry = text.substr(first, end - first);
    begin = end + 1;
    while (!entry.empty() && kBlanks.find(entry.back()) != std::string_view::npos) entry.remove_suffix(1);
    if (entry.empty() || entry.starts_with('#')) continue;
    if (!take_name(entry, names)) {
      throw InputError(fmt::format("{}:{}: '{}' is not a new label and its name, as in 0=C", name, line, entry));
    }
  }
  if (names.empty()) throw InputError(fmt::format("{}: names no label", name));
  return names;
}

}  // namespace gckn
