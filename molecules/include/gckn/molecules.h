// SPDX-License-Identifier: BSD-3-Clause
// Molecules as graphs, with RDKit: SMILES in CSV and .smi files, and SDF. An optional part of gckn (target
// gckn::molecules).
//
//   gckn::MoleculeSet set = gckn::read_molecules("BBBP.csv");
//   gckn::Model model = gckn::train(set.graphs, {}).model;
//
// A record that is no molecule is a result and no exception: it has a row with the reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gckn/graph_set.h"
#include "gckn/matrix.h"
#include "gckn/run_options.h"

namespace gckn {

// What is where in a file. Columns are those of a CSV file, or the properties of an SDF.
struct MoleculeColumns {
  std::string smiles{};  // empty: the one that is called so
  std::string id{};      // empty: the one that is called so; where there is none, rows are called by their number
  // Empty: one that is called target, label, class, activity or y; or else the only other one, or all others if they
  // hold nothing but 0, 1 and missing values. "none": none.
  std::vector<std::string> targets{};
  // Which atoms matter, for GraphSet::truth(): numbers with blanks between them, alternatives with | between them
  // ("5 6 7|12 13"), nothing where it is not known. Atoms are numbered from 0 in the order of the text, without
  // hydrogens. Empty: the column that is called truth, if it holds such numbers; it is never guessed to be a target.
  // "none": none.
  std::string truth{};
  // Those of a model, in the place of a guess: taken where the file has them. What cannot be read is then missing.
  struct Known {
    std::vector<std::string> names{};
    bool classes = false;  // one target of classes; otherwise numbers
  };
  std::optional<Known> known_targets{};
};

struct MoleculeOptions {
  MoleculeColumns columns{};
  MoleculeReading reading{};
  bool canonical_smiles = false;  // find them, which takes as long as reading: for GraphSet::smiles()
  bool keep_sources = false;      // for draw_molecules(): MoleculeSet::sources
};

// One record of a file, in order.
struct MoleculeRow {
  std::size_t number = 0;  // from 1
  std::size_t line = 0;    // of the file, where it begins
  std::string id{};        // empty if it has none
  std::string error{};     // why it is no molecule, or empty
};

// The text of a molecule as its file has it, from which it can be drawn.
struct MoleculeSource {
  bool is_mol_block = false;  // of an SDF; otherwise SMILES
  std::string text{};
};

struct MoleculeSet {
  GraphSet graphs;  // those rows that are molecules, in order
  std::vector<MoleculeRow> rows;

  // By row: its graph, or kNone.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> graph_of_row;

  std::vector<MoleculeSource> sources;  // by graph; empty unless asked for
};

// Whether this gckn was built with it; otherwise reading throws InputError.
bool has_rdkit();

// Whether a path looks like a file of molecules: .csv, .tsv, .smi, .smiles, .sdf, .sd, each also with .gz or in a .zip
// of its name.
bool is_molecule_file(const std::filesystem::path& path);

// Reads molecules in blocks of some thousand rows, so that a file of any length takes the memory of a block. RDKit
// works on all threads.
class MoleculeReader {
 public:
  // Throws InputError for a file that cannot be read, or lacks a column that was named.
  MoleculeReader(const std::filesystem::path& path, const MoleculeOptions& options, const RunOptions& run = {});
  // A stream, which must outlive this, of the format that `name` has the suffix of: "standard input.smi".
  MoleculeReader(std::istream& stream, const std::string& name, const MoleculeOptions& options,
                 const RunOptions& run = {});
  ~MoleculeReader();
  MoleculeReader(const MoleculeReader&) = delete;
  MoleculeReader& operator=(const MoleculeReader&) = delete;

  // What was found where nobody had said it: "SMILES are in column smiles".
  [[nodiscard]] const std::vector<std::string>& guesses() const;

  // The next rows, or nothing at the end. Throws InputError for a damaged file and for a target that is no number where
  // others are.
  std::optional<MoleculeSet> next();
  // Passes over the rows that next() would return, without looking at their molecules, and returns how many those are;
  // 0 at the end.
  std::size_t skip();
  // All rows that are left, as one block; there must be some.
  MoleculeSet rest();

  // Bytes of the file that are read, and all of them (0: not known).
  [[nodiscard]] std::uint64_t bytes_read() const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A whole file.
MoleculeSet read_molecules(const std::filesystem::path& path, const MoleculeOptions& options = {},
                           const RunOptions& run = {});

// One row for each text.
MoleculeSet molecules_of_smiles(const std::vector<std::string>& smiles, const MoleculeOptions& options = {},
                                const RunOptions& run = {});

// The Bemis-Murcko scaffold of each: rings and what links them, as canonical SMILES; "" where there is no ring.
std::vector<std::string> scaffolds(const std::vector<std::string>& smiles, const RunOptions& run = {});

// Morgan fingerprints, counted: molecules x bits.
struct MorganOptions {
  unsigned radius = 2;
  unsigned bits = 2048;
};
Matrix morgan_fingerprints(const std::vector<std::string>& smiles, const MorganOptions& options = {},
                           const RunOptions& run = {});

// What a picture of a molecule shows of it. Atoms are numbered as the nodes of its graph. Scores lie in [-1, 1]: shares
// divided by the largest in size; positive ones support a prediction (orange), negative ones speak against it (blue), 0
// and what is no number have no colour. All may be empty.
struct MoleculeHighlights {
  std::vector<double> atoms{};        // by atom
  std::vector<char> atom_in_motif{};  // by atom, 0 or 1: has an outline
  // Bonds by their atoms, in any order; those that are not listed have no colour.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> bonds{};
  std::vector<double> bond_scores{};  // by bond listed
  std::vector<char> bond_in_motif{};  // by bond listed
};

// An SVG of each, drawn for a light ground, on all threads. `reading` is that of the graphs, so that atoms have the
// numbers that they have there (with hydrogens, of the largest fragment). `highlights`: one for each, or none. "" for
// one that is no molecule, has more than 400 atoms, or that RDKit cannot draw. Throws UsageError for highlights of
// atoms or bonds that a molecule does not have.
std::vector<std::string> draw_molecules(const std::vector<MoleculeSource>& molecules, const MoleculeReading& reading,
                                        const std::vector<MoleculeHighlights>& highlights = {},
                                        const RunOptions& run = {});

// Some atoms of each molecule, and the bonds between them, as canonical SMILES without stereochemistry; numbered as
// above. "" for no atoms, and for what cannot be read or has more than 1,000. Throws UsageError for an atom that a
// molecule does not have.
std::vector<std::string> fragment_smiles(const std::vector<MoleculeSource>& molecules, const MoleculeReading& reading,
                                         const std::vector<std::vector<std::uint32_t>>& atoms,
                                         const RunOptions& run = {});

}  // namespace gckn
