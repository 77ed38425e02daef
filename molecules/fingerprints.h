// SPDX-License-Identifier: BSD-3-Clause
// What chemists compare molecules by: scaffolds and Morgan fingerprints. gckn/molecules.h says what they are.
#pragma once

#include <string>
#include <vector>

#include "gckn/molecules.h"

namespace gckn {

std::vector<std::string> find_scaffolds(const std::vector<std::string>& smiles, const RunOptions& run);
Matrix find_morgan_fingerprints(const std::vector<std::string>& smiles, const MorganOptions& options,
                                const RunOptions& run);

}  // namespace gckn
