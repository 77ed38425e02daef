// SPDX-License-Identifier: BSD-3-Clause
// Reads numbers from a text in memory, line by line, and complains by file, line and value.
//
// Fields are separated by blanks or by one comma with or without blanks. A scanner covers whole lines
// [begin, end) of a file, so several may work on one file at a time. Numbers stop at the line end or at the 0 behind
// the text, which is why no digit needs a bounds check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "io/decimal.h"
#include "io/source_file.h"

namespace gckn {

class TextScanner {
 public:
  TextScanner(const SourceFile& file, std::size_t begin, std::size_t end)
      : file_(file), at_(file.text.data() + begin), end_(file.text.data() + end) {}
  explicit TextScanner(const SourceFile& file) : TextScanner(file, 0, file.text.size()) {}

  [[nodiscard]] bool at_end() const { return at_ >= end_; }
  [[nodiscard]] std::size_t offset() const { return static_cast<std::size_t>(at_ - file_.text.data()); }

  // True when nothing but blanks is left on the line.
  [[nodiscard]] bool line_done() {
    skip_blanks();
    return at_ >= end_ || *at_ == '\n';
  }

  // Moves to the next line; anything left on this one is an error.
  void end_line() {
    if (!line_done()) fail_expected("the end of the line");
    if (at_ < end_) ++at_;
  }

  // Moves to the next line, whatever is left on this one.
  void skip_line() {
    const void* found = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
    at_ = found == nullptr ? end_ : static_cast<const char*>(found) + 1;
  }

  // The comma between two fields; blanks alone will do.
  void skip_separator() {
    skip_blanks();
    if (*at_ == ',') ++at_;
  }

  // The next field as a whole number. `what` completes the sentence "expected ..., found ...".
  std::int64_t integer(std::string_view what) {
    skip_blanks();
    const char* start = at_;
    const Decimal decimal = scan_decimal(at_);
    if (decimal.is_integer() && at_field_end()) return decimal.integer();
    at_ = start;
    return unusual_integer(what);
  }

  // The next field as a finite number, correctly rounded.
  double number(std::string_view what) {
    skip_blanks();
    const char* start = at_;
    const Decimal decimal = scan_decimal(at_);
    if (decimal.is_exact() && at_field_end()) return decimal.number();
    at_ = start;
    return unusual_number(what);
  }

  // The same, exactly where it is a whole number.
  WrittenNumber exact_number(std::string_view what) {
    skip_blanks();
    const std::string_view text = field();
    return written_number(text, number(what));
  }

  // The number of fields from here to the end of the line, without moving.
  [[nodiscard]] std::size_t count_fields() const;

  // The next field as it stands, for messages.
  [[nodiscard]] std::string_view field() const;

  [[noreturn]] void fail(std::string_view message) const { fail_at(file_, offset(), message); }
  [[noreturn]] void fail_expected(std::string_view what) const;

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    while (is_blank(*at_)) ++at_;
  }
  [[nodiscard]] bool at_field_end() const { return *at_ == ',' || *at_ == '\n' || is_blank(*at_) || at_ >= end_; }
  std::int64_t unusual_integer(std::string_view what);
  double unusual_number(std::string_view what);
  void require_number(std::errc error, std::string_view what) const;

  const SourceFile& file_;
  const char* at_;
  const char* end_;
};

}  // namespace gckn
