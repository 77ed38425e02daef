// SPDX-License-Identifier: BSD-3-Clause
// From the text of a molecule to atoms and bonds: what RDKit is asked for. Threads may convert side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gckn/graph_set.h"
#include "records.h"

namespace RDKit {
class RWMol;
}

namespace gckn {

struct ConvertedMolecule {
  bool failed = false;              // reason_for() says why
  std::vector<std::int64_t> atoms;  // labels, in the order of the text
  std::vector<std::pair<std::uint32_t, std::uint32_t>> bonds;
  std::vector<std::int64_t> bond_labels;
  std::string smiles;  // canonical, if asked for

  // Where only a part of the molecule was kept: the atoms of the whole, and by atom the number it had there.
  std::size_t whole_size = 0;
  std::vector<std::uint32_t> number_in_whole;
};

// To be called once before threads convert: fills tables that RDKit makes when they are first needed.
void prepare_conversion();

// The molecule whose atoms are the nodes of the graph, in this order. Throws what RDKit throws, or gives nothing, if
// the text is no molecule. Does all that RDKit does by itself but for stereochemistry, which graphs have no place for:
// to find it takes a third of the time, and on a chain of 10,000 atoms a quarter of an hour. result: is told what was
// left out, unless it is null.
std::unique_ptr<RDKit::RWMol> parse_as_asked(const MoleculeRecord& record, const MoleculeReading& reading,
                                             ConvertedMolecule* result = nullptr);

ConvertedMolecule convert(const MoleculeRecord& record, const MoleculeOptions& options);

// Why a record that failed is no molecule, in RDKit's words. RDKit tells it to a log that all threads share: call it
// while no other thread converts.
std::string reason_for(const MoleculeRecord& record, const MoleculeOptions& options);

// What a label of an atom or a bond is called: "N", "NH+ aromatic"; "double".
std::string atom_name(std::int64_t label, MoleculeReading::Atoms atoms);
std::string bond_name(std::int64_t label);

}  // namespace gckn
