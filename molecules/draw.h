// SPDX-License-Identifier: BSD-3-Clause
// Pictures and SMILES of molecules and of what an explanation says about them. gckn/molecules.h says what they are.
//
// RDKit draws the molecule in black; what is highlighted lies below it and is drawn here: outlines of the motif around
// all of it, and small files. Colour means a score and nothing else, so elements have none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gckn/molecules.h"

namespace gckn {

std::vector<std::string> draw_as_svg(const std::vector<MoleculeSource>& molecules, const MoleculeReading& reading,
                                     const std::vector<MoleculeHighlights>& highlights, const RunOptions& run);

std::vector<std::string> find_fragment_smiles(const std::vector<MoleculeSource>& molecules,
                                              const MoleculeReading& reading,
                                              const std::vector<std::vector<std::uint32_t>>& atoms,
                                              const RunOptions& run);

}  // namespace gckn
