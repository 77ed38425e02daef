// SPDX-License-Identifier: BSD-3-Clause
// A hash map from 64-bit keys to 32-bit values for interning: open addressing, insertion only. Keys are compared
// whole, never by hash alone.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gckn {

// Spreads the bits of a key over the whole word (the finaliser of SplitMix64).
inline std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

class FlatMap {
 public:
  // expected: keys that there is room for from the beginning.
  explicit FlatMap(std::size_t expected = 32) : slots_(std::bit_ceil(2 * expected + 2)) {}

  [[nodiscard]] std::size_t size() const { return size_; }

  // The value of `key`; where the key is new it gets the value size(), and `inserted` is set.
  std::uint32_t intern(std::uint64_t key, bool& inserted) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place_of(key)];
    inserted = slot.value == kEmpty;
    if (inserted) slot = {key, static_cast<std::uint32_t>(size_++)};
    return slot.value;
  }

  // The value of a key that is there.
  [[nodiscard]] std::uint32_t at(std::uint64_t key) const {
    const Slot& slot = slots_[place_of(key)];
    assert(slot.value != kEmpty);
    return slot.value;
  }

 private:
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t value = kEmpty;
  };

  // Where the key is, or has to go.
  [[nodiscard]] std::size_t place_of(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = mix_bits(key) & mask;
    while (slots_[i].value != kEmpty && slots_[i].key != key) i = (i + 1) & mask;
    return i;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.value != kEmpty) slots_[place_of(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace gckn
