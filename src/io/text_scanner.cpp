// SPDX-License-Identifier: BSD-3-Clause
#include "io/text_scanner.h"

#include <fmt/format.h>

#include <cmath>
#include <system_error>

namespace gckn {

std::size_t TextScanner::count_fields() const {
  TextScanner copy = *this;
  std::size_t count = 0;
  for (; !copy.line_done(); copy.skip_separator()) {
    copy.at_ += copy.field().size();
    ++count;
  }
  return count;
}

std::string_view TextScanner::field() const {
  const char* last = at_;
  while (last < end_ && *last != ',' && *last != '\n' && !is_blank(*last)) ++last;
  return {at_, static_cast<std::size_t>(last - at_)};
}

void TextScanner::fail_expected(std::string_view what) const {
  const std::string_view found = field();
  if (!found.empty()) fail(fmt::format("expected {}, found {}", what, in_quotes(found)));
  fail(fmt::format("expected {}, found {}", what, at_ < end_ && *at_ == ',' ? "a comma" : "the end of the line"));
}

// What the fast path did not take: a number of many digits or with an exponent, or no number at all.
std::int64_t TextScanner::unusual_integer(std::string_view what) {
  std::int64_t value = 0;
  require_number(parse_integer(field(), value), what);
  at_ += field().size();
  return value;
}

double TextScanner::unusual_number(std::string_view what) {
  double value = 0;
  require_number(parse_number(field(), value), what);
  if (!std::isfinite(value)) fail(fmt::format("expected {}, found {}, which is not finite", what, in_quotes(field())));
  at_ += field().size();
  return value;
}

void TextScanner::require_number(std::errc error, std::string_view what) const {
  if (error == std::errc::result_out_of_range) {
    fail(fmt::format("expected {}, found {}, which is too large", what, in_quotes(field())));
  }
  if (error != std::errc{}) fail_expected(what);
}

}  // namespace gckn
