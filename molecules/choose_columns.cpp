// SPDX-License-Identifier: BSD-3-Clause
// Which columns hold what, by their names and some of their values.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "gckn/error.h"
#include "records.h"

namespace gckn {

namespace {

// With blanks and hyphens as underscores.
constexpr std::array<std::string_view, 7> kSmilesNames{"smiles", "canonical_smiles", "isomeric_smiles", "smiles_string",
                                                       "smile",  "mol_smiles",       "structure"};
constexpr std::array<std::string_view, 12> kIdNames{
    "id",        "name",    "mol_id",        "molecule_id",   "compound_id",        "compound",
    "chembl_id", "zinc_id", "molecule_name", "compound_name", "molecule_chembl_id", "mol_name"};
constexpr std::array<std::string_view, 1> kTruthNames{"truth"};
constexpr std::array<std::string_view, 6> kTargetNames{"target", "label", "class", "activity", "y", "act"};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string plain_name(std::string_view name) {
  std::string result = lower(name);
  std::ranges::replace_if(
      result, [](char c) { return c == ' ' || c == '-'; }, '_');
  return result;
}

// The only column of that name.
std::size_t column_called(const std::string& file, const std::vector<std::string>& names, const std::string& name) {
  const auto count = std::ranges::count(names, name);
  if (count == 0) {
    throw InputError(fmt::format("{}: has no column '{}'; there is {}", file, name,
                                 names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
  if (count > 1) throw InputError(fmt::format("{}: has {} columns called '{}'", file, count, name));
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

// The first of the usual names that a column has, whatever the case.
template <typename Usual>
std::optional<std::size_t> usual_column(const std::string& file, const std::vector<std::string>& names,
                                        const Usual& usual) {
  for (const std::string_view wanted : usual) {
    const auto is_wanted = [&](const std::string& name) { return plain_name(name) == wanted; };
    const auto found = std::ranges::find_if(names, is_wanted);
    if (found == names.end()) continue;
    if (std::ranges::count_if(names, is_wanted) > 1) {
      throw InputError(fmt::format("{}: has several columns called '{}'", file, *found));
    }
    return static_cast<std::size_t>(found - names.begin());
  }
  return std::nullopt;
}

bool is_binary(const std::vector<std::vector<std::string>>& samples, std::size_t column) {
  bool has_value = false;
  for (const std::vector<std::string>& row : samples) {
    if (column >= row.size() || is_missing(row[column])) continue;
    const std::string_view value = row[column];
    if (value != "0" && value != "1" && value != "0.0" && value != "1.0") return false;
    has_value = true;
  }
  return has_value;
}

std::vector<std::size_t> guess_targets(const std::string& file, const std::vector<std::string>& names,
                                       const std::vector<std::vector<std::string>>& samples,
                                       const std::vector<std::size_t>& others) {
  if (const auto usual = usual_column(file, names, kTargetNames);
      usual && std::ranges::find(others, *usual) != others.end()) {
    return {*usual};
  }
  if (others.size() == 1) return others;
  const bool all_binary = std::ranges::all_of(others, [&](std::size_t c) { return is_binary(samples, c); });
  return all_binary ? others : std::vector<std::size_t>{};
}

// Whether a column called truth may hold numbers of atoms. Others are classes: "yes", or 0 and 1.
bool may_hold_atoms(const std::vector<std::vector<std::string>>& samples, std::size_t column) {
  bool has_value = false;
  bool has_atoms = false;
  for (const std::vector<std::string>& row : samples) {
    if (column >= row.size() || is_missing(row[column])) continue;
    has_value = true;
    has_atoms = has_atoms || row[column].find_first_not_of("0123456789 \t|") == std::string::npos;
  }
  return !has_value || (has_atoms && !is_binary(samples, column));
}

// Whether somebody has said that a column is a target.
bool is_asked_for(const std::string& name, const MoleculeColumns& asked) {
  if (asked.targets.empty() && asked.known_targets) {
    return std::ranges::find(asked.known_targets->names, name) != asked.known_targets->names.end();
  }
  return std::ranges::any_of(asked.targets, [&](const std::string& target) { return trimmed(target) == name; });
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool is_missing(std::string_view value) {
  if (value.empty() || value == "?") return true;
  if (value.size() > 4) return false;
  const std::string word = lower(value);
  return word == "na" || word == "nan" || word == "null" || word == "none" || word == "n/a";
}

ChosenColumns choose_columns(const std::string& file, const std::vector<std::string>& names,
                             const std::vector<std::vector<std::string>>& samples, const MoleculeColumns& asked,
                             bool needs_smiles) {
  ChosenColumns chosen;
  if (!asked.smiles.empty()) {
    chosen.smiles = column_called(file, names, asked.smiles);
  } else if (needs_smiles) {
    chosen.smiles = usual_column(file, names, kSmilesNames);
    if (!chosen.smiles) {
      throw InputError(
          fmt::format("{}: none of its columns is called smiles; there is {}. Name the one with SMILES "
                      "(--smiles-column)",
                      file, fmt::join(names, ", ")));
    }
    chosen.guesses.push_back(fmt::format("SMILES are in column '{}'", names[*chosen.smiles]));
  }
  if (!asked.id.empty()) {
    chosen.id = column_called(file, names, asked.id);
  } else if (const auto id = usual_column(file, names, kIdNames); id && id != chosen.smiles) {
    chosen.id = id;
    chosen.guesses.push_back(fmt::format("names are in column '{}'", names[*id]));
  }
  std::optional<std::size_t> left_aside;  // no target, whatever it holds
  if (!asked.truth.empty()) {
    if (asked.truth != "none") chosen.truth = column_called(file, names, asked.truth);
  } else if (const auto truth = usual_column(file, names, kTruthNames);
             truth && truth != chosen.smiles && truth != chosen.id && !is_asked_for(names[*truth], asked)) {
    left_aside = truth;
    if (may_hold_atoms(samples, *truth)) {
      chosen.truth = truth;
      chosen.guesses.push_back(fmt::format("which atoms matter is in column '{}'", names[*truth]));
    } else {
      chosen.guesses.push_back(fmt::format("column '{}' holds no numbers of atoms and is left aside", names[*truth]));
    }
  }
  const bool no_targets = asked.targets.size() == 1 && asked.targets.front() == "none";
  for (const std::string& name : asked.targets) {
    if (no_targets) break;
    const std::size_t column = column_called(file, names, std::string(trimmed(name)));
    const bool is_repeated = std::ranges::find(chosen.targets, column) != chosen.targets.end();
    if (column == chosen.smiles || column == chosen.truth || is_repeated) {
      throw InputError(fmt::format("{}: column '{}' is {}", file, name,
                                   column == chosen.smiles  ? "that of SMILES and no target"
                                   : column == chosen.truth ? "that of the atoms that matter and no target"
                                                            : "named twice"));
    }
    chosen.targets.push_back(column);
  }
  if (!asked.targets.empty()) return chosen;
  if (asked.known_targets) {
    for (const std::string& name : asked.known_targets->names) {
      const auto found = std::ranges::find(names, name);
      if (found != names.end()) chosen.targets.push_back(static_cast<std::size_t>(found - names.begin()));
    }
    return chosen;
  }
  std::vector<std::size_t> others;
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (c != chosen.smiles && c != chosen.id && c != chosen.truth && c != left_aside) others.push_back(c);
  }
  if (others.empty()) return chosen;
  chosen.targets = guess_targets(file, names, samples, others);
  std::vector<std::string> called;
  for (const std::size_t c : chosen.targets) called.push_back(names[c]);
  if (called.empty()) {
    for (const std::size_t c : others) called.push_back(names[c]);
    chosen.guesses.push_back(
        fmt::format("no target is known; --target-columns can name any of: {}", fmt::join(called, ", ")));
  } else {
    chosen.guesses.push_back(fmt::format("{} '{}'", called.size() == 1 ? "the target is column" : "targets are columns",
                                         fmt::join(called, "', '")));
  }
  return chosen;
}

}  // namespace gckn
