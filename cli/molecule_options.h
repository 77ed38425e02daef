// SPDX-License-Identifier: BSD-3-Clause
// How files of molecules are read: which columns, what of atoms and bonds, and what becomes of rows that are no
// molecule.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/molecules.h"

namespace gckn::cli {

// What is done about a row that is no molecule.
enum class OnError {
  fail,   // nothing at all, but say so
  skip,   // leave it out
  blank,  // a row with nothing but its name and the reason
};

struct MoleculeFlags {
  MoleculeColumns columns;
  std::string atoms = "element";
  bool hydrogens = false;
  bool largest_fragment = false;
  std::string on_error;                     // "": what the command does without it
  std::vector<std::string> smiles;          // molecules from the command line, in the place of DATA
  std::vector<CLI::Option*> reading_flags;  // those that a model knows itself
  std::vector<CLI::Option*> all;
};

// on_error: what the command does without --on-error.
void add_molecule_options(CLI::App& command, MoleculeFlags& flags, OnError on_error);

// Those that were given: "--atoms, --hydrogens".
std::string given_options(const MoleculeFlags& flags);

OnError parse_on_error(const MoleculeFlags& flags, OnError otherwise);

// What the library is told. model: how the molecules of a model were read, where there is one; flags that say something
// else throw UsageError.
MoleculeOptions molecule_options(const MoleculeFlags& flags, const std::optional<MoleculeReading>& model);

// "element", or "element, with hydrogens, largest fragment".
std::string reading_text(const MoleculeReading& reading);

}  // namespace gckn::cli
