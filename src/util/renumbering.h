// SPDX-License-Identifier: BSD-3-Clause
// New numbers 0, 1, ... for those numbers of a large range that are used. Time and memory follow how many are used, not
// the range.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "util/flat_map.h"

namespace gckn {

class Renumbering {
 public:
  Renumbering() = default;
  // Numbers below `count` stay as they are, used or not.
  static Renumbering unchanged(std::uint32_t count) {
    Renumbering same;
    same.unchanged_ = true;
    same.old_.resize(count);
    std::iota(same.old_.begin(), same.old_.end(), 0U);
    return same;
  }

  // Gives a number that is not used yet the next new one. Returns the new number, which sort() may change.
  std::uint32_t use(std::uint32_t old) {
    bool inserted = false;
    const std::uint32_t place = place_.intern(old, inserted);
    if (inserted) {
      new_.push_back(static_cast<std::uint32_t>(old_.size()));
      old_.push_back(old);
    }
    return new_[place];
  }

  // Gives the numbers used so far new ones in another order. less(a, b): of two new numbers so far. Returns, by new
  // number so far, the one now.
  template <typename Less>
  std::vector<std::uint32_t> sort(const Less& less) {
    std::vector<std::uint32_t> order(old_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, less);
    std::vector<std::uint32_t> now(order.size());
    std::vector<std::uint32_t> sorted(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      now[order[i]] = i;
      sorted[i] = old_[order[i]];
    }
    for (std::uint32_t& number : new_) number = now[number];
    old_ = std::move(sorted);
    return now;
  }
  // ... in the order of the old ones.
  std::vector<std::uint32_t> sort() {
    return sort([&](std::uint32_t a, std::uint32_t b) { return old_[a] < old_[b]; });
  }

  // The new number of one that is used.
  std::uint32_t operator()(std::uint32_t old) const { return unchanged_ ? old : new_[place_.at(old)]; }

  [[nodiscard]] std::size_t size() const { return old_.size(); }
  // The old number of every new one.
  [[nodiscard]] std::span<const std::uint32_t> old() const { return old_; }

 private:
  bool unchanged_ = false;
  FlatMap place_;                   // old number -> place in new_
  std::vector<std::uint32_t> new_;  // by place, in order of first use
  std::vector<std::uint32_t> old_;  // by new number
};

}  // namespace gckn
