// SPDX-License-Identifier: BSD-3-Clause
// New numbers 0, 1, ... in the old order for those numbers of a range that are used. Made once for a range and used
// again and again: it then allocates nothing more than the most numbers used so far. A step takes the time of what is
// used, and of one bit for every 64 numbers of the range.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gckn {

class UsedNumbers {
 public:
  // Numbers are below `range`.
  explicit UsedNumbers(std::size_t range = 0)
      : marks_(words_for(range)), marked_words_(words_for(marks_.size())), new_(range) {}

  // Memory for so many used numbers, or all there are.
  void reserve(std::size_t count) { old_.reserve(std::min(count, new_.size())); }

  void use(std::uint32_t old) {
    marks_[old / 64] |= bit(old);
    marked_words_[old / (64 * 64)] |= bit(old / 64);
  }

  // Gives those marked by use() since the last call their new numbers, and forgets those before.
  void number() {
    old_.clear();
    take_bits(marked_words_, 0, marked_words_.size(), [&](std::size_t word) {
      take_bits(marks_, word, word + 1, [&](std::size_t old) {
        new_[old] = static_cast<std::uint32_t>(old_.size());
        old_.push_back(static_cast<std::uint32_t>(old));
      });
    });
  }

  // The new number of one that is used.
  std::uint32_t operator()(std::uint32_t old) const { return new_[old]; }

  [[nodiscard]] std::size_t size() const { return old_.size(); }
  // The old number of every new one, ascending.
  [[nodiscard]] std::span<const std::uint32_t> old() const { return old_; }

 private:
  static std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }
  static std::uint64_t bit(std::uint32_t number) { return std::uint64_t{1} << number % 64; }

  // Calls body(number) for the bits that are set in some words, ascending, and clears them.
  template <typename Body>
  static void take_bits(std::vector<std::uint64_t>& words, std::size_t first, std::size_t end, const Body& body) {
    for (std::size_t w = first; w < end; ++w) {
      for (std::uint64_t bits = std::exchange(words[w], 0); bits != 0; bits &= bits - 1) {
        body(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      }
    }
  }

  std::vector<std::uint64_t> marks_;         // a bit for every number
  std::vector<std::uint64_t> marked_words_;  // a bit for every word of marks_ that has one
  std::vector<std::uint32_t> new_;           // by old number; only those used count
  std::vector<std::uint32_t> old_;
};

}  // namespace gckn
