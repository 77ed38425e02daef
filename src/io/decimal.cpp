// SPDX-License-Identifier: BSD-3-Clause
#include "io/decimal.h"

#include <charconv>
#include <cmath>

namespace gckn {

namespace {

template <typename Value>
std::errc parse_whole(std::string_view text, Value& value) {
  // A plus is allowed in front of a number, but not of another sign; from_chars knows no plus.
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return stop == text.data() + text.size() ? error : std::errc::invalid_argument;
}

}  // namespace

std::errc parse_number(std::string_view text, double& value) {
  const std::errc error = parse_whole(text, value);
  if (error != std::errc::result_out_of_range) return error;
  // from_chars does not say whether the number was too large or too small.
  const std::string_view digits = text.substr(text.find_first_not_of("+-"));
  const bool too_small = text.find("e-") != text.npos || text.find("E-") != text.npos || digits.starts_with('0') ||
                         digits.starts_with('.');
  if (!too_small) return error;
  value = 0;
  return std::errc{};
}

std::errc parse_integer(std::string_view text, std::int64_t& value) {
  return parse_whole(text, value);
}

WrittenNumber written_number(std::string_view text, double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53: below, a double is every whole number
  WrittenNumber number{value, WrittenNumber::Kind::measured, 0};
  const std::errc error = parse_integer(text, number.whole);
  if (error == std::errc{}) {
    number.kind = WrittenNumber::Kind::whole;
  } else if (error == std::errc::result_out_of_range) {
    number.kind = WrittenNumber::Kind::too_large;
  } else if (std::abs(value) < kExact && value == std::trunc(value)) {
    number.kind = WrittenNumber::Kind::whole;
    number.whole = static_cast<std::int64_t>(value);
  }
  return number;
}

}  // namespace gckn
