// SPDX-License-Identifier: BSD-3-Clause
#include "truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "records.h"
#include "util/counted.h"
#include "util/whole_number.h"

namespace gckn {

namespace {

// The next word of the text, which is cut off; empty at the end.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::string_view word = text.substr(0, std::min(text.find_first_of(" \t"), text.size()));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

std::string parse_truth(std::string_view text, const ConvertedMolecule& molecule, NodeTruth& truth) {
  if (is_missing(text)) return "";
  constexpr std::string_view kWayOut = "--truth-column none does without";
  const bool is_part = !molecule.number_in_whole.empty();
  const std::size_t atoms = is_part ? molecule.whole_size : molecule.atoms.size();
  while (true) {
    const std::size_t end = std::min(text.find('|'), text.size());
    std::string_view alternative = text.substr(0, end);
    std::vector<std::uint32_t> nodes;
    bool is_whole = true;
    for (std::string_view word = take_word(alternative); !word.empty(); word = take_word(alternative)) {
      const std::optional<std::int64_t> number = whole_number(word);
      if (!number) return fmt::format("truth: '{}' is no number of an atom ({})", word.substr(0, 40), kWayOut);
      if (*number < 0 || static_cast<std::uint64_t>(*number) >= atoms) {
        return fmt::format("truth: there is no atom {} among {}, numbered from 0 ({})", *number, counted(atoms, "atom"),
                           kWayOut);
      }
      auto node = static_cast<std::uint32_t>(*number);
      if (is_part) {
        const auto found = std::ranges::find(molecule.number_in_whole, node);
        is_whole = is_whole && found != molecule.number_in_whole.end();
        node = static_cast<std::uint32_t>(found - molecule.number_in_whole.begin());
      }
      nodes.push_back(node);
    }
    if (nodes.empty()) return fmt::format("truth: an alternative without atoms ({})", kWayOut);
    if (is_whole) truth.push_back(std::move(nodes));
    if (end == text.size()) return "";
    text.remove_prefix(end + 1);
  }
}

}  // namespace gckn
