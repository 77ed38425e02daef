// SPDX-License-Identifier: BSD-3-Clause
// Lines that are looked at before they are used. Empty lines at the end of a file are not there: only within it does a
// line without anything in it stand for a record that somebody lost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>
#include <utility>

#include "line_source.h"
#include "records.h"

namespace gckn {

class LinesAhead {
 public:
  struct Line {
    std::size_t number;
    std::string text;
    bool is_empty;
  };

  // The source must outlive this.
  explicit LinesAhead(LineSource& source) : source_(source) {}

  // Whether there is a line `i` places behind the next one; reads as far as that takes.
  bool has(std::size_t i) {
    while (true) {
      std::size_t before = 0;  // lines with something in them
      for (std::size_t k = 0; k < std::min(i, lines_.size()); ++k) before += lines_[k].is_empty ? 0 : 1;
      if (filled_ > before) return true;
      if (!read()) return false;
    }
  }

  // One more line from the source, if it has one.
  bool read() {
    std::string text;
    if (!source_.next(text)) return false;
    const bool is_empty = trimmed(text).empty();
    filled_ += is_empty ? 0 : 1;
    lines_.push_back({source_.line_number(), std::move(text), is_empty});
    return true;
  }

  const Line& operator[](std::size_t i) const { return lines_[i]; }
  [[nodiscard]] std::size_t size() const { return lines_.size(); }

  void drop_first() {
    filled_ -= lines_.front().is_empty ? 0 : 1;
    lines_.pop_front();
  }

 private:
  LineSource& source_;
  std::deque<Line> lines_;
  std::size_t filled_ = 0;
};

}  // namespace gckn
