// SPDX-License-Identifier: BSD-3-Clause
#include "graph/label_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "gckn/error.h"
#include "util/flat_map.h"
#include "util/whole_number.h"

namespace gckn {
namespace {

// 0, 1, 2, ... in the order of the words.
LabelNames numbered(std::initializer_list<const char*> words) {
  LabelNames names;
  for (const char* word : words) names.emplace(static_cast<std::int64_t>(names.size()), word);
  return names;
}

}  // namespace

std::int64_t label_of_word(std::string_view word) {
  if (const std::optional<std::int64_t> number = whole_number(word)) return *number;
  std::uint64_t hash = mix_bits(word.size() + 1);
  for (const char c : word) hash = mix_bits(hash * 0x9e3779b97f4a7c15ULL + static_cast<unsigned char>(c) + 1);
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 62;  // far from numbers that people use
  return static_cast<std::int64_t>(kFirst | (hash >> 2));
}

std::vector<std::string> names_of_values(std::span<const std::int64_t> values, const LabelNames& names,
                                         std::string_view what) {
  const auto is_named = [&](std::int64_t value) { return names.contains(value); };
  if (names.empty() || std::ranges::none_of(values, is_named)) return {};
  std::vector<std::string> result;
  std::map<std::string_view, std::int64_t> value_of_name;
  result.reserve(values.size());  // the map points into it
  for (const std::int64_t value : values) {
    const auto found = names.find(value);
    result.push_back(found == names.end() ? fmt::to_string(value) : found->second);
    const auto [other, is_new] = value_of_name.emplace(result.back(), value);
    if (!is_new) {
      throw InputError(fmt::format("the {} {} and {} are both called '{}'", what, other->second, value, result.back()));
    }
  }
  return result;
}

PublishedNames published_label_names(std::string_view set) {
  if (set == "MUTAG") {
    return {numbered({"C", "N", "O", "F", "I", "Cl", "Br"}), numbered({"aromatic", "single", "double", "triple"})};
  }
  if (set == "Mutagenicity") {
    return {numbered({"C", "O", "Cl", "H", "N", "F", "Br", "S", "P", "I", "Na", "K", "Li", "Ca"}),
            numbered({"single", "double", "triple"})};
  }
  if (set == "PTC_MR") {
    return {
        numbered({"In", "P", "O", "N", "Na", "C", "Cl", "S", "Br", "F", "K", "Cu", "Zn", "I", "Ba", "Sn", "Pb", "Ca"}),
        numbered({"triple", "double", "single", "aromatic"})};
  }
  return {};
}

}  // namespace gckn
