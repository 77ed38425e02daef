// SPDX-License-Identifier: BSD-3-Clause
// New numbers 0, 1, ... in the old order for those numbers of a range that are used. Made once for a range and used
// again and again: it then allocates nothing more than the most numbers used so far. A step takes the time of what is
// used, and of one bit for every number of the range.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gckn {

class UsedNumbers {
 public:
  // Numbers are below `range`.
  explicit UsedNumbers(std::size_t range = 0) : marks_((range + 63) / 64), new_(range) {}

  void use(std::uint32_t old) { marks_[old / 64] |= std::uint64_t{1} << old % 64; }

  // Gives those marked by use() since the last call their new numbers, and forgets those before.
  void number() {
    old_.clear();
    for (std::size_t w = 0; w < marks_.size(); ++w) {
      for (std::uint64_t bits = marks_[w]; bits != 0; bits &= bits - 1) {
        const auto old = static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
        new_[old] = static_cast<std::uint32_t>(old_.size());
        old_.push_back(old);
      }
      marks_[w] = 0;
    }
  }

  // The new number of one that is used.
  std::uint32_t operator()(std::uint32_t old) const { return new_[old]; }

  [[nodiscard]] std::size_t size() const { return old_.size(); }
  // The old number of every new one, ascending.
  [[nodiscard]] std::span<const std::uint32_t> old() const { return old_; }

 private:
  std::vector<std::uint64_t> marks_;
  std::vector<std::uint32_t> new_;  // by old number; only those used count
  std::vector<std::uint32_t> old_;
};

}  // namespace gckn
