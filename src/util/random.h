// SPDX-License-Identifier: BSD-3-Clause
// Random numbers that are the same on every platform: the engine is fixed by the C++ standard, the distributions
// (which are not) are written out here.
#pragma once

#include <cstdint>
#include <random>

namespace gckn {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

  // Uniform in [0, bound), bound > 0, without bias.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t limit = -bound % bound;  // 2^64 mod bound
    std::uint64_t value = engine_();
    while (value < limit) value = engine_();
    return value % bound;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace gckn
