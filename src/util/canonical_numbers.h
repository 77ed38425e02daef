// SPDX-License-Identifier: BSD-3-Clause
// Numbers for things by what they contain: equal things get equal numbers, 0 .. count - 1, in order of a hash of their
// contents and then of the contents. So the numbers do not depend on the order in which the things come. Hashes only
// make this fast: contents decide what is equal.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "util/parallel.h"

namespace gckn {

// Fills `number` for things 0 .. hash.size() - 1, where hash[i] depends on the contents of thing i alone, and returns
// how many distinct ones there are. equal(i, j) and less(i, j) compare contents. In parallel; reports progress as
// `stage`.
template <typename Equal, typename Less>
std::uint32_t number_by_contents(std::span<const std::uint64_t> hash, const Equal& equal, const Less& less,
                                 const RunOptions& options, std::string_view stage,
                                 std::vector<std::uint32_t>& number) {
  struct Item {
    std::uint64_t hash;
    std::uint32_t id;
  };
  // Buckets by the leading bits of the hash are sorted side by side; one after the other they are in order.
  constexpr std::size_t kBucketSize = 64;  // things in a bucket, about
  constexpr std::size_t kBucketsPerTile = 256;
  const std::size_t n = hash.size();
  const int bits = std::max(1, static_cast<int>(std::bit_width(n / kBucketSize)));
  const std::size_t buckets = std::size_t{1} << bits;
  const auto bucket_of = [&](std::uint64_t h) { return static_cast<std::size_t>(h >> (64 - bits)); };
  std::vector<std::uint32_t> begin(buckets + 1);
  for (const std::uint64_t h : hash) ++begin[bucket_of(h) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Item> items(n);
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (std::uint32_t i = 0; i < n; ++i) items[next[bucket_of(hash[i])]++] = {hash[i], i};

  number.resize(n);
  std::vector<std::uint32_t> first_number(buckets + 1);
  const auto number_bucket = [&](std::span<Item> bucket) {
    std::ranges::sort(bucket, {}, &Item::hash);
    std::uint32_t distinct = 0;
    for (std::size_t i = 0; i < bucket.size();) {
      std::size_t end = i + 1;
      bool collision = false;
      for (; end < bucket.size() && bucket[end].hash == bucket[i].hash; ++end) {
        collision |= !equal(bucket[i].id, bucket[end].id);
      }
      if (collision) {
        std::ranges::sort(bucket.subspan(i, end - i), [&](const Item& a, const Item& b) { return less(a.id, b.id); });
      }
      for (std::size_t j = i; j < end; ++j) {
        if (collision && j > i && !equal(bucket[j - 1].id, bucket[j].id)) ++distinct;
        number[bucket[j].id] = distinct;
      }
      ++distinct;
      i = end;
    }
    return distinct;
  };
  parallel_tiles(buckets, kBucketsPerTile, options, stage, [&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b) {
      first_number[b + 1] = number_bucket(std::span(items).subspan(begin[b], begin[b + 1] - begin[b]));
    }
  });
  std::partial_sum(first_number.begin(), first_number.end(), first_number.begin());
  parallel_tiles(n, kBucketSize * kBucketsPerTile, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) number[i] += first_number[bucket_of(hash[i])];
  });
  return first_number.back();
}

}  // namespace gckn
