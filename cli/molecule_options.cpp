// SPDX-License-Identifier: BSD-3-Clause
#include "molecule_options.h"

#include <fmt/format.h>

#include "gckn/error.h"
#include "values.h"

namespace gckn::cli {

void add_molecule_options(CLI::App& command, MoleculeFlags& flags, OnError on_error) {
  const bool may_be_blank = on_error == OnError::blank;
  constexpr const char* kGroup = "Molecules (CSV, SMI, SDF)";
  const auto add = [&](const char* name, auto& value, const char* what, const char* type) {
    flags.all.push_back(command.add_option(name, value, what)->type_name(type)->group(kGroup));
    return flags.all.back();
  };
  const auto add_flag = [&](const char* name, bool& value, const char* what) {
    flags.all.push_back(command.add_flag(name, value, what)->group(kGroup));
    return flags.all.back();
  };
  add("--smiles-column", flags.columns.smiles, "Column with SMILES; otherwise the one that is called so", "NAME");
  add("--id-column", flags.columns.id, "Column (of an SDF: property) with names of molecules", "NAME");
  CLI::Option* targets =
      add("--target-columns", flags.columns.targets,
          "Columns (of an SDF: properties) to predict, with commas\nbetween them; none: none", "NAMES");
  CLI::Option* property =
      add("--target-property", flags.columns.targets, "The same, as the properties of an SDF are called", "NAMES");
  for (CLI::Option* list : {targets, property}) list->delimiter(',')->allow_extra_args(false);
  targets->excludes(property);
  add("--truth-column", flags.columns.truth,
      "Column (of an SDF: property) with the numbers of the atoms\nthat matter; otherwise the one called truth; none: "
      "none",
      "NAME");
  CLI::Option* atoms = add("--atoms", flags.atoms,
                           "What an atom is at first: its element, or rich: with charge,\nhydrogens, aromaticity and "
                           "ring",
                           "WORD")
                           ->capture_default_str();
  takes_words(atoms, {"element", "rich"});
  flags.reading_flags = {
      atoms,
      add_flag("--hydrogens", flags.hydrogens, "Hydrogens are atoms like others"),
      add_flag("--largest-fragment", flags.largest_fragment, "Of salts and mixtures the largest part only"),
  };
  std::vector<std::string> words{"fail", "skip"};
  if (may_be_blank) words.emplace_back("blank");
  takes_words(add("--on-error", flags.on_error,
                  may_be_blank ? "Rows that are no molecule: blank (a row that says why),\nskip or fail"
                               : "Rows that are no molecule: fail, or skip them",
                  "WORD")
                  ->default_str(may_be_blank                ? "blank"
                                : on_error == OnError::skip ? "skip"
                                                            : "fail"),
              words);
}

std::string given_options(const MoleculeFlags& flags) {
  std::string names;
  for (const CLI::Option* option : flags.all) {
    if (option->count() > 0) names += (names.empty() ? "" : ", ") + option->get_name();
  }
  return names;
}

OnError parse_on_error(const MoleculeFlags& flags, OnError otherwise) {
  if (flags.on_error.empty()) return otherwise;
  if (flags.on_error == "fail") return OnError::fail;
  if (flags.on_error == "skip") return OnError::skip;
  if (flags.on_error == "blank" && otherwise == OnError::blank) return OnError::blank;
  throw UsageError(fmt::format("--on-error {}: it must be fail{}", flags.on_error,
                               otherwise == OnError::blank ? ", skip or blank" : " or skip"));
}

MoleculeOptions molecule_options(const MoleculeFlags& flags, const std::optional<MoleculeReading>& model) {
  MoleculeOptions options;
  options.columns = flags.columns;
  const MoleculeReading asked{parse_atoms(flags.atoms), flags.hydrogens, flags.largest_fragment};
  bool any = false;
  for (const CLI::Option* flag : flags.reading_flags) any = any || flag->count() > 0;
  if (model && any && asked != *model) {
    throw UsageError(
        fmt::format("the model was made of molecules read otherwise ({}): leave --atoms, --hydrogens and "
                    "--largest-fragment to it",
                    reading_text(*model)));
  }
  options.reading = model.value_or(asked);
  return options;
}

std::string reading_text(const MoleculeReading& reading) {
  return fmt::format("{}{}{}", to_string(reading.atoms), reading.hydrogens ? ", with hydrogens" : "",
                     reading.largest_fragment ? ", largest fragment" : "");
}

}  // namespace gckn::cli
