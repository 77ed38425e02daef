// SPDX-License-Identifier: BSD-3-Clause
// Reads one line of JSON and calls a handler for each thing in it; several times as fast as a general parser, which
// graph sets of hundreds of megabytes notice. nlohmann's parser takes over for strings with escapes or beyond ASCII.
//
// The handler has null(), boolean(bool), integer(int64), number(double, text), string(std::string), start_object(),
// key(std::string), end_object(), start_array(), end_array(), and two that must throw: syntax_error(column, near) and
// too_large(text). It must refuse, by throwing, to nest deeper than the stack allows.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "io/decimal.h"

namespace gckn {

template <typename Handler>
class JsonEvents {
 public:
  // The character behind the line must be a line end or 0.
  JsonEvents(std::string_view line, Handler& handler)
      : begin_(line.data()), at_(begin_), end_(begin_ + line.size()), handler_(handler) {}

  void parse() {
    skip_blanks();
    value();
    skip_blanks();
    if (at_ != end_) fail();
  }

 private:
  void value() {
    switch (*at_) {
      case '{':
        object();
        break;
      case '[':
        array();
        break;
      case '"':
        handler_.string(string());
        break;
      case 'n':
        literal("null");
        handler_.null();
        break;
      case 't':
        literal("true");
        handler_.boolean(true);
        break;
      case 'f':
        literal("false");
        handler_.boolean(false);
        break;
      default:
        number();
    }
  }

  void object() {
    ++at_;
    handler_.start_object();
    skip_blanks();
    if (*at_ != '}') {
      while (true) {
        skip_blanks();
        if (*at_ != '"') fail();
        handler_.key(string());
        skip_blanks();
        if (*at_ != ':') fail();
        ++at_;
        skip_blanks();
        value();
        skip_blanks();
        if (*at_ != ',') break;
        ++at_;
      }
      if (*at_ != '}') fail();
    }
    ++at_;
    handler_.end_object();
  }

  void array() {
    ++at_;
    handler_.start_array();
    skip_blanks();
    if (*at_ != ']') {
      while (true) {
        skip_blanks();
        value();
        skip_blanks();
        if (*at_ != ',') break;
        ++at_;
      }
      if (*at_ != ']') fail();
    }
    ++at_;
    handler_.end_array();
  }

  void number() {
    const char* start = at_;
    const char* digits = *at_ == '-' ? at_ + 1 : at_;
    // JSON knows neither "+1" nor ".5" nor "01" nor "1.".
    if (!is_digit(*digits) || (*digits == '0' && is_digit(digits[1]))) fail();
    const Decimal decimal = scan_decimal(at_);
    if (decimal.decimals == 0) fail();
    const bool has_exponent = *at_ == 'e' || *at_ == 'E';
    if (has_exponent) {
      ++at_;
      if (*at_ == '+' || *at_ == '-') ++at_;
      if (!is_digit(*at_)) fail();
      while (is_digit(*at_)) ++at_;
    }
    const std::string_view text(start, static_cast<std::size_t>(at_ - start));
    if (decimal.decimals < 0 && !has_exponent) {
      std::int64_t value = decimal.integer();
      if (!decimal.is_integer() && parse_integer(text, value) != std::errc{}) handler_.too_large(text);
      handler_.integer(value);
    } else {
      double value = decimal.is_exact() ? decimal.number() : 0;
      if ((has_exponent || !decimal.is_exact()) && parse_number(text, value) != std::errc{}) handler_.too_large(text);
      handler_.number(value, text);
    }
  }

  std::string string() {
    const char* start = at_++;
    bool plain = true;
    while (at_ < end_ && *at_ != '"') {
      plain = plain && *at_ >= ' ' && *at_ != '\\';
      if (*at_ == '\\' && at_ + 1 < end_) ++at_;
      ++at_;
    }
    if (at_ == end_) fail();
    ++at_;
    if (plain) return {start + 1, at_ - 1};
    const nlohmann::json decoded = nlohmann::json::parse(start, at_, nullptr, false);
    if (!decoded.is_string()) {
      at_ = start;
      fail();
    }
    return decoded.get<std::string>();
  }

  void literal(std::string_view word) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) fail();
    at_ += word.size();
  }

  void skip_blanks() {
    while (*at_ == ' ' || *at_ == '\t' || *at_ == '\r') ++at_;
  }

  [[noreturn]] void fail() const {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    handler_.syntax_error(static_cast<std::size_t>(at_ - begin_) + 1, rest);
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  Handler& handler_;
};

}  // namespace gckn
