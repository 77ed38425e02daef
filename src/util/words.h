// SPDX-License-Identifier: BSD-3-Clause
// The words that stand for the values of an enumeration, on the command line and in files.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>
#include <utility>

#include "gckn/error.h"

namespace gckn {

template <typename Enum, std::size_t n>
using Words = std::array<std::pair<Enum, std::string_view>, n>;

template <typename Enum, std::size_t n>
std::string_view word_of(const Words<Enum, n>& words, Enum value) {
  for (const auto& [candidate, word] : words) {
    if (candidate == value) return word;
  }
  return "?";
}

// Throws UsageError listing the possible words. what: "pooling".
template <typename Enum, std::size_t n>
Enum value_of(const Words<Enum, n>& words, std::string_view what, std::string_view word) {
  std::array<std::string_view, n> known;
  for (std::size_t i = 0; i < n; ++i) {
    if (words[i].second == word) return words[i].first;
    known[i] = words[i].second;
  }
  throw UsageError(fmt::format("{} '{}' is unknown: choose one of {}", what, word, fmt::join(known, ", ")));
}

}  // namespace gckn
