// SPDX-License-Identifier: BSD-3-Clause
// Fast, correctly rounded reading of decimal numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace gckn {

// A sign, digits, and perhaps a point and more digits: what nearly all numbers in graph files are.
struct Decimal {
  bool negative = false;
  std::uint64_t mantissa = 0;    // all digits; meaningless beyond 19 of them
  std::ptrdiff_t digits = 0;     // before and after the point
  std::ptrdiff_t decimals = -1;  // after the point; -1 if there is no point

  // 18 digits cannot overflow.
  [[nodiscard]] bool is_integer() const { return decimals < 0 && digits > 0 && digits <= 18; }
  [[nodiscard]] std::int64_t integer() const {
    return negative ? -static_cast<std::int64_t>(mantissa) : static_cast<std::int64_t>(mantissa);
  }

  // Up to 15 digits, mantissa and power of ten are exact doubles, so that one division rounds correctly.
  [[nodiscard]] bool is_exact() const { return digits > 0 && digits <= 15; }
  [[nodiscard]] double number() const {
    constexpr std::array<double, 16> kPowersOfTen = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const auto value = static_cast<double>(mantissa);
    const double scaled = decimals > 0 ? value / kPowersOfTen[static_cast<std::size_t>(decimals)] : value;
    return negative ? -scaled : scaled;
  }
};

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Reads as far as the number goes and moves `at` behind it. The text must end with something that is no digit.
inline Decimal scan_decimal(const char*& at) {
  Decimal result;
  result.negative = *at == '-';
  if (result.negative || *at == '+') ++at;
  const auto scan_digits = [&] {
    const char* first = at;
    while (is_digit(*at)) result.mantissa = result.mantissa * 10 + static_cast<unsigned>(*at++ - '0');
    return at - first;
  };
  result.digits = scan_digits();
  if (*at == '.') {
    ++at;
    result.decimals = scan_digits();
    result.digits += result.decimals;
  }
  return result;
}

// Any decimal number, with exponent or without, "inf" and "nan" too; the whole text must be one. A number too small
// for a double is 0. Errors: invalid_argument, or result_out_of_range for one that is too large.
std::errc parse_number(std::string_view text, double& value);
std::errc parse_integer(std::string_view text, std::int64_t& value);

// A number as a file has it: a double does not hold every whole number beyond 2^53.
struct WrittenNumber {
  enum class Kind { measured, whole, too_large };  // too large: a whole number of more than 64 bits
  double value = 0;
  Kind kind = Kind::measured;
  std::int64_t whole = 0;  // where it is one: 7, but also 7.0 and 7e0
};

// `value` is the number that `text` stands for.
WrittenNumber written_number(std::string_view text, double value);

}  // namespace gckn
