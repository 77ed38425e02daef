// SPDX-License-Identifier: BSD-3-Clause
#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gckn {
namespace {

// Bytes of the character that begins here, or 0 if none does.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80                      ? 1
                             : byte(0) >= 0xC2 && byte(0) < 0xE0 ? 2
                             : byte(0) >= 0xE0 && byte(0) < 0xF0 ? 3
                             : byte(0) >= 0xF0 && byte(0) < 0xF5 ? 4
                                                                 : 0;
  if (length == 0 || length > text.size()) return 0;
  unsigned code = byte(0) & (0xFFU >> (length == 1 ? 0 : length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
    code = code << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::array<unsigned, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  const bool no_character = code == 0xFFFE || code == 0xFFFF;
  return code < kLeast[length] || code > 0x10FFFF || surrogate || no_character ? 0 : length;
}

struct Colour {
  double red, green, blue;
};
constexpr Colour kSupports{0xE8, 0x71, 0x0A};
constexpr Colour kSpeaksAgainst{0x2B, 0x6C, 0xB0};
constexpr Colour kWhite{0xFF, 0xFF, 0xFF};
constexpr Colour kGrey{0xE2, 0xE2, 0xE2};

constexpr double kSteps = 10;

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    switch (text.front()) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        if (length == 0) {
          result += "\xEF\xBF\xBD";
        } else if (static_cast<unsigned char>(text.front()) >= ' ') {
          result += text.substr(0, length);
        }
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

void append_number(std::string& svg, double value) {
  const auto tenths = static_cast<long long>(std::llround(value * 10));
  if (tenths % 10 == 0) {
    fmt::format_to(std::back_inserter(svg), "{}", tenths / 10);
  } else {
    fmt::format_to(std::back_inserter(svg), "{}{}.{}", tenths < 0 ? "-" : "", std::abs(tenths) / 10,
                   std::abs(tenths) % 10);
  }
}

void append_point(std::string& svg, double x, double y) {
  append_number(svg, x);
  const std::size_t between = svg.size();
  append_number(svg, y);
  if (svg[between] != '-') svg.insert(between, 1, ' ');
}

double shown_score(double score) {
  if (std::isnan(score)) return 0;
  return std::round(std::clamp(score, -1.0, 1.0) * kSteps) / kSteps;
}

std::string score_colour(double score, Pale pale, double strongest) {
  const Colour& from = pale == Pale::white ? kWhite : kGrey;
  const Colour& to = score < 0 ? kSpeaksAgainst : kSupports;
  // The weakest score must be seen, too.
  constexpr double kWeakest = 0.12;
  const double share = score == 0 ? 0 : kWeakest + (strongest - kWeakest) * std::abs(score);
  const auto mixed = [&](double a, double b) { return static_cast<int>(std::lround(a + share * (b - a))); };
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(from.red, to.red), mixed(from.green, to.green),
                     mixed(from.blue, to.blue));
}

}  // namespace gckn
