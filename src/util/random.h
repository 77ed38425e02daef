// SPDX-License-Identifier: BSD-3-Clause
// Random numbers that are the same on every platform: the engine is fixed by the C++ standard, the distributions
// (which are not) are written out here. And the seeds of everything that is drawn, all from the one that a user gives.
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

// Each thing that is drawn has a stream of its own, so that drawing more of one does not change another. The numbers
// are arbitrary but fixed: published figures depend on them. Streams of different things may coincide (a fold and a
// layer of the same seed); within one thing they do not.
namespace seeds {

// Of the user's seed.

// The anchors of layer `layer`: one more layer does not change those before it.
constexpr std::uint64_t of_layer(std::uint64_t seed, std::uint64_t layer) {
  return seed * 1'000'003 + layer;
}
// Shuffle number `shuffle` of the graphs into folds; shuffle 0 is the one that is made first, from the seed itself.
constexpr std::uint64_t of_shuffle(std::uint64_t seed, std::uint64_t shuffle) {
  return seed + shuffle * 7919;
}
// The inner folds of a nested search within outer fold `fold`.
constexpr std::uint64_t of_inner_folds(std::uint64_t seed, std::uint64_t fold) {
  return seed + fold;
}

// The order of the graphs in epoch `epoch` of end-to-end training.
constexpr std::uint64_t of_epoch(std::uint64_t seed, std::uint64_t epoch) {
  return seed * 1'000'033 + 104'729 * epoch;
}

// Of a layer's seed, from which k-means++ itself draws its centroids.

// The sample of the points on which k-means++ chooses among candidates.
constexpr std::uint64_t of_seeding_sample(std::uint64_t layer_seed) {
  return layer_seed + 1;
}
// The interned patterns that k-means sees where they are too many.
constexpr std::uint64_t of_drawn_patterns(std::uint64_t layer_seed) {
  return layer_seed + 11;
}
// The paths that it sees of input block `block` where they are not interned.
constexpr std::uint64_t of_drawn_paths(std::uint64_t layer_seed, std::uint64_t block) {
  return layer_seed + 23 + block;
}
// In place of the layer's seed, the patterns and paths that check the anchors of a sample.
constexpr std::uint64_t of_held_out(std::uint64_t layer_seed) {
  return layer_seed + 37;
}

}  // namespace seeds

}  // namespace gckn
