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

class NewNumbers {
 public:
  // expected: how many will be used, if that is known.
  explicit NewNumbers(std::size_t expected = 0) : place_(expected) {}
  // Numbers below `count` stay as they are, used or not.
  static NewNumbers unchanged(std::uint32_t count) {
    NewNumbers same;
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

  // Gives the numbers used so far new ones in the order of keys. key: by new number so far. Returns, by new number so
  // far, the one now.
  template <typename Key>
  std::vector<std::uint32_t> sort(std::span<const Key> key) {
    std::vector<std::pair<Key, std::uint32_t>> order;
    order.reserve(key.size());
    for (std::uint32_t i = 0; i < key.size(); ++i) order.emplace_back(key[i], i);
    std::ranges::sort(order);
    std::vector<std::uint32_t> now(order.size());
    std::vector<std::uint32_t> sorted(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      now[order[i].second] = i;
      sorted[i] = old_[order[i].second];
    }
    for (std::uint32_t& number : new_) number = now[number];
    old_ = std::move(sorted);
    return now;
  }
  // ... in the order of the old ones.
  std::vector<std::uint32_t> sort() { return sort(old()); }

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
